extension ProgressSnapshot: CustomStringConvertible {
  /// The tree as lines of text for logs; for text to show to people, see `HeadwayFoundation`.
  ///
  /// ```text
  /// release: 1 of 4, 31.2%
  ///   …
  ///   fetch: 25 of 100, 25.0%, paused
  /// ```
  ///
  /// - Complexity: O(nodes of the snapshot).
  public var description: String {
    var lines: [String] = []
    var remaining: [(snapshot: ProgressSnapshot, depth: Int)] = [(self, 0)]
    while let (snapshot, depth) = remaining.popLast() {
      let margin = String(repeating: "  ", count: depth)
      lines.append(margin + snapshot.line)
      if snapshot.omitsChildren { lines.append(margin + "  …") }
      remaining += snapshot.children.reversed().map { ($0, depth + 1) }
    }
    return lines.joined(separator: "\n")
  }

  /// The line of this node.
  private var line: String {
    let tenths = Int(fraction * 1_000)
    var facts = [
      total.map { "\(completed) of \($0), \(tenths / 10).\(tenths % 10)%" } ?? "\(completed)"
    ]
    if isFinished {
      facts.append("finished")
    } else {
      if isCancelled { facts.append("cancelled") }
      if isPaused { facts.append("paused") }
    }
    return (label.isEmpty ? "" : "\(label): ") + facts.joined(separator: ", ")
  }
}
