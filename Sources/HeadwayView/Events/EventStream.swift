internal import HeadwayLibc
internal import HeadwayLock
package import HeadwayRun
package import HeadwaySystem
internal import HeadwayTerminal

/// Writes the events of a run to a descriptor, as lines of JSON and with the output of the tasks if that is wanted.
///
/// A thread of its own writes, so a slow reader never delays the run. The output is read from the logs when it is written,
/// not before, so it takes no memory while a reader is slow. If the reader is gone or the disk is full, the rest is
/// discarded. Safe from any thread.
package final class EventStream: Sendable {
  /// The maximum number of reads of a running task's log in a row, so that one that never stops does not delay events.
  private static let maxReads = 16

  private struct Inbox: Sendable {
    var update = RunUpdate()
    var isFinishing = false
  }

  private let inbox = Guarded(Inbox())
  private let isRunning = Guarded(false)
  private let error = Guarded<Int32>(0)
  private let wake = WaitableEvent()
  private let ended = WaitableEvent()
  private let output: Int32
  private let growth: FolderWatch?
  private let now: @Sendable () -> Duration

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - description: The run.
  ///   - output: The descriptor to write to; it stays open.
  ///   - logs: The logs, nil to leave the output of tasks out.
  ///   - growth: Notices when a log grows, nil to read the logs at intervals.
  ///   - now: Returns the time since the run began.
  package init(
    _ description: RunDescription, output: Int32, logs: (any TaskLogs)?,
    growth: FolderWatch? = nil,
    now: @escaping @Sendable () -> Duration
  ) {
    self.output = output
    self.growth = growth
    self.now = now
    guard wake.isOpen, ended.isOpen else {
      error.withLock { $0 = EMFILE }
      return
    }
    isRunning.withLock { $0 = true }
    let lines = EventLines(description, logs: logs)
    let problem = SystemThread.start(named: "headway-events", blocksSignals: true) {
      self.run(lines)
    }
    if problem != 0 {
      isRunning.withLock { $0 = false }
      error.withLock { $0 = problem }
    }
  }

  /// The errno because of which something was not written, 0 if there is none; a reader that is gone is not an error.
  package var failure: Int32 { error.withLock { $0 == EPIPE ? 0 : $0 } }

  /// Takes the next events.
  ///
  /// - Parameters:
  ///   - events: The events.
  ///   - state: The state of the run after them.
  ///   - forecast: The latest forecast, nil before the first.
  package func show(_ events: [RunEvent], _ state: RunState, _ forecast: RunForecast?) {
    guard !events.isEmpty else { return }
    let snapshot = RunSnapshot(state, forecast, hasTasks: false)
    inbox.withLock { inbox in
      for event in events { inbox.update.events.append(RunUpdate.Event(event, state)) }
      inbox.update.snapshot = snapshot
    }
    wake.set()
  }

  /// Writes what is left, and ends the thread; a second call does nothing.
  ///
  /// - Parameter limit: The maximum time to wait for a slow reader, nil to wait without limit.
  package func finish(within limit: Duration? = nil) {
    let isFirst = isRunning.withLock { isRunning in
      defer { isRunning = false }
      return isRunning
    }
    guard isFirst else { return }
    inbox.withLock { $0.isFinishing = true }
    wake.set()
    if !ended.wait(for: limit) { error.withLock { $0 = ETIMEDOUT } }
  }

  // MARK: The thread

  private func run(_ first: EventLines) {
    var lines = first
    while true {
      wake.clear()
      growth?.clear()
      let (update, isFinishing) = inbox.withLock { inbox in
        defer { inbox.update.events.removeAll() }
        return (inbox.update, inbox.isFinishing)
      }
      for event in update.events {
        if let end = event.event.endOfAttempt {
          drain(end.task, at: event.event.time, isRetried: end.isRetried, &lines)
        }
        write(lines.line(event, update.snapshot))
      }
      if isFinishing { break }
      for task in lines.running.sorted() { drain(task, at: nil, &lines) }
      rest(whileRunning: !lines.running.isEmpty)
    }
    ended.set()
  }

  /// Sleeps until something happens; a task that prints all the time gets its turn at intervals.
  private func rest(whileRunning isRunning: Bool) {
    guard isRunning, let growth else {
      wake.wait(for: isRunning ? ScreenRegion.interval : nil)
      return
    }
    if !wake.wait(for: RenderLimits.gathering) { wake.wait(for: nil, or: [growth.descriptor]) }
  }

  /// Writes the output of a task that was not written yet.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - end: When its attempt ended, nil if it runs.
  ///   - isRetried: Whether another attempt follows.
  ///   - lines: The lines.
  private func drain(
    _ task: TaskID, at end: Duration?, isRetried: Bool = false, _ lines: inout EventLines
  ) {
    var reads = 0
    while error.withLock({ $0 == 0 }), end != nil || reads < Self.maxReads {
      reads += 1
      let bytes = lines.output(of: task, at: end ?? now(), isOver: end != nil, isRetried: isRetried)
      if bytes.isEmpty { break }
      write(bytes)
    }
  }

  private func write(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, error.withLock({ $0 == 0 }) else { return }
    let code = writeAll(output, bytes)
    if code != 0 { error.withLock { $0 = code } }
  }
}

extension RunEvent {
  /// The task of which an attempt has ended with this event, and whether another one follows.
  var endOfAttempt: (task: TaskID, isRetried: Bool)? {
    switch kind {
    case .taskEnded(let task, _, _, _): (task, false)
    case .taskRetrying(let task, _, _, _): (task, true)
    default: nil
    }
  }
}
