package import HeadwayProgress
package import HeadwayRun

/// What a line says about a progress tree.
package struct ProgressEvent: Sendable, Equatable {
  /// Whether the line has the whole tree, and replaces what was known of it.
  package var isWhole: Bool
  /// The time since the tree was published.
  package var time: Duration
  /// The publication whose tree it is, nil where there is only one tree.
  package var publication: PublicationID?
  /// Whether the next line of the same tree belongs to the same moment.
  package var hasMore = false
  /// What has changed.
  package var change: TreeChange

  /// Creates an event.
  package init(
    isWhole: Bool, time: Duration, publication: PublicationID? = nil, change: TreeChange
  ) {
    (self.isWhole, self.time, self.publication) = (isWhole, time, publication)
    self.change = change
  }
}

extension ProgressEvent: EventRecord {
  /// Writes the name, the time and the nodes.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.event, isWhole ? ProgressEventName.progress : .progressChanged)
    try sink.add(.time, seconds: time)
    if let publication { try sink.add(.publication, text: publication.text) }
    if hasMore { try sink.add(.more, flag: true) }
    if !change.ended.isEmpty { try sink.add(.ended, numbers: change.ended.map { Int($0) }) }
    if !change.nodes.isEmpty { try sink.add(.nodes, objects: change.nodes.map(NodeRecord.init)) }
  }

  /// Reads an event from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    let name: ProgressEventName = try fields.name(.event)
    self.init(
      isWhole: name == .progress, time: try fields.duration(.time), change: TreeChange())
    if fields.contains(.publication) { publication = try fields.publication }
    if fields.contains(.more) { hasMore = try fields.flag(.more) }
    if fields.contains(.ended) {
      change.ended = try fields.numbers(.ended, in: 0...Int(UInt32.max)).map { UInt32($0) }
    }
    if fields.contains(.nodes) {
      let records: [NodeRecord] = try fields.records(.nodes)
      change.nodes = records.map(\.change)
    }
  }
}

/// A changed node as an object of a line.
private struct NodeRecord: EventRecord {
  let change: NodeChange

  init(_ change: NodeChange) { self.change = change }

  func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.node, number: Int(change.id))
    if let parent = change.parent { try sink.add(.parent, number: Int(parent)) }
    if let units = change.units { try sink.add(.units, number: units) }
    if let label = change.label { try sink.add(.label, text: label) }
    if let detail = change.detail {
      if let detail { try sink.add(.detail, text: detail) } else { try sink.addNull(.detail) }
    }
    if let kind = change.kind { try sink.add(.kind, text: kind.name) }
    if let completed = change.completed { try sink.add(.completed, number: completed) }
    if let total = change.total {
      if let total { try sink.add(.total, number: total) } else { try sink.addNull(.total) }
    }
    if let peak = change.shownFraction { try sink.add(.peak, part: peak) }
    for (key, flag) in [
      (.finished, change.isFinished), (.cancelled, change.isCancelled), (.paused, change.isPaused),
      (.cancellable, change.isCancellable), (.pausable, change.isPausable),
      (.omits, change.omitsChildren),
    ] as [(EventKey, Bool?)] {
      if let flag { try sink.add(key, flag: flag) }
    }
    if let values = change.values {
      try sink.add(.values, object: OwnValues(values: values))
      let finished = FinishedValues(values: values)
      if !finished.isEmpty { try sink.add(.finishedValues, object: finished) }
    }
    if let summary = change.summary {
      if let summary {
        try sink.add(.summary, object: SummaryRecord(summary))
      } else {
        try sink.addNull(.summary)
      }
    }
  }

  init(_ fields: EventFields) throws {
    var change = NodeChange(try fields.nodeNumber(.node))
    if fields.contains(.parent) {
      change.parent = try fields.nodeNumber(.parent)
      change.units = try fields.number(.units)
    }
    if fields.contains(.label) { change.label = try fields.text(.label) }
    if fields.contains(.detail) {
      change.detail = .some(try fields.isNull(.detail) ? nil : fields.text(.detail))
    }
    if fields.contains(.kind) { change.kind = WorkKind(name: try fields.text(.kind)) }
    if fields.contains(.completed) { change.completed = try fields.number(.completed) }
    if fields.contains(.total) {
      change.total = .some(try fields.isNull(.total) ? nil : fields.number(.total))
    }
    if fields.contains(.peak) { change.shownFraction = try fields.part(.peak) }
    if fields.contains(.finished) { change.isFinished = try fields.flag(.finished) }
    if fields.contains(.cancelled) { change.isCancelled = try fields.flag(.cancelled) }
    if fields.contains(.paused) { change.isPaused = try fields.flag(.paused) }
    if fields.contains(.cancellable) { change.isCancellable = try fields.flag(.cancellable) }
    if fields.contains(.pausable) { change.isPausable = try fields.flag(.pausable) }
    if fields.contains(.omits) { change.omitsChildren = try fields.flag(.omits) }
    if fields.contains(.values) {
      let own: OwnValues = try fields.record(.values)
      var values = own.values
      if fields.contains(.finishedValues) {
        let finished: FinishedValues = try fields.record(.finishedValues)
        finished.add(to: &values)
      }
      change.values = values
    }
    if fields.contains(.summary) {
      let isNull = try fields.isNull(.summary)
      let record: SummaryRecord? = try isNull ? nil : fields.record(.summary)
      change.summary = .some(record?.summary)
    }
    self.change = change
  }
}

/// The typed values of a node alone; those under keys of other modules are left out.
private struct OwnValues: EventRecord {
  var values: ValueTable

  init(values: ValueTable) { self.values = values }

  func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try write(.totalFiles, values[ProgressKeys.TotalFileCount.self], to: &sink)
    try write(.completedFiles, values[ProgressKeys.CompletedFileCount.self], to: &sink)
    try write(.totalBytes, values[ProgressKeys.TotalByteCount.self], to: &sink)
    try write(.completedBytes, values[ProgressKeys.CompletedByteCount.self], to: &sink)
    if let rate = values[ProgressKeys.Throughput.self] { try sink.add(.rate, part: rate) }
    if let time = values[ProgressKeys.RemainingTime.self] {
      try sink.add(.remaining, seconds: time)
    }
    if let path = values[ProgressKeys.FilePath.self] { try sink.add(.path, text: path) }
  }

  private func write<Sink: FieldSink>(
    _ key: EventKey, _ number: Int?, to sink: inout Sink
  ) throws(Sink.Problem) {
    if let number { try sink.add(key, number: number) }
  }

  init(_ fields: EventFields) throws {
    values = ValueTable()
    values[ProgressKeys.TotalFileCount.self] = try fields.numberIfPresent(.totalFiles)
    values[ProgressKeys.CompletedFileCount.self] = try fields.numberIfPresent(.completedFiles)
    values[ProgressKeys.TotalByteCount.self] = try fields.numberIfPresent(.totalBytes)
    values[ProgressKeys.CompletedByteCount.self] = try fields.numberIfPresent(.completedBytes)
    if fields.contains(.rate) {
      values[ProgressKeys.Throughput.self] = try fields.fraction(.rate)
    }
    if fields.contains(.remaining) {
      values[ProgressKeys.RemainingTime.self] = try fields.duration(.remaining)
    }
    if fields.contains(.path) { values[ProgressKeys.FilePath.self] = try fields.text(.path) }
  }
}

/// The sums of the typed values of finished children.
private struct FinishedValues: EventRecord {
  private let totalFiles, completedFiles, totalBytes, completedBytes: Int?

  init(values: ValueTable) {
    totalFiles = values.finishedSum(of: ProgressKeys.TotalFileCount.self)
    completedFiles = values.finishedSum(of: ProgressKeys.CompletedFileCount.self)
    totalBytes = values.finishedSum(of: ProgressKeys.TotalByteCount.self)
    completedBytes = values.finishedSum(of: ProgressKeys.CompletedByteCount.self)
  }

  private var fields: [(key: EventKey, number: Int?)] {
    [
      (.totalFiles, totalFiles), (.completedFiles, completedFiles), (.totalBytes, totalBytes),
      (.completedBytes, completedBytes),
    ]
  }

  var isEmpty: Bool { fields.allSatisfy { $0.number == nil } }

  func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    for (key, number) in fields {
      if let number { try sink.add(key, number: number) }
    }
  }

  init(_ fields: EventFields) throws {
    totalFiles = try fields.numberIfPresent(.totalFiles)
    completedFiles = try fields.numberIfPresent(.completedFiles)
    totalBytes = try fields.numberIfPresent(.totalBytes)
    completedBytes = try fields.numberIfPresent(.completedBytes)
  }

  /// Adds the sums to the values of a node.
  func add(to values: inout ValueTable) {
    values.setFinishedSum(totalFiles, of: ProgressKeys.TotalFileCount.self)
    values.setFinishedSum(completedFiles, of: ProgressKeys.CompletedFileCount.self)
    values.setFinishedSum(totalBytes, of: ProgressKeys.TotalByteCount.self)
    values.setFinishedSum(completedBytes, of: ProgressKeys.CompletedByteCount.self)
  }
}

/// The completed part and the sums of a node.
private struct SummaryRecord: EventRecord {
  let summary: ProgressSummary

  init(_ summary: ProgressSummary) { self.summary = summary }

  func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.fraction, part: summary.part)
    try FinishedValues(values: summary.sums).write(to: &sink)
  }

  init(_ fields: EventFields) throws {
    var sums = ValueTable()
    try FinishedValues(fields).add(to: &sums)
    summary = ProgressSummary(part: try fields.part(.fraction), sums: sums)
  }
}

extension EventFields {
  /// Reads the number of a node.
  fileprivate func nodeNumber(_ key: EventKey) throws -> UInt32 {
    UInt32(try number(key, in: 0...Int(UInt32.max)))
  }

  /// Reads a whole number that may be missing.
  fileprivate func numberIfPresent(_ key: EventKey) throws -> Int? {
    contains(key) ? try number(key, in: Int.min...Int.max) : nil
  }

  /// Reads a list of whole numbers.
  fileprivate func numbers(_ key: EventKey, in range: ClosedRange<Int>) throws -> [Int] {
    let numbers = try numbers(key)
    guard numbers.allSatisfy(range.contains) else {
      throw wrong(key, "must have numbers from \(range.lowerBound) to \(range.upperBound)")
    }
    return numbers
  }
}
