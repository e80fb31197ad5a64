package import HeadwayRun

/// What a program that was started below a share says of its progress in one request.
package struct Told: Hashable, Sendable {
  /// The completed units.
  package var completed: Int?
  /// Units that are added to the completed ones; fewer than 0 take back.
  package var added: Int?
  /// The units of the work.
  package var total: Int?
  /// The completed part in percent, from 0 to 100; it replaces the completed units, and the total is 100 if it is unknown.
  package var percent: Double?
  /// The name of the work.
  package var label: String?
  /// The description of the current step; an empty one removes it.
  package var detail: String?
  /// Whether the work has ended.
  package var isFinished = false

  /// Says nothing.
  package init() {}

  /// The same with texts that a reader accepts, cut if they are longer.
  var withinLimits: Told {
    var told = self
    told.label = label.map { JSONLine.prefix(of: $0, bytes: RelayLimits.nameBytes) }
    told.detail = detail.map { JSONLine.prefix(of: $0, bytes: RelayLimits.detailBytes) }
    return told
  }
}

extension Told: EventRecord {
  /// Writes the fields that are set.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    if let completed { try sink.add(.completed, number: completed) }
    if let total { try sink.add(.total, number: total) }
    if let added { try sink.add(.add, number: added) }
    if let percent { try sink.add(.percent, part: percent) }
    if let label { try sink.add(.label, text: label) }
    if let detail { try sink.add(.detail, text: detail) }
    if isFinished { try sink.add(.finished, flag: true) }
  }

  /// Reads the fields that are there.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError` if one is invalid.
  package init(_ fields: EventFields) throws {
    self.init()
    if fields.contains(.completed) { completed = try fields.number(.completed) }
    if fields.contains(.add) { added = try fields.number(.add, in: Int.min...Int.max) }
    if fields.contains(.total) { total = try fields.number(.total) }
    if fields.contains(.percent) {
      let percent = try fields.fraction(.percent)
      guard percent >= 0, percent <= 100 else {
        throw fields.wrong(.percent, "must be from 0 to 100, but is \(percent)")
      }
      self.percent = percent
    }
    if fields.contains(.label) { label = try fields.text(.label, bytes: RelayLimits.nameBytes) }
    if fields.contains(.detail) {
      detail = try fields.text(.detail, bytes: RelayLimits.detailBytes)
    }
    if fields.contains(.finished) { isFinished = try fields.flag(.finished) }
  }
}
