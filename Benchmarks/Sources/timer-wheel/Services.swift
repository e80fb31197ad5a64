import CProbe
import HeadwayTime

/// Measures a case of deadlines around asynchronous calls, nil if there is none with that name.
///
/// - Parameters:
///   - name: `SIDE-instant`, `SIDE-yield` or `SIDE-kept`, where the side is `deadline` for `withDeadline`, or `group`
///     for a task group that races a sleep; `timer-instant` and `timer-kept` for a timer that is scheduled and
///     cancelled; `timer-fifo` for many timers with the same delay, of which the oldest is cancelled and scheduled again.
///   - count: The number of calls.
/// - Returns: The nanoseconds of processor time of all threads per call; for `kept`, the remaining bytes per call.
func measureService(_ name: String, count: Int) async -> [Double]? {
  switch name {
  case "deadline-instant": await time(count) { try await withDeadline(in: limit) { 1 } }
  case "deadline-yield": await time(count) { try await withDeadline(in: limit) { await yield() } }
  case "deadline-kept": await keep(count) { try await withDeadline(in: limit) { 1 } }
  case "timer-instant": await time(count) { arm() }
  case "timer-fifo": turn(count)
  case "timer-kept": await keep(count) { arm() }
  case "group-instant": await time(count) { try await race { 1 } }
  case "group-yield": await time(count) { try await race { await yield() } }
  case "group-kept": await keep(count) { try await race { 1 } }
  default: nil
  }
}

/// The time limit of all calls, which none of them reaches.
private let limit = Duration.seconds(30)

/// A call that suspends once.
private func yield() async -> Int {
  await Task.yield()
  return 1
}

/// Schedules a timer and cancels it.
private func arm() -> Int {
  TimerService.continuous.schedule(after: limit) { fail() }.cancel() ? 1 : 0
}

/// Cancels each of many timers with the same delay, from the oldest on, and schedules it again; the second round is
/// measured.
private func turn(_ count: Int) -> [Double] {
  let timers = TimerService.continuous
  let handles = UnsafeMutablePointer<TimerService.Handle>.allocate(capacity: count)
  // Every number of a timer is below the count, and its handle is initialized.
  for timer in 0..<count {
    unsafe (handles + timer).initialize(to: timers.schedule(after: limit) { fail() })
  }
  var start: UInt64 = 0
  for _ in 0..<2 {
    start = probe_cpu()
    for timer in 0..<count {
      unsafe (handles + timer).move().cancel()
      unsafe (handles + timer).initialize(to: timers.schedule(after: limit) { fail() })
    }
  }
  let taken = probe_cpu() - start
  for timer in 0..<count { unsafe (handles + timer).move().cancel() }
  unsafe handles.deallocate()
  return [per(taken, count)]
}

/// Runs a call with a deadline as people do it by hand: beside a task that sleeps.
///
/// - Parameter body: The call.
/// - Returns: Its result.
/// - Throws: Its error, or `CancellationError` if it takes too long.
@inline(never)
private func race(_ body: @escaping @Sendable () async throws -> Int) async throws -> Int {
  try await withThrowingTaskGroup(of: Int.self) { group in
    group.addTask(operation: body)
    group.addTask {
      try await Task.sleep(for: limit)
      throw CancellationError()
    }
    defer { group.cancelAll() }
    guard let first = try await group.next() else { throw CancellationError() }
    return first
  }
}

/// Makes calls one after another.
///
/// - Parameters:
///   - count: The number of calls.
///   - call: The call, which returns 1.
private func repeated(_ count: Int, _ call: () async throws -> Int) async {
  var sum = 0
  for _ in 0..<count { sum += (try? await call()) ?? 0 }
  if sum != count { fail() }
}

/// Measures the processor time per call after a tenth as many for warm-up.
private func time(_ count: Int, _ call: () async throws -> Int) async -> [Double] {
  await repeated(count / 10, call)
  let start = probe_cpu()
  await repeated(count, call)
  return [per(probe_cpu() - start, count)]
}

/// Measures the memory that stays allocated per ended call, after a thousand for warm-up.
private func keep(_ count: Int, _ call: () async throws -> Int) async -> [Double] {
  await repeated(1000, call)
  let before = probe_resident()
  await repeated(count, call)
  let after = probe_resident()
  return [per(after > before ? after - before : 0, count)]
}
