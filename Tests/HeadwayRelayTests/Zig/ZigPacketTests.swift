import HeadwayCollections
import Testing

@testable import HeadwayRelay

struct ZigPacketTests {
  private static let layouts = ZigPacket.Layout.allCases

  /// A packet of a few nodes, whose parents can come after their children.
  private static func random(
    _ layout: ZigPacket.Layout, _ random: inout SplitMix64
  ) -> ZigPacket {
    let count = Int.random(in: 1...layout.maximumNodes, using: &random)
    // The parent comes first in this order, except that the root stays the first.
    let order = [0] + (1..<count).shuffled(using: &random)
    var nodes = Array(repeating: ZigPacket.Node("", parent: nil), count: count)
    for place in 1..<max(count, 1) {
      let length = Int.random(in: 0...layout.nameSize / 4, using: &random)
      let name = (0..<length).map { _ in "aé€🙂".randomElement(using: &random) ?? "a" }
      nodes[order[place]] = ZigPacket.Node(
        String(name), completed: .random(in: 0 ... .max, using: &random),
        total: Bool.random(using: &random)
          ? nil : .random(in: 1...ZigPacket.largestTotal, using: &random),
        parent: order[Int.random(in: 0..<place, using: &random)])
    }
    return ZigPacket(nodes)
  }

  /// The bytes of a packet of records without names, with the given parents.
  private static func bytes(parents: [UInt8], layout: ZigPacket.Layout) -> [UInt8] {
    [UInt8(parents.count)]
      + Array(repeating: 0, count: parents.count * layout.recordSize) + parents
  }

  /// The bytes of a packet of one node.
  private static func bytes(
    name: [UInt8], counts: [UInt8] = Array(repeating: 0, count: 8), layout: ZigPacket.Layout
  ) -> [UInt8] {
    [1] + counts + name + Array(repeating: 0, count: layout.nameSize - name.count) + [255]
  }

  @Test(arguments: ZigCapture.nested)
  func `What Zig has written is read`(capture: ZigCapture) throws {
    let packets = try capture.packets.map {
      try #require(ZigPacket($0[...], layout: capture.layout))
    }
    #expect(packets[0].picture == ["runner 0/1", "  program 0"])
    #expect(
      packets[1].picture == ["runner 0/1", "  peer 1/3", "    found 3", "    step 2 0/3"])
  }

  @Test(arguments: ZigCapture.nested + ZigCapture.steps)
  func `A packet is written as Zig writes it`(capture: ZigCapture) throws {
    for bytes in capture.packets {
      let packet = try #require(ZigPacket(bytes[...], layout: capture.layout))
      #expect(packet.encoded(capture.layout) == bytes)
    }
  }

  @Test(arguments: 0..<(100 as UInt64), layouts)
  func `A written packet is read again`(seed: UInt64, layout: ZigPacket.Layout) {
    var random = SplitMix64(seed: seed)
    let packet = Self.random(layout, &random)
    #expect(ZigPacket(packet.encoded(layout)[...], layout: layout) == packet)
  }

  @Test func `The largest packets have the sizes that Zig has room for`() {
    #expect(ZigPacket.Layout.short.packetSize(nodes: 83) == 4_068)
    #expect(ZigPacket.Layout.long.packetSize(nodes: 127) == 16_384)
    #expect(ZigPacket.Layout.short.packetSize(first: 83) == 4_068)
    #expect(ZigPacket.Layout.short.packetSize(first: 84) == nil)
    #expect(ZigPacket.Layout.long.packetSize(first: 127) == 16_384)
    #expect(ZigPacket.Layout.long.packetSize(first: 128) == nil)
    #expect(ZigPacket.Layout.long.packetSize(first: 0) == nil)
  }

  @Test(arguments: layouts)
  func `Numbers have their lowest byte first`(layout: ZigPacket.Layout) throws {
    let bytes = Self.bytes(name: [], counts: [1, 2, 3, 0x84, 5, 6, 7, 0x88], layout: layout)
    let node = try #require(ZigPacket(bytes[...], layout: layout)?.nodes.first)
    #expect(node.completed == 0x8403_0201)
    #expect(node.total == 0x8807_0605)
  }

  @Test(arguments: layouts)
  func `A node whose counts another process was to provide has none`(
    layout: ZigPacket.Layout
  ) throws {
    let bytes = Self.bytes(name: [], counts: [9, 0, 0, 0, 255, 255, 255, 255], layout: layout)
    let node = try #require(ZigPacket(bytes[...], layout: layout)?.nodes.first)
    #expect(node == ZigPacket.Node("", parent: nil))
  }

  @Test(arguments: layouts)
  func `A name ends at its first NUL`(layout: ZigPacket.Layout) {
    let bytes = Self.bytes(name: Array("link\0ile".utf8), layout: layout)
    #expect(ZigPacket(bytes[...], layout: layout)?.nodes.first?.name == "link")
    let written = ZigPacket([ZigPacket.Node("a\0b", parent: nil)]).encoded(layout)
    #expect(written == Self.bytes(name: Array("a".utf8), layout: layout))
  }

  @Test(arguments: layouts)
  func `A name that takes all its room needs no NUL`(layout: ZigPacket.Layout) {
    let name = String(repeating: "x", count: layout.nameSize)
    let packet = ZigPacket([ZigPacket.Node(name, parent: nil)])
    #expect(ZigPacket(packet.encoded(layout)[...], layout: layout) == packet)
  }

  @Test(arguments: layouts)
  func `A longer name is cut between two scalars`(layout: ZigPacket.Layout) {
    for (scalar, bytes) in [("x", 1), ("é", 2), ("€", 3), ("🙂", 4)] {
      for shift in 0..<bytes {
        let beginning = String(repeating: "-", count: shift)
        let name = beginning + String(repeating: scalar, count: layout.nameSize)
        let packet = ZigPacket([ZigPacket.Node(name, parent: nil)])
        let read = ZigPacket(packet.encoded(layout)[...], layout: layout)?.nodes.first?.name
        let count = (layout.nameSize - shift) / bytes
        #expect(read == beginning + String(repeating: scalar, count: count))
      }
    }
  }

  @Test(arguments: layouts)
  func `A name that is not UTF-8 is repaired`(layout: ZigPacket.Layout) {
    // Zig cuts names between any two bytes.
    let bytes = Self.bytes(name: [0x61, 0xFF, 0xE2, 0x82], layout: layout)
    #expect(ZigPacket(bytes[...], layout: layout)?.nodes.first?.name == "a\u{FFFD}\u{FFFD}")
  }

  @Test(arguments: layouts)
  func `Nodes that are not below the root are left out`(layout: ZigPacket.Layout) throws {
    // 1 and 2 have lost their parents, 3 and 4 are below each other, 5 is below itself and 6 below 1.
    let parents: [UInt8] = [255, 255, 254, 4, 3, 5, 1, 8, 0]
    let packet = ZigPacket(Self.bytes(parents: parents, layout: layout)[...], layout: layout)
    #expect(try #require(packet).nodes.map(\.parent) == [nil, 2, 0])
  }

  @Test(
    arguments: [[0], [254], [0, 0], [255, 2], [255, 253], [255, 0, 3]] as [[UInt8]], layouts)
  func `Other parents are refused`(parents: [UInt8], layout: ZigPacket.Layout) {
    #expect(ZigPacket(Self.bytes(parents: parents, layout: layout)[...], layout: layout) == nil)
  }

  @Test(arguments: layouts)
  func `A packet of no or too many nodes is refused`(layout: ZigPacket.Layout) {
    #expect(ZigPacket([], layout: layout) == nil)
    #expect(ZigPacket([0], layout: layout) == nil)
    let most = [255] + Array(repeating: 0 as UInt8, count: layout.maximumNodes - 1)
    #expect(ZigPacket(Self.bytes(parents: most, layout: layout)[...], layout: layout) != nil)
    #expect(
      ZigPacket(Self.bytes(parents: most + [0], layout: layout)[...], layout: layout) == nil)
  }

  @Test(arguments: ZigCapture.nested + ZigCapture.steps)
  func `A packet of another length is refused`(capture: ZigCapture) {
    let bytes = capture.packets[0]
    for count in 0..<bytes.count {
      #expect(ZigPacket(bytes[..<count], layout: capture.layout) == nil)
    }
    #expect(ZigPacket((bytes + [0])[...], layout: capture.layout) == nil)
  }

  @Test(arguments: ZigCapture.nested)
  func `Whatever a byte is, a packet is a tree or refused`(capture: ZigCapture) throws {
    for index in capture.packets[1].indices {
      for byte in [0, 1, 2, 3, 4, 5, 83, 84, 127, 128, 253, 254, 255] as [UInt8] {
        var bytes = capture.packets[1]
        bytes[index] = byte
        guard let packet = ZigPacket(bytes[...], layout: capture.layout) else { continue }
        // Each node is drawn once, so each is below the root.
        #expect(packet.picture.count == packet.nodes.count)
      }
    }
  }

  @Test(arguments: 0..<(200 as UInt64), layouts)
  func `Whatever the parents are, a packet is a tree or refused`(
    seed: UInt64, layout: ZigPacket.Layout
  ) {
    var random = SplitMix64(seed: seed)
    let parents: [UInt8] =
      [255] + (0..<20).map { _ in UInt8.random(in: 0..<21, using: &random) }
    let packet = ZigPacket(Self.bytes(parents: parents, layout: layout)[...], layout: layout)
    #expect(packet.map { $0.picture.count == $0.nodes.count } == true)
  }

  @Test func `The layout follows from the capacity of the pipe`() {
    #expect(ZigPacket.Layout(pipeCapacity: 32_768) == .long)
    for capacity in [4_096, 8_192, 65_536, 1_048_576] {
      #expect(ZigPacket.Layout(pipeCapacity: capacity) == .short)
    }
  }

  @Test func `The layout can be named by the size of a record`() {
    #expect(ZigPacket.Layout(recordSize: "48") == .short)
    #expect(ZigPacket.Layout(recordSize: "128") == .long)
    for text in ["", "49", "048", " 48", "short"] {
      #expect(ZigPacket.Layout(recordSize: text) == nil)
    }
  }

  @Test func `More nodes than a layout allows are a mistake`() async {
    await #expect(processExitsWith: .failure) {
      let nodes = (0..<84).map { ZigPacket.Node("", parent: $0 == 0 ? nil : 0) }
      _ = ZigPacket(nodes).encoded(.short)
    }
  }
}
