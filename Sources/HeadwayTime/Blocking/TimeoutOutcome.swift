/// How a deadline found the function when it passed.
///
/// `TimeoutRunner.run` throws it; a completion handler finds it in its outcome.
public enum TimeOut: Error, Hashable, Sendable, CustomStringConvertible {
  /// No thread was free by then: the function was not started for this caller and will not be.
  case queued
  /// The function was running, and goes on: it cannot be stopped. It was started as often as this says.
  case running(attempts: Int)

  /// The time-out in words.
  public var description: String {
    switch self {
    case .queued: "timed out before a thread was free for it"
    case .running(attempts: 1): "timed out while it ran"
    case .running(let attempts): "timed out while it ran, started \(attempts) times"
    }
  }
}

/// Why a runner does not take or does not keep a submission.
///
/// Later versions may add cases: a `switch` over it needs `@unknown default`.
@nonexhaustive
public enum TimeoutRunnerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key is queued or running, and the policy is to refuse it.
  case refused(key: String)
  /// A later submission of the same key has taken the place, as the policy says.
  case replaced(key: String)
  /// More functions are stuck than allowed. Of their keys come the ten that are longest overdue.
  case tooManyStuck(limit: Int, keys: [String])
  /// As many tasks as allowed wait for a thread.
  case queueFull(limit: Int)
  /// The runner was shut down or dropped.
  case shutDown
  /// The system has no thread left, and the runner has none.
  case noThread

  /// The error in words, with what to do about it.
  public var description: String {
    switch self {
    case .refused(let key):
      "\(key) is queued or running already: wait for its answer, or let the runner join or replace"
    case .replaced(let key):
      "\(key) was submitted again and replaced this call: wait for the later one"
    case .tooManyStuck(let limit, let keys):
      "more than \(limit) functions have not returned by their deadline (\(keys.joined(separator: ", "))): "
        + "find out what they wait for, give them time-outs of their own, or raise stuckLimit"
    case .queueFull(let limit):
      "\(limit) tasks wait for a thread: submit later or less, or raise queueLimit or threads"
    case .shutDown: "the runner is shut down: make a new one, with timers that run"
    case .noThread:
      "the system has no thread left: lower threads, or raise the limit of the process"
    }
  }
}

/// What a runner does when a key is submitted again while its function is queued or running.
public enum RepeatedKeyPolicy: Hashable, Sendable {
  /// The new caller waits for the same function, until its own deadline. Its own function is not run.
  ///
  /// A function that is stuck is running: who joins it times out unless it returns. In exchange a key never
  /// holds more than one thread, unless the function is started again.
  case join
  /// The earlier callers fail with ``TimeoutRunnerError/replaced(key:)`` at once, and the new function is
  /// run.
  ///
  /// A function that waits for a thread is never started then, and the new one takes its place. One that runs
  /// goes on, and its result is late.
  case replace
  /// The new submission throws ``TimeoutRunnerError/refused(key:)``.
  case refuse
}

/// Whether a runner starts a function again that has not returned by its deadline.
public enum RestartPolicy: Hashable, Sendable {
  /// It is started once.
  case never
  /// It is started again with the same time-out, at most so many times, while the first call goes on as a
  /// stuck one.
  ///
  /// A caller waits `limit + 1` times its time-out in all, if the function runs by its first one, and gets
  /// the result of whichever call returns first. Nothing is started again while more functions are stuck than
  /// allowed.
  case again(limit: Int)
}

/// A task for a `TimeoutRunner`: a function that blocks, and the key that tells it from others.
///
/// ```swift
/// struct Lookup: BlockingTask {
///   let key: String
///   func run() throws -> Address { try resolve(key) }
/// }
/// let address = try await runner.run(Lookup(key: "example.org"))
/// ```
public protocol BlockingTask<Key, Value>: Sendable {
  /// What tells tasks apart.
  associatedtype Key: Hashable & Sendable
  /// What the function returns.
  associatedtype Value: Sendable

  /// The key.
  var key: Key { get }

  /// The function. It may block for as long as it likes, and is called on a thread of the runner.
  ///
  /// - Returns: The result.
  /// - Throws: Whatever it fails with.
  func run() throws -> Value
}
