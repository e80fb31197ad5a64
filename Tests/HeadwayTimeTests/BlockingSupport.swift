import HeadwayLock
import Synchronization

@testable import HeadwayTime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Events from any thread, in their order, which a test waits for.
final class Events<Event: Sendable>: Sendable {
  /// The events.
  private let stream: AsyncStream<Event>
  /// Where they come in.
  private let entry: AsyncStream<Event>.Continuation

  /// Creates a place without events.
  init() { (stream, entry) = AsyncStream.makeStream() }

  /// Adds an event.
  func put(_ event: Event) { entry.yield(event) }

  /// Waits for the next event; nil when the test has run into its time limit.
  func next() async -> Event? {
    var events = stream.makeAsyncIterator()
    return await events.next()
  }

  /// Waits for several events.
  func next(_ count: Int) async -> [Event] {
    var found: [Event] = []
    while found.count < count, let event = await next() { found.append(event) }
    return found
  }
}

/// An executor on a thread of its own, which knows whether it is where the caller is.
final class MarkedExecutor: TaskExecutor {
  /// The thread.
  private let thread = CompletionThread()
  /// Its number, 0 before it has run something.
  private let number = Atomic<UInt>(0)

  /// Whether the caller is on the executor's thread.
  var isCurrent: Bool { number.load(ordering: .sequentiallyConsistent) == threadNumber() }

  /// Runs a job on the thread.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    run { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Runs work on the thread.
  func run(_ work: @escaping @Sendable () -> Void) {
    thread.run { [self] in
      number.store(threadNumber(), ordering: .sequentiallyConsistent)
      work()
    }
  }
}

/// A number of the calling thread that no other living thread has.
func threadNumber() -> UInt {
  #if canImport(Glibc)
    UInt(pthread_self())
  #else
    unsafe UInt(bitPattern: pthread_self())
  #endif
}

/// Whether the calling thread runs a task, as the threads of Swift's tasks do.
func isInTask() -> Bool { unsafe withUnsafeCurrentTask { task in unsafe task != nil } }

/// Waits until something holds no longer, or the test has run into its time limit.
func untilNot(_ condition: () -> Bool) async throws {
  while condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// The error of functions that fail.
struct Failure: Error, Equatable {
  /// Which one.
  var number = 0
}

extension TimeoutRunner.Outcome {
  /// The outcome in one word, for comparisons.
  var word: String {
    switch self {
    case .finished(let value): "\(value)"
    case .failed(let error): "\(type(of: error))"
    case .timedOut(let timeOut): "\(timeOut)"
    }
  }
}

/// The error that a function throws, nil when it returns.
func error<Value>(of body: () async throws -> Value) async -> (any Error)? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}
