import Foundation

/// A number that was measured, beside that of a peer and the goal, where there are any.
struct Row: Sendable {
  /// The area of the benchmark, `spawn` for instance.
  var area: String
  /// What was measured.
  var name: String
  /// The unit of both values.
  var unit: String
  /// Our number.
  var value: Double
  /// The other program, nil where the number stands alone.
  var peer: String?
  /// The peer's number, nil when the peer is not installed.
  var peerValue: Double?
  /// The most that the ratio, or without a peer the value, may be; nil where it is only reported.
  var goal: Double?
  /// Whether the number is the same in every run, so that it decides although others of its area do not.
  var isExact = false

  /// How many times the peer's number ours is, nil where that one is zero.
  var ratio: Double? { peerValue.flatMap { $0 == 0 ? nil : value / $0 } }

  /// Whether the goal is met, nil where there is none or the peer is missing.
  var isMet: Bool? {
    guard let goal else { return nil }
    guard peer != nil else { return value <= goal }
    return ratio.map { $0 <= goal }
  }
}

extension Row: Encodable {
  /// The names of the fields in JSON.
  private enum Key: String, CodingKey {
    case area
    case `case`
    case unit
    case value
    case peer
    case peerValue
    case ratio
    case goal
    case met
  }

  /// Writes every field, null where there is nothing.
  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(area, forKey: .area)
    try fields.encode(name, forKey: .case)
    try fields.encode(unit, forKey: .unit)
    try fields.encode(value, forKey: .value)
    try fields.encode(peer, forKey: .peer)
    try fields.encode(peerValue, forKey: .peerValue)
    try fields.encode(ratio, forKey: .ratio)
    try fields.encode(goal, forKey: .goal)
    try fields.encode(isMet, forKey: .met)
  }
}

extension [Row] {
  /// One line of JSON for each row.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try map { String(decoding: try encoder.encode($0), as: UTF8.self) + "\n" }.joined()
  }

  /// A table for people.
  var table: String {
    let head = ["case", "value", "unit", "peer", "its value", "ratio", "goal", ""]
    let lines = [head] + map(\.cells)
    let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { cells in
      let padded = cells.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - cells[column].count)
        return [1, 4, 5].contains(column) ? space + cells[column] : cells[column] + space
      }
      return padded.joined(separator: "  ").trimmingCharacters(in: .whitespaces) + "\n"
    }.joined()
  }
}

extension Row {
  /// The row as cells of the table.
  fileprivate var cells: [String] {
    let missing = peer == nil ? "" : "missing"
    return [
      name, Self.text(value), unit, peer ?? "", peerValue.map(Self.text) ?? missing,
      ratio.map { String(format: $0 < 0.095 ? "%.4f" : "%.2f", $0) } ?? "",
      goal.map { "≤ " + String(format: $0 < 0.01 ? "%.2g" : "%g", $0) } ?? "",
      isMet.map { $0 ? "met" : "NOT MET" } ?? "",
    ]
  }

  /// A number with three or four digits.
  private static func text(_ value: Double) -> String {
    String(format: value < 10 ? "%.3f" : value < 100 ? "%.1f" : "%.0f", value)
  }
}
