internal import HeadwayConsole
internal import HeadwayLock
internal import HeadwayRelay

/// `headway pause`, `headway unpause` and `headway cancel`: ask published work for something.
struct RequestCommand {
  /// How long to wait for the answer.
  private static let patience = Duration.seconds(2)

  private let request: WatchRequest
  private let word: String

  /// Reads the arguments.
  ///
  /// - Parameters:
  ///   - request: What to ask for.
  ///   - command: The name of the command.
  ///   - arguments: The arguments after it.
  /// - Throws: `UsageError`.
  init(_ request: WatchRequest, _ command: String, _ arguments: [String]) throws(UsageError) {
    let words = try Arguments(arguments, known: []).words
    guard let word = words.first else {
      throw UsageError(
        message: "name the work: headway \(command) ID; headway watch --once lists what is running")
    }
    if words.count > 1 {
      throw UsageError(message: "unexpected argument '\(words[1])'; name one ID")
    }
    (self.request, self.word) = (request, word)
  }

  /// Asks, and waits for the answer.
  ///
  /// - Throws: `UsageError` if the word is not unique.
  func run() throws(UsageError) -> ExitCode {
    guard let work = try PublishedWorks.now().find(word) else { return .unavailable }
    let request = request
    let answer = BlockingTask.run { await Self.ask(work, request) }
    switch answer {
    case .granted: return .success
    case .refused(let error):
      printMessage("\(error)")
      return .failure
    case .none:
      let seconds = Self.patience.components.seconds
      printMessage(
        "'\(word)' did not answer within \(seconds) seconds; it may still do what was asked")
      return .unavailable
    }
  }

  /// What has become of a request.
  private enum Answer: Sendable {
    case granted
    case refused(RelayError)
    /// There was none in time.
    case none
  }

  private static func ask(_ work: WatchedPublication, _ request: WatchRequest) async -> Answer {
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
      try await Task.sleep(for: patience)
      asking.cancel()
    }
    defer { timer.cancel() }
    return await asking.value
  }
}
