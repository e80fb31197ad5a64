import HeadwayTime
import Testing

/// Cases of tokio-util's `DelayQueue` (`tokio-util/tests/time_delay_queue.rs`) on a wheel; a comment names each case.
///
/// The other cases of that file are in `TimingWheelPeerCaseTests`.
struct DelayQueueCaseTests {
  // MARK: Expiring

  // single_immediate_delay.
  @Test func `A timer that is due at once expires in one advance, and nothing is left`() {
    let box = TestWheel<String>(now: 40)
    box.schedule("only", at: 40)
    #expect(box.nextExpiry == 40)
    #expect(box.payloads(upTo: 40) == ["only"])
    #expect(box.payloads(upTo: 4_000) == [])
    #expect(box.isEmpty && box.nextExpiry == nil)
  }

  // multi_immediate_delays.
  @Test func `Timers that are due at once all expire in one advance`() {
    let box = TestWheel<Int>(now: 40)
    for number in 0..<3 { box.schedule(number, at: 40) }
    #expect(box.payloads(upTo: 40).sorted() == [0, 1, 2])
    #expect(box.isEmpty)
  }

  // single_short_delay.
  @Test func `A timer five ticks away does not wake its owner before`() {
    let box = TestWheel<String>(now: 1_000)
    box.schedule("soon", at: 1_005)
    for tick in 1_001...1_004 as ClosedRange<UInt64> {
      #expect(box.nextExpiry == 1_005)
      #expect(box.payloads(upTo: tick) == [])
    }
    #expect(box.payloads(upTo: 1_005) == ["soon"])
    #expect(box.nextExpiry == nil)
  }

  // multi_delay_at_start: the queue wakes at 192 and 960 without need, where a slot moves down a level.
  @Test func `An owner that sleeps until the next expiry wakes for nothing but timers`() {
    let far: UInt64 = 262_144 + 9 * 4_096
    let box = TestWheel<UInt64>()
    for deadline in [1_000, 2, 234, far, 60, 10] { box.schedule(deadline, at: deadline) }
    #expect(box.wake(atMost: 6) == [[2], [10], [60], [234], [1_000], [far]])
    #expect(box.now == far)
  }

  // insert_in_past_fires_immediately.
  @Test func `A timer that is scheduled for a past tick is due at the current one`() {
    let box = TestWheel<String>(now: 500)
    box.advance(to: 510) { _, _ in }
    box.schedule("late", at: 500)
    #expect(box.nextExpiry == 510)
    #expect(box.payloads(upTo: 510) == ["late"])
  }

  // insert_in_past_after_poll_fires_immediately.
  @Test func `A late timer expires at once although another one is far from due`() {
    let box = TestWheel<String>()
    box.schedule("far", at: 200)
    #expect(box.payloads(upTo: 80) == [])
    box.schedule("late", at: 40)
    #expect(box.nextExpiry == 80)
    #expect(box.payloads(upTo: 80) == ["late"])
    #expect(box.nextExpiry == 200)
  }

  // insert_after_ready_poll.
  @Test func `Timers that are scheduled between the expiries of one tick wait for theirs`() {
    let box = TestWheel<Int>()
    for number in 1...3 { box.schedule(number, at: 100) }
    var seen: [Int] = []
    while box.count > 0, seen.count < 3 {
      box.advance(to: 100, limit: 1) { _, timer in seen.append(timer.payload) }
      box.schedule(10 + seen.count, at: 500)
    }
    #expect(seen.sorted() == [1, 2, 3])
    #expect(box.count == 3 && box.nextExpiry == 500)
    #expect(box.payloads(upTo: 500).sorted() == [11, 12, 13])
  }

  // peek.
  @Test func `The next expiry is that of the earliest timer, also when it is overdue`() {
    let box = TestWheel<String>()
    box.schedule("second", at: 5)
    box.schedule("first", at: 0)
    box.schedule("third", at: 10)
    #expect(box.nextExpiry == 0)
    var seen: [String] = []
    box.advance(to: 6, limit: 1) { _, timer in seen.append(timer.payload) }
    #expect(seen == ["first"] && box.nextExpiry == 5)
    box.advance(to: 6, limit: 1) { _, timer in seen.append(timer.payload) }
    #expect(seen == ["first", "second"] && box.nextExpiry == 10)
    #expect(box.payloads(upTo: 9) == [])
    #expect(box.payloads(upTo: 11) == ["third"])
    #expect(box.nextExpiry == nil)
  }

  // MARK: Scheduling earlier

  // expires_before_last_insert.
  @Test func `A nearer timer that is scheduled later expires first`() {
    let box = TestWheel<String>()
    box.schedule("far", at: 10_000)
    #expect(box.nextExpiry == 10_000)
    box.schedule("near", at: 600)
    #expect(box.nextExpiry == 600)
    #expect(box.payloads(upTo: 600) == ["near"])
    #expect(box.nextExpiry == 10_000)
  }

  // insert_before_first_after_poll.
  @Test func `A timer that is scheduled before all others expires at its own tick`() {
    let box = TestWheel<String>()
    box.schedule("second", at: 200)
    box.schedule("first", at: 100)
    #expect(box.payloads(upTo: 99) == [])
    #expect(box.payloads(upTo: 100) == ["first"])
  }

  // MARK: Moving

  // reset_much_later: tokio-rs/tokio#849.
  @Test func `A timer that is moved much nearer expires there`() {
    let box = TestWheel<String>(now: 1)
    let handle = box.schedule("moved", at: 200)
    #expect(box.payloads(upTo: 4) == [])
    box.reschedule(handle, to: 10)
    #expect(box.nextExpiry == 10)
    #expect(box.ticks(upTo: 24) == [10])
  }

  // reset_twice: tokio-rs/tokio#849.
  @Test func `A timer that is moved nearer twice expires at the second place`() {
    let box = TestWheel<String>(now: 1)
    let handle = box.schedule("moved", at: 200)
    #expect(box.payloads(upTo: 4) == [])
    box.reschedule(handle, to: 50)
    #expect(box.payloads(upTo: 24) == [])
    box.reschedule(handle, to: 40)
    #expect(box.ticks(upTo: 44) == [40])
    #expect(box.payloads(upTo: 300) == [])
  }

  // multi_reset.
  @Test func `Of two timers that are moved in turn each expires where it was moved last`() {
    let box = TestWheel<Int>()
    let first = box.schedule(1, at: 200)
    let second = box.schedule(2, at: 250)
    box.reschedule(first, to: 300)
    box.reschedule(second, to: 350)
    box.reschedule(first, to: 400)
    #expect(box.payloads(upTo: 310) == [])
    #expect(box.payloads(upTo: 360) == [2])
    #expect(box.payloads(upTo: 399) == [])
    #expect(box.payloads(upTo: 400) == [1])
    #expect(box.isEmpty)
  }

  // expire_first_key_when_reset_to_expire_earlier.
  @Test func `The first of two timers can be moved nearer`() {
    let box = TestWheel<Int>()
    let first = box.schedule(1, at: 200)
    box.schedule(2, at: 250)
    box.reschedule(first, to: 100)
    #expect(box.nextExpiry == 100)
    #expect(box.payloads(upTo: 100) == [1])
    #expect(box.payloads(upTo: 250) == [2])
  }

  // reset_first_expiring_item_to_expire_later.
  @Test func `When the first timer is moved behind the second, the second comes first`() {
    let box = TestWheel<Int>()
    let first = box.schedule(1, at: 200)
    box.schedule(2, at: 250)
    box.reschedule(first, to: 300)
    #expect(box.payloads(upTo: 250) == [2])
    #expect(box.nextExpiry == 300)
    #expect(box.payloads(upTo: 300) == [1])
  }

  // MARK: Cancelling

  // remove_entry.
  @Test func `A timer that is cancelled gives its payload back and does not expire`() {
    let box = TestWheel<String>()
    let handle = box.schedule("given back", at: 5)
    #expect(box.cancel(handle) == "given back")
    #expect(box.payloads(upTo: 10) == [])
  }

  // remove_expired_item.
  @Test func `A timer whose tick has passed can be cancelled until the next advance`() {
    let box = TestWheel<String>(now: 100)
    let handle = box.schedule("late", at: 90)
    #expect(box.cancel(handle) == "late")
    #expect(box.nextExpiry == nil)
    #expect(box.payloads(upTo: 200) == [])
  }

  // delay_queue_poll_expired_when_empty, wake_after_remove_last: a sleeper must not go on waiting for what is gone.
  @Test func `Without its last timer a wheel has nothing to wait for`() {
    let box = TestWheel<Int>()
    let handle = box.schedule(0, at: 10_000)
    #expect(box.nextExpiry == 10_000)
    box.cancel(handle)
    #expect(box.isEmpty && box.nextExpiry == nil)
    #expect(box.payloads(upTo: 20_000) == [])
  }

  // wake_after_clear.
  @Test func `A wheel that is cleared has nothing to wait for, and its handles are stale`() {
    let box = TestWheel<Int>()
    let handles = [1_000, 70_000, 1 << 40].map { box.schedule(7, at: $0) }
    var removed: [Int] = []
    box.value.removeAll { removed.append($0) }
    #expect(removed == [7, 7, 7])
    #expect(box.isEmpty && box.nextExpiry == nil)
    for handle in handles { #expect(box.cancel(handle) == nil) }
    #expect(box.payloads(upTo: 1 << 41) == [])
  }

  // MARK: Handles

  // compact_remove_remapped_keys: keys stay valid when the slab behind them is compacted.
  @Test
  func `A handle stays valid when its neighbors have expired and their places are used again`() {
    let box = TestWheel<String>()
    for name in ["a", "b"] { box.schedule(name, at: 10) }
    let kept = ["c", "d"].map { box.schedule($0, at: 20) }
    #expect(box.payloads(upTo: 10).sorted() == ["a", "b"])
    box.schedule("e", at: 20)
    #expect(kept.map { box.cancel($0) } == ["c", "d"])
    #expect(box.count == 1)
    #expect(box.payloads(upTo: 20) == ["e"])
  }

  // compact_change_deadline.
  @Test func `Old and new timers can be moved after others have expired`() {
    let box = TestWheel<Int>()
    for number in 1...2 { box.schedule(number, at: 10) }
    box.schedule(3, at: 20)
    let fourth = box.schedule(4, at: 20)
    #expect(box.payloads(upTo: 10).sorted() == [1, 2])
    box.schedule(5, at: 20)
    let sixth = box.schedule(6, at: 20)
    box.reschedule(fourth, to: 30)
    box.reschedule(sixth, to: 30)
    #expect(box.payloads(upTo: 20).sorted() == [3, 5])
    #expect(box.payloads(upTo: 30).sorted() == [4, 6])
    #expect(box.isEmpty)
  }

  // remove_after_compact panics there.
  @Test func `A handle of a cancelled timer has no effect, even when its place is used again`() {
    let box = TestWheel<String>()
    let stale = box.schedule("a", at: 10)
    box.schedule("b", at: 20)
    box.cancel(stale)
    let new = box.schedule("c", at: 30)
    #expect(box.cancel(stale) == nil)
    #expect(!box.reschedule(stale, to: 5) && box.deadline(of: stale) == nil)
    #expect(box.count == 2 && box.cancel(new) == "c")
  }

  // remove_after_compact_poll panics there.
  @Test func `A handle of an expired timer has no effect, even when its place is used again`() {
    let box = TestWheel<String>()
    let stale = box.schedule("a", at: 10)
    #expect(box.payloads(upTo: 10) == ["a"])
    let new = box.schedule("b", at: 20)
    #expect(box.cancel(stale) == nil)
    #expect(!box.reschedule(stale, to: 15))
    #expect(box.deadline(of: new) == 20)
  }
}
