package import HeadwayRun

/// A message from a run to the view that has started it.
///
/// ```
///   runner                                        view
///     │ run: its name and folder, and the header     │
///     ├─────────────────────────────────────────────▶│
///     │ events: lines of the journal                 │
///     ├─────────────────────────────────────────────▶│
///     │                        ask 1: pause          │
///     │◀─────────────────────────────────────────────┤
///     │ answer 1                                     │
///     ├─────────────────────────────────────────────▶│
///     │ said: a line for people, at the end          │
///     ├─────────────────────────────────────────────▶│
/// ```
package enum RunMessage: Hashable, Sendable {
  /// The run begins: its name, the path of the state folder, and its header as in `run.json`.
  case begun(run: String, stateFolder: String, header: [UInt8])
  /// Lines of the journal, each with its end, and when they were sent, on the monotonic clock of this machine.
  case events([UInt8], at: Duration)
  /// No more events come, because the view is too slow: it goes on in the journal.
  case behind
  /// A line for people.
  case said(String)
  /// The answer to the request with this number: why it was not done, nil if it was.
  case answered(Int, refusal: String?)
}

/// A request, with a number, from a view to the run that it has started.
package struct RunQuestion: Hashable, Sendable {
  /// The number by which it is answered.
  package let number: Int
  /// What is asked for.
  package let request: RunRequest

  /// Creates a question.
  package init(number: Int, request: RunRequest) {
    self.number = number
    self.request = request
  }
}

/// The names in these messages.
private enum Field {
  static let message = "message"
  static let run = "run"
  static let stateFolder = "state_folder"
  static let text = "text"
  static let number = "number"
  static let time = "time_ns"
  static let refusal = "refusal"
  static let request = "request"
  static let task = "task"
}

extension RunMessage {
  /// The names of the kinds of messages.
  private enum Kind {
    static let begun = "begun"
    static let events = "events"
    static let behind = "behind"
    static let said = "said"
    static let answered = "answer"
  }

  /// Appends the message to the bytes for the view.
  package func write(to bytes: inout [UInt8]) {
    var line = JSONLine(names: [])
    swap(&line.bytes, &bytes)
    line.begin()
    var payload: [UInt8] = []
    switch self {
    case .begun(let run, let folder, let header):
      line.add(named: Field.message, text: Kind.begun)
      line.add(named: Field.run, text: run)
      line.add(named: Field.stateFolder, text: folder)
      payload = header
    case .events(let lines, let time):
      line.add(named: Field.message, text: Kind.events)
      line.add(named: Field.time, number: Int(time / .nanoseconds(1)))
      payload = lines
    case .behind: line.add(named: Field.message, text: Kind.behind)
    case .said(let text):
      line.add(named: Field.message, text: Kind.said)
      line.add(named: Field.text, text: text)
    case .answered(let number, let refusal):
      line.add(named: Field.message, text: Kind.answered)
      line.add(named: Field.number, number: number)
      if let refusal { line.add(named: Field.refusal, text: refusal) }
    }
    if !payload.isEmpty { line.add(named: MessageStream.bytesField, number: payload.count) }
    line.endMessage(with: payload)
    swap(&line.bytes, &bytes)
  }

  /// Reads a message.
  ///
  /// - Parameter message: The message.
  /// - Throws: `MessageError`.
  package init(_ message: MessageStream.Message) throws(MessageError) {
    self = try message.read { fields throws in
      switch try fields.text(Field.message) {
      case Kind.begun:
        return .begun(
          run: try fields.text(Field.run), stateFolder: try fields.text(Field.stateFolder),
          header: Array(message.payload))
      case Kind.events:
        return .events(
          Array(message.payload), at: .nanoseconds(try fields.number(Field.time)))
      case Kind.behind: return .behind
      case Kind.said: return .said(try fields.text(Field.text))
      case Kind.answered:
        return .answered(
          try fields.number(Field.number),
          refusal: fields.contains(Field.refusal) ? try fields.text(Field.refusal) : nil)
      case let name: throw MessageError(description: "the message '\(name)' is unknown")
      }
    }
  }
}

extension RunQuestion {
  /// Appends the question to the bytes for the run.
  package func write(to bytes: inout [UInt8]) {
    var line = JSONLine(names: [])
    swap(&line.bytes, &bytes)
    line.begin()
    line.add(named: Field.number, number: number)
    line.add(named: Field.request, text: request.name)
    if let task = request.task { line.add(named: Field.task, text: task) }
    line.endMessage()
    swap(&line.bytes, &bytes)
  }

  /// Reads a question.
  ///
  /// - Parameter message: The message.
  /// - Throws: `MessageError`.
  package init(_ message: MessageStream.Message) throws(MessageError) {
    self = try message.read { fields throws in
      let name = try fields.text(Field.request)
      let task = fields.contains(Field.task) ? try fields.text(Field.task) : nil
      guard let request = RunRequest(name: name, task: task) else {
        throw MessageError(description: "the request '\(name)' is unknown")
      }
      return RunQuestion(number: try fields.number(Field.number), request: request)
    }
  }
}
