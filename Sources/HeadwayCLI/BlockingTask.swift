internal import HeadwayLock

/// Runs asynchronous functions from a program that is not asynchronous.
enum BlockingTask {
  private final class Answer<Value: Sendable>: Sendable {
    let value = Guarded<Value?>(nil)
    let isThere = Semaphore()
  }

  /// Runs a function in a task, and waits for its result.
  ///
  /// Must not be called by a task, whose thread others may need.
  ///
  /// - Parameter body: The function.
  /// - Returns: Its result.
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) -> Value {
    let answer = Answer<Value>()
    Task.detached {
      let value = await body()
      answer.value.withLock { $0 = value }
      answer.isThere.post()
    }
    while true {
      answer.isThere.wait()
      if let value = answer.value.withLock({ $0 }) { return value }
    }
  }
}
