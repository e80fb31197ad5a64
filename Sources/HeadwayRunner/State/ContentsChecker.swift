internal import HeadwayLock
internal import HeadwayRun
internal import HeadwaySystem

/// Looks at the files of tasks on a thread of its own, so that the run loop never waits for a disk.
///
/// Questions are answered in their order. Safe from any thread.
final class ContentsChecker: ContentsChecking, Sendable {
  /// A question about the files of a task.
  enum Question: Sendable {
    /// Whether the task is up to date.
    case check(TaskID, ContentsRecord.Subject)
    /// Records the state after the task's success, with its inputs as they were when it was checked.
    case keep(TaskID, ContentsRecord.Subject, checked: ContentsRecord.State)
  }

  /// The answer to a question.
  enum Answer: Sendable {
    /// Whether the task is up to date, and the state of its files.
    case checked(TaskID, isUpToDate: Bool, ContentsRecord.State)
    /// The state was recorded, unless some patterns match no file: then the task runs again next time.
    case kept(TaskID, unmatched: [String])
  }

  private struct Mailbox: Sendable {
    var questions: [Question] = []
    var answers: [Answer] = []
    /// Whether a thread is at work; it ends when there is no question left.
    var isWorking = false
  }

  private let mailbox = Guarded(Mailbox())
  /// Set while there are answers to take.
  let wake: WaitableEvent

  /// Creates a checker; it has no thread until the first question.
  init() throws(RunnerError) { wake = try .opened() }

  /// Asks a question; `wake` is set once it is answered.
  func ask(_ question: Question) {
    let needsThread = mailbox.withLock { box in
      box.questions.append(question)
      defer { box.isWorking = true }
      return !box.isWorking
    }
    // The thread inherits the signal mask of the run loop's, which takes its signals from a descriptor.
    if needsThread && SystemThread.start(named: "headway-files", work) != 0 {
      // Without a thread the run loop does the work itself.
      work()
    }
  }

  /// Takes the answers that have come.
  func answers() -> [Answer] {
    mailbox.withLock { box in
      defer { box.answers = [] }
      return box.answers
    }
  }

  private func work() {
    while let question = nextQuestion() {
      let answer = Self.answer(question)
      mailbox.withLock { $0.answers.append(answer) }
      wake.set()
    }
  }

  /// The next question, nil if this thread may end.
  private func nextQuestion() -> Question? {
    mailbox.withLock { box in
      if box.questions.isEmpty {
        box.isWorking = false
        return nil
      }
      return box.questions.removeFirst()
    }
  }

  /// Answers a question, on the calling thread.
  static func answer(_ question: Question) -> Answer {
    switch question {
    case .check(let task, let subject):
      let state = ContentsRecord.state(of: subject)
      return .checked(task, isUpToDate: ContentsRecord.isUpToDate(state, subject), state)
    case .keep(let task, let subject, let checked):
      var state = ContentsRecord.state(of: subject)
      // If an input has changed meanwhile, the task may have read the old contents.
      state.inputs = checked.inputs
      ContentsRecord.keep(state, subject)
      return .kept(task, unmatched: state.unmatched)
    }
  }
}
