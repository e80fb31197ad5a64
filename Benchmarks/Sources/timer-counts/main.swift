// Performs one operation of the timing wheel many times, to count its cost.
//
//   timer-counts OPERATION SIZE TIMES
//       prepares a wheel with SIZE timers beside those of the operation, always in the same way, does the operation
//       TIMES times, at most `most` times, and prints how often memory was asked for meanwhile
//
// Under valgrind, the difference between two values of TIMES is the cost of the operations alone.

import CMallocCount
import CProbe
import Glibc
import HeadwayTime

/// The maximum number of operations in a process.
let most = 40_000

/// A tick after which nothing expires for a long time: the timers of the operation are due before, and the others from
/// twice the span on.
let quiet: UInt64 = 66_000

/// A wheel with many timers that stay, and some for the operation.
@safe
struct Probe: ~Copyable {
  /// The wheel.
  private var wheel = TimingWheel<UInt64>()
  /// The handles of the timers of the operation.
  private var handles: [TimingWheel<UInt64>.Handle] = []
  /// The state of the random numbers.
  private var state = probe_seed

  /// Creates a wheel that has held more timers than it will.
  ///
  /// The timers that stay are due after the others, so that none of them expires.
  init(size: Int) {
    handles.reserveCapacity(4 * most)
    for _ in 0..<4 * most { handles.append(wheel.schedule(0, at: 1)) }
    for _ in 0..<size { wheel.schedule(1, at: 2 * probe_span + delay()) }
    for place in handles.indices { wheel.reschedule(handles[place], to: delay()) }
    for handle in handles { wheel.cancel(handle) }
    handles.removeAll(keepingCapacity: true)
    for _ in 0..<most { handles.append(wheel.schedule(0, at: delay())) }
  }

  /// A random time until a deadline.
  private mutating func delay() -> UInt64 {
    state = probe_next(state)
    return probe_delay(state)
  }

  /// Schedules timers.
  @inline(never)
  mutating func schedule(_ times: Int) {
    for _ in 0..<times { wheel.schedule(0, at: delay()) }
  }

  /// Cancels timers.
  @inline(never)
  mutating func cancel(_ times: Int) {
    for place in 0..<times { wheel.cancel(handles[place]) }
  }

  /// Cancels timers and schedules each again.
  @inline(never)
  mutating func change(_ times: Int) {
    for place in 0..<times {
      wheel.cancel(handles[place])
      handles[place] = wheel.schedule(0, at: delay())
    }
  }

  /// Moves the deadlines of timers to later ones.
  @inline(never)
  mutating func postpone(_ times: Int) {
    for place in 0..<times { wheel.reschedule(handles[place], to: probe_span + delay()) }
  }

  /// Moves the deadlines of timers to any others.
  @inline(never)
  mutating func reschedule(_ times: Int) {
    for place in 0..<times { wheel.reschedule(handles[place], to: delay()) }
  }

  /// Expires the timers of the operation, and advances to where the other timers have moved down.
  mutating func settle() { wheel.advance(to: quiet) { _, _ in } }

  /// Advances tick by tick while no timer is due.
  @inline(never)
  mutating func tick(_ times: Int) {
    for tick in 0..<UInt64(times) {
      wheel.advance(to: quiet + 1 + tick) { _, _ in fatalError("a timer expired early") }
    }
  }

  /// Expires timers tick by tick, for the requested part of the timers.
  @inline(never)
  mutating func expire(_ times: Int) {
    var expired: UInt64 = 0
    let ticks = probe_span * UInt64(times) / UInt64(most)
    for tick in 0..<ticks { wheel.advance(to: tick + 1) { _, _ in expired += 1 } }
    if times == most && expired != most { fatalError("\(expired) of \(most) timers expired") }
  }
}

/// The shared service with many timers that stay, and some with the same delay for the operation.
///
/// Its clock is real, but nothing expires meanwhile.
struct ServiceProbe {
  /// The delay of all timers.
  private static let delay = Duration.seconds(3600)
  /// The service, whose clock programs use.
  private let timers = TimerService.continuous
  /// The handles of the timers of the operation.
  private var handles: [TimerService.Handle] = []

  /// Schedules the timers.
  init(size: Int) {
    for _ in 0..<size { schedule() }
    handles.reserveCapacity(most)
    for _ in 0..<most { handles.append(schedule()) }
  }

  /// Schedules a timer.
  @inline(__always)
  @discardableResult
  private func schedule() -> TimerService.Handle {
    timers.schedule(after: Self.delay) { fatalError("a timer expired early") }
  }

  /// Cancels timers and schedules each again.
  @inline(never)
  mutating func change(_ times: Int) {
    for place in 0..<times {
      handles[place].cancel()
      handles[place] = schedule()
    }
  }
}

let arguments = CommandLine.arguments
guard
  arguments.count == 4, let size = Int(arguments[2]), let times = Int(arguments[3]),
  (0...most).contains(times)
else {
  print("timer-counts: see the comment at the top of its source")
  exit(64)
}
if arguments[1] == "service" {
  var probe = ServiceProbe(size: size)
  let before = malloc_count()
  probe.change(times)
  print(malloc_count() - before)
  exit(0)
}
var probe = Probe(size: size)
if arguments[1] == "tick" { probe.settle() }
let before = malloc_count()
switch arguments[1] {
case "schedule": probe.schedule(times)
case "cancel": probe.cancel(times)
case "change": probe.change(times)
case "postpone": probe.postpone(times)
case "reschedule": probe.reschedule(times)
case "tick": probe.tick(times)
case "expire": probe.expire(times)
default: exit(69)
}
print(malloc_count() - before)
