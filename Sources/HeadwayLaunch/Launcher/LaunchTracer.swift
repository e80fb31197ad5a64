public import HeadwayRun

/// Starts and ends a span for each attempt at a task, for a tracing system such as swift-distributed-tracing.
///
/// ```swift
/// struct SpanTracer: LaunchTracer {
///   /// The span around the run.
///   let parent = ServiceContext.current ?? .topLevel
///
///   func startSpan(for attempt: LaunchContext) -> any Tracing.Span {
///     InstrumentationSystem.tracer.startSpan(attempt.task.name, context: parent)
///   }
///
///   func endSpan(_ span: any Tracing.Span, outcome: Outcome, error: (any Error)?) {
///     if let error { span.recordError(error) }
///     span.end()
///   }
/// }
/// ```
///
/// A task that is retried has one span for each attempt, next to each other. A task without a body, and one that is never
/// started, has none. The calls for a span are ``startSpan(for:)``, one of the two `withSpan` around the function of the task,
/// and ``endSpan(_:outcome:error:)``, each exactly once. All spans have ended before the run has a result. That of a task may end
/// a moment after that of a task which depends on it has started.
///
/// The calls come from the threads that run the tasks, for several attempts at once, and outside of all locks. Keep them
/// short, as the next task of the worker waits for them.
public protocol LaunchTracer: Sendable {
  /// What stands for a span until it ends.
  associatedtype Span: Sendable

  /// Starts the span of an attempt, immediately before its function is called.
  ///
  /// - Parameter attempt: The attempt, with its task and its number.
  /// - Returns: The span.
  func startSpan(for attempt: LaunchContext) -> Span

  /// Calls a synchronous function of a task with the span as the current one, so that its own spans become children.
  ///
  /// By default the function is called as it is.
  ///
  /// - Parameters:
  ///   - span: The span.
  ///   - body: The function, which must be called exactly once, before this one returns.
  func withSpan(_ span: Span, _ body: () -> Void)

  /// Calls an asynchronous function of a task with the span as the current one, so that its own spans become children.
  ///
  /// By default the function is called as it is.
  ///
  /// - Parameters:
  ///   - span: The span.
  ///   - body: The function, which must be called exactly once, before this one returns.
  func withSpan(_ span: Span, _ body: () async -> Void) async

  /// Ends the span of an attempt.
  ///
  /// The function may still run: that of a ``ReportingTask`` after its report, and one that has not ended within its grace
  /// period. Only the span of an attempt that was given up while ``startSpan(for:)`` was running ends after the run.
  ///
  /// - Parameters:
  ///   - span: The span.
  ///   - outcome: How the attempt ended.
  ///   - error: The error that the function threw, nil if there is none.
  func endSpan(_ span: Span, outcome: Outcome, error: (any Error)?)
}

extension LaunchTracer {
  /// Calls the function.
  public func withSpan(_ span: Span, _ body: () -> Void) { body() }

  /// Calls the function.
  public func withSpan(_ span: Span, _ body: () async -> Void) async { await body() }
}
