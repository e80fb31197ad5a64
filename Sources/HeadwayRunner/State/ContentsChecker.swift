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

    /// The task.
    var task: TaskID {
      switch self {
      case .check(let task, _), .keep(let task, _, _): task
      }
    }
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
    /// The question that is being answered.
    var current: (task: TaskID, interruption: Interruption)?
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
    guard needsThread else { return }
    let error = SystemThread.start(named: "headway-files", work)
    if error != 0 { refuse(because: "no thread to read files: \(errorDescription(error))") }
  }

  /// Answers all questions without reading a file: the tasks run, and nothing is recorded.
  private func refuse(because reason: String) {
    let state = ContentsRecord.unreadable(because: reason)
    mailbox.withLock { box in
      for question in box.questions {
        switch question {
        case .check(let task, _): box.answers.append(.checked(task, isUpToDate: false, state))
        case .keep(let task, let subject, _):
          ContentsRecord.keep(state, subject)
          box.answers.append(.kept(task, unmatched: state.unmatched))
        }
      }
      box.questions = []
      box.isWorking = false
    }
    wake.set()
  }

  /// Withdraws the question about a task: reading its files ends at the next step.
  ///
  /// Its answer may have come before, or be about to come; the run loop ignores it.
  func cancel(_ task: TaskID) {
    mailbox.withLock { box in
      box.questions.removeAll { $0.task == task }
      if box.current?.task == task { box.current?.interruption.set() }
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
    while let (question, interruption) = nextQuestion() {
      guard let answer = Self.answer(question, until: interruption) else { continue }
      mailbox.withLock { $0.answers.append(answer) }
      wake.set()
    }
  }

  /// The next question, nil if this thread may end.
  private func nextQuestion() -> (Question, Interruption)? {
    mailbox.withLock { box in
      if box.questions.isEmpty {
        box.isWorking = false
        box.current = nil
        return nil
      }
      let question = box.questions.removeFirst()
      let interruption = Interruption()
      box.current = (question.task, interruption)
      return (question, interruption)
    }
  }

  /// Answers a question, on the calling thread.
  ///
  /// - Returns: The answer, nil if it was interrupted; then nothing was recorded.
  static func answer(_ question: Question, until interruption: Interruption = Interruption())
    -> Answer?
  {
    switch question {
    case .check(let task, let subject):
      guard var state = ContentsRecord.state(of: subject, until: interruption) else { return nil }
      state.reason = ContentsRecord.reason(state, subject)
      return .checked(task, isUpToDate: state.reason == nil, state)
    case .keep(let task, let subject, let checked):
      guard var state = ContentsRecord.state(of: subject, until: interruption) else { return nil }
      // If an input has changed meanwhile, the task may have read the old contents.
      state.inputs = checked.inputs
      ContentsRecord.keep(state, subject)
      return .kept(task, unmatched: state.unmatched)
    }
  }
}
