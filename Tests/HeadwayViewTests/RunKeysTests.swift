import HeadwayRun
import Testing

@testable import HeadwayView

/// The keys of a view of a run.
struct RunKeysTests {
  private func run(isPaused: Bool = false, isHeld: Bool = false) -> RunSnapshot {
    var run = RunSnapshot()
    run.isPaused = isPaused
    run.heldBy = isHeld ? TaskID(3) : nil
    return run
  }

  private func press(_ keys: inout RunKeys, _ key: Unicode.Scalar, _ run: RunSnapshot)
    -> RunKeys.Action?
  {
    keys.press(UInt8(ascii: key), run)
  }

  @Test
  func
    `Each of many quick presses of the space bar counts, whatever is answered and seen meanwhile`()
  {
    var keys = RunKeys()
    #expect(press(&keys, " ", run()) == .ask(.pause))
    #expect(press(&keys, " ", run()) == .ask(.unpause))
    // The run has done what the first press asked for, and is about to undo it.
    keys.requestWasAnswered(wasDone: true)
    #expect(press(&keys, " ", run()) == .ask(.pause))
    keys.follow(run(isPaused: true))
    #expect(press(&keys, " ", run(isPaused: true)) == .ask(.unpause))
    for _ in 0..<3 { keys.requestWasAnswered(wasDone: true) }
    // All are answered, and what is seen is older.
    keys.follow(run(isPaused: true))
    #expect(press(&keys, " ", run(isPaused: true)) == .ask(.pause))
    keys.requestWasAnswered(wasDone: true)
    keys.follow(run(isPaused: true))
    // Someone else has continued it since.
    #expect(press(&keys, " ", run()) == .ask(.pause))
  }

  @Test func `After a refusal, the next press asks for what the run does not do`() {
    var keys = RunKeys()
    #expect(press(&keys, " ", run()) == .ask(.pause))
    keys.requestWasAnswered(wasDone: false)
    #expect(press(&keys, " ", run()) == .ask(.pause))
  }

  @Test func `The refusal of an earlier request changes nothing about later ones`() {
    var keys = RunKeys()
    for request in [RunRequest.pause, .unpause, .pause] {
      #expect(press(&keys, " ", run()) == .ask(request))
    }
    keys.requestWasAnswered(wasDone: false)
    #expect(press(&keys, " ", run()) == .ask(.unpause))
  }

  @Test(
    arguments: [
      ("r", RunRequest.retry(nil)), ("s", .skip(nil)), ("e", .cancel),
    ] as [(Unicode.Scalar, RunRequest)])
  func `A key decides on a failure only while the run is held`(
    _ key: Unicode.Scalar, _ request: RunRequest
  ) {
    var keys = RunKeys()
    #expect(press(&keys, key, run()) == nil)
    #expect(press(&keys, key, run(isHeld: true)) == .ask(request))
  }

  @Test func `One key leaves, all others belong to the renderer`() {
    var keys = RunKeys()
    #expect(press(&keys, "d", run()) == .leave)
    for key in ScreenRenderer.keys { #expect(keys.press(key, run(isHeld: true)) == nil) }
    #expect(RunKeys.all.isDisjoint(with: ScreenRenderer.keys))
  }
}
