/// The work of a task, and how it runs.
///
/// ```swift
/// graph.add("fetch") { context in try await fetch(context.progress) }
/// graph.add("parse", .immediate { _ in parse() })
/// graph.add("legacy", .blocking { _ in readAll() })
/// graph.add("kit", .reporting { _, report in kit.start { report.complete(with: $0) } })
/// graph.add("driver", .blocking { _, report in open().onEnd { report.complete(with: $0) } })
/// graph.add("store", .on(store) { store, _ in store.load() })
/// graph.add("window") { @MainActor _ in showWindow() }
/// ```
///
/// | form | runs on | when it is cancelled or exceeds its time limit |
/// |---|---|---|
/// | ``asynchronous(_:)`` | a Swift task of its own until it returns | the Swift task is cancelled; after the grace period the run goes on without it |
/// | ``immediate(_:)`` | a worker's thread; it must not block | its progress node is cancelled; after the grace period the run goes on without it |
/// | `blocking(_:)` | a thread of its own, until it returns or its report is used | as ``immediate(_:)`` |
/// | ``reporting(_:)`` | a Swift task of its own, in which it starts; it ends with its report | as ``immediate(_:)`` |
/// | ``on(_:_:)`` | the actor | as ``asynchronous(_:)`` |
public struct TaskBody: Sendable {
  /// The forms.
  enum Form: Sendable {
    /// Nothing: the task ends with its dependencies.
    case nothing
    /// A function that may suspend.
    case asynchronous(@Sendable (LaunchContext) async throws -> Void)
    /// A function that runs where it is started.
    case immediate(@Sendable (LaunchContext) throws -> Void)
    /// A function that runs on a thread of its own.
    case blocking(@Sendable (LaunchContext) throws -> Void)
    /// A function that starts something which reports its end.
    case reporting(@Sendable (LaunchContext, TaskReport) async -> Void)
    /// A function on a thread of its own that starts something which reports its end.
    case blockingReporting(@Sendable (LaunchContext, TaskReport) -> Void)
  }

  let form: Form

  /// Whether there is nothing to do.
  var isNothing: Bool {
    if case .nothing = form { return true }
    return false
  }

  /// Whether it runs in a task slot: it needs no thread of its own and ends when it returns.
  var needsSlot: Bool {
    switch form {
    case .asynchronous, .immediate: true
    case .nothing, .blocking, .reporting, .blockingReporting: false
    }
  }

  /// Whether it ends with a report, and not when it returns.
  var reports: Bool {
    switch form {
    case .reporting, .blockingReporting: true
    case .nothing, .asynchronous, .immediate, .blocking: false
    }
  }

  /// A body that does nothing, for a task that groups others.
  public static let nothing = TaskBody(form: .nothing)

  /// An asynchronous function.
  ///
  /// - Parameter body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The body.
  public static func asynchronous(
    _ body: @escaping @Sendable (LaunchContext) async throws -> Void
  ) -> TaskBody { TaskBody(form: .asynchronous(body)) }

  /// A short synchronous function that does not block; this form costs the least.
  ///
  /// - Parameter body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The body.
  public static func immediate(
    _ body: @escaping @Sendable (LaunchContext) throws -> Void
  ) -> TaskBody { TaskBody(form: .immediate(body)) }

  /// A synchronous function that may block; it runs on a thread of its own.
  ///
  /// - Parameter body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The body.
  public static func blocking(
    _ body: @escaping @Sendable (LaunchContext) throws -> Void
  ) -> TaskBody { TaskBody(form: .blocking(body)) }

  /// A synchronous function that may block while it starts some work, on a thread of its own; the work reports its end later,
  /// from any thread.
  ///
  /// - Parameter body: The function. A report that is released unused is a failure.
  /// - Returns: The body.
  public static func blocking(
    _ body: @escaping @Sendable (LaunchContext, TaskReport) -> Void
  ) -> TaskBody { TaskBody(form: .blockingReporting(body)) }

  /// A function that starts some work and returns; the work reports its end later, from any thread.
  ///
  /// - Parameter body: The function, which may be isolated to an actor. A report that is released unused is a failure.
  /// - Returns: The body.
  public static func reporting(
    _ body: @escaping @Sendable (LaunchContext, TaskReport) async -> Void
  ) -> TaskBody { TaskBody(form: .reporting(body)) }

  /// A function that runs on an actor.
  ///
  /// For the main actor use a closure that is isolated to it, `{ @MainActor _ in show() }`: the compiler does not know
  /// that an actor passed as a value is the main actor.
  ///
  /// - Parameters:
  ///   - actor: The actor, which the body retains.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The body.
  public static func on<A: Actor>(
    _ actor: A, _ body: @escaping @Sendable (isolated A, LaunchContext) async throws -> Void
  ) -> TaskBody {
    TaskBody(form: .asynchronous { context in try await body(actor, context) })
  }
}

/// A named unit of work in a graph.
///
/// ```swift
/// struct LoadData: LaunchTask {
///   let name = "load data"
///   func run(_ context: LaunchContext) async throws {
///     try await context.checkpoint()
///   }
/// }
/// graph.add(LoadData())
/// ```
public protocol LaunchTask: PlannedTaskConvertible {
  /// The name, unique in the graph.
  var name: String { get }

  /// Does the work.
  ///
  /// - Parameter context: The context of the attempt.
  /// - Throws: The reason of the failure.
  func run(_ context: LaunchContext) async throws

  /// The body of the task; by default ``run(_:)`` as an asynchronous function.
  var body: TaskBody { get }
}

extension LaunchTask {
  /// ``run(_:)`` as an asynchronous function.
  public var body: TaskBody { .asynchronous { try await run($0) } }

  /// The task without dependencies.
  public var planned: PlannedTask { PlannedTask(name, body) }
}

/// A task that is started and reports its end later.
///
/// ```swift
/// final class ChooseNetwork: ReportingTask {
///   let name = "choose network"
///   func start(_ context: LaunchContext, _ report: TaskReport) {
///     probe.begin { path in path == nil ? report.fail(NoPath()) : report.succeed() }
///   }
/// }
/// ```
public protocol ReportingTask: LaunchTask {
  /// Starts the work, and returns; called where the class is isolated, such as on the main actor.
  ///
  /// - Parameters:
  ///   - context: The context of the attempt.
  ///   - report: The report, to be used exactly once.
  func start(_ context: LaunchContext, _ report: TaskReport) async
}

extension ReportingTask {
  /// ``start(_:_:)``.
  public var body: TaskBody { .reporting { await start($0, $1) } }

  /// Starts the work and waits for its report, for calls without a launcher.
  public func run(_ context: LaunchContext) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let report = TaskReport { continuation.resume(with: $0) }
      Task { await start(context, report) }
    }
  }
}
