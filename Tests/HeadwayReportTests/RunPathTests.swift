import HeadwayRun
import HeadwayText
import Testing

@testable import HeadwayReport

/// A task of a test.
struct SampleTask {
  var name: String
  var kind = ""
  var record: TaskRecord
}

/// Creates a task with its name, when it began and how long it ran, in seconds.
func task(
  _ name: String, _ began: Double?, _ ran: Double = 0,
  _ outcome: Outcome.Kind? = .succeeded, expected: Double? = nil
) -> SampleTask {
  SampleTask(
    name: name,
    record: TaskRecord(
      index: 0, outcome: outcome, began: began.map { .seconds($0) }, ran: .seconds(ran),
      attempts: 1, expected: expected.map { .seconds($0) }))
}

/// Creates the graph of some dependencies.
func graph(_ needs: [(task: Int, before: Int)], count: Int) -> TaskGraph {
  TaskGraph(
    taskCount: count, edges: needs.map { TaskGraph.Edge(before: $0.before, after: $0.task) })
}

/// Creates the report of a test.
func report(
  _ tasks: [SampleTask], needs: [(task: Int, before: Int)] = [], total: Double?,
  workers: Int = 2, outcome: Outcome.Kind? = .succeeded, forecasts: [ForecastRecord] = [],
  plan: String = "plan", run: String = "run"
) -> RunReport {
  RunReport(
    RunRecord(
      plan: plan, name: run, began: 0, workers: workers,
      machine: MachineIdentity(cores: 2, host: 0),
      tasks: tasks.map { TaskIdentity(name: $0.name, kind: $0.kind, fingerprint: 0) },
      graph: graph(needs, count: tasks.count), total: total.map { .seconds($0) }, outcome: outcome,
      records: tasks.enumerated().map { index, task in
        var record = task.record
        record.index = index
        return record
      },
      forecasts: forecasts))
}

/// The critical path, by hand.
struct `The path that a run took` {
  /// The path of tasks: names, each with the seconds that it waited.
  private func path(
    _ tasks: [SampleTask], _ needs: [(task: Int, before: Int)], total: Double? = nil
  ) -> [String] {
    let path = RunPath(
      RunTimes(report(tasks, total: total)), graph(needs, count: tasks.count))
    return path.steps.map { step in
      let waited = DurationText.measured(step.waited)
      return step.waited > 0 ? "\(waited) \(tasks[step.task].name)" : tasks[step.task].name
    }
  }

  @Test func `It goes back through the dependency that ended last`() {
    let tasks = [task("a", 0, 3), task("b", 0, 5), task("c", 5, 2), task("d", 3, 1)]
    #expect(path(tasks, [(2, 0), (2, 1), (3, 0)]) == ["b", "c"])
  }

  @Test func `A late start is a wait for a worker, at the beginning too`() {
    let tasks = [task("a", 1, 2), task("b", 3, 4), task("c", 7.5, 2)]
    #expect(path(tasks, [(2, 0)]) == ["1.0s a", "4.5s c"])
  }

  @Test func `Work and waiting make up the time to the last end`() {
    let tasks = [task("a", 0.5, 2), task("b", 4, 1.5), task("c", 6, 3), task("d", 0, 8)]
    let path = RunPath(
      RunTimes(report(tasks, total: 9)), graph([(1, 0), (2, 1), (2, 3)], count: 4))
    #expect(path.steps.map(\.task) == [0, 1, 2] || path.steps.map(\.task) == [3, 2])
    let overlap = 2.0  // d ended two seconds after c began, which no wait can tell
    #expect(path.work + path.waited - overlap == 9)
  }

  @Test func `A task without a time is replaced by its dependencies`() {
    let tasks = [
      task("a", 0, 3), task("gather", nil), task("more", nil, 0, .upToDate), task("b", 3, 2),
    ]
    #expect(path(tasks, [(1, 0), (2, 1), (3, 2)]) == ["a", "b"])
  }

  @Test func `A task without a time may stand before several`() {
    let tasks = [task("a", 0, 3), task("gather", nil), task("b", 3, 2), task("c", 5, 2)]
    #expect(path(tasks, [(1, 0), (2, 1), (3, 1), (3, 2)]) == ["a", "b", "c"])
  }

  @Test func `Of those that ended together the one that ran longer counts`() {
    let tasks = [task("a", 2, 2), task("b", 1, 3), task("c", 4, 1)]
    #expect(path(tasks, [(2, 0), (2, 1)]) == ["1.0s b", "c"])
  }

  @Test func `A cycle ends the path`() {
    let tasks = [task("a", 0, 3), task("b", 3, 2), task("c", nil), task("d", nil)]
    #expect(path(tasks, [(0, 1), (1, 0)]) == ["a", "b"])
    #expect(path(tasks, [(1, 2), (2, 3), (3, 2), (3, 0)]) == ["a", "b"])
    #expect(path(tasks, [(1, 1)]) == ["3.0s b"])
  }

  @Test func `A run in which no task started has no path`() {
    #expect(path([], []) == [])
    #expect(path([task("a", nil, 0, .skipped), task("b", 4, 2, .skipped)], []) == [])
  }

  @Test func `A task that was killed ran to the last known moment`() {
    let times = RunTimes(report([task("a", 1, 0, nil), task("b", 0, 6)], total: nil))
    #expect(times.ends == [6, 6])
    #expect(times.end == 6)
    #expect(times.total == nil)
  }

  @Test func `A chain of a hundred thousand tasks does not overflow the stack`() {
    let count = 100_000
    var tasks = (0..<count).map { task("t", nil, 0, $0 == 0 ? .succeeded : .upToDate) }
    tasks[0] = task("first", 0, 1)
    tasks[count - 1] = task("last", 1, 1)
    #expect(path(tasks, (1..<count).map { ($0, $0 - 1) }) == ["first", "last"])
  }
}
