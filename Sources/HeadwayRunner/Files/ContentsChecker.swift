internal import HeadwayFiles
internal import HeadwayLock
internal import HeadwayRun
internal import HeadwaySystem

/// Looks at the files of tasks on a thread of its own, so that the run loop never waits for a disk.
///
/// Questions are answered in their order, and before looks, which delay nothing: a look makes way for a question after each
/// file, and within large ones. Safe from any thread.
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

  /// A look at the files of a task before a worker has it, which reads no more than is needed to see a change.
  struct Look: Sendable {
    let task: TaskID
    let subject: ContentsRecord.Subject
    /// The number of the look, which the answer repeats.
    let number: Int
  }

  /// The answer to a question.
  enum Answer: Sendable {
    /// Whether the task is up to date, and the state of its files.
    case checked(TaskID, isUpToDate: Bool, ContentsRecord.State)
    /// Whether the outputs differ from those before the task ran. The state was recorded, unless some patterns match no
    /// file: then the task runs again next time.
    case kept(TaskID, hasChanged: Bool, unmatched: [String])
    /// Whether the command or the files of the task have changed since its last success.
    case looked(TaskID, number: Int, isChanged: Bool)
  }

  /// The question or look that is being answered.
  private struct Current: Sendable {
    let task: TaskID
    let interruption: Interruption
    /// Whether it is a look whose task is to be checked now, so that the look becomes the check.
    var isCheck = false
  }

  private struct Mailbox: Sendable {
    var questions: [Question] = []
    var looks: [Look] = []
    var answers: [Answer] = []
    /// The question that is being answered.
    var current: Current?
    /// The look that is under way.
    var look: Current?
    /// Whether a thread is at work; it ends when there is no question left.
    var isWorking = false

    /// Adds a question; a look at the files of the same task becomes the check.
    mutating func add(_ question: Question) {
      if case .check(let task, _) = question {
        looks.removeAll { $0.task == task }
        if let look, look.task == task, !look.interruption.isSet {
          self.look?.isCheck = true
          return
        }
      }
      questions.append(question)
    }
  }

  private let mailbox = Guarded(Mailbox())
  /// Set while there are answers to take.
  let wake: WaitableEvent

  /// Creates a checker; it has no thread until the first question.
  init() throws(RunnerError) { wake = try .opened() }

  /// Asks a question; `wake` is set once it is answered.
  func ask(_ question: Question) { send { $0.add(question) } }

  /// Asks for a look, which waits for all questions.
  func look(_ look: Look) { send { $0.looks.append(look) } }

  private func send(_ add: (inout Mailbox) -> Void) {
    let needsThread = mailbox.withLock { box in
      add(&box)
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
      for look in box.looks {
        box.answers.append(.looked(look.task, number: look.number, isChanged: true))
      }
      for question in box.questions {
        switch question {
        case .check(let task, _): box.answers.append(.checked(task, isUpToDate: false, state))
        case .keep(let task, let subject, _):
          ContentsRecord.keep(state, subject)
          box.answers.append(.kept(task, hasChanged: true, unmatched: state.unmatched))
        }
      }
      (box.questions, box.looks) = ([], [])
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
      box.looks.removeAll { $0.task == task }
      if box.look?.task == task { box.look?.interruption.set() }
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
    repeat {
      answerQuestions()
      if let (look, interruption) = nextLook() { carryOut(look, until: interruption) }
    } while !isDone()
  }

  /// Answers all questions.
  private func answerQuestions() {
    while let (question, interruption) = nextQuestion() {
      guard let answer = Self.answer(question, until: interruption) else { continue }
      tell(answer)
    }
  }

  /// Looks at the files of a task; the answer is that to a check if the task has got a worker meanwhile.
  private func carryOut(_ look: Look, until interruption: Interruption) {
    let record = ContentsRecord.record(of: look.subject)
    let state = ContentsRecord.state(of: look.subject, until: interruption) { state in
      !mailbox.withLock { $0.look?.isCheck ?? false }
        && ContentsRecord.isChanged(state, since: record)
    }
    let isCheck = mailbox.withLock { box in
      defer { box.look = nil }
      return box.look?.isCheck ?? false
    }
    guard var state, !interruption.isSet else { return }
    guard isCheck else {
      let isChanged = ContentsRecord.isChanged(state, since: record)
      return tell(.looked(look.task, number: look.number, isChanged: isChanged))
    }
    guard !state.isPartial else {
      // It became a check just when a difference was found.
      return mailbox.withLock { $0.questions.insert(.check(look.task, look.subject), at: 0) }
    }
    state.reason = ContentsRecord.reason(state, since: record)
    tell(.checked(look.task, isUpToDate: state.reason == nil, state))
  }

  private func tell(_ answer: Answer) {
    let isFirst = mailbox.withLock { box in
      defer { box.answers.append(answer) }
      return box.answers.isEmpty
    }
    // Whoever takes the answers has cleared it before.
    if isFirst { wake.set() }
  }

  /// Whether this thread may end.
  private func isDone() -> Bool {
    mailbox.withLock { box in
      guard box.questions.isEmpty, box.looks.isEmpty else { return false }
      box.isWorking = false
      return true
    }
  }

  /// The next question, nil if there is none.
  private func nextQuestion() -> (Question, Interruption)? {
    mailbox.withLock { box in
      if box.questions.isEmpty {
        box.current = nil
        return nil
      }
      let question = box.questions.removeFirst()
      let interruption = Interruption()
      box.current = Current(task: question.task, interruption: interruption)
      return (question, interruption)
    }
  }

  private func nextLook() -> (Look, Interruption)? {
    mailbox.withLock { box in
      guard !box.looks.isEmpty else { return nil }
      let look = box.looks.removeFirst()
      let interruption = Interruption { [self] in answerQuestions() }
      box.look = Current(task: look.task, interruption: interruption)
      return (look, interruption)
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
      return .kept(
        task, hasChanged: state.outputs != checked.outputs, unmatched: state.unmatched)
    }
  }
}
