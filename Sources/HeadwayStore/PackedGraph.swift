/// A graph in few bytes, as a file keeps it, and a digest of them that tells it from others.
///
/// Numbers take as many groups of seven bits as they need, the lowest first (LEB128). A name is what it does not share
/// with the beginning of the name before it, as names of one plan resemble each other. A need is two small numbers: the
/// step from the task of the need before, and from the task back to what it waits for.
///
/// ```
/// form  kinds  (size text)…  tasks  (shared size text kind fingerprint)…  needs  (step back)…
/// ```
struct PackedGraph: Hashable {
  /// The first byte: how the rest is to be read.
  static let form: UInt8 = 1
  /// The fewest bytes of a task.
  private static let leastTask = 11
  /// The fewest bytes of a need.
  private static let leastNeed = 2

  /// The bytes.
  let bytes: [UInt8]
  /// A number made from the bytes.
  let digest: UInt64

  /// Packs a graph; nil for one without tasks and for one that takes too many bytes.
  ///
  /// - Parameters:
  ///   - graph: The graph.
  ///   - most: The most bytes.
  /// - Complexity: O(tasks + needs), or less where they take too many bytes.
  init?(_ graph: GraphRecord, most: Int) {
    if graph.tasks.isEmpty { return nil }
    var kinds: [String: Int] = [:]
    var texts = Writer()
    var names = Writer()
    names.add(graph.tasks.count)
    var last: [UInt8] = []
    for task in graph.tasks {
      let kind = HistoryFile.cut(task.kind)
      let place = kinds[kind] ?? kinds.count
      if place == kinds.count {
        kinds[kind] = place
        texts.add(Array(kind.utf8))
      }
      let name = Array(HistoryFile.cut(task.name).utf8)
      let shared = zip(last, name).prefix { $0 == $1 }.count
      names.add(shared)
      names.add(name[shared...])
      names.add(place)
      names.add(fixed: task.fingerprint)
      last = name
      if texts.bytes.count + names.bytes.count > most { return nil }
    }
    var head = Writer(bytes: [Self.form])
    head.add(kinds.count)
    let needs = graph.needs.filter {
      graph.tasks.indices.contains($0.task) && graph.tasks.indices.contains($0.before)
    }
    names.add(needs.count)
    var task = 0
    for need in needs {
      names.add(signed: need.task - task)
      names.add(signed: need.task - need.before)
      task = need.task
      if names.bytes.count > most { return nil }
    }
    bytes = head.bytes + texts.bytes + names.bytes
    if bytes.count > most { return nil }
    digest = fingerprint(of: bytes)
  }

  /// Takes what a file holds for a packed graph; nil where the bytes are not those that were written.
  init?(bytes: [UInt8], digest: UInt64) {
    guard fingerprint(of: bytes) == digest else { return nil }
    self.bytes = bytes
    self.digest = digest
  }

  /// The graph, nil where the bytes make none.
  ///
  /// - Complexity: O(bytes).
  var graph: GraphRecord? {
    var reader = Reader(bytes: bytes[...])
    guard reader.byte() == Self.form, let kindCount = reader.count(ofAtLeast: 1) else { return nil }
    var kinds: [String] = []
    for _ in 0..<kindCount {
      guard let text = reader.text(), let kind = String(validating: text, as: UTF8.self) else {
        return nil
      }
      kinds.append(kind)
    }
    guard let taskCount = reader.count(ofAtLeast: Self.leastTask) else { return nil }
    var graph = GraphRecord()
    graph.tasks.reserveCapacity(taskCount)
    var name: [UInt8] = []
    for _ in 0..<taskCount {
      guard let shared = reader.number(), shared <= name.count, let rest = reader.text() else {
        return nil
      }
      name.removeLast(name.count - shared)
      name += rest
      guard let text = String(validating: name, as: UTF8.self), let kind = reader.number(),
        kind < kinds.count, let fingerprint = reader.fixed()
      else { return nil }
      graph.tasks.append(TaskIdentity(name: text, kind: kinds[kind], fingerprint: fingerprint))
    }
    guard let needCount = reader.count(ofAtLeast: Self.leastNeed) else { return nil }
    graph.needs.reserveCapacity(needCount)
    var task = 0
    for _ in 0..<needCount {
      guard let step = reader.signed(), let back = reader.signed() else { return nil }
      task &+= step
      let before = task &- back
      guard graph.tasks.indices.contains(task), graph.tasks.indices.contains(before) else {
        return nil
      }
      graph.needs.append(GraphRecord.Need(task: task, before: before))
    }
    return reader.bytes.isEmpty ? graph : nil
  }
}

/// Puts numbers and texts behind each other.
private struct Writer {
  /// What was put so far.
  var bytes: [UInt8] = []

  /// Adds a number, not below 0.
  mutating func add(_ number: Int) { add(bits: UInt64(number)) }

  /// Adds a number near 0, of either sign.
  mutating func add(signed number: Int) {
    add(bits: UInt64(bitPattern: Int64((number << 1) ^ (number >> 63))))
  }

  /// Adds a number of eight bytes.
  mutating func add(fixed number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  /// Adds a text with its size.
  mutating func add(_ text: some Collection<UInt8>) {
    add(text.count)
    bytes += text
  }

  /// Adds a number in groups of seven bits.
  private mutating func add(bits: UInt64) {
    var rest = bits
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// Takes numbers and texts off bytes that may be anything.
private struct Reader {
  /// What is left.
  var bytes: ArraySlice<UInt8>

  /// Takes a byte; nil at the end.
  mutating func byte() -> UInt8? { bytes.popFirst() }

  /// Takes a number, not below 0.
  mutating func number() -> Int? { bits().flatMap { Int(exactly: $0) } }

  /// Takes a number of either sign.
  mutating func signed() -> Int? {
    bits().map { Int(truncatingIfNeeded: $0 >> 1) ^ -Int(truncatingIfNeeded: $0 & 1) }
  }

  /// Takes the number of things that follow, each of which takes some bytes at least.
  mutating func count(ofAtLeast size: Int) -> Int? {
    number().flatMap { $0 <= bytes.count / size ? $0 : nil }
  }

  /// Takes a number of eight bytes.
  mutating func fixed() -> UInt64? {
    guard bytes.count >= 8 else { return nil }
    defer { bytes.removeFirst(8) }
    return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Takes a text with its size.
  mutating func text() -> ArraySlice<UInt8>? {
    guard let size = number(), size <= bytes.count else { return nil }
    defer { bytes.removeFirst(size) }
    return bytes.prefix(size)
  }

  /// Takes a number in groups of seven bits.
  private mutating func bits() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = byte() else { return nil }
      number |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte < 0x80 { return number }
    }
    return nil
  }
}
