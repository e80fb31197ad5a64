internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayRun

/// What signals and the user ask of the run.
extension RunLoop {
  func receive(_ signal: ReceivedSignal) {
    switch signal.number {
    case SIGTSTP: stop(isFromTerminal: signal.isFromTerminal)
    case SIGCONT: if !isDetached { hooks.resume() }
    // After it was detached, the SIGHUP of a terminal that is closed comes late.
    case SIGHUP where hooks.detachesOnHangup: detach()
    default:
      note(signal)
      end(endsAtOnce ? .immediate : .graceful, signal)
    }
  }

  /// Notes whether a signal that asks for the end asks for it at once.
  private func note(_ signal: ReceivedSignal) {
    // A key reaches this process twice, from the terminal and from the supervisor, and two presses may arrive as one
    // signal; so each way is counted.
    if signal.isFromTerminal, signal.number == SIGINT { typedInterrupts += 1 }
    if signal.number == SIGQUIT || max(host.endRequests, typedInterrupts) >= 2 { endsAtOnce = true }
  }

  /// Waits for a moment once all tasks have ended, when signals have no other effect than to end the waiting.
  func waitForEnd() {
    for case .signal(let signal) in host.wait(for: AttemptTable.killInterval)
    where [SIGINT, SIGTERM, SIGHUP, SIGQUIT].contains(signal.number) {
      note(signal)
    }
  }

  /// Ends the run because of a signal.
  func end(_ urgency: LaunchCore.Urgency, _ signal: ReceivedSignal) {
    endSignal = endSignal ?? signal.number
    core.end(urgency, at: clock.now)
    // Reading files may take minutes. Without a record these tasks run again next time.
    for task in keeping.sorted() {
      checker.cancel(task)
      core.attemptEnded(task, result: .succeeded, at: clock.now)
    }
    keeping = []
  }

  /// Forecasts the run more often while somebody watches it.
  func noteWatchers() {
    let isShown = hooks.isWatched && !isDetached
    emitter.setWatched(isShown || publisher?.isWatched ?? false, at: clock.now)
  }

  /// Leaves the terminal; the run goes on in the background.
  func detach() {
    guard !isDetached else { return }
    update(at: clock.now)
    isDetached = true
    hooks.detach()
    noteWatchers()
  }

  /// Stops the tasks and this process until it is continued.
  func stop(isFromTerminal: Bool) {
    // Tasks that are paused stay so.
    let isPaused = clock.isStopped
    update(at: clock.now)
    if !isDetached { hooks.suspend() }
    if !isPaused {
      clock.stop()
      table.signalAll(.suspend)
    }
    host.stop(isFromTerminal: isFromTerminal)
    if !isPaused {
      table.signalAll(.resume)
      clock.resume()
    }
    if !isDetached { hooks.resume() }
  }
}
