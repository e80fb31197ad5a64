internal import HeadwayText

extension ProgressSnapshot: Codable {
  /// Encodes the snapshot as an object, with the children of each node inside it.
  ///
  /// ```json
  /// {"node":0,"label":"build","completed":1,"total":3,"fraction":0.5,"children":[
  ///   {"node":1,"units":1,"label":"copy","kind":"copying","completed":500,"total":1000,"fraction":0.5}]}
  /// ```
  ///
  /// The format is stable. The fields are those of the nodes in `docs/events.md`, with the same words and units, and with
  /// `fraction` and `children`; a field with its usual value is left out. Typed values under keys that are not in
  /// ``ProgressKeys`` are left out, too, and so is a throughput that is not a finite number.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  /// - Complexity: O(nodes of the snapshot).
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: SnapshotField.self)
    try encode(into: &container)
  }

  /// Decodes a snapshot; unknown fields are ignored.
  ///
  /// The fractions and the sums of typed values follow from the other fields, so `fraction` is not read.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if `node` is missing, a field is invalid, two nodes have one number, or there are more than
  ///   1,000 nodes or 65 levels.
  /// - Complexity: O(nodes of the snapshot).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: SnapshotField.self)
    var reader = SnapshotReader()
    try reader.read(container, below: nil)
    // The same tree is built again, because what is not encoded follows from it.
    let mirror = ProgressMirror(limit: SnapshotReader.nodeLimit)
    do {
      try mirror.apply(reader.change)
    } catch {
      throw container.wrong(.children, "does not describe a tree: \(error)")
    }
    self = mirror.root.snapshot(limit: SnapshotReader.nodeLimit)
    units = try container.number(.units) ?? 0
  }

  private func encode(into container: inout KeyedEncodingContainer<SnapshotField>) throws {
    try container.encode(id, forKey: .node)
    if units != 0 { try container.encode(units, forKey: .units) }
    if !label.isEmpty { try container.encode(label, forKey: .label) }
    try container.encodeIfPresent(detail, forKey: .detail)
    if kind != .work { try container.encode(kind, forKey: .kind) }
    if completed != 0 { try container.encode(completed, forKey: .completed) }
    try container.encodeIfPresent(total, forKey: .total)
    try container.encode(fraction, forKey: .fraction)
    if shownFraction > fraction { try container.encode(shownFraction, forKey: .peak) }
    if isFinished { try container.encode(true, forKey: .finished) }
    if isCancelled { try container.encode(true, forKey: .cancelled) }
    if isPaused { try container.encode(true, forKey: .paused) }
    if !isCancellable { try container.encode(false, forKey: .cancellable) }
    if !isPausable { try container.encode(false, forKey: .pausable) }
    if omitsChildren { try container.encode(true, forKey: .omits) }
    if values != ValueTable() {
      var own = container.nestedContainer(keyedBy: SnapshotField.self, forKey: .values)
      try values.encodeValues(into: &own)
      if values.hasSums {
        var finished = container.nestedContainer(
          keyedBy: SnapshotField.self, forKey: .finishedValues)
        try values.encodeSums(into: &finished)
      }
    }
    if let summary {
      var nested = container.nestedContainer(keyedBy: SnapshotField.self, forKey: .summary)
      try nested.encode(summary.part, forKey: .fraction)
      try summary.sums.encodeSums(into: &nested)
    }
    guard !children.isEmpty else { return }
    var list = container.nestedUnkeyedContainer(forKey: .children)
    // At most as deep as a tree.
    for child in children {
      var nested = list.nestedContainer(keyedBy: SnapshotField.self)
      try child.encode(into: &nested)
    }
  }
}

/// The names of the fields of a node; those of HeadwayRelay, which writes the same, are compared with them by its tests.
private enum SnapshotField: String, CodingKey {
  case node, units, label, detail, kind, completed, total, fraction, peak
  case finished, cancelled, paused, cancellable, pausable, omits
  case values, summary, children
  case finishedValues = "finished_values"
  case totalFiles = "total_files"
  case completedFiles = "completed_files"
  case totalBytes = "total_bytes"
  case completedBytes = "completed_bytes"
  case rate, remaining, path, paths
}

/// Reads the nodes of an encoded snapshot as the change from nothing to its tree.
private struct SnapshotReader {
  private typealias Fields = KeyedDecodingContainer<SnapshotField>

  /// The most nodes of a snapshot.
  static let nodeLimit = ProgressTree.nodesPerHold

  /// The nodes so far, parents before their children.
  private(set) var change = TreeChange()
  private var ids: Set<UInt32> = []
  /// The number of nodes above the next one.
  private var depth = 0

  /// Reads a node and those below it.
  ///
  /// - Parameters:
  ///   - fields: The fields of the node.
  ///   - parent: The number of its parent, nil for the first node.
  /// - Throws: `DecodingError`.
  mutating func read(
    _ fields: KeyedDecodingContainer<SnapshotField>, below parent: UInt32?
  ) throws {
    guard depth < ProgressMirror.deepestLevel else {
      throw fields.wrong(.node, "is below level \(ProgressMirror.deepestLevel) of the tree")
    }
    guard change.nodes.count < Self.nodeLimit else {
      throw fields.wrong(.node, "is one of more than \(Self.nodeLimit) nodes")
    }
    let node = try Self.node(fields, below: parent)
    guard ids.insert(node.id).inserted else {
      throw fields.wrong(.node, "is \(node.id), which is the number of another node")
    }
    change.nodes.append(node)
    guard try fields.isPresent(.children) else { return }
    depth += 1
    defer { depth -= 1 }
    var list = try fields.nestedUnkeyedContainer(forKey: .children)
    while !list.isAtEnd {
      try read(list.nestedContainer(keyedBy: SnapshotField.self), below: node.id)
    }
  }

  private static func node(_ fields: Fields, below parent: UInt32?) throws -> NodeChange {
    guard let number = try fields.integer(.node) else {
      throw fields.wrong(.node, "is missing")
    }
    guard let id = UInt32(exactly: number) else {
      throw fields.wrong(.node, "must be from 0 to \(UInt32.max), but is \(number)")
    }
    var node = NodeChange(id)
    if let parent {
      node.parent = parent
      node.units = try fields.number(.units) ?? 0
    }
    node.label = try fields.decodeIfPresent(String.self, forKey: .label)
    node.detail = try fields.decodeIfPresent(String.self, forKey: .detail).map { .some($0) }
    node.kind = try fields.decodeIfPresent(WorkKind.self, forKey: .kind)
    node.completed = try fields.number(.completed)
    node.total = try fields.number(.total).map { .some($0) }
    node.shownFraction = try fields.part(.peak)
    node.isFinished = try fields.flag(.finished)
    if node.isFinished == true, parent != nil {
      throw fields.wrong(.finished, "can be true for the first node only")
    }
    node.isCancelled = try fields.flag(.cancelled)
    node.isPaused = try fields.flag(.paused)
    node.isCancellable = try fields.flag(.cancellable)
    node.isPausable = try fields.flag(.pausable)
    node.omitsChildren = try fields.flag(.omits)
    if try fields.isPresent(.values) {
      var values = ValueTable()
      try values.decodeValues(from: fields.object(.values))
      if try fields.isPresent(.finishedValues) {
        try values.decodeSums(from: fields.object(.finishedValues))
      }
      node.values = values
    }
    if try fields.isPresent(.summary) {
      let summary = try fields.object(.summary)
      var sums = ValueTable()
      try sums.decodeSums(from: summary)
      guard let part = try summary.part(.fraction) else {
        throw summary.wrong(.fraction, "is missing")
      }
      node.summary = .some(ProgressSummary(part: part, sums: sums))
    }
    return node
  }
}

/// A key under which there are numbers of files or bytes.
private protocol CountKey: ProgressKey where Value == Int, Sum == Int {
  static var field: SnapshotField { get }
}

extension ProgressKeys.TotalFileCount: CountKey {
  fileprivate static var field: SnapshotField { .totalFiles }
}

extension ProgressKeys.CompletedFileCount: CountKey {
  fileprivate static var field: SnapshotField { .completedFiles }
}

extension ProgressKeys.TotalByteCount: CountKey {
  fileprivate static var field: SnapshotField { .totalBytes }
}

extension ProgressKeys.CompletedByteCount: CountKey {
  fileprivate static var field: SnapshotField { .completedBytes }
}

extension ValueTable {
  private static let counts: [any CountKey.Type] = [
    ProgressKeys.TotalFileCount.self, ProgressKeys.CompletedFileCount.self,
    ProgressKeys.TotalByteCount.self, ProgressKeys.CompletedByteCount.self,
  ]

  private func value<Key: CountKey>(_ key: Key.Type) -> Int? { self[key] }

  private func sum<Key: CountKey>(_ key: Key.Type) -> Int? { finishedSum(of: key) }

  private mutating func setValue<Key: CountKey>(_ value: Int?, _ key: Key.Type) {
    self[key] = value
  }

  private mutating func setSum<Key: CountKey>(_ sum: Int?, _ key: Key.Type) {
    setFinishedSum(sum, of: key)
  }

  /// Whether there is a sum that is encoded; finished children have left only counts.
  fileprivate var hasSums: Bool { Self.counts.contains { sum($0) != nil } }

  fileprivate func encodeValues(
    into container: inout KeyedEncodingContainer<SnapshotField>
  ) throws {
    for key in Self.counts { try container.encodeIfPresent(value(key), forKey: key.field) }
    try container.encode(rate: self[ProgressKeys.Throughput.self])
    try container.encode(remaining: self[ProgressKeys.RemainingTime.self])
    try container.encodeIfPresent(self[ProgressKeys.FilePath.self], forKey: .path)
  }

  fileprivate mutating func decodeValues(
    from fields: KeyedDecodingContainer<SnapshotField>
  ) throws {
    for key in Self.counts {
      setValue(try fields.integer(key.field), key)
    }
    self[ProgressKeys.Throughput.self] = try fields.rate
    self[ProgressKeys.RemainingTime.self] = try fields.remaining
    self[ProgressKeys.FilePath.self] = try fields.decodeIfPresent(String.self, forKey: .path)
  }

  fileprivate func encodeSums(
    into container: inout KeyedEncodingContainer<SnapshotField>
  ) throws {
    for key in Self.counts { try container.encodeIfPresent(sum(key), forKey: key.field) }
    try container.encode(rate: finishedSum(of: ProgressKeys.Throughput.self))
    try container.encode(remaining: finishedSum(of: ProgressKeys.RemainingTime.self))
    try container.encodeIfPresent(
      finishedSum(of: ProgressKeys.FilePath.self), forKey: .paths)
  }

  fileprivate mutating func decodeSums(
    from fields: KeyedDecodingContainer<SnapshotField>
  ) throws {
    for key in Self.counts {
      setSum(try fields.integer(key.field), key)
    }
    setFinishedSum(try fields.rate, of: ProgressKeys.Throughput.self)
    setFinishedSum(try fields.remaining, of: ProgressKeys.RemainingTime.self)
    setFinishedSum(
      try fields.decodeIfPresent([String].self, forKey: .paths), of: ProgressKeys.FilePath.self)
  }
}

extension KeyedEncodingContainer where Key == SnapshotField {
  /// Writes the units per second, unless they are no number of JSON.
  fileprivate mutating func encode(rate: Double?) throws {
    if let rate, rate.isFinite { try encode(rate, forKey: .rate) }
  }

  fileprivate mutating func encode(remaining: Duration?) throws {
    if let remaining { try encode(JSONSeconds(remaining).number, forKey: .remaining) }
  }
}

extension KeyedDecodingContainer where Key == SnapshotField {
  fileprivate var rate: Double? {
    get throws {
      guard let rate = try decodeIfPresent(Double.self, forKey: .rate) else { return nil }
      guard rate.isFinite else { throw wrong(.rate, "must be finite, but is \(rate)") }
      return rate
    }
  }

  fileprivate var remaining: Duration? {
    get throws {
      guard let number = try decodeIfPresent(Double.self, forKey: .remaining) else { return nil }
      guard let seconds = JSONSeconds(number) else {
        throw wrong(
          .remaining, "must be a number of seconds from -2^63 to 2^63, but is \(number)")
      }
      return seconds.duration
    }
  }

  /// Whether there is a field that is not null.
  fileprivate func isPresent(_ key: Key) throws -> Bool {
    try contains(key) && !decodeNil(forKey: key)
  }

  fileprivate func object(_ key: Key) throws -> KeyedDecodingContainer {
    try nestedContainer(keyedBy: SnapshotField.self, forKey: key)
  }

  fileprivate func flag(_ key: Key) throws -> Bool? {
    try decodeIfPresent(Bool.self, forKey: key)
  }

  /// Reads a whole number.
  fileprivate func integer(_ key: Key) throws -> Int? {
    do {
      return try decodeIfPresent(Int.self, forKey: key)
    } catch {
      // For some decoders, 0.5 in place of a whole number is an error of the whole text.
      guard let other = try? decode(Double.self, forKey: key) else { throw error }
      throw wrong(key, "must be a whole number of 64 bits, but is \(other)")
    }
  }

  /// Reads a whole number that is not negative.
  fileprivate func number(_ key: Key) throws -> Int? {
    guard let number = try integer(key) else { return nil }
    guard number >= 0 else {
      throw wrong(key, "must be from 0 to \(Int.max), but is \(number)")
    }
    return number
  }

  /// Reads a part from 0 to 1.
  fileprivate func part(_ key: Key) throws -> Double? {
    guard let number = try decodeIfPresent(Double.self, forKey: key) else { return nil }
    guard number >= 0, number <= 1 else {
      throw wrong(key, "must be from 0 to 1, but is \(number)")
    }
    return number
  }

  /// The error for a field.
  fileprivate func wrong(_ key: Key, _ problem: String) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath + [key], debugDescription: "'\(key.rawValue)' \(problem)"))
  }
}
