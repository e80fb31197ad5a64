internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayRun

/// What signals and the user ask of the run.
extension RunLoop {
  func receive(_ signal: Int32) {
    if signal == SIGHUP, host.ignoresHangup { return }
    note(signal)
    end(endsAtOnce ? .immediate : .graceful, signal)
  }

  /// Notes whether a signal that asks for the end asks for it at once.
  private func note(_ signal: Int32) {
    if signal == SIGQUIT || host.endRequests >= 2 { endsAtOnce = true }
  }

  /// Waits for a moment once all tasks have ended, when signals have no other effect than to end the waiting.
  func waitForEnd() {
    for case .signal(let signal) in host.wait(for: AttemptTable.killInterval) { note(signal) }
  }

  /// Ends the run because of a signal.
  func end(_ urgency: LaunchCore.Urgency, _ signal: Int32) {
    endSignal = endSignal ?? signal
    core.end(urgency, at: clock.now)
    // Reading files may take minutes. Without a record these tasks run again next time.
    for task in keeping.sorted() {
      checker.cancel(task)
      core.attemptEnded(task, result: .succeeded, at: clock.now)
    }
    keeping = []
  }

  /// Forecasts the run more often while somebody watches it.
  func noteWatchers() { emitter.setWatched(publisher?.isWatched ?? false, at: clock.now) }

  /// Goes on in the background, because the view that has started the run is gone.
  func noteViewHasLeft() {
    guard !isInBackground else { return }
    isInBackground = true
    listener.viewHasLeft()
  }
}
