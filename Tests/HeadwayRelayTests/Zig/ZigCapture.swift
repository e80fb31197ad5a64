import Testing

@testable import HeadwayRelay

/// Packets that programs in Zig have written: `Benchmarks/Peers/zig_progress.zig`, or the same for an older Zig.
struct ZigCapture: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let layout: ZigPacket.Layout
  let packets: [[UInt8]]

  /// A program with two nodes, at its second, third and fourth step.
  static let steps = [
    ZigCapture(
      "0.15.2", .short,
      [
        """
        03010000000400000070656572 z36 0500000000000000666f756e64 z35 \
        0200000003000000737465702032 z34 ff0000
        """,
        """
        03020000000400000070656572 z36 0700000000000000666f756e64 z35 \
        0100000003000000737465702033 z34 ff0000
        """,
        """
        03030000000400000070656572 z36 0b00000000000000666f756e64 z35 \
        0200000003000000737465702034 z34 ff0000
        """,
      ]),
    ZigCapture(
      "0.17.1", .long,
      [
        """
        03010000000400000070656572 z116 0500000000000000666f756e64 z115 \
        0200000003000000737465702032 z114 ff0000
        """,
        """
        03020000000400000070656572 z116 0700000000000000666f756e64 z115 \
        0100000003000000737465702033 z114 ff0000
        """,
        """
        03030000000400000070656572 z116 0b00000000000000666f756e64 z115 \
        0200000003000000737465702034 z114 ff0000
        """,
      ]),
  ]

  /// A program that has started another one, before and after that has reported.
  static let nested = [
    ZigCapture(
      "0.15.2", .short,
      [
        "02000000000100000072756e6e6572 z42 70726f6772616d z33 ff00",
        """
        04000000000100000072756e6e6572 z34 010000000300000070656572 z36 \
        0300000000000000666f756e64 z39 03000000737465702032 z34 ff000101
        """,
      ]),
    ZigCapture(
      "0.17.1", .long,
      [
        "02000000000100000072756e6e6572 z122 70726f6772616d z113 ff00",
        """
        04000000000100000072756e6e6572 z114 010000000300000070656572 z116 \
        0300000000000000666f756e64 z119 03000000737465702032 z114 ff000101
        """,
      ]),
  ]

  /// Creates packets from hexadecimal digits, where `z36` stands for 36 zeros.
  private init(_ version: String, _ layout: ZigPacket.Layout, _ packets: [String]) {
    testDescription = "Zig \(version)"
    self.layout = layout
    self.packets = packets.map { packet in
      packet.split(separator: " ").flatMap { word -> [UInt8] in
        if word.first == "z" { return Array(repeating: 0, count: Int(word.dropFirst()) ?? 0) }
        let digits = word.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
      }
    }
  }
}

extension ZigPacket {
  /// The tree as lines, indented by two spaces for each level.
  var picture: [String] { picture(of: 0, indent: "") }

  private func picture(of place: Int, indent: String) -> [String] {
    let node = nodes[place]
    let counts = node.total.map { "\(node.completed)/\($0)" } ?? "\(node.completed)"
    let children = nodes.indices.filter { nodes[$0].parent == place }
    return ["\(indent)\(node.name) \(counts)"]
      + children.flatMap { picture(of: $0, indent: indent + "  ") }
  }
}
