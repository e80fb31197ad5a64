/// What a task does, and how it is run.
///
/// ```swift
/// graph.add("fetch") { context in try await fetch(context.progress) }
/// graph.add("parse", .immediate { _ in parse() })
/// graph.add("legacy", .blocking { _ in readAll() })
/// graph.add("kit", .reporting { _, report in kit.start { report.complete(with: $0) } })
/// graph.add("store", .on(store) { store, _ in store.load() })
/// graph.add("window") { @MainActor _ in showWindow() }
/// ```
///
/// | form | runs on | when its time is up |
/// |---|---|---|
/// | ``asynchronous(_:)`` | a Swift task that runs nothing else meanwhile | that is cancelled; after the grace the run goes on without it |
/// | ``immediate(_:)`` | a worker's thread; it must not block | its node is cancelled; after the grace the run goes on without it |
/// | ``blocking(_:)`` | a thread of its own | its node is cancelled; after the grace the run goes on without it |
/// | ``reporting(_:)`` | starts on a worker's thread and ends when it says so | the same |
/// | ``on(_:_:)`` | the actor | like an asynchronous one |
public struct TaskBody: Sendable {
  /// The forms.
  enum Form: Sendable {
    /// Nothing: the task is done when all it waits for is.
    case nothing
    /// A function that may suspend.
    case asynchronous(@Sendable (LaunchContext) async throws -> Void)
    /// A function that runs where it is started.
    case immediate(@Sendable (LaunchContext) throws -> Void)
    /// A function that runs on a thread of its own.
    case blocking(@Sendable (LaunchContext) throws -> Void)
    /// A function that starts something which reports its end.
    case reporting(@Sendable (LaunchContext, TaskReport) -> Void)
  }

  /// The form.
  let form: Form

  /// Whether there is nothing to do.
  var isNothing: Bool {
    if case .nothing = form { return true }
    return false
  }

  /// Whether a slot runs it: it needs no thread of its own and ends when it returns.
  var needsSlot: Bool {
    switch form {
    case .asynchronous, .immediate: true
    case .nothing, .blocking, .reporting: false
    }
  }

  /// A task that does nothing itself: it gathers those that it waits for.
  public static let nothing = TaskBody(form: .nothing)

  /// An asynchronous function.
  ///
  /// - Parameter body: What to do. What it throws is the reason of its failure.
  /// - Returns: The body.
  public static func asynchronous(
    _ body: @escaping @Sendable (LaunchContext) async throws -> Void
  ) -> TaskBody { TaskBody(form: .asynchronous(body)) }

  /// A synchronous function that is soon done and does not block; it costs the least.
  ///
  /// - Parameter body: What to do. What it throws is the reason of its failure.
  /// - Returns: The body.
  public static func immediate(
    _ body: @escaping @Sendable (LaunchContext) throws -> Void
  ) -> TaskBody { TaskBody(form: .immediate(body)) }

  /// A synchronous function that may block its thread, and gets one of its own.
  ///
  /// - Parameter body: What to do. What it throws is the reason of its failure.
  /// - Returns: The body.
  public static func blocking(
    _ body: @escaping @Sendable (LaunchContext) throws -> Void
  ) -> TaskBody { TaskBody(form: .blocking(body)) }

  /// A function that starts something and returns; what it started reports its end later, once, from anywhere.
  ///
  /// - Parameter body: What to do. A report that is let go of unused is a failure.
  /// - Returns: The body.
  public static func reporting(
    _ body: @escaping @Sendable (LaunchContext, TaskReport) -> Void
  ) -> TaskBody { TaskBody(form: .reporting(body)) }

  /// A function that runs on an actor.
  ///
  /// For the main actor give a closure that says so, `{ @MainActor _ in show() }`: of an actor that is passed as a
  /// value the compiler does not know that it is the main one.
  ///
  /// - Parameters:
  ///   - actor: The actor, which the body holds.
  ///   - body: What to do there. What it throws is the reason of its failure.
  /// - Returns: The body.
  public static func on<A: Actor>(
    _ actor: A, _ body: @escaping @Sendable (isolated A, LaunchContext) async throws -> Void
  ) -> TaskBody {
    TaskBody(form: .asynchronous { context in try await body(actor, context) })
  }
}

/// A task with a name: what a program does at its start, or any other unit of a graph.
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
public protocol LaunchTask: Sendable {
  /// The name, which must be the only one of its kind in a graph.
  var name: String { get }

  /// Does the work.
  ///
  /// - Parameter context: What the task may ask of the run.
  /// - Throws: Why it has failed.
  func run(_ context: LaunchContext) async throws

  /// How the work is run; by default ``run(_:)`` as an asynchronous function.
  var body: TaskBody { get }
}

extension LaunchTask {
  /// ``run(_:)`` as an asynchronous function.
  public var body: TaskBody { .asynchronous { try await run($0) } }
}

/// A task that is started and reports its end later, to the report that it was given.
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
  /// Starts the work, and returns.
  ///
  /// - Parameters:
  ///   - context: What the task may ask of the run.
  ///   - report: What is told the end, exactly once.
  func start(_ context: LaunchContext, _ report: TaskReport)
}

extension ReportingTask {
  /// ``start(_:_:)``.
  public var body: TaskBody { .reporting { start($0, $1) } }

  /// Starts the work and waits for its report, for those who run the task by hand.
  public func run(_ context: LaunchContext) async throws {
    try await withCheckedThrowingContinuation { continuation in
      start(context, TaskReport { continuation.resume(with: $0) })
    }
  }
}
