internal import HeadwayLaunch
internal import HeadwayLock
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTime

/// Looks at the files of tasks on a thread of its own, so that the run loop never waits for a disk.
///
/// Questions are answered in the order in which they were asked. Safe from any thread.
final class ContentsChecker: Sendable {
  /// What is to be done for a task.
  enum Question: Sendable {
    /// Find out whether it is up to date.
    case check(TaskID, ContentsRecord.Subject)
    /// Keep the state after its success; the inputs count as they were when it was checked.
    case keep(TaskID, ContentsRecord.Subject, checked: ContentsRecord.State)
  }

  /// What came of a question.
  enum Answer: Sendable {
    /// Whether a task is up to date, and the state on which that rests.
    case checked(TaskID, isUpToDate: Bool, ContentsRecord.State)
    /// A state was kept; the patterns matched no file, so that nothing can be said the next time.
    case kept(TaskID, unmatched: [String])
  }

  /// What both threads share.
  private struct Mailbox: Sendable {
    /// What nobody has looked at yet.
    var questions: [Question] = []
    /// What the run loop has not taken yet.
    var answers: [Answer] = []
    /// Whether a thread is at work; it ends when there is nothing left to do.
    var isWorking = false
  }

  /// The questions and answers.
  private let mailbox = Guarded(Mailbox())
  /// Rings while there are answers to take.
  private let ringer: Bell

  /// Creates a checker; it has no thread until the first question.
  init() throws(RunnerError) {
    ringer = try Bell(for: "another thread")
  }

  /// Can be read while there are answers to take.
  var bell: Int32 { ringer.descriptor }

  /// Asks a question; the bell rings when it is answered.
  func ask(_ question: Question) {
    let needsThread = mailbox.withLock { box in
      box.questions.append(question)
      defer { box.isWorking = true }
      return !box.isWorking
    }
    // The thread inherits the mask of the run loop's, which takes its signals from a descriptor.
    if needsThread && SystemThread.start(named: "headway-files", work) != 0 {
      // Without a thread the run loop does the work itself.
      work()
    }
  }

  /// Takes the answers that have come.
  func answers() -> [Answer] {
    ringer.silence()
    return mailbox.withLock { box in
      defer { box.answers = [] }
      return box.answers
    }
  }

  /// Answers questions until none is left.
  private func work() {
    while let question = next() {
      let answer = Self.answer(question)
      mailbox.withLock { $0.answers.append(answer) }
      ringer.ring()
    }
  }

  /// The next question, nil when this thread may end.
  private func next() -> Question? {
    mailbox.withLock { box in
      if box.questions.isEmpty {
        box.isWorking = false
        return nil
      }
      return box.questions.removeFirst()
    }
  }

  /// Does what a question asks for.
  private static func answer(_ question: Question) -> Answer {
    switch question {
    case .check(let id, let subject):
      let state = ContentsRecord.state(of: subject)
      return .checked(id, isUpToDate: ContentsRecord.isUpToDate(state, subject), state)
    case .keep(let id, let subject, let checked):
      var state = ContentsRecord.state(of: subject)
      // An input that changed while the task ran may not have been seen by it.
      state.inputs = checked.inputs
      ContentsRecord.keep(state, subject)
      return .kept(id, unmatched: state.unmatched)
    }
  }
}
