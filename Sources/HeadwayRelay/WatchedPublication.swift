public import HeadwayProgress
public import HeadwayRun

/// Work that another program publishes, as this one sees it.
///
/// ```swift
/// for await work in Subscription() {
///   print(work.program, work.node.snapshot().summaryLine())
///   if work.kind == "download" { work.node.pause() }
/// }
/// ```
///
/// Keep it as long as its ``node`` is used. Safe from any thread.
public final class WatchedPublication: Sendable, Identifiable {
  /// Why a publication ended.
  ///
  /// ```swift
  /// func words(for end: WatchedPublication.End?) -> String {
  ///   switch end {
  ///   case .finished: "done"
  ///   case .failed: "failed"
  ///   case .lost(let error): "out of sight: \(error)"
  ///   default: "over"
  ///   }
  /// }
  /// ```
  @nonexhaustive
  public enum End: Hashable, Sendable {
    /// The work has ended.
    case finished
    /// The work has ended and has failed; the `detail` of the node may say why.
    case failed
    /// The work goes on, but is not published any more.
    case unpublished
    /// The process ended before the work did, as after `kill -9`.
    case died
    /// The connection cannot be used any more.
    case lost(RelayError)
  }

  private let watched: Watched
  /// Holds the subscription.
  private let holder: SubscriptionHolder

  init(_ watched: Watched, _ holder: SubscriptionHolder) {
    (self.watched, self.holder) = (watched, holder)
  }

  /// The ID of the publication, such as `12345.1`: no other one of the machine has it.
  public var id: String { watched.info.id.text }

  /// What the work is, as the publisher calls it, such as `run`.
  public var kind: String { watched.info.kind }

  /// A name by which people can choose the work, nil if it has none.
  ///
  /// It comes from another program: clean it before it is shown on a terminal.
  public var name: String? { watched.info.name }

  /// The path of the file or directory that the work is about, nil if there is none.
  public var file: String? { watched.info.path }

  /// The name of the publishing program, as it says.
  public var program: String { watched.program }

  /// The number of the publishing process.
  public var pid: Int32 { watched.pid }

  /// What the publisher lets other programs ask for; the rest is refused.
  public var accepts: Publication.Requests { .init(rawValue: watched.info.accepts.rawValue) }

  /// Whether the work was published before the subscription began.
  public var isOld: Bool { watched.isOld }

  /// The root of a tree of this process that follows that of the publisher, at most 60 times a second.
  ///
  /// Bars, words, feeds and the mirror of a Foundation `Progress` work on it as on any other node. `cancel()`,
  /// `pause()` and `resume()` on it and on the nodes below take effect
  /// here at once and are passed on to the publisher; if it refuses, they are taken back. What is counted here by hand is lost.
  ///
  /// The node finishes when the publication ends. If the work was not seen to its end, the node is cancelled, and its
  /// `detail` says why.
  public var node: ProgressNode { watched.mirror.root }

  /// The newest forecast of the remaining time, nil if the publisher makes none.
  public var forecast: RunForecast? { watched.forecast }

  /// Why the publication ended, nil while it lasts.
  public var end: End? { watched.end.map { End($0) } }

  /// Waits for the end of the publication.
  ///
  /// - Returns: Why it ended, nil if the task was cancelled before.
  public func ended() async -> End? { await watched.waitForEnd().map { End($0) } }

  /// Asks the publisher to cancel the work, and waits for its answer.
  ///
  /// As `node.cancel()`, but it tells whether the request was granted. If the task is cancelled, it returns at once, and the
  /// request may still be granted.
  ///
  /// - Throws: ``RelayError/requestRefused(reason:)``.
  public func cancel() async throws(RelayError) { try await ask(.cancel) }

  /// Asks the publisher to pause the work, and waits for its answer, as ``cancel()`` does.
  ///
  /// - Throws: ``RelayError/requestRefused(reason:)``.
  public func pause() async throws(RelayError) { try await ask(.pause) }

  /// Asks the publisher to resume the work, and waits for its answer, as ``cancel()`` does.
  ///
  /// - Throws: ``RelayError/requestRefused(reason:)``.
  public func resume() async throws(RelayError) { try await ask(.unpause) }

  /// Asks the publisher to do something, and waits for its answer, as ``cancel()`` does.
  ///
  /// Only a run knows what is about tasks; other work refuses it.
  ///
  /// - Parameter request: What to do.
  /// - Throws: ``RelayError/requestRefused(reason:)``.
  package func ask(_ request: RunRequest) async throws(RelayError) {
    #if os(Linux)
      try await ask(RelayClient.Question.Body(request))
    #else
      throw .notSupported
    #endif
  }

  #if os(Linux)
    private func ask(_ body: RelayClient.Question.Body) async throws(RelayError) {
      let (answers, continuation) = AsyncStream.makeStream(of: RelayClient.Question.Answer.self)
      watched.ask(body) { answer in
        continuation.yield(answer)
        continuation.finish()
      }
      for await answer in answers {
        switch answer {
        case .granted: return
        case .refused(let refusal): throw .requestRefused(reason: refusal.description)
        case .ended: throw .requestRefused(reason: "the work has ended")
        case .failed(let error): throw error
        }
      }
    }
  #endif
}

extension WatchedPublication.End {
  fileprivate init(_ end: WatchedEnd) {
    self =
      switch end {
      case .finished: .finished
      case .failed: .failed
      case .unpublished, .unwatched: .unpublished
      case .died: .died
      case .lost(let error): .lost(error)
      }
  }
}
