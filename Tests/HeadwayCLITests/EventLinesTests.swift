import Foundation
import HeadwayLaunch
import HeadwayRun
import ProcessFixtures
import Testing

/// The lines of `--ui json`, as a program reads them.
struct EventLinesTests {
  /// A plan in which a task ends in most ways.
  private static let plan = """
    tasks:
      fetch: { run: echo got > out, inputs: [in], outputs: [out] }
      lint: { run: "[ $HEADWAY_ATTEMPT = 2 ]", retries: { limit: 1, backoff: 10ms } }
      probe: { run: sleep 300, timeout: 300ms, optional: true }
      build: { run: "echo 'no \\"such\\" header' >&2; exit 3", after: fetch }
      pack: { run: touch packed, after: build }
      tidy: { run: kill -9 $$, optional: true }
      start: { run: no-such-program, optional: true }
    """

  /// What only the surface knows of the tasks and the run.
  private struct Line: Decodable {
    /// The event.
    let event: String
    /// The place of the task.
    let id: Int?
    /// Whether the run may succeed without it.
    let optional: Bool?
    /// Its log.
    let log: String?
    /// The name of the plan.
    let plan: String?
  }

  /// Decodes each line.
  private func decode<Value: Decodable>(_ text: String, as type: Value.Type) throws -> [Value] {
    try text.split(separator: "\n").map {
      try JSONDecoder().decode(type, from: Data($0.utf8))
    }
  }

  /// The outcomes of a run as its events tell them, by the names of the tasks.
  private func outcomes(of events: [RunEvent]) -> [String: Outcome] {
    var outcomes: [String: Outcome] = [:]
    for event in events {
      guard case .taskEnded(let task, let outcome, _, _) = event.kind else { continue }
      #expect(outcomes[task.name] == nil)
      outcomes[task.name] = outcome
    }
    return outcomes
  }

  /// Folds events in the state of a run.
  private func status(of events: [RunEvent]) throws -> RunState {
    guard case .runStarted(let tasks, _) = try #require(events.first).kind else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "the run does not start"))
    }
    var status = RunState(taskCount: tasks)
    for event in events { status.apply(event) }
    return status
  }

  @Test func `The lines of a run are its events, and add up to what it ends with`() throws {
    let sandbox = Sandbox(plan: Self.plan)
    sandbox.write("1", to: "in")
    for isFirst in [true, false] {
      let run = RunningTool.run(
        ["run", "plan.yaml", "--ui", "json", "--keep-going"], in: sandbox)
      let events = try decode(run.text, as: RunEvent.self)
      let lines = try decode(run.text, as: Line.self)
      let outcomes = outcomes(of: events)
      #expect(outcomes["fetch"] == (isFirst ? .succeeded : .skipped(.upToDate)))
      #expect(outcomes["lint"] == .succeeded)
      #expect(outcomes["probe"] == .timedOut(limit: .milliseconds(300)))
      #expect(outcomes["build"] == .failed(.exited(code: 3)))
      #expect(outcomes["pack"] == .skipped(.needs(TaskID(3))))
      #expect(outcomes["tidy"] == .failed(.signalled(number: 9)))
      guard case .failed(let failure) = outcomes["start"], failure.isStartFailure else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: [], debugDescription: "\(outcomes)"))
      }
      #expect(failure.description.contains("no-such-program"))
      let retries = events.filter { $0.kind.name == .taskRetrying }
      #expect(retries.count == 1 && events.filter { $0.kind.name == .taskOverdue }.count == 1)

      let status = try status(of: events)
      #expect(status.total == events.last?.time && status.active.isEmpty)
      #expect(status.counts.ended == 7)
      #expect(try decode(run.text, as: RunEvent.self).map(\.time) == events.map(\.time).sorted())
      let last = try #require(run.text.split(separator: "\n").last)
      let counts = try decode(String(last), as: RunState.Counts.self)
      #expect(counts == [status.counts])
      let optional = Set(lines.filter { $0.optional == true }.compactMap(\.id))
      let isFailure = status.tasks.indices.contains { place in
        status.outcome(of: TaskID(place))?.isFailure == true && !optional.contains(place)
      }
      #expect(isFailure && run.end == .code(1))
      #expect(lines.first?.plan == "plan")
      let log = try #require(lines.first { $0.event == "task_ended" && $0.id == 3 }?.log)
      #expect(sandbox.read(log) == "no \"such\" header\n")
    }
    #expect(sandbox.survivors() == [])
  }

  @Test func `A run without a failure is a success`() throws {
    let sandbox = Sandbox(
      plan: "tasks:\n  a: { run: 'true' }\n  b: { run: 'false', optional: true, after: a }\n")
    let run = RunningTool.run(["run", "plan.yaml", "--ui", "json"], in: sandbox)
    let status = try status(of: decode(run.text, as: RunEvent.self))
    #expect(run.end == .code(0) && status.counts[.succeeded] == 1 && status.counts[.failed] == 1)
  }
}
