extension ProgressSnapshot: CustomStringConvertible {
  /// The tree as lines of text, for logs; people are shown what `HeadwayFoundation` says.
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
    var rest: [(snapshot: ProgressSnapshot, depth: Int)] = [(self, 0)]
    while let (snapshot, depth) = rest.popLast() {
      let margin = String(repeating: "  ", count: depth)
      lines.append(margin + snapshot.line)
      if snapshot.omitsChildren { lines.append(margin + "  …") }
      rest += snapshot.children.reversed().map { ($0, depth + 1) }
    }
    return lines.joined(separator: "\n")
  }

  /// What is known of the node alone.
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
