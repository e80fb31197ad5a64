internal import HeadwayRun

/// The process that a run loop lives in, as the loop sees it: what wakes it, and how it stops.
protocol RunHost: AnyObject {
  /// Waits until something has happened or a time has passed.
  ///
  /// - Parameter timeout: The maximum time to wait, nil for no limit. A wait never ends early for it.
  /// - Returns: What has happened, in no particular order; may be empty.
  func wait(for timeout: Duration?) -> [HostEvent]

  /// Shows that the run responds, between steps of which many together take long.
  func takeTurn()

  /// The number of signals that have asked for the end.
  var endRequests: Int { get }

  /// Whether the run goes on if its terminal is closed.
  var ignoresHangup: Bool { get }
}

/// Something that wakes the run loop.
enum HostEvent: Hashable, Sendable {
  /// A process has ended: attempts may have exited.
  case exits
  /// Output of a task can be read.
  case output(TaskID)
  /// The checker of contents has answers.
  case answers
  /// A pause, its end or the end of the run was requested, or programs of tasks have reported something.
  case request
  /// A signal that asks for the end has come.
  case signal(Int32)
}

/// Finds out whether tasks are up to date, without making the run loop wait for a disk.
protocol ContentsChecking: AnyObject {
  /// Asks a question; the host reports `.answers` once it is answered.
  func ask(_ question: ContentsChecker.Question)

  /// Asks for a look at the files of a task, which waits for all questions; `.looked` is its answer.
  ///
  /// It becomes the check if that is asked for meanwhile, and not the look withdrawn.
  func look(_ look: ContentsChecker.Look)

  /// Withdraws the question about a task, or the look; an answer that has come or is about to come is ignored.
  func cancel(_ task: TaskID)

  /// Takes the answers that have come, in the order of their questions; those to looks come between them.
  func answers() -> [ContentsChecker.Answer]
}
