import CSpawn
import Testing

/// Runs that stop themselves, and are continued at the same time.
struct DiscardedContinueTests {
  @Test(
    arguments: [
      (done: 5, begun: 5, isDiscarded: false),
      (done: 5, begun: 6, isDiscarded: true),
      // It has begun before the stop and ends after it.
      (done: 4, begun: 5, isDiscarded: true),
      (done: .max, begun: .max, isDiscarded: false),
    ] as [(done: UInt32, begun: UInt32, isDiscarded: Bool)])
  func `A run that is continued while it stops does not stay stopped`(
    done: UInt32, begun: UInt32, isDiscarded: Bool
  ) {
    var shared = hw_shared()
    shared.continues_begun = begun
    #expect(unsafe !hw_has_discarded_continue(&shared), "it does not stop")
    shared.stops_after = done &+ 1
    #expect(unsafe hw_has_discarded_continue(&shared) == isDiscarded)
  }
}
