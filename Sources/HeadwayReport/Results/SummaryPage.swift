internal import HeadwayRun
internal import HeadwayText

/// A summary of a run in Markdown, for the page of a CI service: the result, and what went wrong.
///
/// Everything that comes from the plan or from a task is written as HTML entities, so that it can neither end a cell of
/// the table nor begin an element. The page stays far below the 1 MiB that GitHub accepts. A pure value.
package struct SummaryPage {
  /// The number of bytes that GitHub accepts for the summary of a step.
  package static let maxBytes = 1 << 20
  /// The maximum number of failures in the table.
  static let maxRows = 100
  /// The maximum number of failures whose output is shown.
  static let maxOutputs = 20
  /// The maximum number of characters of a command.
  static let maxCommandLength = 200

  private let results: RunResults
  /// The bytes that the file has already.
  private let used: Int
  /// The bytes of output that the page may have.
  private let outputBytes: Int

  /// Creates the summary of a run.
  ///
  /// - Parameters:
  ///   - results: The results of the run.
  ///   - used: The bytes that the file has already, of those that GitHub accepts.
  package init(_ results: RunResults, used: Int = 0) {
    self.results = results
    self.used = used
    // Each byte of output becomes at most six.
    outputBytes = min(max((Self.maxBytes - used) / 2 / 6, 0), FailureLimits.totalBytes / 8)
  }

  /// Returns the page; it begins and ends with a line feed, so that others may stand before and after it.
  ///
  /// - Complexity: O(tasks).
  package func text() -> String {
    let head = "\n## \(heading)\n\n\(facts)\n"
    let page = head + failures
    // GitHub would show nothing of a file that is too large.
    guard used + page.utf8.count > Self.maxBytes else { return page }
    return head + "\nThe list of failures is left out, because this page would be too long.\n"
  }

  /// The table of the failures, and the ends of their output.
  private var failures: String {
    let failures = results.failures
    guard !failures.isEmpty else { return "" }
    let hasUsage = failures.contains { results.state.tasks[$0.index].usage != nil }
    var page =
      hasUsage
      ? "\n| Task | Result | Took | CPU time | Memory | Command |\n|---|---|--:|--:|--:|---|\n"
      : "\n| Task | Result | Took | Command |\n|---|---|--:|---|\n"
    var budget = OutputBudget(outputBytes)
    var details = ""
    for (index, task) in failures.prefix(Self.maxRows).enumerated() {
      let failure =
        index < Self.maxOutputs
        ? budget.failure(task, of: results) : results.failure(task, withOutput: false)
      page += row(task, failure, hasUsage: hasUsage)
      if !failure.output.isEmpty { details += block(task, failure) }
    }
    if failures.count > Self.maxRows {
      page += "\n…and \(grouped(failures.count - Self.maxRows)) more.\n"
    }
    return page + details
  }

  /// The result: `✗ release failed in 14.2s`.
  private var heading: String {
    let name = escaped(results.name)
    let took = DurationText.measured(results.state.total ?? .zero)
    return switch results.state.outcome(isOptional: { results.isOptional(TaskID($0)) }) {
    case .succeeded, .upToDate, .doneEarlier: "✓ \(name) succeeded in \(took)"
    case .failed: "✗ \(name) failed in \(took)"
    case .timedOut: "✗ \(name) timed out after \(took)"
    case .lost: "? \(name) ended after \(took), and the end of a task is unknown"
    case .cancelled, .skipped: "⊘ \(name) was cancelled after \(took)"
    }
  }

  /// The counts and the times.
  private var facts: String {
    let counts = results.state.counts
    var facts = Outcome.Kind.allCases.filter { results.count($0) > 0 }
      .map { "\(grouped(results.count($0))) \($0.words)" }
    if facts.isEmpty { facts = ["no tasks"] }
    // A prediction does not know which tasks will be up to date.
    if let predicted = results.predicted, counts[.upToDate] == 0 {
      facts.append("\(DurationText.measured(predicted)) predicted")
    }
    if let usage = results.state.usage {
      facts.append(usage.words.joined(separator: " "))
    }
    return facts.joined(separator: ", ")
  }

  /// The row of a failure.
  private func row(_ task: TaskID, _ failure: TaskFailure, hasUsage: Bool) -> String {
    let state = results.state.tasks[task.index]
    var result = escaped(results.outcome(of: task).details(ofService: results.isService(task)))
    if state.attempts > 1 { result += ", \(counted(state.attempts, "attempt"))" }
    if results.isService(task) { result += " (service)" }
    if results.isOptional(task) { result += " (optional)" }
    let command = Name.truncated(failure.commandLine, to: Self.maxCommandLength)
    let cell = command.isEmpty ? "" : "<code>\(escaped(command))</code>"
    let name = escaped(Name.truncated(results.name(of: task), to: Markup.maxNameLength))
    var cells = [name, result, DurationText.measured(state.ran)]
    if hasUsage {
      cells.append(state.usage.map { DurationText.measured($0.cpuTime) } ?? "")
      cells.append(state.usage?.peakMemory.map(byteCount) ?? "")
    }
    return "| \((cells + [cell]).joined(separator: " | ")) |\n"
  }

  /// The end of the output of a failure, folded.
  private func block(_ task: TaskID, _ failure: TaskFailure) -> String {
    let name = escaped(Name.truncated(results.name(of: task), to: Markup.maxNameLength))
    let lines = (failure.isCut ? ["…"] : []) + failure.output
    // Inside of `pre`, Markdown is not read, and the entities are characters.
    return "\n<details><summary>\(name): end of the output</summary>\n\n<pre>"
      + lines.map(escaped).joined(separator: "\n") + "</pre>\n\n"
      + (failure.log.map { "Log: <code>\(escaped($0))</code>\n\n" } ?? "") + "</details>\n"
  }

  /// Text in which every character that HTML or Markdown could read is an entity.
  private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", " ", ".", ",", "-", "/", "(", ")", "=", "+", ";":
        result.unicodeScalars.append(scalar)
      case "\n", "\t": result += " "
      case _ where scalar.isUnsafeInText: result.unicodeScalars.append("\u{FFFD}")
      case _ where scalar.value < 0x80: result += "&#\(scalar.value);"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
