import Dispatch
import Foundation

/// Runs a function on several threads of its own at once, and waits until all have returned.
///
/// Not on those of Dispatch, which are as few as the processors: tasks run on them too, on Linux, and would wait as
/// long as something computes there. Nobody would redraw a bar.
///
/// - Parameters:
///   - count: The number of threads, this one among them.
///   - body: What each does.
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

/// Runs a function on a thread of its own, so that it may block, while the calling task waits.
///
/// - Parameter body: What to do.
/// - Returns: What the function returns.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
