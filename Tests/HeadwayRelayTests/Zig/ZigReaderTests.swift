import HeadwayCollections
import HeadwayProgress
import Repetitions
import Testing

@testable import HeadwayRelay

/// A tree that is made from what has arrived.
struct ZigFollower {
  var reader = ZigReader()
  let mirror = ProgressMirror(limit: ZigReader.maximumNodes)

  /// Takes bytes, and applies what has changed.
  @discardableResult
  mutating func receive(_ bytes: some Collection<UInt8>) throws -> TreeChange {
    let change = try reader.received(Array(bytes)[...])
    if !change.isEmpty { try mirror.apply(change) }
    return change
  }

  /// The tree as lines, indented by two spaces for each level.
  var picture: [String] { Self.picture(of: mirror.root.snapshot(), indent: "") }

  private static func picture(of node: ProgressSnapshot, indent: String) -> [String] {
    let counts = node.total.map { "\(node.completed)/\($0)" } ?? "\(node.completed)"
    return ["\(indent)\(node.label) \(counts)"]
      + node.children.flatMap { picture(of: $0, indent: indent + "  ") }
  }
}

struct ZigReaderTests {
  private static let layouts = ZigPacket.Layout.allCases

  /// The bytes of a packet of a root and nodes below it.
  private func bytes(
    _ children: [String], completed: UInt32 = 0, layout: ZigPacket.Layout = .long
  ) -> [UInt8] {
    let root = ZigPacket.Node("root", completed: completed, total: 4, parent: nil)
    return ZigPacket([root] + children.map { ZigPacket.Node($0, parent: 0) }).encoded(layout)
  }

  @Test(arguments: ZigCapture.steps)
  func `The tree of a program in Zig is followed`(capture: ZigCapture) throws {
    var follower = ZigFollower()
    try follower.receive(capture.packets[0])
    #expect(follower.picture == ["peer 1/4", "  found 5", "  step 2 2/3"])
    #expect(follower.reader.layout == capture.layout)
    // One of the four steps, and two thirds of the next.
    #expect(abs(follower.mirror.root.fraction - 5.0 / 12) < 1e-9)
    try follower.receive(capture.packets[1])
    #expect(follower.picture == ["peer 2/4", "  found 7", "  step 3 1/3"])
    try follower.receive(capture.packets[2])
    #expect(follower.picture == ["peer 3/4", "  found 11", "  step 4 2/3"])
  }

  @Test(arguments: ZigCapture.nested)
  func `A program that has started another one shows its tree`(capture: ZigCapture) throws {
    var follower = ZigFollower()
    for bytes in capture.packets { try follower.receive(bytes) }
    #expect(follower.picture == ["runner 0/1", "  peer 1/3", "    found 3", "    step 2 0/3"])
  }

  @Test(arguments: ZigCapture.steps)
  func `A packet that says nothing new changes nothing`(capture: ZigCapture) throws {
    var follower = ZigFollower()
    try follower.receive(capture.packets[0])
    for _ in 0..<10 { #expect(try follower.receive(capture.packets[0]).isEmpty) }
    #expect(try follower.receive([]).isEmpty)
  }

  @Test(arguments: ZigCapture.steps)
  func `Only the last whole packet counts`(capture: ZigCapture) throws {
    var follower = ZigFollower()
    let all = capture.packets.flatMap(\.self)
    try follower.receive(all + capture.packets[0].dropLast())
    // Both have been in the pipe from the beginning, so the layout is not known yet.
    #expect(follower.reader.layout == capture.layout)
    #expect(follower.picture == ["peer 3/4", "  found 11", "  step 4 2/3"])
    try follower.receive([0])
    #expect(follower.picture == ["peer 1/4", "  found 5", "  step 2 2/3"])
  }

  @Test(arguments: ZigCapture.steps + ZigCapture.nested)
  func `Packets may be cut anywhere`(capture: ZigCapture) throws {
    let all = capture.packets.flatMap(\.self)
    var whole = ZigFollower()
    try whole.receive(all)
    for cut in all.indices {
      var follower = ZigFollower()
      try follower.receive(all[..<cut])
      try follower.receive(all[cut...])
      #expect(follower.picture == whole.picture)
    }
    var follower = ZigFollower()
    for byte in all { try follower.receive([byte]) }
    #expect(follower.picture == whole.picture)
  }

  @Test func `A node is the one with the same name`() throws {
    var reader = ZigReader()
    let first = try reader.received(bytes(["a", "b", "c"])[...])
    #expect(first.nodes.map(\.id) == [1, 2, 3, 4])
    #expect(first.nodes.map(\.parent) == [nil, 1, 1, 1])
    #expect(first.nodes.map(\.units) == [nil, 1, 1, 1])
    // The first one ends and a new one takes its place.
    let second = try reader.received(bytes(["d", "b", "c"], completed: 1)[...])
    #expect(second.ended == [2])
    #expect(second.nodes.map(\.id) == [1, 5])
    #expect(second.nodes.first?.completed == 1)
    #expect(second.nodes.last?.label == "d")
    // Another order is no change.
    #expect(try reader.received(bytes(["c", "d", "b"], completed: 1)[...]).isEmpty)
  }

  @Test func `Nodes with the same name keep their order`() throws {
    var reader = ZigReader()
    _ = try reader.received(bytes(["a", "b", "a", "a"])[...])
    #expect(try reader.received(bytes(["a", "a", "b"])[...]).ended == [5])
    let third = try reader.received(bytes(["a", "a", "a"])[...])
    #expect(third.ended == [3])
    // The numbers of those that have ended are not used again.
    #expect(third.nodes.map(\.id) == [6])
  }

  @Test func `With a node, those below it end`() throws {
    var reader = ZigReader()
    let root = ZigPacket.Node("", parent: nil)
    let deep = [root, .init("a", parent: 0), .init("b", parent: 1), .init("c", parent: 2)]
    _ = try reader.received(ZigPacket(deep).encoded(.short)[...])
    let moved = [root, .init("c", parent: 0), .init("b", parent: 1), .init("a", parent: 2)]
    let change = try reader.received(ZigPacket(moved).encoded(.short)[...])
    #expect(change.ended == [2])
    #expect(change.nodes.map(\.id) == [5, 6, 7])
    #expect(change.nodes.map(\.parent) == [1, 5, 6])
  }

  @Test func `A root without a name keeps that of its place`() throws {
    var follower = ZigFollower()
    follower.mirror.root.label = "place"
    try follower.receive(ZigPacket([ZigPacket.Node("", parent: nil)]).encoded(.long))
    #expect(follower.picture == ["place 0"])
  }

  @Test func `A total can become known and unknown`() throws {
    var follower = ZigFollower()
    for (total, line) in [(nil, "a 1"), (5, "a 1/5"), (nil, "a 1")] as [(UInt32?, String)] {
      let packet = ZigPacket([.init("a", completed: 1, total: total, parent: nil)])
      try follower.receive(packet.encoded(.short))
      #expect(follower.picture == [line])
    }
  }

  @Test func `Bytes that fit both layouts wait for the next ones`() throws {
    var bytes = [8] + Array(repeating: 0 as UInt8, count: 8 * 128) + [255, 0, 255, 0, 0, 0, 0, 0]
    // A count of 255, which is the parent of the root of a packet of 8 short records.
    bytes[385] = 255
    // What is left over behind a name, which is a packet of 2 and one of 5.
    (bytes[393], bytes[393 + 97]) = (2, 255)
    (bytes[492], bytes[492 + 241]) = (5, 255)
    // One of 6, whose parents are those of the long records.
    bytes[738] = 6
    var reader = ZigReader()
    #expect(try reader.received(bytes[...]).isEmpty)
    #expect(reader.layout == nil)
    let change = try reader.received(self.bytes(["a"], layout: .long)[...])
    #expect(reader.layout == .long)
    #expect(change.nodes.map(\.label) == ["root", "a"])
  }

  @Test(arguments: layouts)
  func `A program of another version may follow`(layout: ZigPacket.Layout) throws {
    let other = layout == .short ? ZigPacket.Layout.long : .short
    var follower = ZigFollower()
    try follower.receive(bytes(["a", "b"], layout: layout))
    try follower.receive(bytes(["b", "c"], completed: 2, layout: other))
    #expect(follower.reader.layout == other)
    #expect(follower.picture == ["root 2/4", "  b 0", "  c 0"])
    try follower.receive(bytes(["d"], layout: layout))
    #expect(follower.picture == ["root 0/4", "  d 0"])
  }

  @Test(arguments: ["hello\n", "{}", "\0", "\u{7F}"])
  func `Other bytes are refused, once`(text: String) throws {
    var follower = ZigFollower()
    let junk = Array(String(repeating: text, count: 20_000).utf8)
    #expect(throws: ZigReader.InvalidBytes()) { try follower.receive(junk) }
    #expect(try follower.receive(junk).isEmpty)
    // What follows is read again.
    try follower.receive(bytes(["a"]))
    #expect(follower.picture == ["root 0/4", "  a 0"])
  }

  @Test func `The problem is a sentence`() {
    #expect(
      "\(ZigReader.InvalidBytes())"
        == "what a program has written to ZIG_PROGRESS is not progress of Zig 0.13 to 0.17 "
        + "and was ignored")
  }

  @Test func `Levels that are too deep are left out`() throws {
    let nodes = (0..<127).map { ZigPacket.Node("\($0)", parent: $0 == 0 ? nil : $0 - 1) }
    var follower = ZigFollower()
    let change = try follower.receive(ZigPacket(nodes).encoded(.long))
    #expect(change.nodes.count == ZigReader.maximumLevels)
    #expect(follower.picture.last?.hasSuffix("  31 0") == true)
  }

  @Test func `As many nodes as a packet has can be followed`() throws {
    var follower = ZigFollower()
    for round in 0..<3 {
      try follower.receive(bytes((0..<126).map { "\(round + $0)" }))
      #expect(follower.picture.count == 127)
    }
  }

  @Test(arguments: ZigCapture.steps)
  func `After a broken byte the tree is soon there again`(capture: ZigCapture) throws {
    // A wrong number of nodes hides as many packets as there are in the largest one.
    let later = Array(repeating: capture.packets[1], count: 60).flatMap(\.self)
    let stride = repetitions(5, real: 1)
    for index in capture.packets[0].indices where index < 16 || index.isMultiple(of: stride) {
      for byte in [0, 127, 255] as [UInt8] {
        var broken = capture.packets[0]
        broken[index] = byte
        var follower = ZigFollower()
        _ = try? follower.receive(broken)
        for _ in 0..<3 { _ = try? follower.receive(later) }
        #expect(follower.picture == ["peer 2/4", "  found 7", "  step 3 1/3"])
      }
    }
  }

  @Test(arguments: 0..<(50 as UInt64))
  func `Whatever arrives, the tree can be followed`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var follower = ZigFollower()
    for _ in 0..<200 {
      var piece: [UInt8]
      switch Int.random(in: 0..<4, using: &random) {
      case 0: piece = (0..<300).map { _ in .random(in: 0...255, using: &random) }
      case 1: piece = bytes(["a"], layout: .short)
      case 2: piece = Array(repeating: 0, count: 100)
      default: piece = ZigCapture.steps.randomElement(using: &random)?.packets[1] ?? []
      }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let index = Int.random(in: 0..<piece.count, using: &random)
        piece[index] = .random(in: 0...255, using: &random)
      }
      piece = Array(piece.prefix(Int.random(in: 0...400, using: &random)))
      do {
        try follower.receive(piece)
      } catch let error as MirrorProblem {
        Issue.record(error)
      } catch {}
    }
  }
}
