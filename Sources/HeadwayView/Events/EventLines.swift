internal import HeadwayRun

/// The lines of an `EventStream`: those of the events, and the output of running attempts.
struct EventLines: Sendable {
  /// How much of a task's output was taken.
  private struct Progress {
    var offset = 0
    var attempt = 1
    /// Whether the note in the log that begins the attempt was not read yet.
    var expectsNote = false
  }

  /// The number of bytes of a log that are read at once.
  private static let readBytes = 65_536

  private let description: RunDescription
  private let logs: (any TaskLogs)?
  private var renderer: JSONRenderer
  /// The tasks whose output is wanted, with the progress of all that have begun.
  private var progress: [Int: Progress] = [:]
  /// The tasks of which an attempt runs.
  private(set) var running: Set<TaskID> = []

  init(_ description: RunDescription, logs: (any TaskLogs)?) {
    self.description = description
    self.logs = logs
    renderer = JSONRenderer(description)
  }

  /// The line of an event.
  mutating func line(_ event: RunUpdate.Event, _ snapshot: RunSnapshot) -> [UInt8] {
    follow(event.event)
    var update = RunUpdate()
    update.events = [event]
    update.snapshot = snapshot
    var output: [UInt8] = []
    renderer.update(update, into: &output)
    return output
  }

  /// Follows which attempts run.
  private mutating func follow(_ event: RunEvent) {
    guard logs != nil else { return }
    switch event.kind {
    case .taskStarted(let task, let attempt):
      running.insert(task)
      progress[task.index, default: Progress()].attempt = attempt
    case .taskRetrying(let task, let attempt, _, _):
      running.remove(task)
      progress[task.index, default: Progress()].attempt = attempt
      progress[task.index]?.expectsNote = true
    case .taskEnded(let task, _, _, _):
      running.remove(task)
      progress[task.index] = nil
    default: break
    }
  }

  /// The line of a log that begins an attempt after the first.
  private static func note(_ attempt: Int) -> [UInt8] {
    Array("[headway] attempt \(attempt)\n".utf8)
  }

  /// The lines of the next output of a task.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - time: When it is read.
  ///   - isOver: Whether its attempt has ended, so that a last line without an end is taken as well.
  ///   - isRetried: Whether another attempt follows, which may have written something already.
  /// - Returns: The lines, empty if there is nothing new.
  mutating func output(
    of task: TaskID, at time: Duration, isOver: Bool, isRetried: Bool = false
  ) -> [UInt8] {
    guard let logs else { return [] }
    // An attempt that could not be started has no event for its start.
    var known = progress[task.index] ?? Progress()
    var bytes = logs.bytes(of: task, from: known.offset, most: Self.readBytes)
    var isWhole = isOver && bytes.count < Self.readBytes
    if known.expectsNote, let note = bytes.firstRange(of: Self.note(known.attempt)) {
      // An end of a line comes before it, if the attempt before has left a line without an end.
      if bytes[..<note.lowerBound].allSatisfy({ $0 == 0x0A }) {
        known.offset += note.upperBound
        known.expectsNote = false
        bytes.removeFirst(note.upperBound)
      }
    }
    // The next attempt may have begun before its event arrives.
    if isRetried || !isOver, let next = bytes.firstRange(of: Self.note(known.attempt + 1)) {
      bytes.removeLast(bytes.count - next.lowerBound)
      isWhole = true
    }
    let pieces = OutputPieces.pieces(of: bytes, isWhole: isWhole)
    var line = JSONLine(names: description.names)
    for piece in pieces {
      line.begin()
      TaskOutputEvent(
        time: time, task: task, attempt: known.attempt,
        text: String(decoding: bytes[piece], as: UTF8.self)
      ).write(to: &line)
      line.end()
      line.bytes.append(UInt8(ascii: "\n"))
    }
    known.offset += pieces.last?.upperBound ?? 0
    progress[task.index] = known
    return line.bytes
  }
}
