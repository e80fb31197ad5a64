internal import HeadwayLibc
internal import HeadwayLock
package import HeadwayRun
internal import HeadwaySystem

/// The view's end of the stream from the run that it has started.
///
/// Safe from any thread; one thread receives.
package final class RunConnection: Sendable {
  private struct State: Sendable {
    /// The number of the next question.
    var next = 1
    /// What takes the answers to those that have none, by their numbers.
    var waiting: [Int: @Sendable (String?) -> Void] = [:]
    var isOver = false
  }

  private static let readSize = 1 << 16
  private static let refusalAtEnd = "the run has ended"

  private let socket: Int32
  private let state = Guarded(State())
  private let stream: Guarded<MessageStream>

  /// Takes over a connection.
  ///
  /// - Parameters:
  ///   - socket: The socket, which blocks.
  ///   - headerLimit: The most bytes of the header of a run.
  package init(socket: Int32, headerLimit: Int) {
    self.socket = socket
    stream = Guarded(MessageStream(payloadLimit: headerLimit))
  }

  deinit { close(socket) }

  /// Asks the run for something, without waiting for it.
  ///
  /// - Parameters:
  ///   - request: What to do.
  ///   - answer: Called once, by any thread: with the reason why it was not done, or with nil if it was.
  package func ask(_ request: RunRequest, answer: @escaping @Sendable (String?) -> Void) {
    // Under the lock, so that questions arrive in the order of their numbers.
    let isAsked = state.withLock { state in
      guard !state.isOver else { return false }
      var bytes: [UInt8] = []
      RunQuestion(number: state.next, request: request).write(to: &bytes)
      guard writeAll(socket, bytes) == 0 else { return false }
      state.waiting[state.next] = answer
      state.next += 1
      return true
    }
    if !isAsked { answer(Self.refusalAtEnd) }
  }

  /// Waits for what the run tells next; answers are passed on.
  ///
  /// - Returns: The messages, nil at the end of the stream.
  /// - Throws: `MessageError` if the run does not speak this language; nothing can be received afterwards.
  package func receive() throws(MessageError) -> [RunMessage]? {
    guard case .bytes(let bytes) = readSome(socket, most: Self.readSize) else {
      end()
      return nil
    }
    var told: [RunMessage] = []
    var stream = stream.withLock { $0 }
    stream.append(bytes[...])
    while let message = try stream.next() {
      switch try RunMessage(message) {
      case .answered(let number, let refusal):
        state.withLock { $0.waiting.removeValue(forKey: number) }?(refusal)
      case let message: told.append(message)
      }
    }
    self.stream.withLock { $0 = stream }
    return told
  }

  /// Answers what the run has not.
  private func end() {
    let waiting = state.withLock { state in
      state.isOver = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for answer in waiting.sorted(by: { $0.key < $1.key }) { answer.value(Self.refusalAtEnd) }
  }
}
