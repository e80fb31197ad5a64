import HeadwayLock
import Synchronization

@testable import HeadwayTime

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Events from any thread, in order, for which a test waits.
final class Events<Event: Sendable>: Sendable {
  private let stream: AsyncStream<Event>
  private let entry: AsyncStream<Event>.Continuation

  init() { (stream, entry) = AsyncStream.makeStream() }

  func put(_ event: Event) { entry.yield(event) }

  /// Waits for the next event; returns nil if the test has reached its time limit.
  func next() async -> Event? {
    var events = stream.makeAsyncIterator()
    return await events.next()
  }

  func next(_ count: Int) async -> [Event] {
    var found: [Event] = []
    while found.count < count, let event = await next() { found.append(event) }
    return found
  }
}

/// An executor on a thread of its own, which can check whether it is the current thread.
final class MarkedExecutor: TaskExecutor {
  private let thread = CompletionThread()
  /// The number of the thread, 0 before it has run anything.
  private let number = Atomic<UInt>(0)

  /// Whether the current thread is the executor's.
  var isCurrent: Bool { number.load(ordering: .sequentiallyConsistent) == threadNumber() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    run { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  func run(_ work: @escaping @Sendable () -> Void) {
    thread.run { [self] in
      number.store(threadNumber(), ordering: .sequentiallyConsistent)
      work()
    }
  }
}

/// Returns a number of the calling thread that no other living thread has.
func threadNumber() -> UInt {
  #if canImport(Glibc)
    UInt(pthread_self())
  #else
    unsafe UInt(bitPattern: pthread_self())
  #endif
}

/// Whether the calling thread is running a Swift task.
func isInTask() -> Bool { unsafe withUnsafeCurrentTask { task in unsafe task != nil } }

/// Waits until a condition is false, or the test has reached its time limit.
func untilNot(_ condition: () -> Bool) async throws {
  while condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// The error of functions that fail.
struct Failure: Error, Equatable {
  var number = 0
}

extension Result where Failure == any Error {
  /// A short text for comparisons.
  var word: String {
    switch self {
    case .success(let value): "\(value)"
    case .failure(let error as DeadlineExceeded): "timed out after \(error.attempts) starts"
    case .failure(let error): "\(type(of: error))"
    }
  }
}

/// Returns the error that a closure throws, nil if it returns a value.
func error<Value>(of body: () async throws -> Value) async -> (any Error)? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}
