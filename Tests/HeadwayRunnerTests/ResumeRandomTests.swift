import HeadwayCollections
import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import Repetitions
import Testing

@testable import HeadwayRunner
@testable import HeadwayState

/// Runs that are cut at any byte of their journal and resumed until they end: what must hold for each.
struct ResumeRandomTests {
  /// A random plan, and what its tasks do: always the same.
  private struct Course {
    var tasks: [Plan.Task]
    var scripts: [TaskID: [VirtualMachine.AttemptScript]] = [:]
    let workers: Int

    init(_ random: inout SplitMix64, hasOnce: Bool) {
      func once(in n: Int) -> Bool { Int.random(in: 0..<n, using: &random) == 0 }
      workers = Int.random(in: 1...4, using: &random)
      tasks = []
      for index in 0..<Int.random(in: 1...16, using: &random) {
        let after = (0..<index).filter { _ in once(in: 5) }
        tasks.append(
          .make("t\(index)", after: after) { task in
            if once(in: 3) { task.retryLimit = 1 }
            if once(in: 4) { task.pool = 0 }
            task.isOptional = once(in: 8)
            task.isAlways = once(in: 8)
            if once(in: 6) { task.inputs = ["in"] }
            if once(in: 10), !after.isEmpty { task.command = nil }
            if hasOnce, once(in: 3) {
              (task.isOnce, task.retryLimit, task.inputs) = (true, 0, [])
            }
          })
        scripts[TaskID(index)] = Self.attempts(&random)
      }
    }

    /// Two attempts, the second one as all further ones.
    private static func attempts(_ random: inout SplitMix64) -> [VirtualMachine.AttemptScript] {
      let results: [Outcome] = [.succeeded, .succeeded, .succeeded, .failed(.exited(code: 1))]
      return (0..<2).map { _ in
        var script = VirtualMachine.AttemptScript()
        script.leader.duration = .milliseconds(Int.random(in: 1...3_000, using: &random))
        script.result = results[Int.random(in: 0..<4, using: &random)]
        return script
      }
    }

    /// A run of the plan, or one that goes on with earlier ones.
    func run(after earlier: [StoredRun]) throws -> LoopRun {
      let run = try LoopRun(
        tasks, pools: [1], workers: workers, policy: .keepGoing,
        earlier: earlier.isEmpty ? nil : EarlierRuns(earlier))
      run.machine.scripts = scripts
      for index in tasks.indices {
        let isDone = earlier.contains { $0.state.outcome(of: TaskID(index))?.isSuccess == true }
        run.machine.isUpToDate[TaskID(index)] = isDone
      }
      run.run()
      return run
    }
  }

  /// The tasks that have succeeded.
  private func successes(_ run: LoopRun) -> Set<Int> {
    Set(run.plan.tasks.indices.filter { run.outcome($0)?.isSuccess == true })
  }

  /// The tasks that were started.
  private func started(_ run: LoopRun) -> Set<Int> {
    Set(run.machine.started.map(\.attempt.task.index))
  }

  /// A run as a cut journal tells it.
  private func cut(
    _ run: LoopRun, named name: String, _ random: inout SplitMix64
  ) throws -> StoredRun {
    var header = run.header
    header.run = name
    let journal = EarlierRun.journal(run.events, names: run.plan.tasks.map(\.name))
    return try EarlierRun.read(
      header, journal.prefix(Int.random(in: 0...journal.count, using: &random)))
  }

  /// The tasks of a plan that come before another one, directly or through others.
  private func before(_ task: Int, in tasks: [Plan.Task]) -> Set<Int> {
    var found: Set<Int> = []
    var open = tasks[task].after
    while let next = open.popLast() {
      if found.insert(next).inserted { open += tasks[next].after }
    }
    return found
  }

  @Test(arguments: 0..<20)
  func `Runs that are cut and resumed end as if nothing had happened`(
    part: Int
  ) throws {
    for seed in seeds(of: part, usual: 40, real: 250) {
      var random = SplitMix64(seed: SplitMix64.mixed(UInt64(seed)))
      let course = Course(&random, hasOnce: false)
      let whole = try course.run(after: [])
      var last = whole
      var earlier: [StoredRun] = []
      for number in 0..<Int.random(in: 1...3, using: &random) {
        earlier.insert(try cut(last, named: "20260101-00000\(number)-1", &random), at: 0)
        last = try course.run(after: earlier)
        let again = started(last)
        for task in again where earlier[0].state.outcome(of: TaskID(task))?.isSuccess == true {
          #expect(
            !before(task, in: course.tasks).isDisjoint(with: again),
            "\(task) has succeeded and runs again in run \(seed)")
        }
      }
      #expect(successes(last) == successes(whole), "run \(seed)")
      #expect(last.events.last?.kind == .runEnded && last.machine.violations == [], "run \(seed)")
    }
  }

  @Test(arguments: 0..<4) func `A task that runs once is started again only after it has failed`(
    part: Int
  ) throws {
    for seed in seeds(of: part, usual: 60, real: 250) {
      var random = SplitMix64(seed: SplitMix64.mixed(UInt64(seed + 1_000_000)))
      let course = Course(&random, hasOnce: true)
      var last = try course.run(after: [])
      var earlier: [StoredRun] = []
      var starts: Set<Int> = []
      for number in 0..<3 {
        let stored = try cut(last, named: "20260101-00000\(number)-1", &random)
        // What the journal does not have was not started: the start is on the disk before.
        for (index, task) in course.tasks.enumerated() where task.isOnce {
          let state = stored.state.tasks[index]
          guard state.attempts > 0 else { continue }
          #expect(starts.insert(index).inserted, "\(index) was started again in run \(seed)")
          if case .ended(.failed) = state.phase { starts.remove(index) }
        }
        earlier.insert(stored, at: 0)
        last = try course.run(after: earlier)
      }
    }
  }
}
