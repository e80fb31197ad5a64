/// The reason why a runner does not accept a submission, or gives it up.
@nonexhaustive
public enum TimeoutRunnerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key is queued or running, and the policy is ``RepeatedKeyPolicy/refuse``.
  case refused(key: String)
  /// A later submission of the same key replaced this one, because of ``RepeatedKeyPolicy/replace``.
  case replaced(key: String)
  /// More functions are stuck than allowed. `keys` has up to ten of their keys, the longest overdue first.
  case tooManyStuck(limit: Int, keys: [String])
  /// The queue is full.
  case queueFull(limit: Int)
  /// The runner was shut down or released.
  case shutDown
  /// The system cannot create a thread, and the runner has none.
  case noThread
  /// The call joined a function of the same key that has returned a value of another type.
  case differentType(key: String, expected: String, actual: String)

  /// A message that says what happened and what to do.
  public var description: String {
    switch self {
    case .refused(let key):
      "\(key) is already queued or running: wait for its result, or choose the policy join or replace"
    case .replaced(let key):
      "\(key) was submitted again, which replaced this call: wait for the later one"
    case .tooManyStuck(let limit, let keys):
      "more than \(limit) functions have not returned by their deadline (\(keys.joined(separator: ", "))): "
        + "find out what they wait for, give them time limits of their own, or raise stuckLimit"
    case .queueFull(let limit):
      "\(limit) functions are waiting for a thread: submit later or less, or raise queueLimit or threads"
    case .shutDown:
      "the runner is shut down: create another one, with a timer service that is running"
    case .noThread:
      "the system cannot create a thread: lower threads, or raise the thread limit of the process"
    case .differentType(let key, let expected, let actual):
      "\(key) was already running and has returned a value of type \(actual) instead of \(expected): "
        + "use keys of their own for functions of different types"
    }
  }
}

/// The policy of a runner for a key that is submitted again while its function is queued or running.
///
/// ```swift
/// var configuration = TimeoutRunner<String, String>.Configuration(timeout: .seconds(10))
/// configuration.repeatedKey = .replace  // of the searches for one field, only the last one counts
/// let search = TimeoutRunner(configuration)
/// ```
public enum RepeatedKeyPolicy: Hashable, Sendable {
  /// The new caller waits for the same function, until its own deadline. Its own function does not run.
  ///
  /// A stuck function counts as running, so a caller that joins it times out unless the function returns. In return, a
  /// key never holds more than one thread, unless the function is restarted.
  case join
  /// The earlier callers fail with ``TimeoutRunnerError/replaced(key:)`` at once, and the new function runs.
  ///
  /// If the earlier function is still queued, it never starts, and the new one takes its place in the queue. If it is
  /// running, it continues, and its result is late.
  case replace
  /// The new submission throws ``TimeoutRunnerError/refused(key:)``.
  case refuse
}

/// A blocking function with the key that identifies it, for a ``TimeoutRunner``.
///
/// ```swift
/// struct Lookup: BlockingTask {
///   let key: String
///   func run() throws -> Address { try resolve(key) }
/// }
/// let address = try await runner.run(Lookup(key: "example.org"))
/// ```
public protocol BlockingTask<Key, Value>: Sendable {
  /// The type of the key.
  associatedtype Key: Hashable & Sendable
  /// The type of the result.
  associatedtype Value: Sendable

  /// The key.
  var key: Key { get }

  /// Does the work on a thread of the runner, where it may block for any time.
  ///
  /// - Returns: The result.
  /// - Throws: Any error.
  func run() throws -> Value
}
