internal import Glibc
internal import HeadwayLock
internal import HeadwaySystem

// What tests of real processes, threads and descriptors share.
//
// Every wait is for an event, under an outer limit that only a hang reaches: a test that waits in vain fails, and never
// passes or fails because the machine is slow.

/// The outer limit of every wait.
private let outerLimit = Duration.seconds(120)

/// Waits until something that other processes or threads do has come true.
///
/// - Parameter condition: What is waited for; checked again and again.
/// - Returns: Whether it came true within two minutes.
public func eventually(_ condition: () -> Bool) -> Bool {
  let start = ContinuousClock.now
  var pause: Int32 = 1
  while !condition() {
    if start.duration(to: .now) > outerLimit { return false }
    // Less and less often, because a check may start a process or read all of /proc.
    _ = poll(nil, 0, pause)
    pause = min(2 * pause, 50)
  }
  return true
}

/// Lets others go on for a random time, so that what the test does next comes at a random moment.
///
/// This does not wait for anything: no test may need that something has happened by then.
///
/// - Parameters:
///   - longest: The longest time.
///   - random: The source of the time.
public func pauseAtRandom(
  upTo longest: Duration, using random: inout some RandomNumberGenerator
) {
  usleep(UInt32.random(in: 0...UInt32(longest / .microseconds(1)), using: &random))
}

/// Runs a function that may block forever on a thread of its own, and waits until it returns.
///
/// - Parameter body: The function; its thread is left behind if it does not return.
/// - Returns: What the function returns, nil if it did not return within two minutes.
public func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
  let answer = Answer<Result>()
  let error = SystemThread.start(named: "test") {
    let result = body()
    answer.value.withLock { $0 = result }
  }
  guard error == 0, eventually({ answer.value.withLock { $0 != nil } }) else { return nil }
  return answer.value.withLock { $0 }
}

/// What a function on another thread has returned.
private final class Answer<Value: Sendable>: Sendable {
  let value = Guarded<Value?>(nil)
}

/// Waits until a descriptor can be read.
///
/// - Returns: Whether there are bytes, or the end, within two minutes.
func isReadable(_ descriptor: Int32) -> Bool {
  let deadline = ContinuousClock.now + outerLimit
  while true {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let left = Int32(clamping: Int64((deadline - .now) / .milliseconds(1)))
    let count = unsafe Glibc.poll(&poll, 1, max(left, 0))
    // A signal ends the call early.
    if count >= 0 || errno != EINTR { return count > 0 }
  }
}
