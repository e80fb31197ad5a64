import Foundation
import FoundationXML
import HeadwayRun
import RunFixtures
import Testing

@testable import HeadwayReport

/// The JUnit file and the summary of a run.
struct ResultFilesTests {
  /// The results of a run whose tasks ended with outcomes.
  private func results(
    _ outcomes: [(String, Outcome)], optional: Set<Int> = [], output: [String] = [],
    command: String = "make", ending: [RunEvent.Kind] = [], usages: [Int: ResourceUsage] = [:]
  ) -> RunResults {
    var state = RunState(taskCount: outcomes.count)
    for (index, (_, outcome)) in outcomes.enumerated() {
      let attempts = outcome.kind == .skipped || outcome == .skipped(.upToDate) ? 0 : 1
      state.apply(
        RunEvent(
          time: .seconds(1),
          kind: .taskEnded(
            TaskID(index), outcome, attempts: attempts,
            ran: attempts == 0 ? .zero : .milliseconds(1250)), usage: usages[index]))
    }
    for kind in ending { state.apply(RunEvent(time: .seconds(2), kind: kind)) }
    state.apply(RunEvent(time: .milliseconds(2500), kind: .runEnded))
    let log = output.map { "\($0)\n" }.joined()
    let indices = outcomes.indices
    let logs = MemoryLogs(
      Dictionary(uniqueKeysWithValues: indices.map { ($0, log) }),
      paths: Dictionary(uniqueKeysWithValues: indices.map { ($0, "logs/x.log") }))
    var results = RunResults(
      name: "release", tasks: outcomes.map(\.0), commands: outcomes.map { _ in command },
      state: state, began: 1_700_000_000_000, predicted: .seconds(2), logs: logs)
    results.optional = Set(optional.map { TaskID($0) })
    return results
  }

  /// Names and texts that could break a format.
  private static let hostile = [
    "a b", "x|y", "`code`", "<script>alert(1)</script>", "]]>", "\"quoted\" & 'single'",
    "*bold* _em_",
    "[link](http://x)", "\u{1B}[31mred\u{1B}[0m", "bell\u{7}null\u{0}", "\u{202E}reversed",
    "\u{FFFE}",
    "# heading", "</pre></details>", "日本 😀", "a\nb", "| --- |", "@all :smile: $x$",
  ]

  /// A run with a service that was ready, one that was not ready in time, and a hook that was not needed.
  private var services: RunResults {
    var results = results([
      ("db", .succeeded), ("web", .timedOut(limit: .seconds(5))),
      ("on_failure", .skipped(.condition)),
    ])
    results.services = [TaskID(0), TaskID(1)]
    results.failureHooks = [TaskID(2)]
    results.readyAfter = [TaskID(0): .milliseconds(300)]
    return results
  }

  // MARK: JUnit

  @Test func `A service counts until it is ready, and what was not needed is left out`() {
    let text = JUnitDocument(services).text()
    #expect(text.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""))
    #expect(text.contains("<testcase name=\"db\" classname=\"release\" time=\"0.300\"/>"))
    #expect(text.contains("<failure message=\"not ready after 5s\" type=\"timed_out\">"))
    #expect(!text.contains("on_failure"))
  }

  @Test func `The summary says that a service was not ready`() {
    let text = SummaryPage(services).text()
    #expect(text.contains("| web | not ready after 5s (service) |"))
    #expect(!text.contains("skipped"))
  }

  @Test func `Each task is a test case of one suite`() {
    let results = results(
      [
        ("fetch", .succeeded), ("lint", .failed(.exited(code: 7))),
        ("probe", .timedOut(limit: .seconds(2))), ("start", .failed(.notStarted(reason: "no sh"))),
        ("tidy", .failed(.signalled(number: 9))), ("pack", .skipped(.needs(TaskID(1)))),
        ("copy", .skipped(.upToDate)), ("last", .cancelled),
      ], optional: [4], output: ["one", "two"])
    #expect(
      JUnitDocument(results).text() == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="release" tests="8" failures="2" errors="1" skipped="3" time="2.500">
          <testsuite name="release" tests="8" failures="2" errors="1" skipped="3" time="2.500" \
        timestamp="2023-11-14T22:13:20">
            <testcase name="fetch" classname="release" time="1.250"/>
            <testcase name="lint" classname="release" time="1.250">
              <failure message="exit 7" type="exited">command: make
        log: logs/x.log
        one
        two</failure>
            </testcase>
            <testcase name="probe" classname="release" time="1.250">
              <failure message="timed out after 2s" type="timed_out">command: make
        log: logs/x.log
        one
        two</failure>
            </testcase>
            <testcase name="start" classname="release" time="1.250">
              <error message="not started: no sh" type="not_started">command: make
        log: logs/x.log
        one
        two</error>
            </testcase>
            <testcase name="tidy" classname="release" time="1.250">
              <skipped message="optional: signal 9 (SIGKILL)"/>
              <system-out>one
        two</system-out>
            </testcase>
            <testcase name="pack" classname="release" time="0.000">
              <skipped message="needs lint, which did not succeed"/>
            </testcase>
            <testcase name="copy" classname="release" time="0.000"/>
            <testcase name="last" classname="release" time="1.250">
              <skipped message="cancelled"/>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  @Test func `Any name, command and output gives XML that follows the schema`() throws {
    let results = results(
      Self.hostile.map { ($0, .failed(.notStarted(reason: $0))) }
        + Self.hostile.map { ($0, .failed(.exited(code: 1))) }
        + Self.hostile.indices.map { ("skip \($0)", .skipped(.needs(TaskID($0)))) },
      output: Self.hostile, command: Self.hostile.joined(separator: "; "))
    let schema = JUnitSchema()
    let parser = XMLParser(data: Data(JUnitDocument(results).text().utf8))
    parser.delegate = schema
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(schema.problems == [])
    #expect(schema.counts["testcase"] == results.tasks.count)
    #expect(schema.counts["failure"] == Self.hostile.count)
    #expect(schema.counts["error"] == Self.hostile.count)
    #expect(schema.counts["skipped"] == Self.hostile.count)
    #expect(schema.text.contains("]]>") && schema.text.contains("<script>alert(1)</script>"))
    #expect(!schema.text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
  }

  @Test func `The files of ten thousand failures are bounded`() {
    let line = String(repeating: "<", count: 1000)
    let results = results(
      (0..<10_000).map { ("task \($0)", .failed(.exited(code: 1))) },
      output: Array(repeating: line, count: 16))
    #expect(JUnitDocument(results).text().utf8.count < 12 << 20)
    let summary = SummaryPage(results).text()
    #expect(summary.utf8.count < SummaryPage.maxBytes / 2)
    #expect(summary.contains("…and 9,900 more."))
    let full = SummaryPage(results, used: SummaryPage.maxBytes - 1000).text()
    #expect(full.utf8.count < 1000 && full.contains("The list of failures is left out"))
  }

  /// A run whose tasks used something, as far as that is known.
  private var used: RunResults {
    results(
      [
        ("fetch", .succeeded), ("lint", .failed(.exited(code: 7))),
        ("tidy", .timedOut(limit: .seconds(2))), ("pack", .skipped(.needs(TaskID(1)))),
        ("last", .cancelled),
      ],
      usages: [
        0: ResourceUsage(cpuTime: .milliseconds(62_500), peakMemory: 1_400_000_000),
        1: ResourceUsage(cpuTime: .milliseconds(12)),
        4: ResourceUsage(cpuTime: .seconds(1), peakMemory: 20_000_000),
      ])
  }

  @Test func `What the last attempt of a task used is in the properties of its test case`() throws {
    let text = JUnitDocument(used).text()
    #expect(
      text.contains(
        """
            <testcase name="fetch" classname="release" time="1.250">
              <properties>
                <property name="cpu_time" value="62.500"/>
                <property name="peak_memory" value="1400000000"/>
              </properties>
            </testcase>
            <testcase name="lint" classname="release" time="1.250">
              <properties>
                <property name="cpu_time" value="0.012"/>
              </properties>
              <failure message="exit 7" type="exited">command: make
        """), "\(text)")
    #expect(
      text.contains(
        """
                <property name="peak_memory" value="20000000"/>
              </properties>
              <skipped message="cancelled"/>
        """), "\(text)")
    #expect(text.components(separatedBy: "<properties>").count == 1 + 3)
    let schema = JUnitSchema()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = schema
    #expect(parser.parse() && schema.problems == [])
  }

  // MARK: The summary

  @Test func `The summary has what the tasks used together, and what each failure used`() {
    let text = SummaryPage(used).text()
    #expect(
      text.hasPrefix(
        """

        ## ✗ release failed in 2.5s

        1 succeeded, 1 failed, 1 timed out, 1 cancelled, 1 skipped, 2.0s predicted, \
        using 1m03s of CPU time and up to 1.4 GB of memory

        | Task | Result | Took | CPU time | Memory | Command |
        |---|---|--:|--:|--:|---|
        | lint | exit 7 | 1.3s | 12ms |  | <code>make</code> |
        | tidy | timed out after 2s | 1.3s |  |  | <code>make</code> |

        """), "\(text)")
  }

  @Test func `The summary names the result and what went wrong`() {
    let results = results(
      [
        ("fetch", .succeeded), ("tidy", .failed(.exited(code: 1))),
        ("lint", .failed(.signalled(number: 11))), ("pack", .skipped(.needs(TaskID(2)))),
      ], optional: [1], output: ["one", "two"])
    #expect(
      SummaryPage(results).text() == """

        ## ✗ release failed in 2.5s

        1 succeeded, 2 failed, 1 skipped, 2.0s predicted

        | Task | Result | Took | Command |
        |---|---|--:|---|
        | lint | signal 11 (SIGSEGV) | 1.3s | <code>make</code> |
        | tidy | exit 1 (optional) | 1.3s | <code>make</code> |

        <details><summary>lint: end of the output</summary>

        <pre>one
        two</pre>

        Log: <code>logs/x.log</code>

        </details>

        <details><summary>tidy: end of the output</summary>

        <pre>one
        two</pre>

        Log: <code>logs/x.log</code>

        </details>

        """)
  }

  @Test func `A run that succeeds and one that is cancelled have a heading and counts`() {
    #expect(
      SummaryPage(results([("a", .succeeded), ("b", .skipped(.upToDate))])).text() == """

        ## ✓ release succeeded in 2.5s

        1 succeeded, 1 up to date

        """)
    let cancelled = results([("a", .cancelled)], ending: [.runEnding(.cancelled)])
    #expect(SummaryPage(cancelled).text().contains("## ⊘ release was cancelled after 2.5s\n"))
  }

  @Test func `No name, command or output breaks the table or becomes an element`() {
    let results = results(
      Self.hostile.map { ($0, .failed(.notStarted(reason: $0))) }, output: Self.hostile,
      command: Self.hostile.joined(separator: "; "))
    let text = SummaryPage(results).text()
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }
    #expect(rows.count == Self.hostile.count + 1)
    #expect(rows.allSatisfy { $0.filter { $0 == "|" }.count == 5 })
    let known = ["details", "/details", "summary", "/summary", "pre", "/pre", "code", "/code"]
    for part in text.split(separator: "<").dropFirst() {
      #expect(known.contains(String(part.prefix { $0 != ">" })), "\(part.prefix(40))")
    }
    #expect(!text.contains("`") && !text.contains("[") && !text.contains("@"))
  }
}

/// The rules of Ant's schema for JUnit files, as far as services depend on them.
private final class JUnitSchema: NSObject, XMLParserDelegate {
  /// What may stand in what.
  private static let children: [String: Set<String>] = [
    "": ["testsuites"], "testsuites": ["testsuite"], "testsuite": ["testcase"],
    "testcase": ["properties", "failure", "error", "skipped", "system-out"],
    "properties": ["property"],
  ]
  /// What each element must have; it has nothing else.
  private static let attributes: [String: Set<String>] = [
    "testsuites": ["name", "tests", "failures", "errors", "skipped", "time"],
    "testsuite": ["name", "tests", "failures", "errors", "skipped", "time", "timestamp"],
    "testcase": ["name", "classname", "time"], "failure": ["message", "type"],
    "error": ["message", "type"], "skipped": ["message"], "system-out": [], "properties": [],
    "property": ["name", "value"],
  ]
  private(set) var problems: [String] = []
  private(set) var counts: [String: Int] = [:]
  private(set) var text = ""
  private var open: [String] = [""]

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    let parent = open[open.count - 1]
    if Self.children[parent]?.contains(name) != true { problems.append("\(name) in \(parent)") }
    if Set(attributes.keys) != Self.attributes[name] { problems.append("\(name): \(attributes)") }
    if let time = attributes["time"], Double(time) == nil { problems.append("time \(time)") }
    counts[name, default: 0] += 1
    open.append(name)
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) { open.removeLast() }

  func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }
}
