package import HeadwayProgress
internal import HeadwayText

/// Decides when a tree is written to a Zig program, and with which bytes.
///
/// Zig counts the end of a node as one unit of its parent. A node whose children have other units, or are not all shown,
/// is written with counts in ten thousandths or less, so that the counts with one unit for each child give its fraction.
/// All others have their own counts. Requests do not travel in this protocol: the work cannot be cancelled or paused.
///
/// The caller has the pipe and the clock. Whenever the tree has changed, or if ``isIncomplete``, it calls
/// ``bytes(of:at:)`` at ``nextDeadline``, writes the bytes without waiting, and calls ``wrote(_:)``. A pure value.
package struct ZigWriter: Sendable {
  /// The time before the first packet, as in Zig: most programs end before.
  package static let firstDelay: Duration = .milliseconds(200)
  /// The least time between two packets, as in Zig: its parent draws no more often.
  package static let interval: Duration = .milliseconds(80)
  /// The least total of scaled counts: a percent with two decimals.
  private static let scaledTotal = 10_000

  /// The layout of the packets.
  package let layout: ZigPacket.Layout
  /// The first time at which anything is to be written; before, ``bytes(of:at:)`` returns nil.
  package private(set) var nextDeadline: Duration
  /// The packet that was written last, nil if none was or not as a whole.
  private var last: ZigPacket?
  /// What was returned and not yet written.
  private var outgoing: ArraySlice<UInt8> = []
  /// Whether the beginning of `outgoing` was written.
  private var isCut = false

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - layout: The layout that the reader of the pipe expects.
  ///   - now: The time.
  package init(layout: ZigPacket.Layout, at now: Duration) {
    self.layout = layout
    nextDeadline = now + Self.firstDelay
  }

  /// Whether something is to be written also if the tree does not change.
  ///
  /// It is so for the first packet, and for one that the pipe had no room for.
  package var isIncomplete: Bool { last == nil }

  /// The bytes to write now.
  ///
  /// - Parameters:
  ///   - snapshot: The tree, of which the layout's `maximumNodes` are written, level by level.
  ///   - now: The time.
  /// - Returns: The bytes, nil if nothing has changed or the time has not come.
  /// - Complexity: O(nodes that are written, and their children).
  package mutating func bytes(
    of snapshot: ProgressSnapshot, at now: Duration
  ) -> ArraySlice<UInt8>? {
    guard now >= nextDeadline else { return nil }
    if outgoing.isEmpty {
      let packet = ZigPacket(snapshot, layout: layout)
      guard packet != last else { return nil }
      last = packet
      outgoing = packet.encoded(layout)[...]
    }
    nextDeadline = now + Self.interval
    return outgoing
  }

  /// Notes how much of the bytes the pipe has taken.
  ///
  /// The rest of a packet that was cut comes first the next time, or the reader would take what follows for that rest.
  ///
  /// - Parameter count: The number of bytes, 0 if the pipe is full; not more than were returned.
  package mutating func wrote(_ count: Int) {
    precondition(
      (0...outgoing.count).contains(count), "wrote \(count) of \(outgoing.count) bytes")
    outgoing = outgoing.dropFirst(count)
    if outgoing.isEmpty {
      // What a cut packet says is old by now.
      if isCut { last = nil }
      isCut = false
      return
    }
    last = nil
    isCut = isCut || count > 0
    // Nothing of it has arrived: the next one will be newer.
    if !isCut { outgoing = [] }
  }

  /// The counts of a node that has all its children as far as they are shown.
  fileprivate static func counts(
    of node: ProgressSnapshot, shown children: ArraySlice<ProgressSnapshot>
  ) -> (completed: UInt32, total: UInt32?) {
    if node.isFinished {
      let total = UInt32(clamping: max(node.total ?? node.completed, 1))
      return (min(total, ZigPacket.largestTotal), min(total, ZigPacket.largestTotal))
    }
    guard let total = node.total else { return (UInt32(clamping: node.completed), nil) }
    // Work of 0 units is complete, but a total of 0 would be an unknown one.
    guard total > 0 else { return (1, 1) }
    let countsForItself =
      node.summary == nil && children.count == node.children.count
      && children.allSatisfy { $0.units == 1 }
    if countsForItself { return scaled(node.completed, of: total) }
    var larger = total
    while larger < scaledTotal { larger *= 10 }
    larger = min(larger, Int(ZigPacket.largestTotal))
    let inChildren = children.reduce(0) { $0 + $1.fraction }
    let completed = max((node.fraction * Double(larger) - inChildren).rounded(), 0)
    return (UInt32(completed), UInt32(larger))
  }

  /// Two counts with the same ratio that fit into 32 bits; less than complete if it is so before.
  private static func scaled(_ completed: Int, of total: Int) -> (UInt32, UInt32?) {
    let largest = Int(ZigPacket.largestTotal)
    let completed = max(completed, 0)
    guard total > largest else { return (UInt32(clamping: completed), UInt32(total)) }
    let product = min(completed, total).multipliedFullWidth(by: largest)
    return (UInt32(total.dividingFullWidth(product).quotient), ZigPacket.largestTotal)
  }
}

extension ZigPacket {
  /// The first nodes of a tree, level by level.
  ///
  /// Characters that a terminal would not show are replaced, as Zig draws names as they are.
  ///
  /// - Parameters:
  ///   - snapshot: The tree.
  ///   - layout: The layout, for the number of nodes.
  package init(_ snapshot: ProgressSnapshot, layout: Layout) {
    var copies: [(snapshot: ProgressSnapshot, parent: Int?)] = [(snapshot, nil)]
    var nodes: [Node] = []
    while nodes.count < copies.count {
      let (node, parent) = copies[nodes.count]
      let shown = node.children.prefix(layout.maximumNodes - copies.count)
      copies += shown.map { ($0, nodes.count) }
      let counts = ZigWriter.counts(of: node, shown: shown)
      nodes.append(
        Node(
          node.label.sanitized, completed: counts.completed, total: counts.total, parent: parent))
    }
    self.init(nodes)
  }
}
