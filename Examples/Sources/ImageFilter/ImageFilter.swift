import Console
import HeadwayProgress

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Blurs an image on several threads, shows the progress, and stops at the next row after Ctrl-C.
///
/// Without arguments it blurs an image of its own and checks the result.
@main
enum ImageFilter {
  /// Runs the program.
  ///
  /// It exits with 1 if the image cannot be blurred, with 64 if the arguments are invalid, and with 128 plus the number
  /// of the signal that stopped it.
  static func main() async {
    do {
      if CommandLine.arguments.count == 1 {
        try await Demonstration.run()
      } else if !Set(CommandLine.arguments).isDisjoint(with: ["--help", "-h"]) {
        print(UsageError.usage)
      } else {
        let filter = try Filter(arguments: CommandLine.arguments.dropFirst())
        print(try await filter.runInSight())
      }
    } catch let stop as Stop {
      tell("ImageFilter: \(stop.description)\n")
      exit(128 + stop.signal)
    } catch let error as UsageError {
      tell("ImageFilter: \(error.description)\n")
      exit(64)
    } catch {
      tell("ImageFilter: \(error)\n")
      exit(1)
    }
  }
}

/// The error of work that a signal ended.
struct Stop: Error, CustomStringConvertible {
  /// The signal.
  let signal: Int32
  /// The message.
  let description: String

  /// Creates a message.
  ///
  /// - Parameters:
  ///   - event: The signal and when it came.
  ///   - end: When the last thread had stopped.
  init(_ event: Interruption.Event, end: ContinuousClock.Instant) {
    signal = event.signal
    let step = event.snapshot.deepest
    var words = "nothing was written; stopped \(milliseconds(end - event.moment)) after "
    words += event.signal == SIGINT ? "Ctrl-C" : "SIGTERM"
    if !step.label.isEmpty { words += ", while \(step.label.lowercased())" }
    if !step.counts.isEmpty { words += ", at \(step.counts)" }
    description = words
  }
}

extension Filter {
  /// Runs the filter on its own threads while its progress is shown.
  ///
  /// - Returns: The result as text.
  /// - Throws: `Stop` after a signal, and the errors of the filter.
  func runInSight() async throws -> String {
    let root = ProgressNode(total: 1)
    let line = ProgressLine()
    let watcher = Task { [feed = line.feed(of: root)] in await line.follow(feed) }
    let interruption = Interruption(cancels: root)
    defer { interruption.stop() }
    let start = ContinuousClock.now
    let (result, end) = await runOnThread(below: root)
    root.finish()
    watcher.cancel()
    await watcher.value
    do {
      let size = try result.get()
      return "blurred \(size.width) x \(size.height) pixels in \(milliseconds(end - start))"
    } catch is CancellationError {
      guard let event = interruption.event else { throw CancellationError() }
      throw Stop(event, end: end)
    } catch let error as ImageError {
      throw ImageError("\(input) \(error)")
    }
  }

  /// Runs the filter on a thread that may block.
  ///
  /// - Parameter node: The node to report to.
  /// - Returns: The result, and when it was ready.
  func runOnThread(
    below node: ProgressNode
  ) async -> (result: Result<(width: Int, height: Int), any Error>, end: ContinuousClock.Instant) {
    await onThread { (Result { try node.withCurrent(units: 1) { try run() } }, .now) }
  }
}
