import Dispatch
import Foundation

/// Runs a function on several threads, and waits until all have returned.
///
/// It does not use Dispatch's threads, of which there are as many as processors: on Linux, Swift tasks run on them too,
/// so during the computation no task would redraw the bar.
///
/// - Parameters:
///   - count: The number of threads, including this one.
///   - body: The function of each thread.
func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  let others = DispatchGroup()
  for _ in 1..<max(count, 1) {
    others.enter()
    Thread.detachNewThread {
      body()
      others.leave()
    }
  }
  body()
  others.wait()
}

/// Runs a function that may block on a new thread, while the calling task waits.
///
/// - Parameter body: The function.
/// - Returns: The result of the function.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
