internal import HeadwayRun

/// The compact encoding of a task graph in a file, with a digest.
///
/// Numbers are encoded in groups of seven bits, the lowest first (LEB128). A name is encoded without the prefix that it
/// shares with the name before it, because the names of a plan are similar. An edge is two small numbers: the distance
/// from the waiting task of the edge before, and the distance back to the task that comes first.
///
/// ```
/// version  kinds  (size text)…  tasks  (shared size text kind fingerprint)…  edges  (step back)…
/// ```
struct PackedGraph: Hashable {
  /// The first byte, the version of the encoding.
  static let version: UInt8 = 1
  /// The minimum size of a task in bytes.
  private static let minTaskSize = 11
  /// The minimum size of an edge in bytes.
  private static let minEdgeSize = 2

  let bytes: [UInt8]
  /// A hash of the bytes.
  let digest: UInt64

  /// Encodes a graph; nil for a graph without tasks, and for one that takes more bytes than the limit.
  ///
  /// - Complexity: O(tasks + edges).
  init?(_ tasks: [TaskIdentity], _ graph: TaskGraph, limit: Int) {
    precondition(tasks.count == graph.count, "\(tasks.count) tasks, \(graph.count) in the graph")
    if tasks.isEmpty { return nil }
    var kinds: [String: Int] = [:]
    var texts = Writer()
    var names = Writer()
    names.add(tasks.count)
    var last: [UInt8] = []
    for task in tasks {
      let kind = HistoryFile.cut(task.kind)
      let index = kinds[kind] ?? kinds.count
      if index == kinds.count {
        kinds[kind] = index
        texts.add(Array(kind.utf8))
      }
      let name = Array(HistoryFile.cut(task.name).utf8)
      let shared = zip(last, name).prefix { $0 == $1 }.count
      names.add(shared)
      names.add(name[shared...])
      names.add(index)
      names.add(fixed: task.fingerprint)
      last = name
      if texts.bytes.count + names.bytes.count > limit { return nil }
    }
    var head = Writer(bytes: [Self.version])
    head.add(kinds.count)
    names.add(graph.edgeCount)
    var previous = 0
    // In the order of the waiting tasks, because the encoded steps between them are smallest then.
    let dependencies = graph.reversed
    for task in tasks.indices {
      for position in 0..<dependencies.dependentCount(of: task) {
        names.add(signed: task - previous)
        names.add(signed: task - dependencies.dependent(position, of: task))
        previous = task
      }
      if names.bytes.count > limit { return nil }
    }
    bytes = head.bytes + texts.bytes + names.bytes
    if bytes.count > limit { return nil }
    digest = fingerprint(of: bytes)
  }

  /// Accepts bytes from a file; nil if they do not match the digest.
  init?(bytes: [UInt8], digest: UInt64) {
    guard fingerprint(of: bytes) == digest else { return nil }
    self.bytes = bytes
    self.digest = digest
  }

  /// The tasks and the graph, nil if the bytes are malformed.
  ///
  /// - Complexity: O(bytes).
  var unpacked: (tasks: [TaskIdentity], graph: TaskGraph)? {
    var reader = Reader(bytes: bytes[...])
    guard reader.byte() == Self.version, let kindCount = reader.count(ofAtLeast: 1) else {
      return nil
    }
    var kinds: [String] = []
    for _ in 0..<kindCount {
      guard let text = reader.text(), let kind = String(validating: text, as: UTF8.self) else {
        return nil
      }
      kinds.append(kind)
    }
    guard let taskCount = reader.count(ofAtLeast: Self.minTaskSize) else { return nil }
    var tasks: [TaskIdentity] = []
    tasks.reserveCapacity(taskCount)
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
      tasks.append(TaskIdentity(name: text, kind: kinds[kind], fingerprint: fingerprint))
    }
    guard let edgeCount = reader.count(ofAtLeast: Self.minEdgeSize) else { return nil }
    var edges: [TaskGraph.Edge] = []
    edges.reserveCapacity(edgeCount)
    var task = 0
    for _ in 0..<edgeCount {
      guard let step = reader.signed(), let back = reader.signed() else { return nil }
      task &+= step
      let before = task &- back
      guard tasks.indices.contains(task), tasks.indices.contains(before) else { return nil }
      edges.append(TaskGraph.Edge(before: before, after: task))
    }
    guard reader.bytes.isEmpty else { return nil }
    return (tasks, TaskGraph(taskCount: taskCount, edges: edges))
  }
}

/// Encodes numbers and texts.
private struct Writer {
  var bytes: [UInt8] = []

  /// Adds a number, not below 0.
  mutating func add(_ number: Int) { add(bits: UInt64(number)) }

  /// Adds a signed number; those near 0 take few bytes.
  mutating func add(signed number: Int) {
    add(bits: UInt64(bitPattern: Int64((number << 1) ^ (number >> 63))))
  }

  /// Adds a number in eight bytes.
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

/// Decodes numbers and texts from untrusted bytes; each function returns nil if they are malformed.
private struct Reader {
  /// The bytes that were not read yet.
  var bytes: ArraySlice<UInt8>

  mutating func byte() -> UInt8? { bytes.popFirst() }

  /// Reads a number, not below 0.
  mutating func number() -> Int? { bits().flatMap { Int(exactly: $0) } }

  /// Reads a signed number.
  mutating func signed() -> Int? {
    bits().map { Int(truncatingIfNeeded: $0 >> 1) ^ -Int(truncatingIfNeeded: $0 & 1) }
  }

  /// Reads the number of elements that follow, each of at least `size` bytes.
  mutating func count(ofAtLeast size: Int) -> Int? {
    number().flatMap { $0 <= bytes.count / size ? $0 : nil }
  }

  /// Reads a number of eight bytes.
  mutating func fixed() -> UInt64? {
    guard bytes.count >= 8 else { return nil }
    defer { bytes.removeFirst(8) }
    return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a text with its size.
  mutating func text() -> ArraySlice<UInt8>? {
    guard let size = number(), size <= bytes.count else { return nil }
    defer { bytes.removeFirst(size) }
    return bytes.prefix(size)
  }

  /// Reads a number in groups of seven bits.
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
