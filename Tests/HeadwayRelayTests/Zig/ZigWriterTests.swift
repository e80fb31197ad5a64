import HeadwayCollections
import HeadwayProgress
import ProgressFixtures
import Repetitions
import Testing

@testable import HeadwayRelay

struct ZigWriterTests {
  private static let layouts = ZigPacket.Layout.allCases
  private let root = ProgressNode("root", total: 4)

  /// Writes whatever is due, all at once.
  private func write(_ writer: inout ZigWriter, at milliseconds: Int) -> ZigPacket? {
    guard let bytes = writer.bytes(of: root.snapshot(), at: .milliseconds(milliseconds)) else {
      return nil
    }
    writer.wrote(bytes.count)
    return ZigPacket(bytes, layout: writer.layout)
  }

  /// The counts of a node.
  private func counts(_ node: ProgressNode) -> String? {
    ZigPacket(node.snapshot(), layout: .long).picture.first.map { String($0.dropFirst()) }
  }

  @Test func `The first packet comes after 200 ms, changed or not`() {
    var writer = ZigWriter(layout: .short, at: .milliseconds(1_000))
    #expect(writer.isIncomplete)
    #expect(writer.nextDeadline == .milliseconds(1_200))
    #expect(write(&writer, at: 1_199) == nil)
    #expect(write(&writer, at: 1_200)?.picture == ["root 0/4"])
    #expect(!writer.isIncomplete)
  }

  @Test func `Later ones come if something has changed, at most each 80 ms`() {
    var writer = ZigWriter(layout: .short, at: .zero)
    #expect(write(&writer, at: 200) != nil)
    #expect(writer.nextDeadline == .milliseconds(280))
    root.complete(1)
    #expect(write(&writer, at: 279) == nil)
    #expect(write(&writer, at: 280)?.picture == ["root 1/4"])
    #expect(write(&writer, at: 1_000) == nil)
    // After a rest it comes at once.
    root.complete(1)
    #expect(write(&writer, at: 1_001)?.picture == ["root 2/4"])
    #expect(writer.nextDeadline == .milliseconds(1_081))
  }

  @Test func `What a packet does not show is not written again`() {
    var writer = ZigWriter(layout: .short, at: .zero)
    #expect(write(&writer, at: 200) != nil)
    root.detail = "step 1"
    root.pause()
    #expect(write(&writer, at: 300) == nil)
  }

  @Test func `A packet for which there was no room is replaced by a newer one`() {
    var writer = ZigWriter(layout: .short, at: .zero)
    _ = writer.bytes(of: root.snapshot(), at: .milliseconds(200))
    writer.wrote(0)
    #expect(writer.isIncomplete)
    #expect(writer.nextDeadline == .milliseconds(280))
    #expect(write(&writer, at: 279) == nil)
    root.complete(1)
    #expect(write(&writer, at: 280)?.picture == ["root 1/4"])
    #expect(!writer.isIncomplete)
  }

  @Test func `The rest of a packet that was cut comes before the next one`() throws {
    var writer = ZigWriter(layout: .short, at: .zero)
    let first = writer.bytes(of: root.snapshot(), at: .milliseconds(200))
    writer.wrote(10)
    root.complete(1)
    let second = writer.bytes(of: root.snapshot(), at: .milliseconds(280))
    let rest = try #require(first).dropFirst(10)
    #expect(second == rest)
    writer.wrote(0)
    let third = writer.bytes(of: root.snapshot(), at: .milliseconds(360))
    #expect(third == rest)
    #expect(writer.isIncomplete)
    writer.wrote(rest.count)
    #expect(writer.isIncomplete)
    #expect(write(&writer, at: 440)?.picture == ["root 1/4"])
    #expect(!writer.isIncomplete)
  }

  @Test func `More than there was cannot have been written`() async {
    await #expect(processExitsWith: .failure) {
      var writer = ZigWriter(layout: .short, at: .zero)
      writer.wrote(1)
    }
  }

  @Test func `Children follow their parents, level by level`() {
    let first = root.child("a", units: 1, total: 2)
    let second = root.child("b", units: 1)
    let deep = first.child("c", units: 1, total: 3)
    deep.complete(1)
    second.complete(7)
    let packet = ZigPacket(root.snapshot(), layout: .short)
    #expect(packet.nodes.map(\.name) == ["root", "a", "b", "c"])
    #expect(packet.nodes.map(\.parent) == [nil, 0, 0, 1])
    #expect(packet.picture == ["root 0/4", "  a 0/2", "    c 1/3", "  b 7"])
  }

  @Test(arguments: layouts)
  func `At most as many nodes are written as Zig has room for`(layout: ZigPacket.Layout) {
    let children = (0..<200).map { root.child("\($0)", units: 0) }
    let below = children[0].child("below", units: 1)
    let packet = ZigPacket(root.snapshot(), layout: layout)
    #expect(packet.nodes.count == layout.maximumNodes)
    #expect(packet.nodes.last?.name == "\(layout.maximumNodes - 2)")
    #expect(packet.encoded(layout).count == layout.packetSize(nodes: layout.maximumNodes))
    withExtendedLifetime((children, below)) {}
  }

  @Test func `Counts of units are written as they are`() {
    root.complete(1)
    let child = root.child("a", units: 1, total: 2)
    child.complete(1)
    #expect(counts(root) == "oot 1/4")
    #expect(counts(ProgressNode("n")) == " 0")
    let more = ProgressNode("n", total: 3)
    more.complete(5)
    #expect(counts(more) == " 5/3")
  }

  @Test func `Other units make larger counts with the same fraction`() {
    let child = root.child("a", units: 2, total: 4)
    child.complete(1)
    // An eighth of the work, of which the child stands for a quarter of a unit.
    #expect(counts(root) == "oot 5000/40000")
    root.complete(2)
    #expect(counts(root) == "oot 25000/40000")
  }

  @Test func `Children that are left out count in their parent`() {
    let children = (0..<200).map { _ in root.child("a", units: 1, total: 2) }
    for child in children { child.complete(1) }
    root.total = 400
    // A quarter, of which those that are written stand for 63 units.
    #expect(counts(root) == "oot 9937/40000")
  }

  @Test func `Counts that do not fit are scaled`() {
    let half = ProgressNode("n", total: 1 << 40)
    half.complete(1 << 39)
    #expect(counts(half) == " 2147483647/4294967294")
    half.complete(1 << 39 - 1)
    #expect(counts(half) == " 4294967293/4294967294")
    half.complete(1)
    #expect(counts(half) == " 4294967294/4294967294")
    half.complete(.max)
    #expect(counts(half) == " 4294967294/4294967294")
    let largest = ProgressNode("n", total: Int(UInt32.max))
    largest.complete(1)
    #expect(counts(largest) == " 0/4294967294")
    let unknown = ProgressNode("n")
    unknown.complete(.max)
    #expect(counts(unknown) == " 4294967295")
    let most = ProgressNode("n", total: .max)
    let child = most.child("", units: 5)
    #expect(counts(most) == " 0/4294967294")
    withExtendedLifetime(child) {}
  }

  @Test func `Work of 0 units and work that has ended are complete`() {
    #expect(counts(ProgressNode("n", total: 0)) == " 1/1")
    for (total, expected) in [(nil, " 1/1"), (7, " 7/7"), (.max, " 4294967294/4294967294")]
      as [(Int?, String)]
    {
      let node = ProgressNode("n", total: total)
      node.finish()
      #expect(counts(node) == expected)
    }
  }

  @Test func `What a terminal would not show is replaced in names`() {
    let node = ProgressNode("a\u{1B}[2J\n\0b")
    let packet = ZigPacket(node.snapshot(), layout: .short)
    #expect(packet.nodes.map(\.name) == ["a\u{FFFD}[2J\u{FFFD}\u{FFFD}b"])
  }
}

/// Trees that change at random, written and read.
struct ZigExchangeTests {
  private static let seeds = 0..<UInt64(repetitions(15, real: 100))
  private static let layouts = ZigPacket.Layout.allCases

  /// Compares names, places and fractions.
  private static func expectEqual(_ read: ProgressSnapshot, _ written: ProgressSnapshot) {
    #expect(read.label == written.label)
    #expect(abs(read.fraction - written.fraction) < 0.01)
    #expect(read.isIndeterminate == written.isIndeterminate)
    #expect(read.children.count == written.children.count)
    for (read, written) in zip(read.children, written.children) { expectEqual(read, written) }
  }

  /// The tree without the order of siblings.
  private static func canonical(_ node: ProgressSnapshot) -> String {
    let children = node.children.map(canonical).sorted().joined(separator: ",")
    return "\(node.label) \(node.completed)/\(node.total ?? -1)(\(children))"
  }

  @Test(arguments: seeds, layouts)
  func `A tree that is written is the one that is read`(
    seed: UInt64, layout: ZigPacket.Layout
  ) throws {
    var tree = RandomTree(seed: seed)
    var writer = ZigWriter(layout: layout, at: .zero)
    var follower = ZigFollower()
    var now = ZigWriter.firstDelay
    for _ in 0..<40 {
      for _ in 0..<5 { tree.step() }
      let snapshot = tree.root.snapshot(limit: layout.maximumNodes)
      now += ZigWriter.interval
      guard let bytes = writer.bytes(of: snapshot, at: now) else { continue }
      writer.wrote(bytes.count)
      var fresh = ZigFollower()
      try fresh.receive(bytes)
      Self.expectEqual(fresh.mirror.root.snapshot(), snapshot)
      try follower.receive(bytes)
      #expect(
        Self.canonical(follower.mirror.root.snapshot())
          == Self.canonical(fresh.mirror.root.snapshot()))
    }
  }

  @Test(arguments: seeds, layouts)
  func `A pipe that is nearly full delays the tree and breaks nothing`(
    seed: UInt64, layout: ZigPacket.Layout
  ) throws {
    var tree = RandomTree(seed: seed)
    var random = SplitMix64(seed: seed)
    var writer = ZigWriter(layout: layout, at: .zero)
    var follower = ZigFollower()
    var now = ZigWriter.firstDelay
    // The first packet comes whole, so that the layout is known.
    for round in 0..<200 {
      // After the changes there is room for all.
      let hasRoom = round == 0 || round >= 180
      if !hasRoom { tree.step() }
      if let bytes = writer.bytes(of: tree.root.snapshot(), at: now) {
        let count = hasRoom ? bytes.count : Int.random(in: 0...bytes.count, using: &random)
        try follower.receive(bytes.prefix(count))
        writer.wrote(count)
      }
      now += ZigWriter.interval
    }
    #expect(!writer.isIncomplete)
    let bytes = ZigPacket(tree.root.snapshot(), layout: layout).encoded(layout)
    var fresh = ZigFollower()
    try fresh.receive(bytes)
    #expect(
      Self.canonical(follower.mirror.root.snapshot())
        == Self.canonical(fresh.mirror.root.snapshot()))
  }
}
