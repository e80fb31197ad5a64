internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwayRun

/// Why a watched publication ended.
enum WatchedEnd: Hashable, Sendable {
  case finished
  case failed
  case unpublished
  case died
  case lost(RelayError)
  /// Nobody here watches it any more.
  case unwatched
}

extension WatchedEnd {
  /// The end as the publisher reported it.
  init(_ reason: PublicationEnd) {
    self =
      switch reason {
      case .finished: .finished
      case .failed: .failed
      case .unpublished: .unpublished
      }
  }
}

/// A publication of another process, as the connection has it.
///
/// Safe from any thread.
final class Watched: Sendable {
  private struct State: Sendable {
    var end: WatchedEnd?
    var forecast: RunForecast?
    var waiters: [AsyncStream<WatchedEnd>.Continuation] = []
  }

  let info: PublicationInfo
  let program: String
  let pid: Int32
  let isOld: Bool
  let mirror: ProgressMirror
  let client: Int
  let connection: Int
  private let state = Guarded(State())

  /// Creates a publication whose tree has not come, and will be shown in a node.
  init(
    _ info: PublicationInfo, in root: ProgressNode, program: String, pid: Int32, isOld: Bool,
    client: Int, connection: Int
  ) {
    (self.info, self.program, self.pid, self.isOld) = (info, program, pid, isOld)
    (self.client, self.connection) = (client, connection)
    let id = info.id
    mirror = ProgressMirror(limit: RelayLimits.nodes, root: root) { node, request in
      #if os(Linux)
        RelayLoop.shared.post(
          .ask(
            RelayClient.Question(
              client: client, connection: connection, publication: id,
              body: .node(node, request), answer: nil)))
      #endif
    }
  }

  #if os(Linux)
    /// Asks the publisher for something.
    ///
    /// - Parameters:
    ///   - body: What to do.
    ///   - answer: Takes the answer; nil if nobody waits for it.
    func ask(
      _ body: RelayClient.Question.Body,
      _ answer: (@Sendable (RelayClient.Question.Answer) -> Void)? = nil
    ) {
      RelayLoop.shared.post(
        .ask(
          RelayClient.Question(
            client: client, connection: connection, publication: info.id, body: body,
            answer: answer)))
    }
  #endif

  /// Why it ended, nil while it lasts.
  var end: WatchedEnd? { state.withLock { $0.end } }

  /// The newest forecast, nil if there is none.
  var forecast: RunForecast? { state.withLock { $0.forecast } }

  /// Replaces the forecast.
  func set(_ forecast: RunForecast) { state.withLock { $0.forecast = forecast } }

  /// Ends it; a second call does nothing.
  func end(_ reason: WatchedEnd) {
    let waiters = state.withLock { state -> [AsyncStream<WatchedEnd>.Continuation]? in
      guard state.end == nil else { return nil }
      state.end = reason
      defer { state.waiters = [] }
      return state.waiters
    }
    guard let waiters else { return }
    switch reason {
    case .finished, .failed: mirror.end(detail: nil)
    case .unpublished: mirror.end(detail: "it is no longer published", isCancelled: true)
    case .unwatched: mirror.end(detail: nil, isCancelled: true)
    case .died: mirror.end(detail: "its process ended", isCancelled: true)
    case .lost: mirror.end(detail: "the connection was lost", isCancelled: true)
    }
    for waiter in waiters {
      waiter.yield(reason)
      waiter.finish()
    }
  }

  /// Waits for the end.
  ///
  /// - Returns: Why it ended, nil if the task was cancelled.
  func waitForEnd() async -> WatchedEnd? {
    let (stream, continuation) = AsyncStream.makeStream(of: WatchedEnd.self)
    let end = state.withLock { state in
      if state.end == nil { state.waiters.append(continuation) }
      return state.end
    }
    if let end { return end }
    for await end in stream { return end }
    return nil
  }
}
