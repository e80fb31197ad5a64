internal import HeadwayBar

/// The lines of a board whose rows cannot be redrawn.
extension BarBoard {
  /// Prints the waiting rows and the lines that are due.
  mutating func printLines(at now: Duration, into output: inout [UInt8]) {
    isStale = false
    while let next = nextLine(at: now), next.due <= now {
      above.append(line(next.index, at: now))
      entries[next.index].note(reportedFraction(of: entries[next.index]), interface, at: now)
      entries[root(of: next.index)].printed.noteLine(at: now)
    }
    printAbove(into: &output)
  }

  /// Prints the waiting rows.
  mutating func printAbove(into output: inout [UInt8]) {
    isStale = false
    Row.print(above, color: style.color, into: &output)
    above.removeAll(keepingCapacity: true)
  }

  func nextLine(after now: Duration) -> Duration? {
    let next = above.isEmpty ? nextLine(at: now)?.due : now
    return next.map { max($0, Self.delay) }
  }

  /// The bar whose line is due next: of several that are due the first, but of those that are nested in one bar at the
  /// same level the one without a line for longest.
  private func nextLine(at now: Duration) -> (index: Int, due: Duration)? {
    guard interface != .hidden else { return nil }
    var next: (index: Int, due: Duration)?
    var (root, nextRoot) = (0, 0)
    for index in entries.indices {
      if entries[index].level == 0 { root = index }
      let due = entries[index].lineDue(
        reportedFraction(of: entries[index]), interface, in: entries[root].printed,
        hasNested: hasNested(index), at: now)
      guard let best = next else {
        (next, nextRoot) = ((index, due), root)
        continue
      }
      let isSooner =
        max(due, now) != max(best.due, now)
        ? due < best.due
        : root == nextRoot && entries[index].level == entries[best.index].level
          && entries[index].printed.time < entries[best.index].printed.time
      if isSooner { (next, nextRoot) = ((index, due), root) }
    }
    return next
  }
}
