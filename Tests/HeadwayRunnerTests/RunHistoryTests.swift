import Glibc
import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import HeadwayState
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// What the history keeps of a run.
struct RunHistoryTests {
  /// The stored record of a run in which one task fails and the next is never started.
  private func record() throws -> RunRecord {
    let folder = Folder()
    let run = try LoopRun([.make("a"), .make("b", after: [0])], statePath: folder.path)
    run.machine.scripts[TaskID(0)] = [
      VirtualMachine.AttemptScript(result: .failed(.exited(code: 1)))
    ]
    run.run(isStored: true)
    return try #require(openHistory(stateFolder: folder.path).run(named: nil))
  }

  @Test func `A task that never ran has no start`() throws {
    let record = try record()
    let starts = Dictionary(
      uniqueKeysWithValues: record.records.map { (record.tasks[$0.index].name, $0.began) })
    #expect(starts == ["a": .zero, "b": nil])
    #expect(record.outcome == .failed && record.total == .seconds(1))
  }

  @Test func `A run is stored with the moment of its beginning`() throws {
    /// The milliseconds since 1970.
    func now() -> Int64 {
      var time = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &time)
      return Int64((Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)) / .milliseconds(1))
    }
    let before = now()
    let began = try record().began
    #expect(before <= began && began <= now())
  }

  @Test func `A task is stored with what its last attempt used`() throws {
    let folder = Folder()
    let run = try LoopRun(
      [
        .make("known") { $0.retryLimit = 1 }, .make("lost") { $0.retryLimit = 1 },
        .make("asked") { $0.condition = .command(.shell("true")) },
      ], statePath: folder.path)
    let failure = Outcome.failed(.exited(code: 1))
    let (first, second) = (
      ResourceUsage(cpuTime: .seconds(1), peakMemory: 9), ResourceUsage(cpuTime: .seconds(2))
    )
    run.machine.scripts[TaskID(0)] = [
      .init(result: failure, usage: first), .init(usage: second),
    ]
    run.machine.scripts[TaskID(1)] = [.init(result: failure, usage: first), .init()]
    run.machine.scripts[TaskID(2)] = [.init(usage: first)]
    run.run(isStored: true)
    let record = try #require(openHistory(stateFolder: folder.path).run(named: nil))
    let usages = record.records.sorted { $0.index < $1.index }.map(\.usage)
    // That of the condition, which the machine carries out as the command, is part of the same attempt.
    #expect(usages == [second, nil, ResourceUsage(cpuTime: .seconds(2), peakMemory: 9)])
    #expect(run.state.tasks.map(\.usage) == usages)
    let ends = run.events.filter { $0.usage != nil }.map(\.usage)
    #expect(Set(ends) == [first, second, usages[2]])
  }

  @Test func `Tasks that never started are stored with what happened`() throws {
    let folder = Folder()
    let run = try LoopRun(
      [
        .make("busy") { $0.inputs = ["in"] }, .make("same") { $0.inputs = ["in"] },
        .make("never") { $0.condition = .equal("a", "b") }, .make("broken", after: [0]),
        .make("behind", after: [3]) { $0.inputs = ["in"] },
      ], workers: 1, policy: .keepGoing, statePath: folder.path)
    run.machine.isUpToDate[TaskID(0)] = false
    run.machine.scripts[TaskID(3)] = [.init(result: .failed(.exited(code: 1)))]
    run.run(isStored: true)
    let record = try #require(openHistory(stateFolder: folder.path).run(named: nil))
    let outcomes = Dictionary(
      uniqueKeysWithValues: record.records.map { (record.tasks[$0.index].name, $0.outcome) })
    #expect(
      outcomes == [
        "busy": .succeeded, "same": .upToDate, "never": .skipped, "broken": .failed,
        "behind": .skipped,
      ])
    let same = try #require(record.records.first { $0.index == 1 })
    #expect(same.began == nil)
    #expect(same.ran == .zero)
    #expect(same.attempts == 1)
  }
}
