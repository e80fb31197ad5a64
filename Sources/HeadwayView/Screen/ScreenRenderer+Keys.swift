internal import HeadwayRun
internal import HeadwayTerminal

/// The words about keys.
extension ScreenRenderer {
  /// The least height of a terminal in which a row is spent on keys before the user asks for them.
  private static let hintHeight = 16
  /// The time from which there is a hint: a short run needs no keys.
  private static let hintDelay = Duration.seconds(2)

  /// The row that says which keys there are, nil if there is nothing to say or no room for it.
  ///
  /// - Parameters:
  ///   - room: The rows below the header that the output does not need.
  ///   - now: The time since the run began.
  /// - Returns: The row.
  func hint(room: Int, at now: Duration) -> Row? {
    let separator = style.marks.separator
    switch keys {
    case .off: return nil
    case .active:
      guard room > 1 else { return nil }
      return Row("  " + (keyWords + ["Esc done"]).joined(separator: separator), .dim)
    case .waiting, .ignoring, .kept:
      guard size.rows >= Self.hintHeight, room > run.activeCount else { return nil }
      if keys == .kept { return Row("  your input waits for the shell", .dim) }
      if keys == .ignoring { return Row("  unknown key; ignored up to Enter", .dim) }
      guard now >= Self.hintDelay else { return nil }
      return Row("  Tab for keys: " + keyWords.joined(separator: separator), .dim)
    }
  }

  /// The words in place of the remaining time while the run is held.
  func heldWords(by task: TaskID) -> (long: String, short: String) {
    let keys =
      switch keys {
      case .active: ", r, s or e"
      case .waiting: ", Tab and r, s or e"
      case .off, .ignoring, .kept: ""
      }
    return ("held by \(formatter.words.name(task))\(description.run == nil ? "" : keys)", "held")
  }

  /// The keys that do something.
  private var keyWords: [String] {
    if run.heldBy != nil, description.run != nil {
      return ["r retry", "s skip", "e end", "d detach"]
    }
    return [run.isPaused ? "Space resume" : "Space pause", "Tab next task", "d detach"]
  }

  /// The words in place of the remaining time while the run is paused.
  var pausedWords: (long: String, short: String) {
    switch keys {
    case .active: ("paused, Space resumes", "paused")
    case .waiting: ("paused, Tab and Space resume", "paused")
    case .off, .ignoring, .kept: ("paused", "paused")
    }
  }
}
