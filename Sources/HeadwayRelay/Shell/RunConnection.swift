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
  /// The most questions without an answer: more would fill the socket of a run that does not read.
  private static let mostWaiting = 1_000
  private static let refusalOfMany = "the run does not answer"

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
    let refusal: String? = state.withLock { state in
      if state.isOver { return RequestQueue.refusalAtEnd }
      if state.waiting.count >= Self.mostWaiting { return Self.refusalOfMany }
      var bytes: [UInt8] = []
      RunQuestion(number: state.next, request: request).write(to: &bytes)
      guard writeAll(socket, bytes) == 0 else { return RequestQueue.refusalAtEnd }
      state.waiting[state.next] = answer
      state.next += 1
      return nil
    }
    if let refusal { answer(refusal) }
  }

  /// Waits for the next messages.
  ///
  /// The caller passes answers on with ``pass(_:refusal:)`` when it has handled what came before them.
  ///
  /// - Returns: The messages, nil at the end of the stream.
  /// - Throws: `MessageError` if the run does not speak this language; nothing can be received afterwards.
  package func receive() throws(MessageError) -> [RunMessage]? {
    guard case .bytes(let bytes) = readSome(socket, most: Self.readSize) else {
      end()
      return nil
    }
    do {
      return try stream.withLock { stream throws in
        var told: [RunMessage] = []
        stream.append(bytes[...])
        while let message = try stream.next() { told.append(try RunMessage(message)) }
        return told
      }
    } catch let error as MessageError {
      throw error
    } catch {
      preconditionFailure("a stream throws nothing else: \(error)")
    }
  }

  /// Passes an answer on to who has asked.
  package func pass(_ number: Int, refusal: String?) {
    state.withLock { $0.waiting.removeValue(forKey: number) }?(refusal)
  }

  /// Answers what the run has not.
  private func end() {
    let waiting = state.withLock { state in
      state.isOver = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for answer in waiting.sorted(by: { $0.key < $1.key }) {
      answer.value(RequestQueue.refusalAtEnd)
    }
  }
}
