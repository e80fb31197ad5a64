// Attempts that wait for files to be copied, before their commands begin or after they have ended.

internal import HeadwayLibc
internal import HeadwayRun

extension WorkerExecutor {
  /// Takes the files to be copied, with the numbers of their workers.
  func takeCopies() -> [(worker: Int, FileCopies.Copy)] {
    if copies.isEmpty { return [] }
    defer { copies = [] }
    return copies
  }

  /// Takes the attempts whose files need not be copied any more.
  func takeWithdrawals() -> [Attempt] {
    if withdrawals.isEmpty { return [] }
    defer { withdrawals = [] }
    return withdrawals
  }

  /// Goes on with an attempt whose files were copied, or could not be.
  func copied(_ result: FileCopies.Result) {
    guard let entry = entry(of: result.attempt), let waiting = entry.waiting else { return }
    let host = workers[entry.worker].host
    switch waiting {
    case .start(let command):
      guard let problem = result.problem else {
        entries[result.attempt.task.index]?.waiting = nil
        send(.start(result.attempt, command), to: entry.worker)
        if entry.isSuspended { send(.signal(result.attempt, .suspend), to: entry.worker) }
        return
      }
      confirm(
        .failed(.threw("its inputs could not be copied to \(host): \(problem)")),
        of: entry, hasBegun: false)
    case .exit(let outcome):
      let failure = result.problem.map {
        Outcome.failed(.threw("its outputs could not be copied from \(host): \($0)"))
      }
      confirm(failure ?? outcome, of: entry, hasBegun: true)
    case .answer: break
    }
  }

  /// Gives up the files that an attempt waits for.
  func withdraw(_ attempt: Attempt) {
    guard let waiting = entries[attempt.task.index]?.waiting else { return }
    entries[attempt.task.index]?.waiting = nil
    if case .answer = waiting { return }
    copies.removeAll { $0.1.attempt == attempt }
    withdrawals.append(attempt)
  }

  /// Signals an attempt that waits for files, and whose command has not begun or has ended.
  func signal(_ entry: Entry, _ waiting: Waiting, _ signal: AttemptSignal) {
    let index = entry.attempt.task.index
    let killed = Outcome.failed(.signalled(number: Int(SIGKILL)))
    switch (signal, waiting) {
    case (.terminate, .start):
      finish(entry, .failed(.signalled(number: Int(SIGTERM))), hasBegun: false)
    case (.kill, .start): finish(entry, killed, hasBegun: false)
    case (.kill, .exit): finish(entry, killed, hasBegun: true)
    case (.kill, .answer(_, _, let hasBegun)): finish(entry, killed, hasBegun: hasBegun)
    case (.suspend, .start): entries[index]?.isSuspended = true
    case (.resume, .start): entries[index]?.isSuspended = false
    case (.terminate, _), (.suspend, _), (.resume, _): break
    }
  }

  /// Reports a result once the worker has answered that it is still there.
  func confirm(_ outcome: Outcome, of entry: Entry, hasBegun: Bool) {
    let check = sendCheck(to: entry.worker)
    entries[entry.attempt.task.index]?.waiting =
      .answer(check: check, outcome, hasBegun: hasBegun)
  }
}
