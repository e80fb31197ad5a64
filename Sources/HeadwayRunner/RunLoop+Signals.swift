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
    for task in files.stopKeeping() {
      core.attemptEnded(task, result: .succeeded, at: clock.now)
    }
  }
}
