/// Replaces secrets in a stream of bytes by `***`, also where they are split or overlap.
///
/// A text is masked where it enters the run, before anything shortens, quotes or escapes it, so that all that is made of it
/// can be shown and stored:
///
/// | what enters | where it is masked |
/// |---|---|
/// | output of tasks, and notes about them | `TaskLog` |
/// | what the engine and the workers report | `EventPipeline.receive(_:)`, as `RunEvent.masked(by:)` |
/// | what is shown of the plan | `RunWork.shown`, as `Plan.masked(by:)` |
/// | what programs report of their progress | `ProcessShares`, in the tree of the run |
/// | warnings | `PlanRunner.run` |
/// | what a command line gives the reader of a plan | `Plan.read`, in messages |
///
/// Digests are made of what is masked, or under a key; see `Secrets`.
///
/// A search for all values at once (Aho and Corasick): each byte follows one edge of a trie, and links lead from a text
/// that does not continue to its longest end that does. The cost is linear in the bytes, whatever the number of values.
package struct SecretMask: Sendable {
  /// The fewest bytes of a secret: a shorter one would be found in ordinary words.
  package static let leastBytes = 4
  /// What takes the place of a run of hidden bytes.
  static let mark = "***"
  private static let replacement = Array(mark.utf8)

  /// The nodes of the trie; the first one is the root.
  private var nodes = [Node(byte: 0, depth: 0)]
  /// The children of the root by their byte, 0 for none.
  private var first = [Int32](repeating: 0, count: 256)

  private struct Node: Sendable {
    let byte: UInt8
    /// The number of bytes that lead to it.
    let depth: Int32
    var child: Int32 = 0
    var sibling: Int32 = 0
    /// The node of its longest proper end.
    var link: Int32 = 0
    /// The bytes of the longest value that ends here, 0 for none.
    var matched: Int32 = 0

    init(byte: UInt8, depth: Int32) { (self.byte, self.depth) = (byte, depth) }
  }

  /// A position in a stream.
  struct Stream: Sendable {
    fileprivate var node: Int32 = 0
    /// The bytes that may be part of a value and were not passed on yet.
    fileprivate var held: [UInt8] = []
    /// The ranges of `held` that are part of a value, ascending and apart.
    fileprivate var hidden: [Range<Int>] = []
    /// Whether the last byte that was passed on was hidden.
    fileprivate var isAfterHidden = false
  }

  /// Creates a mask for some values, in all their forms.
  ///
  /// Of a value with several lines, each line of at least 4 bytes is hidden, too.
  package init(_ values: [[UInt8]]) {
    for value in values {
      let value = Self.trimmed(value)
      let lines = value.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        .filter { $0.count >= Self.leastBytes }
      for part in [value] + lines {
        for form in SecretForms.all(of: part) { insert(form) }
      }
    }
    addLinks()
  }

  /// Whether a value can be hidden.
  package static func isLongEnough(_ value: [UInt8]) -> Bool {
    trimmed(value).count >= Self.leastBytes
  }

  /// A value without line breaks at its end, which shells drop as well.
  private static func trimmed(_ value: [UInt8]) -> ArraySlice<UInt8> {
    var value = value[...]
    while value.last == 0x0A || value.last == 0x0D { value.removeLast() }
    return value
  }

  private mutating func insert(_ value: [UInt8]) {
    var node = 0
    for byte in value {
      var next = Int(child(node, byte))
      if next == 0 {
        next = nodes.count
        var added = Node(byte: byte, depth: nodes[node].depth + 1)
        added.sibling = nodes[node].child
        nodes[node].child = Int32(next)
        if node == 0 { first[Int(byte)] = Int32(next) }
        nodes.append(added)
      }
      node = next
    }
    nodes[node].matched = max(nodes[node].matched, nodes[node].depth)
  }

  /// Sets the links, in the order of depth.
  private mutating func addLinks() {
    var queue = [0]
    var position = 0
    while position < queue.count {
      let node = queue[position]
      position += 1
      var next = Int(nodes[node].child)
      while next != 0 {
        if node != 0 {
          let link = step(nodes[node].link, nodes[next].byte)
          nodes[next].link = link
          nodes[next].matched = max(nodes[next].matched, nodes[Int(link)].matched)
        }
        queue.append(next)
        next = Int(nodes[next].sibling)
      }
    }
  }

  /// The child of a node for a byte, 0 for none.
  private func child(_ node: Int, _ byte: UInt8) -> Int32 {
    if node == 0 { return first[Int(byte)] }
    var next = nodes[node].child
    while next != 0, nodes[Int(next)].byte != byte { next = nodes[Int(next)].sibling }
    return next
  }

  /// The node after a byte.
  private func step(_ node: Int32, _ byte: UInt8) -> Int32 {
    var node = node
    while true {
      let next = child(Int(node), byte)
      if next != 0 || node == 0 { return next }
      node = nodes[Int(node)].link
    }
  }

  /// Hides values in the next bytes of a stream.
  ///
  /// What may be the beginning of a value is held back until it is known: at most the bytes of the longest value.
  ///
  /// - Parameters:
  ///   - bytes: The next bytes.
  ///   - stream: The position in the stream.
  /// - Returns: What can be passed on.
  /// - Complexity: O(bytes).
  func masked(_ bytes: some Collection<UInt8>, in stream: inout Stream) -> [UInt8] {
    var position = stream.held.count
    stream.held += bytes
    var node = stream.node
    let end = stream.held.count
    while position < end {
      let byte = stream.held[position]
      position += 1
      // Most bytes begin no value.
      if node == 0, first[Int(byte)] == 0 { continue }
      node = step(node, byte)
      let length = Int(nodes[Int(node)].matched)
      if length > 0 { Self.hide(position - length..<position, in: &stream.hidden) }
    }
    stream.node = node
    return Self.take(end - Int(nodes[Int(node)].depth), from: &stream)
  }

  /// Ends a stream.
  ///
  /// - Parameter stream: The stream, which begins anew.
  /// - Returns: The bytes that were held back; they are the beginning of a value at most.
  func rest(of stream: inout Stream) -> [UInt8] {
    let bytes = Self.take(stream.held.count, from: &stream)
    stream = Stream()
    return bytes
  }

  /// Hides values in a whole text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - isCut: Whether somebody else may have cut the text, so that the beginning of a value at its end is hidden, too.
  /// - Returns: The text with `***` for each value.
  package func masked(_ text: String, isCut: Bool = false) -> String {
    var stream = Stream()
    var bytes = masked(text.utf8, in: &stream)
    let begun = Int(nodes[Int(stream.node)].depth)
    if isCut, begun > 0 {
      Self.hide(stream.held.count - begun..<stream.held.count, in: &stream.hidden)
    }
    bytes += rest(of: &stream)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Adds a range that is hidden, and joins it with those that it touches.
  private static func hide(_ range: Range<Int>, in hidden: inout [Range<Int>]) {
    var start = range.lowerBound
    while let last = hidden.last, last.upperBound >= start {
      start = min(start, last.lowerBound)
      hidden.removeLast()
    }
    hidden.append(start..<range.upperBound)
  }

  /// Takes the first bytes of those that are held, with the hidden ones replaced.
  private static func take(_ count: Int, from stream: inout Stream) -> [UInt8] {
    guard count > 0 else { return [] }
    guard !stream.hidden.isEmpty || stream.held.count > count else {
      // Nothing is hidden or held: the usual case.
      stream.isAfterHidden = false
      defer { stream.held = [] }
      return stream.held
    }
    var output: [UInt8] = []
    output.reserveCapacity(count)
    var position = 0
    for range in stream.hidden where range.lowerBound < count {
      if range.lowerBound > position {
        output += stream.held[position..<range.lowerBound]
        stream.isAfterHidden = false
      }
      if !stream.isAfterHidden { output += replacement }
      stream.isAfterHidden = true
      position = min(range.upperBound, count)
    }
    if position < count {
      output += stream.held[position..<count]
      stream.isAfterHidden = false
    }
    stream.held.removeFirst(count)
    stream.hidden = stream.hidden.filter { $0.upperBound > count }
      .map { max($0.lowerBound - count, 0)..<$0.upperBound - count }
    return output
  }
}
