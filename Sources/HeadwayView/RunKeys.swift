internal import HeadwayRun

/// The keys by which a view of a run asks it for something, and what each asks for.
///
/// A pure value. The keys that only change what is shown are those of `ScreenRenderer`.
struct RunKeys: Sendable {
  /// What is done after a key.
  enum Action: Hashable, Sendable {
    /// Ask the run for something.
    case ask(RunRequest)
    /// Leave the view; the run goes on in the background.
    case leave
  }

  private static let pause = UInt8(ascii: " ")
  private static let retry = UInt8(ascii: "r")
  private static let skip = UInt8(ascii: "s")
  private static let end = UInt8(ascii: "e")
  private static let detach = UInt8(ascii: "d")

  /// All of these keys.
  static let all: Set<UInt8> = [pause, retry, skip, end, detach]

  /// Whether the run was asked to be paused or to go on, as long as it is not seen to have followed; nil if neither.
  private var wantsPause: Bool?
  /// How many requests have no answer yet.
  private var unanswered = 0

  /// What a key asks for.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - run: The run as the user sees it.
  /// - Returns: What is done, nil if the key means nothing now.
  mutating func press(_ key: UInt8, _ run: RunSnapshot) -> Action? {
    let request: RunRequest
    switch key {
    case Self.pause:
      // The answer may be under way: each of two quick presses counts.
      let pauses = !(wantsPause ?? run.isPaused)
      wantsPause = pauses
      request = pauses ? .pause : .unpause
    case Self.retry where run.heldBy != nil: request = .retry(nil)
    case Self.skip where run.heldBy != nil: request = .skip(nil)
    case Self.end where run.heldBy != nil: request = .cancel
    case Self.detach: return .leave
    default: return nil
    }
    unanswered += 1
    return .ask(request)
  }

  /// Notes what the user sees now.
  mutating func follow(_ run: RunSnapshot) {
    // While requests are under way, what is seen may be what an earlier one did, which a later one undoes.
    if unanswered == 0, wantsPause == run.isPaused { wantsPause = nil }
  }

  /// Notes the answer to one request.
  ///
  /// - Parameter wasDone: Whether the run did what it was asked for.
  mutating func requestWasAnswered(wasDone: Bool) {
    unanswered -= 1
    // What was refused is not waited for: the next key begins again with what the user sees.
    if unanswered == 0, !wasDone { wantsPause = nil }
  }
}
