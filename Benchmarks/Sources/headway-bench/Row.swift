import Foundation

/// A measured number, with that of a peer and the goal, if there are any.
struct Row: Sendable {
  /// The area of the benchmark, such as `spawn`.
  var area: String
  /// The name of the case.
  var name: String
  /// The unit of both values.
  var unit: String
  /// Our number.
  var value: Double
  /// The name of the peer, nil if there is none.
  var peer: String?
  /// The peer's number, nil if the peer is not installed.
  var peerValue: Double?
  /// The maximum ratio, or without a peer the maximum value; nil if it is only reported.
  var goal: Double?
  /// Whether the number is the same in every run, so that it decides even if other numbers of its area do not.
  var isExact = false

  /// The ratio of our number to the peer's, nil if that is zero.
  var ratio: Double? { peerValue.flatMap { $0 == 0 ? nil : value / $0 } }

  /// Whether the goal is met, nil if there is none or the peer is missing.
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

  /// Writes every field, null for nil.
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
