internal import HeadwayLock
internal import HeadwayRun

/// The span of one attempt, whatever the type of its tracer.
protocol AttemptSpan: AnyObject, Sendable {
  /// Starts the span and calls a synchronous function inside it.
  func call(
    _ attempt: LaunchContext, _ body: () -> Result<Void, any Error>
  ) -> Result<Void, any Error>

  /// Starts the span and calls an asynchronous function inside it.
  func call(
    _ attempt: LaunchContext, _ body: () async -> Result<Void, any Error>
  ) async -> Result<Void, any Error>

  /// Notes how the attempt has ended; called once, under the lock of the launcher.
  func note(_ outcome: Outcome, _ error: (any Error)?)

  /// Ends the span after that, outside of the lock.
  func end()
}

/// The span of one attempt, of a certain tracer.
///
/// An attempt may be abandoned at any time, also while its span is being started.
final class TracedAttempt<Tracer: LaunchTracer>: AttemptSpan {
  private struct State: Sendable {
    /// The span, from its start to its end.
    var span: Tracer.Span?
    /// How the attempt has ended, nil before.
    var outcome: Outcome?
    var error: (any Error)?
  }

  private let tracer: Tracer
  private let state = Guarded(State())

  init(_ tracer: Tracer) { self.tracer = tracer }

  func call(
    _ attempt: LaunchContext, _ body: () -> Result<Void, any Error>
  ) -> Result<Void, any Error> {
    var result: Result<Void, any Error>?
    tracer.withSpan(start(attempt)) {
      precondition(result == nil, "withSpan has called the function of '\(attempt.name)' twice")
      result = body()
    }
    guard let result else {
      preconditionFailure("withSpan has not called the function of '\(attempt.name)'")
    }
    return result
  }

  func call(
    _ attempt: LaunchContext, _ body: () async -> Result<Void, any Error>
  ) async -> Result<Void, any Error> {
    var result: Result<Void, any Error>?
    await tracer.withSpan(start(attempt)) {
      precondition(result == nil, "withSpan has called the function of '\(attempt.name)' twice")
      result = await body()
    }
    guard let result else {
      preconditionFailure("withSpan has not called the function of '\(attempt.name)'")
    }
    return result
  }

  private func start(_ attempt: LaunchContext) -> Tracer.Span {
    let span = tracer.startSpan(for: attempt)
    let end = state.withLock { state -> State? in
      if state.outcome != nil { return state }
      state.span = span
      return nil
    }
    // Abandoned meanwhile.
    if let end, let outcome = end.outcome {
      tracer.endSpan(span, outcome: outcome, error: end.error)
    }
    return span
  }

  func note(_ outcome: Outcome, _ error: (any Error)?) {
    state.withLock { ($0.outcome, $0.error) = (outcome, error) }
  }

  func end() {
    let end = state.withLock { state in
      defer { state.span = nil }
      return state
    }
    // Without a span, the function was not called, or its span ends as soon as it has started.
    if let span = end.span, let outcome = end.outcome {
      tracer.endSpan(span, outcome: outcome, error: end.error)
    }
  }
}

extension LaunchTracer {
  /// Creates the span of an attempt, which has not started.
  func makeSpan() -> any AttemptSpan { TracedAttempt(self) }
}

extension LaunchContext {
  /// The name of the task.
  fileprivate var name: String { task.name }
}

extension Launcher {
  /// Ends the span of an attempt that was noted as ended, and lets the run have its result if it waits for that.
  func end(_ span: any AttemptSpan) {
    span.end()
    change { state, _ in state.openSpans -= 1 }
  }
}

extension Launcher.State {
  /// Notes how an attempt has ended for its span.
  mutating func note(_ span: any AttemptSpan, of index: Int) {
    span.note(core.attemptOutcome(index), errors[index]?.error)
    openSpans += 1
  }
}
