package import HeadwayRun
package import HeadwayTerminal

/// The changes of a run for its renderer: the events since the last update, and what to draw between events.
package struct RunUpdate: Sendable {
  /// An event, with what the display needs of the state at that time.
  package struct Event: Sendable {
    /// The event.
    package let event: RunEvent
    /// The outcome of the task that a skipped task needs, nil for all other events.
    package let needed: Outcome?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - state: The state of the run after the event.
    package init(_ event: RunEvent, _ state: RunState) {
      self.event = event
      if case .taskEnded(_, .skipped(.needs(let task)), _, _) = event.kind {
        needed = state.outcome(of: task)
      } else {
        needed = nil
      }
    }
  }

  /// The events since the last update.
  package var events: [Event] = []
  /// The run after those events.
  package var snapshot = RunSnapshot()

  /// Creates an update without events.
  package init() {}
}

/// The part of a run's state that is drawn between events, small enough to be copied with each update.
package struct RunSnapshot: Sendable {
  /// A task that runs or waits for another attempt.
  package struct ActiveTask: Sendable {
    /// The task.
    package let id: TaskID
    /// Its state.
    package let state: RunState.Task
  }

  /// The number of tasks.
  package var taskCount = 0
  /// How many tasks ended in which way.
  package var counts = RunState.Counts()
  /// The active tasks that began first, at most `maximumActive`.
  package var active: [ActiveTask] = []
  /// The number of all active tasks.
  package var activeCount = 0
  /// Why the run ends early, nil if it does not.
  package var ending: RunEvent.EndReason?
  /// Whether the run is paused.
  package var isPaused = false
  /// The task whose failure holds the run until someone decides, nil if it is not held.
  package var heldBy: TaskID?
  /// The machines that have not started, nil if none wait.
  package var waiting: RunEvent.WorkersWaiting?
  /// The latest forecast, nil before the first.
  package var forecast: RunForecast?
  /// The whole state once the run has ended, nil before.
  package var result: RunState?

  /// Whether nothing runs because the machines for it have not started.
  package var isIdle: Bool { waiting != nil && activeCount == 0 }

  /// The maximum number of active tasks: more than fit on a screen.
  package static let maximumActive = 64

  /// Creates the snapshot of a run that has not begun.
  package init() {}

  /// Creates the snapshot of a run.
  ///
  /// - Parameters:
  ///   - state: The state of the run.
  ///   - forecast: The latest forecast.
  ///   - hasTasks: Whether the active tasks are needed.
  package init(_ state: RunState, _ forecast: RunForecast?, hasTasks: Bool = true) {
    taskCount = state.tasks.count
    counts = state.counts
    activeCount = state.active.count
    ending = state.ending
    isPaused = state.isPaused
    heldBy = state.heldBy
    waiting = state.waiting
    self.forecast = forecast
    if hasTasks {
      active = state.active.prefix(Self.maximumActive).map {
        ActiveTask(id: $0, state: state.tasks[$0.index])
      }
    }
    if state.total != nil { result = state }
  }
}

/// Shows a run: a value that turns its updates and frames into bytes.
///
/// It has no clock, file or thread, and neither folds events nor forecasts: it receives the results. A ``RunConsole``
/// calls it.
package protocol RunRenderer: Sendable {
  /// Receives the changes of the run.
  ///
  /// - Parameters:
  ///   - update: The events since the last update, and the run after them.
  ///   - output: The bytes to append to.
  mutating func update(_ update: RunUpdate, into output: inout [UInt8])
  /// Draws what changes between events.
  ///
  /// - Parameters:
  ///   - now: The time since the run began.
  ///   - size: The size of the terminal.
  ///   - output: The bytes to append to; none if nothing changed.
  mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8])
  /// The time of the next frame, nil if nothing changes until the next update.
  func nextFrame(after now: Duration) -> Duration?
  /// Erases what would be overwritten later, before the program stops or something else draws.
  mutating func withdraw(into output: inout [UInt8])
  /// Erases what would be overwritten later, before lines are printed; the next frame draws again.
  mutating func makeWay(for lines: Int, into output: inout [UInt8])
  /// Erases what would be overwritten later, for a moment; the next frame draws again.
  mutating func erase(into output: inout [UInt8])
  /// Handles a key press.
  mutating func press(_ key: UInt8)
  /// Shows what happens with what is typed.
  mutating func show(_ keys: KeySession.Phase)
}

extension RunRenderer {
  /// Does nothing: printed lines stay as they are.
  package mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {}
  /// Nil: printed lines stay as they are.
  package func nextFrame(after now: Duration) -> Duration? { nil }
  /// Does nothing: printed lines stay as they are.
  package mutating func withdraw(into output: inout [UInt8]) {}
  /// Does nothing: printed lines stay as they are.
  package mutating func makeWay(for lines: Int, into output: inout [UInt8]) {}
  /// Does nothing: printed lines stay as they are.
  package mutating func erase(into output: inout [UInt8]) {}
  /// Ignores the key.
  package mutating func press(_ key: UInt8) {}
  /// Shows nothing.
  package mutating func show(_ keys: KeySession.Phase) {}
}
