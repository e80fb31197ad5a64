package import HeadwayProgress

/// The bytes that Zig programs write of their progress, as changes of a tree.
///
/// The bytes do not say in which layout they are. Both are followed until only one of them fits: it is the one under
/// which all that has arrived divides into whole packets. If both do, the next bytes decide. Programs of different
/// versions can write one after the other; then the layout changes between two pieces.
///
/// Packets do not say which node is which either. A node is the one of the last packet that has the same parent and the
/// same name, among equal ones the next in order. All others are new or have ended, and their numbers are not used
/// again. A child stands for one unit of its parent, as the end of a node in Zig completes one.
///
/// Whatever arrives, only the beginning of one packet for each layout and the last tree are kept. A pure value.
package struct ZigReader: Sendable {
  /// What arrived is not of the protocol.
  package struct InvalidBytes: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for people.
    package var description: String {
      "what a program has written to ZIG_PROGRESS is not progress of Zig 0.13 to 0.17 and was ignored"
    }
  }

  /// The most nodes of a tree.
  package static let maximumNodes = ZigPacket.Layout.long.maximumNodes
  /// The most levels of a tree; deeper nodes are left out, as they would not count in a tree of this package.
  package static let maximumLevels = 32
  /// Nodes that are made in this process have larger numbers.
  private static let largestID: UInt32 = 0x7FFF_FFFF

  /// A node of the last packet.
  private struct Entry {
    let id: UInt32
    let node: ZigPacket.Node
    /// The numbers of the children in `entries`.
    var children: [Int] = []
  }

  /// The layouts that are possible, one once it is known.
  private var streams = ZigReader.allStreams
  private var packet: ZigPacket?
  private var entries: [Entry] = []
  private var lastID: UInt32 = 0
  private var hasThrown = false

  /// Creates a reader to which nothing has arrived.
  package init() {}

  /// The layout of the packets, nil while it is not known.
  package var layout: ZigPacket.Layout? { streams.count == 1 ? streams.first?.layout : nil }

  private static var allStreams: [ZigPacketStream] {
    ZigPacket.Layout.allCases.map { ZigPacketStream(layout: $0) }
  }

  /// Takes bytes that have arrived.
  ///
  /// - Parameter bytes: All that could be read at once, so that a change of the layout is seen. They may end within a packet.
  /// - Returns: What has changed up to the last whole packet; empty if nothing has.
  /// - Throws: ``InvalidBytes`` if the bytes are not of the protocol. They are ignored, and packets that follow are read
  ///   again. It is thrown once at most.
  /// - Complexity: O(`bytes` + nodes).
  package mutating func received(
    _ bytes: ArraySlice<UInt8>
  ) throws(InvalidBytes) -> TreeChange {
    let known = streams.allSatisfy(\.isWhole) ? layout : nil
    streams = streams.compactMap { $0.appending(bytes) }
    if known != nil, !streams.contains(where: \.isWhole) {
      // The rest is still to come, or another program has begun, in the other layout.
      let others = Self.allStreams.filter { $0.layout != known }
      streams += others.compactMap { $0.appending(bytes) }
    }
    guard !streams.isEmpty else {
      streams = Self.allStreams
      guard !hasThrown else { return TreeChange() }
      hasThrown = true
      throw InvalidBytes()
    }
    let whole = streams.filter(\.isWhole)
    if whole.count == 1 { streams = whole }
    guard layout != nil, let latest = streams[0].takePacket(), latest != packet else {
      return TreeChange()
    }
    packet = latest
    return change(to: latest)
  }

  /// Finds the nodes of a packet among those of the last one.
  private mutating func change(to packet: ZigPacket) -> TreeChange {
    var change = TreeChange()
    var children: [[Int]] = Array(repeating: [], count: packet.nodes.count)
    for (place, node) in packet.nodes.enumerated() {
      if let parent = node.parent { children[parent].append(place) }
    }
    var found: [Entry] = []
    // The places in the packet, level by level, with what is known of each.
    var level: [(place: Int, old: Entry?, parent: Int?)] = [(0, entries.first, nil)]
    for depth in 1...Self.maximumLevels {
      var next: [(place: Int, old: Entry?, parent: Int?)] = []
      for (place, old, parent) in level {
        guard let id = old?.id ?? newID() else { continue }
        let node = packet.nodes[place]
        let difference = NodeChange(
          id, from: old?.node, to: node, parent: parent.map { found[$0].id })
        if old == nil || difference != NodeChange(id) { change.nodes.append(difference) }
        if let parent { found[parent].children.append(found.count) }
        let below = depth < Self.maximumLevels ? children[place] : []
        let matches = matches(below.map { packet.nodes[$0].name }, below: old, &change.ended)
        next += zip(below, matches).map { ($0, $1, found.count) }
        found.append(Entry(id: id, node: node))
      }
      level = next
    }
    entries = found
    return change
  }

  /// Finds the children of a node by their names.
  ///
  /// - Parameters:
  ///   - names: The names of the children that it has now.
  ///   - old: The node in the last packet.
  ///   - ended: Gets the numbers of the children that it does not have any more.
  /// - Returns: The child for each name, nil for a new one.
  private func matches(
    _ names: [String], below old: Entry?, _ ended: inout [UInt32]
  ) -> [Entry?] {
    let before = (old?.children ?? []).map { entries[$0] }
    // In reverse, so that the next of those with a name is the last.
    var named: [String: [Entry]] = [:]
    for child in before.reversed() { named[child.node.name, default: []].append(child) }
    let matches = names.map { named[$0]?.popLast() }
    let kept = Set(matches.compactMap { $0?.id })
    ended += before.map(\.id).filter { !kept.contains($0) }
    return matches
  }

  /// The next number, nil if there are no more.
  private mutating func newID() -> UInt32? {
    guard lastID < Self.largestID else { return nil }
    lastID += 1
    return lastID
  }
}

extension NodeChange {
  /// Compares two states of a node.
  ///
  /// - Parameters:
  ///   - id: The number of the node.
  ///   - old: The earlier state, nil for a new node.
  ///   - new: The later state.
  ///   - parent: The number of the parent, nil for the root.
  fileprivate init(
    _ id: UInt32, from old: ZigPacket.Node?, to new: ZigPacket.Node, parent: UInt32?
  ) {
    self.init(id)
    if old == nil, let parent { (self.parent, units) = (parent, 1) }
    if new.name != old?.name ?? "" { label = new.name }
    if new.completed != old?.completed ?? 0 { completed = Int(new.completed) }
    if new.total != old?.total { total = .some(new.total.map(Int.init)) }
  }
}

/// The bytes of a stream as packets of one layout, of which only the last is kept.
private struct ZigPacketStream: Sendable {
  let layout: ZigPacket.Layout
  /// The beginning of a packet.
  private var unfinished: [UInt8] = []
  private var packet: ZigPacket?
  /// Whether all bytes divide into whole packets, of which there is at least one.
  private(set) var isWhole = false

  init(layout: ZigPacket.Layout) { self.layout = layout }

  /// Appends bytes; the result is nil if not all of them are of the layout.
  func appending(_ bytes: ArraySlice<UInt8>) -> ZigPacketStream? {
    var stream = self
    return stream.append(bytes) ? stream : nil
  }

  /// Appends bytes, and checks whether all of them are of the layout.
  private mutating func append(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while let first = unfinished.first ?? rest.first {
      guard let size = layout.packetSize(first: first) else { return false }
      guard unfinished.count + rest.count >= size else {
        unfinished += rest
        isWhole = false
        return true
      }
      let part = rest.prefix(size - unfinished.count)
      rest = rest.dropFirst(part.count)
      // Nothing is copied if the packet has come in one piece.
      guard let whole = ZigPacket(unfinished.isEmpty ? part : unfinished + part, layout: layout)
      else { return false }
      packet = whole
      unfinished.removeAll(keepingCapacity: true)
      isWhole = true
    }
    return true
  }

  /// Takes the last whole packet, nil if none has come since.
  mutating func takePacket() -> ZigPacket? {
    defer { packet = nil }
    return packet
  }
}
