internal import HeadwayLock
internal import HeadwaySystem
internal import Synchronization

/// A request to a run about one of its tasks.
struct TaskRequest: Sendable {
  /// What can be done with a task, by the names of the protocol.
  enum Action: String, Sendable {
    /// It is ended, or not started.
    case cancel
    /// It runs again, now.
    case retry
    /// It ends with its failure, and the run goes on without it.
    case skip
  }

  let action: Action
  /// The name of the task, nil for all on which someone has to decide.
  ///
  /// The name of a task with a matrix stands for all its variants.
  let task: String?
  /// Takes the answer: why it was not done, nil if it was.
  let answer: @Sendable (String?) -> Void
}

/// Requests to a run, of the user and of other programs: pauses, resumes and ends it.
///
/// Safe from any thread.
package final class RunControl: Sendable {
  /// Wakes the run loop after a request.
  let wake: WaitableEvent
  private let pause = Atomic<Bool>(false)
  private let end = Atomic<Bool>(false)
  private let detach = Atomic<Bool>(false)
  private let news = Atomic<Bool>(false)
  private let held = Atomic<Bool>(false)
  private let requests = Guarded<[TaskRequest]>([])

  /// Creates a control of a run that is not paused.
  init() throws(RunnerError) { wake = try .opened() }

  /// Pauses the run, or resumes it if it is paused.
  package func togglePause() {
    pause.logicalXor(true, ordering: .relaxed)
    wake.set()
  }

  /// Pauses or resumes the run.
  func setPaused(_ isPaused: Bool) {
    if pause.exchange(isPaused, ordering: .relaxed) != isPaused { wake.set() }
  }

  /// Ends the run early, as a first interrupt does.
  package func cancel() {
    end.store(true, ordering: .relaxed)
    wake.set()
  }

  /// Lets the run go on in the background.
  package func requestDetach() {
    detach.store(true, ordering: .relaxed)
    wake.set()
  }

  /// Whether the run is to go on in the background.
  var wantsDetach: Bool { detach.load(ordering: .relaxed) }

  /// Whether the run is to end early.
  var wantsEnd: Bool { end.load(ordering: .relaxed) }

  /// Whether the run is held until someone decides about a failure.
  package internal(set) var isHeld: Bool {
    get { held.load(ordering: .relaxed) }
    set { held.store(newValue, ordering: .relaxed) }
  }

  /// Lets all tasks run again that have failed, if the run is held; otherwise does nothing.
  package func retryFailed() { ask(TaskRequest(action: .retry, task: nil) { _ in }) }

  /// Goes on without the tasks that have failed, if the run is held; otherwise does nothing.
  package func skipFailed() { ask(TaskRequest(action: .skip, task: nil) { _ in }) }

  /// Asks for something about a task.
  func ask(_ request: TaskRequest) {
    requests.withLock { $0.append(request) }
    wake.set()
  }

  /// The requests about tasks since the last call.
  func takeRequests() -> [TaskRequest] {
    requests.withLock { requests in
      defer { requests = [] }
      return requests
    }
  }

  /// Lets the listeners know that programs of tasks have reported something.
  func noteNews() {
    news.store(true, ordering: .relaxed)
    wake.set()
  }

  /// Whether programs of tasks have reported something since the last call.
  func takeNews() -> Bool { news.exchange(false, ordering: .relaxed) }

  /// Whether the run is to be paused; changed by requests only, so that no press of the key is lost.
  var wantsPause: Bool { pause.load(ordering: .relaxed) }
}
