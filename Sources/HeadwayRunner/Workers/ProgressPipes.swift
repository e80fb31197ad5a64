internal import HeadwayLibc
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwaySystem

/// The pipes of a worker through which programs of its attempts report their progress as those written in Zig do.
///
/// What they report is passed to the runner as it is, which shows it. Not thread safe.
struct ProgressPipes {
  /// A pipe.
  private struct Pipe {
    let attempt: Attempt
    let reader: Int32
  }

  /// The most bytes of one message.
  private static let pieceSize = 1 << 16
  /// The token of the first one in the poller, more than the index of any task.
  private static let firstToken: UInt64 = 1 << 40

  private let poller: Poller
  /// The pipes by the indices of their tasks.
  private var pipes: [Int: Pipe] = [:]

  /// Creates no pipes.
  ///
  /// - Parameter poller: Waits for what is reported.
  init(in poller: Poller) { self.poller = poller }

  /// Opens the pipe of an attempt.
  ///
  /// - Returns: The writing end, which the caller closes once the attempt has it; nil if the system refuses it.
  mutating func open(for attempt: Attempt) -> Int32? {
    close(attempt.task.index)
    guard let pipe = ProcessShares.openForwardedZigPipe() else { return nil }
    guard poller.add(pipe.reader, token: Self.firstToken + UInt64(attempt.task.index)) else {
      HeadwayLibc.close(pipe.reader)
      HeadwayLibc.close(pipe.writer)
      return nil
    }
    pipes[attempt.task.index] = Pipe(attempt: attempt, reader: pipe.reader)
    return pipe.writer
  }

  /// Whether a token of the poller is one of these; messages have no tasks with higher indices.
  func contains(token: UInt64) -> Bool {
    token >= Self.firstToken && token - Self.firstToken <= UInt64(Int32.max)
  }

  /// Reads what programs have reported.
  ///
  /// - Parameters:
  ///   - token: The token of the pipe.
  ///   - bytes: The bytes for the runner, to which a message is added.
  mutating func handle(_ token: UInt64, _ bytes: inout [UInt8]) {
    let index = Int(token - Self.firstToken)
    guard let pipe = pipes[index] else { return }
    switch readSome(pipe.reader, most: Self.pieceSize) {
    case .bytes(let report): WorkerReply.progress(pipe.attempt, report).write(to: &bytes)
    case .nothing: break
    case .end, .failed: close(index)
    }
  }

  /// Closes the pipe of a task, if there is one: nothing more is wanted, or can come.
  mutating func close(_ task: Int) {
    guard let pipe = pipes.removeValue(forKey: task) else { return }
    poller.remove(pipe.reader)
    HeadwayLibc.close(pipe.reader)
  }
}
