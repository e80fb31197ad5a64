internal import HeadwayLock
package import HeadwayRelay
package import HeadwayRun

/// Asks a run for something: one that this process has started, or one that is published by another.
///
/// Requests reach the run in the order in which they were asked. Safe from any thread.
package final class RunRemote: Sendable {
  /// Takes the answer to a request: why it was not done, nil if it was.
  package typealias AnswerHandler = @Sendable (RelayError?) -> Void

  /// What has become of a request.
  package enum Answer: Sendable {
    case granted
    case refused(RelayError)
    /// There was none in time; the run may still do what was asked.
    case none
  }

  private enum Road: Sendable {
    case connection(RunConnection)
    case publication(AsyncStream<Asked>.Continuation)
  }

  /// A request on its way to another process.
  private struct Asked: Sendable {
    let request: RunRequest
    /// Until when it may be asked: what a person has asked for long ago must not happen all of a sudden.
    let deadline: ContinuousClock.Instant
    let answer: AnswerHandler
  }

  /// How long to wait for an answer; processes that are not stopped take milliseconds.
  package static let patience = Duration.seconds(2)

  private let road: Road

  /// Asks a run that this process has started.
  ///
  /// - Parameter connection: The connection to the run.
  package init(_ connection: RunConnection) { road = .connection(connection) }

  /// Asks a run of another process.
  ///
  /// There is a connection for it only while the run is asked. What is not answered within ``patience`` is given up.
  ///
  /// - Parameters:
  ///   - run: The name of the run.
  ///   - process: The number of its process.
  package init(run: String, process: Int32) {
    let (requests, continuation) = AsyncStream.makeStream(of: Asked.self)
    road = .publication(continuation)
    Task.detached {
      for await asked in requests {
        let left = asked.deadline - .now
        guard left > .zero else {
          asked.answer(Self.noAnswer)
          continue
        }
        asked.answer(await Self.ask(asked.request, run: run, process: process, within: left))
      }
    }
  }

  deinit {
    if case .publication(let requests) = road { requests.finish() }
  }

  /// Asks for something, without waiting for it.
  ///
  /// - Parameters:
  ///   - request: What to do.
  ///   - answer: Called once, by any thread.
  package func ask(_ request: RunRequest, answer: @escaping AnswerHandler) {
    switch road {
    case .connection(let connection):
      connection.ask(request) { answer($0.map { .requestRefused(reason: $0) }) }
    case .publication(let requests):
      requests.yield(Asked(request: request, deadline: .now + Self.patience, answer: answer))
    }
  }

  private static var noAnswer: RelayError {
    .requestRefused(reason: "the run did not answer within \(patience.components.seconds) seconds")
  }

  /// Finds the publication of a run, without asking other processes, and without its tree.
  ///
  /// - Parameters:
  ///   - run: The name of the run.
  ///   - process: The number of its process.
  ///   - limit: How long to wait for the process.
  /// - Returns: The publication, nil if the run is not published.
  /// - Throws: `RelayError` if it cannot be known; `RelayError.noAnswer` if the process did not answer.
  package static func publication(
    of run: String, process: Int32, within limit: Duration = patience
  ) async throws(RelayError) -> WatchedPublication? {
    let problem = Guarded<RelayError?>(nil)
    let works = await Subscription(
      ofProcess: process, hasTrees: false,
      onProblem: { new in problem.withLock { $0 = $0 ?? new } }
    ).current(within: limit)
    if let work = works.first(where: { $0.name == run && $0.end == nil }) { return work }
    if let problem = problem.withLock({ $0 }) { throw problem }
    return nil
  }

  /// Finds the publication of a run, and asks it.
  ///
  /// - Returns: Why it was not done, nil if it was.
  private static func ask(
    _ request: RunRequest, run: String, process: Int32, within limit: Duration
  ) async -> RelayError? {
    let begin = ContinuousClock.now
    let found: WatchedPublication?
    do throws(RelayError) {
      found = try await publication(of: run, process: process, within: limit)
    } catch {
      return error == .noAnswer(pid: process) ? noAnswer : error
    }
    guard let work = found else {
      return .requestRefused(reason: "the run is not published, so it cannot be asked for anything")
    }
    switch await ask(request, of: work, within: limit - begin.duration(to: .now)) {
    case .granted: return nil
    case .refused(let error): return error
    case .none: return noAnswer
    }
  }

  /// Asks published work, and waits for the answer.
  ///
  /// - Parameters:
  ///   - request: What to do.
  ///   - work: The work.
  ///   - limit: How long to wait.
  /// - Returns: The answer.
  package static func ask(
    _ request: RunRequest, of work: WatchedPublication, within limit: Duration = patience
  ) async -> Answer {
    let asking = Task { () -> Answer in
      do throws(RelayError) {
        try await work.ask(request)
      } catch {
        return .refused(error)
      }
      // A task that was cancelled returns without an answer.
      return Task.isCancelled ? .none : .granted
    }
    let timer = Task {
      try await Task.sleep(for: limit)
      asking.cancel()
    }
    defer { timer.cancel() }
    return await asking.value
  }
}
