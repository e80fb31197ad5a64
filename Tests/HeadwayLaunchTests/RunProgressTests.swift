import HeadwayLaunch
import HeadwayProgress
import Testing

/// How far a run is.
struct RunProgressTests {
  /// Plays events to a forecast.
  private func play(
    _ expected: [Duration?], workers: Int = 2, _ events: [(Int, LaunchEvent.Kind)]
  ) -> RunProgress {
    var progress = RunProgress(names: expected.map { _ in "task" }, expected: expected)
    let start = (0, LaunchEvent.Kind.runStarted(tasks: expected.count, workers: workers))
    for (seconds, kind) in [start] + events {
      progress.receive(LaunchEvent(time: .seconds(seconds), kind: kind))
    }
    return progress
  }

  @Test func `A running task counts as its elapsed part`() {
    var progress = play([.seconds(10), .seconds(10)], [(0, .taskStarted(TaskID(0), attempt: 1))])
    #expect(progress.fraction(of: TaskID(0), at: .seconds(5)) == 0.5)
    #expect(progress.fraction(at: .seconds(5)) == 0.25)
    #expect(progress.fraction(of: TaskID(1), at: .seconds(5)) == nil)
  }

  @Test func `The clock alone never completes a task`() {
    var progress = play([.seconds(1)], [(0, .taskStarted(TaskID(0), attempt: 1))])
    #expect(progress.fraction(at: .seconds(100)) == 0.95)
    #expect(progress.remaining(at: .seconds(100)) == .zero)
  }

  @Test func `The shown value never goes back and is all only at the end`() {
    var progress = play([.seconds(10)], [(0, .taskStarted(TaskID(0), attempt: 1))])
    #expect(progress.fraction(at: .seconds(8)) == 0.8)
    let again = LaunchEvent.Kind.taskRetrying(
      TaskID(0), attempt: 2, delay: .seconds(1), because: .failed(.exited(code: 1)))
    progress.receive(LaunchEvent(time: .seconds(8), kind: again))
    progress.receive(
      LaunchEvent(time: .seconds(9), kind: .taskStarted(TaskID(0), attempt: 2)))
    #expect(progress.fraction(at: .seconds(10)) == 0.8)
    #expect(progress.snapshot(at: .seconds(10)).fraction == 0.1)
    let ended = LaunchEvent.Kind.taskEnded(
      TaskID(0), .succeeded, attempts: 2, ran: .seconds(19))
    progress.receive(LaunchEvent(time: .seconds(19), kind: ended))
    #expect(progress.fraction(at: .seconds(19)) == 0.999)
    progress.receive(LaunchEvent(time: .seconds(19), kind: .runEnded))
    #expect(progress.fraction(at: .seconds(19)) == 1)
  }

  @Test func `What is left is shared by the workers`() {
    let progress = play(
      [.seconds(10), .seconds(10), .seconds(10), .seconds(10)],
      [(0, .taskStarted(TaskID(0), attempt: 1)), (0, .taskStarted(TaskID(1), attempt: 1))])
    #expect(progress.remaining(at: .seconds(5)) == .seconds(15))
  }

  @Test func `The longest running task is a lower bound`() {
    let progress = play(
      [.seconds(100), .seconds(1)],
      [(0, .taskStarted(TaskID(0), attempt: 1)), (0, .taskStarted(TaskID(1), attempt: 1))])
    #expect(progress.remaining(at: .zero) == .seconds(100))
  }

  @Test func `Without history nothing is said until a task has run`() {
    var progress = play([nil, nil], workers: 1, [(0, .taskStarted(TaskID(0), attempt: 1))])
    #expect(progress.remaining(at: .seconds(1)) == nil)
    #expect(progress.fraction(at: .seconds(1)) == 0)
    let ended = LaunchEvent.Kind.taskEnded(TaskID(0), .succeeded, attempts: 1, ran: .seconds(4))
    progress.receive(LaunchEvent(time: .seconds(4), kind: ended))
    #expect(progress.remaining(at: .seconds(4)) == .seconds(4))
    #expect(progress.fraction(at: .seconds(4)) == 0.5)
  }

  @Test func `A task that does not start counts as done`() {
    var progress = play(
      [nil, nil],
      [(0, .taskEnded(TaskID(0), .upToDate, attempts: 0, ran: .zero))])
    #expect(progress.fraction(at: .zero) == 0.5)
    #expect(progress.remaining(at: .zero) == nil)
  }

  @Test func `A run without tasks says nothing and ends`() {
    var progress = play([], [])
    #expect(progress.fraction(at: .zero) == 0)
    progress.receive(LaunchEvent(time: .zero, kind: .runEnded))
    #expect(progress.fraction(at: .zero) == 1)
  }

  @Test func `A task that is added counts, and one that the run does not have does not`() {
    var progress = play(
      [nil],
      [
        (0, .taskStarted(TaskID(7), attempt: 1)), (0, .taskAdded(TaskID(1, name: "late"))),
        (0, .taskStarted(TaskID(0), attempt: 1)),
        (1, .taskEnded(TaskID(0), .succeeded, attempts: 1, ran: .seconds(1))),
      ])
    #expect(progress.fraction(at: .seconds(1)) == 0.5)
    #expect(progress.remaining(at: .seconds(1)) == .seconds(1))
    #expect(progress.fraction(of: TaskID(7), at: .seconds(1)) == nil)
    #expect(progress.remaining(of: TaskID(7), at: .seconds(1)) == nil)
  }

  @Test func `A status after a loss brings the forecast up to date`() {
    var status = RunStatus(taskCount: 3)
    let kinds: [LaunchEvent.Kind] = [
      .runStarted(tasks: 3, workers: 2), .taskStarted(TaskID(0), attempt: 1),
      .taskEnded(TaskID(0), .succeeded, attempts: 1, ran: .seconds(4)),
      .taskStarted(TaskID(1), attempt: 1),
    ]
    for kind in kinds { status.apply(LaunchEvent(time: .seconds(4), kind: kind)) }
    var progress = play([nil, nil], [(4, .missed(9, status))])
    // One of three is done, one begins at this moment.
    #expect(progress.fraction(at: .seconds(4)) == 1.0 / 3)
    #expect(progress.remaining(at: .seconds(4)) == .seconds(4))
    progress.receive(
      LaunchEvent(
        time: .seconds(8),
        kind: .taskEnded(TaskID(1), .succeeded, attempts: 1, ran: .seconds(4))))
    #expect(progress.fraction(at: .seconds(8)) == 2.0 / 3)
    #expect(progress.remaining(at: .seconds(8)) == .seconds(4))
  }
}
