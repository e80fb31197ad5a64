internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwayRelay
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTime

/// The run's end of the stream to the view that has started it.
///
/// The run never waits for the view: messages are queued, and once too many events are queued, the view is told to read the rest from
/// the journal. Safe from any thread.
package final class ViewStream: Sendable {
  private struct State: Sendable {
    /// -1 once the view has left.
    var socket: Int32
    /// What was not sent.
    var pending: [UInt8] = []
    /// The bytes of events among them.
    var events = 0
    /// Whether the view reads the journal from now on.
    var isBehind = false
    var stream = MessageStream()

    /// Sends what waits, as much as there is room for.
    mutating func send() {
      if socket >= 0, case .failed = writeSome(socket, &pending) { close() }
      guard pending.isEmpty else { return }
      events = 0
      if pending.capacity > ViewStream.keptCapacity { pending = [] }
    }

    mutating func close() {
      if socket >= 0 { HeadwayLibc.close(socket) }
      (socket, pending) = (-1, [])
    }
  }

  /// The number of queued bytes of events after which the view gets no more of them.
  private static let limit = 4 << 20
  /// A buffer above this size is freed once it is empty.
  private static let keptCapacity = 1 << 16
  private static let readSize = 1 << 12

  private let state: Guarded<State>
  /// The descriptor, to be waited for; the view may have left since.
  let descriptor: Int32

  /// Takes over a connection.
  ///
  /// - Parameter socket: The socket.
  package init(socket: Int32) {
    makeNonblocking(socket)
    descriptor = socket
    state = Guarded(State(socket: socket))
  }

  deinit { state.withLock { $0.close() } }

  /// Whether the view is still there, as far as is known.
  package var isOpen: Bool { state.withLock { $0.socket >= 0 } }

  /// Whether something waits until it can be sent.
  var hasPending: Bool { state.withLock { !$0.pending.isEmpty } }

  /// Sends the header of the run.
  ///
  /// - Parameters:
  ///   - state: The state folder, with the name of the run.
  ///   - header: The header, as in the folder of the run.
  func begin(_ state: StateFolder, header: [UInt8]) {
    send(.begun(run: state.run, stateFolder: state.path, header: header))
  }

  /// Sends events, unless the view is too slow for them.
  ///
  /// - Parameters:
  ///   - lines: The lines of the journal.
  ///   - areKept: Whether they are in the journal, so that a view that is too slow finds them there.
  func send(lines: [UInt8], areKept: Bool) {
    state.withLock { state in
      guard state.socket >= 0, !state.isBehind else { return }
      state.send()
      if areKept, state.events > Self.limit {
        state.isBehind = true
        RunMessage.behind.write(to: &state.pending)
      } else {
        RunMessage.events(lines, at: MonotonicTime.now).write(to: &state.pending)
        state.events += lines.count
      }
      state.send()
    }
  }

  /// Sends a line for people.
  ///
  /// - Returns: Whether the view is still there.
  @discardableResult
  package func say(_ line: String) -> Bool {
    send(.said(line))
    return isOpen
  }

  private func send(_ message: RunMessage) {
    state.withLock { state in
      guard state.socket >= 0 else { return }
      message.write(to: &state.pending)
      state.send()
    }
  }

  /// Sends what waits, as much as there is room for.
  func flush() { state.withLock { $0.send() } }

  /// Waits until the view has taken all, for a limited time.
  ///
  /// - Parameter limit: The time.
  package func finish(within limit: Duration) {
    let deadline = ContinuousClock.now + limit
    while hasPending {
      let left = deadline - .now
      guard left > .zero else { break }
      var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&wait, 1, Int32(left / .milliseconds(1)) + 1)
      flush()
    }
    state.withLock { $0.close() }
  }

  /// Takes what the view asks for.
  ///
  /// - Returns: The questions; nil if the view has left.
  func receive() -> [RunQuestion]? {
    state.withLock { state -> [RunQuestion]? in
      guard state.socket >= 0 else { return nil }
      var questions: [RunQuestion] = []
      switch readSome(state.socket, most: Self.readSize) {
      case .bytes(let bytes): state.stream.append(bytes[...])
      case .nothing: break
      case .end, .failed:
        state.close()
        return nil
      }
      do throws(MessageError) {
        while let message = try state.stream.next() { questions.append(try RunQuestion(message)) }
      } catch {
        state.close()
        return nil
      }
      return questions
    }
  }

  /// Answers a question.
  func answer(_ number: Int, refusal: String?) {
    send(.answered(number, refusal: refusal))
  }
}
