import DocumentedPages
import Foundation
import HeadwayLaunch
import HeadwayRun
import Testing

/// The page of the format, `docs/events.md`.
struct EventPageTests {
  /// The pages of the module.
  private let pages = DocumentedPages(of: "HeadwayLaunch")
  /// Where the page is.
  private let path = "docs/events.md"

  /// The lines of the page that are examples of the events of runs; those of progress trees are tested by HeadwayRelay,
  /// and that of a snapshot by HeadwayProgress.
  private func examples() throws -> [String] {
    try pages.lines(of: path).filter { line in
      line.hasPrefix(#"{"event":"#)
        && !ProgressEventName.allCases.contains { line.contains(#""event":"\#($0.rawValue)""#) }
        && !OutputEventName.allCases.contains { line.contains(#""event":"\#($0.rawValue)""#) }
    }
  }

  @Test func `Every line of the page is an event, and its examples are a whole run`() throws {
    let examples = try examples()
    let events = try examples.map {
      try JSONDecoder().decode(RunEvent.self, from: Data($0.utf8))
    }
    #expect(events.count >= 20)
    #expect(events.first?.kind == .runStarted(tasks: 5, workers: 2))
    let end = try #require(events.firstIndex { $0.kind == .runEnded })
    let lines = examples[...end].map { String($0) }
    let status = read(lines)
    #expect(status.counts.ended == 5 && status.total == events[end].time)
    let counts = try JSONDecoder().decode(RunState.Counts.self, from: Data(examples[end].utf8))
    #expect(counts == status.counts)
    // A line of a later version is no harm.
    #expect(read(lines + [#"{"event":"run_praised","time":1}"#]) == status)
  }

  @Test func `The page names every event, field and value`() throws {
    // The names that only other programs see are on their own page.
    let lines = try pages.lines(of: path) + pages.lines(of: "docs/protocol.md")
    let text = lines.filter { !$0.hasPrefix("{") }.joined(separator: "\n")
    var names = EventName.allCases.map(\.rawValue) + EventKey.allCases.map(\.rawValue)
    names += Outcome.Kind.allCases.map(\.rawValue) + FailureName.allCases.map(\.rawValue)
    names += EndReasonName.allCases.map(\.rawValue) + PhaseName.allCases.map(\.rawValue)
    for name in names { #expect(text.contains("`\(name)`"), "\(name)") }
  }

  @Test func `The page has a row for every event, outcome and failure`() throws {
    let rows = try pages.lines(of: path)
    // The name of a number only.
    let outcomes = Outcome.Kind.allCases.filter { $0 != .doneEarlier }
    var names = EventName.allCases.map(\.rawValue) + outcomes.map(\.rawValue)
    names += FailureName.allCases.map(\.rawValue)
    for name in names { #expect(rows.contains { $0.hasPrefix("| `\(name)` |") }, "\(name)") }
  }

  @Test func `The example of the page stands here`() throws {
    #expect(try pages.examplesNotRun(ofFile: path, in: "EventPageTests").isEmpty)
  }

  @Test func `The events of a launcher are written as lines, and read`() async throws {
    let launcher = try Launcher(
      LaunchGraph {
        PlannedTask("load", .nothing)
        PlannedTask("check") { _ in throw CancellationError() }.optional()
      })
    var output = Data()
    let events = launcher.events()  // before the run begins, so that none is missed
    launcher.start()
    let encoder = JSONEncoder()
    for await event in events {
      output += try encoder.encode(event) + Data("\n".utf8)
    }
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map { String($0) }
    let status = read(lines)
    #expect(lines.count >= 6 && status.counts[.succeeded] == 1 && status.counts[.failed] == 1)
    #expect(status.total != nil)
  }

  /// Folds lines in the state of a run, as the page does it.
  private func read(_ lines: [String]) -> RunState {
    let decoder = JSONDecoder()
    var status = RunState(taskCount: 0)
    for line in lines {
      guard let event = try? decoder.decode(RunEvent.self, from: Data(line.utf8)) else {
        continue  // an event of a later version
      }
      if case .runStarted(let tasks, _) = event.kind { status = RunState(taskCount: tasks) }
      status.apply(event)
    }
    return status
  }
}
