package import HeadwayRelay
package import HeadwayRun

/// Asks a run for something: one of this process, or one that is published by another.
///
/// Requests reach the run in the order in which they were asked. Safe from any thread.
package final class RunRemote: Sendable {
  /// Takes the answer to a request: why it was not done, nil if it was.
  package typealias AnswerHandler = @Sendable (RelayError?) -> Void

  private enum Road: Sendable {
    case queue(RequestQueue)
    case publication(AsyncStream<(RunRequest, AnswerHandler)>.Continuation)
  }

  /// How long to wait for a process that does not answer, such as a stopped one; others take milliseconds.
  private static let patience = Duration.seconds(2)
  /// The tree of the run is not read here.
  private static let interval = Duration.seconds(10)

  private let road: Road

  /// Asks a run of this process.
  ///
  /// - Parameter requests: The requests to the run.
  package init(_ requests: RequestQueue) { road = .queue(requests) }

  /// Asks a run of another process.
  ///
  /// There is a connection to it only while it is asked, because one that lasts counts as a watcher.
  ///
  /// - Parameters:
  ///   - run: The name of the run.
  ///   - process: The number of its process.
  package init(run: String, process: Int32) {
    let (requests, continuation) = AsyncStream.makeStream(of: (RunRequest, AnswerHandler).self)
    road = .publication(continuation)
    Task.detached {
      for await (request, answer) in requests {
        answer(await Self.ask(request, run: run, process: process))
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
    case .queue(let requests):
      requests.ask(request) { answer($0.map { .requestRefused(reason: $0) }) }
    case .publication(let requests): requests.yield((request, answer))
    }
  }

  /// Finds the publication of a run, and asks it.
  ///
  /// - Returns: Why it was not done, nil if it was.
  private static func ask(
    _ request: RunRequest, run: String, process: Int32
  ) async -> RelayError? {
    let works = await Subscription(ofProcess: process, every: interval).current(within: patience)
    guard let work = works.first(where: { $0.name == run && $0.end == nil }) else {
      return .requestRefused(
        reason: "the run is not published, so it cannot be asked for anything")
    }
    do throws(RelayError) {
      try await work.ask(request)
      return nil
    } catch {
      return error
    }
  }
}
