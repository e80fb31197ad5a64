/// One packet of the progress protocol of Zig: a whole tree at one moment.
///
/// A Zig program whose environment has `ZIG_PROGRESS=DESCRIPTOR` writes its tree to that pipe instead of drawing it: first
/// after 200 ms, then each 80 ms, changed or not. Packets follow each other without a mark, a version or a length:
///
///     count      1 byte, the number of nodes, at least 1
///     records    count × { completed: 4 bytes, total: 4 bytes, name: 40 or 120 bytes }
///     parents    count × 1 byte, the place of the parent in the packet
///
/// Numbers are little-endian. A total of 0 is unknown, and one of 0xFFFFFFFF marks a node whose counts a further process
/// was to provide. A name ends at its first NUL; what follows is left over from other names. The first node is the root,
/// whose parent is 255. A node with 254 or 255 has lost its parent, as the tree is copied while it changes; for the same
/// reason a node can be below itself. Zig does not draw such nodes, and they are left out here. Parents can come after
/// their children.
///
/// Described from `std/Progress.zig` of Zig 0.15.2, 0.16.0 and 0.17.1. A pure value.
package struct ZigPacket: Sendable, Hashable {
  /// The size of a record and the number of nodes, which have changed once.
  package enum Layout: Int, Sendable, CaseIterable {
    /// Records of 48 bytes, for names of 40: Zig 0.13 to 0.15.
    case short = 48
    /// Records of 128 bytes, for names of 120: Zig 0.16 and later.
    case long = 128

    /// The bytes of the counts of a record.
    fileprivate static let countBytes = 8
    /// The capacity that Zig 0.16 and later give to the pipe, in bytes.
    private static let longCapacity = 32_768
    /// The capacity of the pipes of this package, which read both layouts, in bytes.
    package static let ownCapacity = 131_072

    /// Finds the layout that the reader of a pipe expects.
    ///
    /// The capacity of the pipe is the only trace of the reader's version: Zig 0.16 and later set it, before that it is
    /// that of any pipe, usually 65,536 bytes.
    ///
    /// - Parameter capacity: The capacity of the pipe, as `F_GETPIPE_SZ` returns it, in bytes.
    package init(pipeCapacity capacity: Int) {
      self = [Self.longCapacity, Self.ownCapacity].contains(capacity) ? .long : .short
    }

    /// Reads the layout from the size of a record, as in the variable `HEADWAY_ZIG_RECORD`; nil for other texts.
    package init?(recordSize text: String) {
      guard let layout = Self.allCases.first(where: { "\($0.rawValue)" == text }) else {
        return nil
      }
      self = layout
    }

    /// The bytes of a record.
    package var recordSize: Int { rawValue }
    /// The most bytes of a name.
    package var nameSize: Int { recordSize - Self.countBytes }
    /// The most nodes of a packet; Zig has room for no more.
    package var maximumNodes: Int {
      switch self {
      case .short: 83
      case .long: 127
      }
    }

    /// Computes the size of a packet.
    ///
    /// - Parameter count: The number of nodes.
    /// - Returns: The size in bytes; 4,068 and 16,384 for the most nodes.
    package func packetSize(nodes count: Int) -> Int { 1 + count * (recordSize + 1) }

    /// The bytes of the packet that begins with a byte, nil if no packet does.
    func packetSize(first: UInt8) -> Int? {
      (1...maximumNodes).contains(Int(first)) ? packetSize(nodes: Int(first)) : nil
    }
  }

  /// A node.
  package struct Node: Sendable, Hashable {
    /// The name, empty for none.
    package var name: String
    /// The completed units.
    package var completed: UInt32
    /// The units of the work, nil while unknown; neither 0 nor 0xFFFFFFFF.
    package var total: UInt32?
    /// The place of the parent in the packet, nil for the root.
    package var parent: Int?

    /// Creates a node.
    package init(_ name: String, completed: UInt32 = 0, total: UInt32? = nil, parent: Int?) {
      self.name = name
      self.completed = completed
      self.total = total
      self.parent = parent
    }
  }

  /// Where programs find the number of the descriptor that they write to.
  package static let variable = "ZIG_PROGRESS"
  /// The largest total.
  package static let largestTotal = UInt32.max - 1
  /// The total of a node whose counts another process was to provide.
  private static let providedTotal = UInt32.max
  /// The parent of the root, and of a node that has lost its own.
  private static let noParent: UInt8 = 255
  /// The first number that stands for no place.
  private static let firstMark: UInt8 = 254

  /// The nodes, the root first; each is below the root.
  package let nodes: [Node]

  /// Creates a packet.
  ///
  /// - Parameter nodes: The nodes, of which the first one must be the only one without a parent; each must be below it.
  package init(_ nodes: [Node]) { self.nodes = nodes }

  /// Reads a packet.
  ///
  /// Names that are not UTF-8 are repaired with U+FFFD. Nodes that are not below the root are left out. The result is nil if
  /// the length is wrong, if the first node has a parent, or if the parent of another one is outside of the packet.
  ///
  /// - Parameters:
  ///   - bytes: One whole packet.
  ///   - layout: The layout of the packet.
  /// - Complexity: O(`bytes`).
  package init?(_ bytes: ArraySlice<UInt8>, layout: Layout) {
    guard let first = bytes.first, bytes.count == layout.packetSize(first: first) else {
      return nil
    }
    let count = Int(first)
    let records = bytes.startIndex + 1
    let parents = bytes[(records + count * layout.recordSize)...]
    guard parents.first == Self.noParent,
      parents.allSatisfy({ $0 < first || $0 >= Self.firstMark })
    else { return nil }
    var nodes: [Node] = []
    for (place, parent) in Self.connected(Array(parents)) {
      let start = records + place * layout.recordSize
      nodes.append(Node(record: bytes[start..<start + layout.recordSize], parent: parent))
    }
    self.nodes = nodes
  }

  /// The nodes below the root, in their order, and the places of their parents among them.
  private static func connected(_ parents: [UInt8]) -> [(place: Int, parent: Int?)] {
    var children: [[Int]] = Array(repeating: [], count: parents.count)
    for (place, parent) in parents.enumerated() where parent < firstMark {
      children[Int(parent)].append(place)
    }
    // The root has no parent, so that each node is reached once at most.
    var reached = [0]
    var next = 0
    while next < reached.count {
      reached += children[reached[next]]
      next += 1
    }
    reached.sort()
    var places: [Int: Int] = [:]
    for (new, old) in reached.enumerated() { places[old] = new }
    return reached.map { ($0, places[Int(parents[$0])]) }
  }

  /// Writes the packet.
  ///
  /// Names are cut at the end of a scalar, and at a NUL.
  ///
  /// - Parameter layout: The layout; the packet must not have more nodes than that allows.
  /// - Returns: The bytes of the packet.
  /// - Complexity: O(nodes).
  package func encoded(_ layout: Layout) -> [UInt8] {
    precondition(
      (1...layout.maximumNodes).contains(nodes.count),
      "a packet of \(nodes.count) nodes, for a layout of 1 to \(layout.maximumNodes)")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(layout.packetSize(nodes: nodes.count))
    bytes.append(UInt8(nodes.count))
    for node in nodes {
      bytes.append(littleEndian: node.completed)
      bytes.append(littleEndian: node.total ?? 0)
      let end = bytes.count + layout.nameSize
      bytes += Self.nameBytes(node.name, limit: layout.nameSize)
      bytes += repeatElement(0, count: end - bytes.count)
    }
    for node in nodes { bytes.append(node.parent.map(UInt8.init) ?? Self.noParent) }
    return bytes
  }

  /// The bytes of a name, or as many of its first scalars as fit.
  private static func nameBytes(_ name: String, limit: Int) -> [UInt8] {
    var bytes = name.utf8.prefix { $0 != 0 }
    guard bytes.count > limit else { return Array(bytes) }
    var end = bytes.index(bytes.startIndex, offsetBy: limit)
    // A byte that continues a scalar.
    while bytes[end] & 0xC0 == 0x80 { end = bytes.index(before: end) }
    bytes = bytes[..<end]
    return Array(bytes)
  }
}

extension ZigPacket.Node {
  /// Reads a record.
  fileprivate init(record: ArraySlice<UInt8>, parent: Int?) {
    let counts = record.prefix(ZigPacket.Layout.countBytes)
    let total = UInt32(littleEndian: counts.suffix(4))
    let name = record.dropFirst(ZigPacket.Layout.countBytes).prefix { $0 != 0 }
    self.init(
      String(decoding: name, as: UTF8.self), completed: UInt32(littleEndian: counts.prefix(4)),
      total: total == 0 ? nil : total, parent: parent)
    // The count is not one, but tells which process it is.
    if total == .max { (completed, self.total) = (0, nil) }
  }
}

extension UInt32 {
  /// Reads a number from its bytes, the lowest first.
  fileprivate init(littleEndian bytes: ArraySlice<UInt8>) {
    self = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}

extension [UInt8] {
  /// Appends a number, its lowest byte first.
  fileprivate mutating func append(littleEndian number: UInt32) {
    for shift in stride(from: 0, to: UInt32.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
