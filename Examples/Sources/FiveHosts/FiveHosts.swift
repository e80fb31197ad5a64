import HeadwayTime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Asks five hosts at different times, and gives each a second to answer.
///
/// A version of a published example, ten times as fast. The argument is the seed.
@main
enum FiveHosts {
  /// Runs the example, and exits with 1 unless there was exactly one answer for each host.
  static func main() async throws {
    let seed = CommandLine.arguments.dropFirst().first.flatMap { UInt64($0) } ?? 7
    let (lateHosts, entry) = AsyncStream.makeStream(of: String.self)
    let runner = TimeoutRunner<String, String>(
      .init(timeout: .seconds(1), threads: 4) { late in
        entry.yield("task:\(late.key), late by \(seconds(late.overdue)), time:\(timestamp())")
      })

    let timedOut = await withTaskGroup(of: Bool.self) { group in
      for host in Host.five(seed: seed) {
        group.addTask {
          try? await Task.sleep(for: .milliseconds(host.arrival))
          print("task:\(host.key) do task in \(timestamp())")
          return await ask(host, runner)
        }
      }
      var timedOut = 0
      for await isTimedOut in group where isTimedOut { timedOut += 1 }
      return timedOut
    }

    // A stuck thread cannot be stopped, but its result is not lost.
    var isLate = lateHosts.makeAsyncIterator()
    for _ in 0..<timedOut { print(await isLate.next() ?? "") }

    let numbers = runner.statistics
    print("\(numbers.finished) in time, \(numbers.timedOutRunning) timed out, \(numbers.late) late")
    if numbers.finished + numbers.timedOutRunning != 5 || numbers.late != timedOut { exit(1) }
  }

  /// Asks a host and prints the answer.
  ///
  /// - Parameters:
  ///   - host: The host.
  ///   - runner: The runner.
  /// - Returns: Whether it has timed out.
  private static func ask(_ host: Host, _ runner: TimeoutRunner<String, String>) async -> Bool {
    var result = "none"
    var isTimedOut = false
    do {
      result = try await runner.run(host)
    } catch is DeadlineExceeded {
      isTimedOut = true
    } catch {
      result = "\(error)"
    }
    print("task:\(host.key), result:\(result), timeout:\(isTimedOut), time:\(timestamp())")
    return isTimedOut
  }

  /// A duration as text.
  private static func seconds(_ duration: Duration) -> String {
    let milliseconds = duration / .milliseconds(1)
    return "\(Int(milliseconds)) ms"
  }
}
