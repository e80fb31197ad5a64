import HeadwayLaunch
import HeadwayRun
import HeadwayTerminal
import TerminalFixtures
import Testing

@testable import HeadwayView

/// The surfaces that only print lines.
struct LineRendererTests {
  /// Plays a run in which everything happens, and returns what was printed.
  private func play(_ make: (RunDescription) -> any RunRenderer) -> String {
    let sample = sample(
      ["fetch", "lint", "probe", "pack", "a \"b\"\n"], tails: [1: "one\n\u{1B}[31mtwo\n"]
    ) { graph in
      graph = LaunchGraph()
      for name in ["fetch", "lint", "probe", "pack", "a \"b\"\n"] {
        _ = graph.add(name, settings: TaskSettings(isOptional: name == "probe"))
      }
    }
    var run = Rehearsal(sample, isWatched: false, make)
    var all = ""
    let events: [(Double, RunEvent.Kind)] = [
      (0, .runStarted(tasks: 5, workers: 2)),
      (0, .taskStarted(0, attempt: 1)),
      (1.2, .taskEnded(0, .succeeded, attempts: 1, ran: .milliseconds(1200))),
      (1.2, .taskStarted(1, attempt: 1)),
      (2, .taskRetrying(1, attempt: 2, delay: .seconds(3), because: .failed(.exited(code: 7)))),
      (5, .taskStarted(1, attempt: 2)),
      (5, .taskStarted(2, attempt: 1)),
      (7, .taskOverdue(2, attempt: 1, limit: .seconds(2))),
      (7.5, .taskEnded(2, .timedOut(limit: .seconds(2)), attempts: 1, ran: .milliseconds(2500))),
      (8, .taskEnded(1, .failed(.signalled(number: 11)), attempts: 2, ran: .milliseconds(6800))),
      (8, .runEnding(.failure(1))),
      (8, .taskEnded(3, .skipped(.needs(1)), attempts: 0, ran: .zero)),
      (8, .taskEnded(4, .cancelled, attempts: 0, ran: .zero)),
      (8.25, .runEnded),
    ]
    for (seconds, kind) in events {
      run.play(seconds, kind)
      all += run.writtenText
    }
    return all
  }

  @Test func `Lines say why machines have not started, and what helps`() {
    var run = Rehearsal(sample(["fetch"]), isWatched: false) {
      LineRenderer($0, style: .gray)
    }
    var all = ""
    func wait(_ seconds: Double, _ count: Int, _ reason: String, _ start: Int?, _ advice: String?) {
      run.play(
        seconds,
        .workersWaiting(
          RunEvent.WorkersWaiting(
            count: count, reason: reason, start: start.map { .seconds($0) }, advice: advice)))
      all += run.writtenText
    }
    run.play(0, .runStarted(tasks: 1, workers: 8))
    wait(0, 4, "", nil, nil)
    wait(2, 4, "Priority", 722, nil)
    wait(6, 1, "Resources", 36, nil)
    wait(9, 2, "JobHeldUser", nil, "scontrol release 17,18 lets them start")
    wait(12, 0, "", nil, nil)
    #expect(
      all == """
        waiting for 4 Slurm jobs (Priority), the first in about 12m00s
        waiting for 1 Slurm job (Resources), in about 30s
        waiting for 2 Slurm jobs (JobHeldUser); scontrol release 17,18 lets them start

        """)
  }

  @Test func `Plain lines tell a run in sentences`() {
    #expect(
      play { LineRenderer($0, style: .gray) } == """
        fetch started
        fetch succeeded in 1.2s
        lint started
        lint failed with exit 7, attempt 2 in 3s
        lint started, attempt 2
        probe started
        probe exceeded its limit of 2s and is being ended
        probe timed out after 2s (optional)
        lint failed on signal 11 (SIGSEGV) after 6.8s, attempt 2
            one
            two
            log: logs/1.log
        stopping: no further task is started after a failure
        pack skipped: needs lint, which failed
        a "b" cancelled

          task   state        time  attempts
        ✓ fetch  succeeded    1.2s         1
        ✗ lint   failed       6.8s         2  signal 11 (SIGSEGV)  log: logs/1.log
        ✗ probe  timed out    2.5s         1  limit of 2s (optional)
        ○ pack   skipped         –         –  needs lint, which failed
        ⊘ a "b"  cancelled       –         –

        release: 1 succeeded, 1 failed, 1 timed out, 1 cancelled, 1 skipped (1 optional) in 8.3s

        """)
  }

  @Test func `JSON tells a run in objects`() {
    #expect(
      play { JSONRenderer($0) } == #"""
        {"event":"run_started","time":0.000,"version":2,"tasks":5,"workers":2,"plan":"release"}
        {"event":"task_started","time":0.000,"task":"fetch","id":0,"attempt":1}
        {"event":"task_ended","time":1.200,"task":"fetch","id":0,"outcome":"succeeded","attempts":1,"ran":1.200}
        {"event":"task_started","time":1.200,"task":"lint","id":1,"attempt":1}
        {"event":"task_retrying","time":2.000,"task":"lint","id":1,"attempt":2,"delay":3.000,"outcome":"failed","failure":"exited","code":7}
        {"event":"task_started","time":5.000,"task":"lint","id":1,"attempt":2}
        {"event":"task_started","time":5.000,"task":"probe","id":2,"attempt":1}
        {"event":"task_overdue","time":7.000,"task":"probe","id":2,"attempt":1,"limit":2.000}
        {"event":"task_ended","time":7.500,"task":"probe","id":2,"outcome":"timed_out","limit":2.000,"attempts":1,"ran":2.500,"optional":true}
        {"event":"task_ended","time":8.000,"task":"lint","id":1,"outcome":"failed","failure":"signalled","signal":11,"attempts":2,"ran":6.800,"log":"logs/1.log"}
        {"event":"run_ending","time":8.000,"reason":"failure","task":"lint","id":1}
        {"event":"task_ended","time":8.000,"task":"pack","id":3,"outcome":"skipped","needs":"lint","needs_id":1,"attempts":0,"ran":0.000}
        {"event":"task_ended","time":8.000,"task":"a \"b\"\n","id":4,"outcome":"cancelled","attempts":0,"ran":0.000}
        {"event":"run_ended","time":8.250,"succeeded":1,"up_to_date":0,"failed":1,"timed_out":1,"cancelled":1,"skipped":1,"lost":0,"done_earlier":0}

        """#)
  }

  @Test func `Quiet tells only what went wrong`() {
    #expect(
      play { QuietRenderer($0, style: .gray) } == """
        probe timed out after 2s (optional)
        lint failed on signal 11 (SIGSEGV) after 6.8s, attempt 2
            one
            two
            log: logs/1.log

        """)
  }
}

/// What is said of a failure on which somebody has to decide.
struct HeldRunTests {
  @Test func `A quiet run that is held says what has failed, and how to decide`() {
    var sample = sample(["fetch"], tails: [0: "no route\n"])
    sample.description.run = "20260101-000000-1"
    var run = Rehearsal(sample) { QuietRenderer($0, style: .ascii) }
    run.play(0, .taskStarted(0, attempt: 1))
    run.play(1, .taskRetrying(0, attempt: 2, delay: .zero, because: .failed(.exited(code: 1))))
    run.play(1, .runHeld(by: 0))
    #expect(
      run.writtenText == """
            no route
            log: logs/0.log
        held after a failure: no further task is started
          headway retry 20260101-000000-1 fetch  run it again
          headway skip 20260101-000000-1 fetch   go on without it
          headway cancel 20260101-000000-1       end the run

        """)
  }
}

/// The signs of life of plain lines.
struct SignOfLifeTests {
  @Test func `After a silence there is a sign of life, and then one a minute`() {
    var run = Rehearsal(sample(["fetch", "build"]), isWatched: false) {
      LineRenderer($0, style: .ascii)
    }
    run.play(0, .taskStarted(0, attempt: 1))
    run.play(5, .taskStarted(1, attempt: 1))
    #expect(run.renderer.nextFrame(after: .seconds(5)) == .seconds(35))
    run.draw(34.9)
    #expect(run.writtenText == "")
    run.draw(35)
    #expect(run.writtenText == "still running: fetch (35s), build (30s)... 0 of 2 done\n")
    #expect(run.renderer.nextFrame(after: .seconds(35)) == .seconds(95))
    run.draw(95)
    #expect(run.writtenText == "still running: fetch (1m35s), build (1m30s)... 0 of 2 done\n")
    run.play(100, .taskEnded(0, .succeeded, attempts: 1, ran: .seconds(100)))
    #expect(run.renderer.nextFrame(after: .seconds(100)) == .seconds(130))
  }

  @Test func `A sign of life names five tasks and counts the others`() {
    let names = ["a", "b", "c", "d", "e", "f", "g"]
    var run = Rehearsal(sample(names), isWatched: false) { LineRenderer($0, style: .ascii) }
    for index in 0..<5 { run.play(0, .taskStarted(TaskID(index), attempt: 1)) }
    run.draw(30)
    let named = "still running: a (30s), b (30s), c (30s), d (30s), e (30s)"
    #expect(run.writtenText == "\(named)... 0 of 7 done\n")
    for index in 5..<7 { run.play(0, .taskStarted(TaskID(index), attempt: 1)) }
    run.draw(30)
    #expect(run.writtenText == "\(named) and 2 more... 0 of 7 done\n")
  }

  @Test func `A sign of life says which task takes longer than usual`() {
    var run = Rehearsal(sample(["fetch", "build"]), isWatched: false) {
      LineRenderer($0, style: .ascii)
    }
    run.play(0, .taskStarted(0, attempt: 1))
    run.play(0, .taskStarted(1, attempt: 1))
    let late = RunForecast.LateTask(task: 1, elapsed: .seconds(29), usual: .seconds(20))
    run.play(29, .forecast(RunForecast(fraction: 0.5, shown: .late, late: late)))
    run.draw(30)
    #expect(
      run.writtenText == """
        still running: fetch (30s), build (30s, usually 20s)... 0 of 2 done, longer than expected

        """)
  }

  @Test func `Without color there is no escape`() {
    var run = Rehearsal(sample(["\u{1B}[2Jfetch"]), isWatched: false) {
      LineRenderer($0, style: .ascii)
    }
    run.play(0, .taskStarted(0, attempt: 1))
    run.play(1, .taskEnded(0, .failed(.exited(code: 1)), attempts: 1, ran: .seconds(1)))
    #expect(!run.written.contains(0x1B) && run.written.allSatisfy { $0 < 0x80 })
    run.play(1, .runEnded)
    #expect(!run.written.contains(0x1B) && run.written.allSatisfy { $0 < 0x80 })
  }
}
