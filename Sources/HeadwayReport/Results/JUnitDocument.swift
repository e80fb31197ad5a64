internal import HeadwayRun
internal import HeadwayText

/// The results of a run in the XML format of JUnit, which CI services read: a test suite for the run, a test case for
/// each task.
///
/// | task | test case |
/// |---|---|
/// | succeeded, up to date | nothing inside |
/// | failed, timed out | `failure`, with the end of the output |
/// | could not be started | `error` |
/// | failed or timed out, but optional | `skipped`, with the end of the output in `system-out` |
/// | cancelled, skipped | `skipped` |
/// | runs after a failure only, and nothing had failed | none |
///
/// The `time` of a service is that until it was ready. What the last attempt used is in the properties `cpu_time`, in seconds, and
/// `peak_memory`, in bytes, of its test case.
///
/// The format has no standard; this is what Ant's schema allows and GitLab, Jenkins and the usual GitHub actions read.
/// A pure value.
package struct JUnitDocument {
  private let results: RunResults

  /// Creates the document of a run.
  package init(_ results: RunResults) { self.results = results }

  /// The kinds of test cases that are counted.
  private enum Case { case passed, failure, error, skipped }

  /// Returns the document.
  ///
  /// - Complexity: O(tasks), and at most `FailureLimits.totalBytes` of output are read.
  package func text() -> String {
    var counts: [Case: Int] = [:]
    for task in results.ids { counts[kind(of: task), default: 0] += 1 }
    let moment = CalendarMoment(milliseconds: results.began, secondsFromUTC: 0)
    let total = Self.decimal((results.state.total ?? .zero).wholeMilliseconds)
    let numbers =
      " tests=\"\(results.ids.count)\" failures=\"\(counts[.failure] ?? 0)\""
      + " errors=\"\(counts[.error] ?? 0)\" skipped=\"\(counts[.skipped] ?? 0)\" time=\"\(total)\""
    let name = Self.escaped(results.name)
    var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    xml += "<testsuites name=\"\(name)\"\(numbers)>\n"
    xml += "  <testsuite name=\"\(name)\"\(numbers) timestamp=\"\(moment.day)T\(moment.time)\">\n"
    var budget = OutputBudget()
    for task in results.ids { xml += testCase(task, &budget) }
    return xml + "  </testsuite>\n</testsuites>\n"
  }

  /// How a task is counted.
  private func kind(of task: TaskID) -> Case {
    let outcome = results.outcome(of: task)
    if outcome.isSuccess { return .passed }
    guard outcome.isFailure, !results.isOptional(task) else { return .skipped }
    if case .failed(let failure) = outcome, failure.isStartFailure { return .error }
    return .failure
  }

  /// The element of a task.
  private func testCase(_ task: TaskID, _ budget: inout OutputBudget) -> String {
    let outcome = results.outcome(of: task)
    let state = results.state.tasks[task.index]
    let head =
      "    <testcase name=\"\(Self.escaped(results.name(of: task)))\""
      + " classname=\"\(Self.escaped(results.name))\" time=\"\(Self.decimal(results.duration(of: task).wholeMilliseconds))\""
    let kind = kind(of: task)
    let properties = Self.properties(state.usage)
    if kind == .passed {
      return properties.isEmpty ? head + "/>\n" : head + ">\n\(properties)    </testcase>\n"
    }
    guard outcome.isFailure else {
      return head
        + ">\n\(properties)      <skipped message=\"\(Self.escaped(results.reason(outcome)))\"/>\n"
        + "    </testcase>\n"
    }
    let failure = budget.failure(task, of: results)
    let attempts = state.attempts > 1 ? " in \(counted(state.attempts, "attempt"))" : ""
    let message = Self.escaped(outcome.details(ofService: results.isService(task)) + attempts)
    var xml = head + ">\n" + properties
    if kind == .skipped {
      xml += "      <skipped message=\"optional: \(message)\"/>\n"
    } else {
      let element = kind == .error ? "error" : "failure"
      xml += "      <\(element) message=\"\(message)\" type=\"\(Self.type(of: outcome))\">"
      xml += "\(Self.escaped(Self.body(failure), isContent: true))</\(element)>\n"
    }
    // An element that says that a task was skipped cannot have it.
    if kind == .skipped, !failure.output.isEmpty {
      let output = Self.escaped(Self.output(failure), isContent: true)
      xml += "      <system-out>\(output)</system-out>\n"
    }
    return xml + "    </testcase>\n"
  }

  /// The element with what an attempt has used, by the names of the event format; empty if that is unknown.
  private static func properties(_ usage: ResourceUsage?) -> String {
    guard let usage else { return "" }
    var values = [(EventKey.cpuTime, decimal(usage.cpuTime.wholeMilliseconds))]
    if let memory = usage.peakMemory { values.append((.peakMemory, "\(memory)")) }
    return "      <properties>\n"
      + values.map {
        "        <property name=\"\($0.0.rawValue)\" value=\"\($0.1)\"/>\n"
      }.joined() + "      </properties>\n"
  }

  /// What is said about a failure, with the end of the output, because some services show nothing else.
  private static func body(_ failure: TaskFailure) -> String {
    var lines: [String] = []
    if !failure.command.isEmpty { lines.append("command: \(failure.command)") }
    if let log = failure.log { lines.append("log: \(log)") }
    if !failure.output.isEmpty { lines.append(output(failure)) }
    return lines.joined(separator: "\n")
  }

  /// The end of the output as one text.
  private static func output(_ failure: TaskFailure) -> String {
    ((failure.isCut ? ["…"] : []) + failure.output).joined(separator: "\n")
  }

  /// The kind of a failure, by the names of the event format.
  private static func type(of outcome: Outcome) -> String {
    guard case .failed(let failure) = outcome else { return "timed_out" }
    return switch failure.cause {
    case .exited: "exited"
    case .signalled: "signalled"
    case .notStarted: "not_started"
    case .threw: "threw"
    }
  }

  /// Milliseconds as a number of seconds with three decimals.
  private static func decimal(_ milliseconds: Int64) -> String {
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  /// Text for attributes, or for content; what XML 1.0 forbids is left out, and what hides or reorders text is replaced.
  static func escaped(_ text: String, isContent: Bool = false) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      // An attribute would otherwise have a space in their place.
      case "\n": result += isContent ? "\n" : "&#10;"
      case "\t": result += isContent ? "\t" : "&#9;"
      case _ where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: break
      default: result.unicodeScalars.append(scalar.isUnsafeInText ? "\u{FFFD}" : scalar)
      }
    }
    return result
  }
}
