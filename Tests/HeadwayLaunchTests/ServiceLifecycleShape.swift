import HeadwayLock

// Declarations of the shape of those in swift-service-lifecycle, which this package does not depend on, for the lines of the
// page about it.

/// A part of a program that stays until it is told to shut down.
protocol Service: Sendable {
  func run() async throws
}

/// What the group logs with.
struct Logger: Sendable {
  init(label: String) {}
}

/// Runs services until one of them ends, or until all have shut down.
actor ServiceGroup: Service {
  /// A service has returned although nobody has told it to.
  struct FinishedUnexpectedly: Error {}

  private let services: [any Service]
  private let shutdown = Shutdown()

  init(services: [any Service], logger: Logger) { self.services = services }

  func run() async throws {
    try await Shutdown.$current.withValue(shutdown) {
      try await withThrowingTaskGroup { group in
        for service in services { group.addTask { try await service.run() } }
        for try await _ in group where !shutdown.hasBegun { throw FinishedUnexpectedly() }
      }
    }
  }

  func triggerGracefulShutdown() { shutdown.begin() }
}

/// Runs an operation, and a handler once the group shuts down.
func withGracefulShutdownHandler<T>(
  isolation: isolated (any Actor)? = #isolation, operation: () async throws -> T,
  onGracefulShutdown handler: @Sendable @escaping () -> Void
) async rethrows -> T {
  Shutdown.current?.add(handler)
  return try await operation()
}

/// Waits until the group shuts down.
func gracefulShutdown() async throws {
  let (stream, continuation) = AsyncStream<Void>.makeStream()
  await withGracefulShutdownHandler {
    for await _ in stream { break }
  } onGracefulShutdown: {
    continuation.yield()
  }
  try Task.checkCancellation()
}

/// The shutdown of a group, which its services are told of.
final class Shutdown: Sendable {
  @TaskLocal static var current: Shutdown?

  private struct State {
    var hasBegun = false
    var handlers: [@Sendable () -> Void] = []
  }

  private let state = Guarded(State())

  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// Adds a handler, which is called at once if the shutdown has begun.
  func add(_ handler: @escaping @Sendable () -> Void) {
    let isNow = state.withLock { state in
      if !state.hasBegun { state.handlers.append(handler) }
      return state.hasBegun
    }
    if isNow { handler() }
  }

  func begin() {
    let handlers = state.withLock { state in
      state.hasBegun = true
      defer { state.handlers = [] }
      return state.handlers
    }
    for handler in handlers { handler() }
  }
}
