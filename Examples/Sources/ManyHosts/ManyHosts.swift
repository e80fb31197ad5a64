import HeadwayTime
import SeededRandom
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Asks 100,000 hosts over sockets, ten thousand a second, on 48 threads, and gives each 0.8 seconds.
///
/// A host answers after 1 to 8 milliseconds; four of each ten thousand never do. A wave is slightly more than the
/// threads can handle in time, so that all three outcomes occur: answered, timed out while the function ran, and timed
/// out before it was started.
@main
enum ManyHosts {
  /// The number of hosts.
  static let count = 100_000
  /// The number of hosts that are asked at once.
  static let wave = 10_000

  /// Counts the results that callers got.
  final class Tally: Sendable {
    /// Those with the answer.
    let finished = Atomic<Int>(0)
    /// Those that timed out while their function ran.
    let timedOutRunning = Atomic<Int>(0)
    /// Those that timed out before it was started.
    let timedOutQueued = Atomic<Int>(0)
    /// Those with an error.
    let failed = Atomic<Int>(0)

    /// Submissions that were repeated because too many functions were stuck.
    let postponed = Atomic<Int>(0)

    /// Counts a result.
    func note(_ result: Result<Int, any Error>) {
      switch result {
      case .success: finished.add(1, ordering: .relaxed)
      case .failure(let error as DeadlineExceeded):
        if error.attempts == 0 {
          timedOutQueued.add(1, ordering: .relaxed)
        } else {
          timedOutRunning.add(1, ordering: .relaxed)
        }
      case .failure: failed.add(1, ordering: .relaxed)
      }
    }
  }

  /// Runs the example and exits with 1 unless every caller got exactly one result, and none an error.
  static func main() async throws {
    // Writing to a client that has given up must not end the program.
    signal(SIGPIPE, SIG_IGN)
    let clock = ContinuousClock()
    let hostTimers = TimerService(clock: clock, tick: .microseconds(250))
    let runner = TimeoutRunner<Int, Int>(
      .init(timeout: .milliseconds(800), threads: 48, stuckLimit: 200))
    let tally = Tally()
    let (answers, entry) = AsyncStream.makeStream(of: Void.self)
    var generator = SeededRandom(seed: 1)
    let start = clock.now

    for number in 0..<count {
      if number % wave == 0 {
        let second = number / wave
        try await clock.sleep(until: start.advanced(by: .seconds(second)))
        if second > 0 { report(runner.statistics, after: second) }
      }
      let delay = Int.random(in: 1_000...8_000, using: &generator)
      let isSilent = number % (wave / 4) == 0
      let host = Host(
        key: number, delay: isSilent ? nil : .microseconds(delay), timers: hostTimers)
      try await submit(host, to: runner, tally) { entry.yield() }
    }
    var told = answers.makeAsyncIterator()
    for _ in 0..<count { await told.next() }

    let finished = tally.finished.load(ordering: .relaxed)
    let running = tally.timedOutRunning.load(ordering: .relaxed)
    let queued = tally.timedOutQueued.load(ordering: .relaxed)
    let failed = tally.failed.load(ordering: .relaxed)
    print("finished             \(finished)")
    print("timed out, running   \(running)")
    print("timed out, queued    \(queued)")
    print("failed               \(failed)")
    let postponed = tally.postponed.load(ordering: .relaxed)
    if postponed > 0 { print("submitted later      \(postponed) times") }
    let sum = finished + running + queued + failed
    let time = clock.now - start
    print("together             \(sum) of \(count) in \(Int(time / .milliseconds(1))) ms")
    if sum != count || failed > 0 { exit(1) }
  }

  /// Submits a host, and waits while too many functions are stuck.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - runner: The runner.
  ///   - tally: The counts.
  ///   - done: Called when the caller has its result.
  /// - Throws: Any other error of the runner.
  private static func submit(
    _ host: Host, to runner: TimeoutRunner<Int, Int>, _ tally: Tally,
    done: @escaping @Sendable () -> Void
  ) async throws {
    while true {
      do throws(TimeoutRunnerError) {
        return try runner.submit(host) { result in
          tally.note(result)
          done()
        }
      } catch {
        // On a machine that is this busy, try again later: nothing was submitted.
        guard case .tooManyStuck = error else { throw error }
        tally.postponed.add(1, ordering: .relaxed)
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  /// Prints the state of a runner.
  private static func report(_ numbers: TimeoutRunnerStatistics, after seconds: Int) {
    print(
      "\(seconds) s: \(numbers.finished) finished, \(numbers.waiting) waiting, "
        + "\(numbers.stuck) stuck, \(numbers.threads) threads")
  }
}
