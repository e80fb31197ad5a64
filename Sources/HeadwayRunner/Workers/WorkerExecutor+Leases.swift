// How long is waited for workers that do not answer.

internal import HeadwayRun

extension WorkerExecutor {
  /// Notes that there is no connection to a worker any more: its attempts may be alive until its lease has ended.
  func disconnect(_ worker: Int) {
    workers[worker].isReachable = false
    workers[worker].pending = []
    if !entries.values.contains(where: { $0.worker == worker }) { workers[worker].hasEnded = true }
  }

  /// When the attempts of a worker have ended at the latest, if it gets no further answer.
  func leaseEnd(_ worker: Worker) -> Duration {
    worker.answered + patience + WorkerLease.endingTime
  }

  /// When the first of the workers has ended that have got no answer for long, nil if there are none.
  var nextLoss: Duration? { workers.lazy.filter { !$0.hasEnded }.map { self.leaseEnd($0) }.min() }

  /// The workers that have ended by now, because they have got no answer for too long.
  func overdue(at now: Duration) -> [Int] {
    workers.indices.filter { !workers[$0].hasEnded && leaseEnd(workers[$0]) <= now }
  }

  /// Whether a worker says that it lives and has not answered for too long what it was asked.
  ///
  /// Its heartbeats are not answered then, so that its lease ends, and with it what runs there.
  func isSilent(_ worker: Int, at now: Duration) -> Bool {
    guard workers[worker].owesAnswer else { return false }
    let since = workers[worker].owesSince ?? now
    workers[worker].owesSince = since
    return now - since > patience + WorkerLease.endingTime
  }

  /// Gives up a worker on which nothing of the run is alive any more: nobody knows how its attempts have ended.
  func lose(_ worker: Int) {
    guard !workers[worker].hasEnded else { return }
    workers[worker].hasEnded = true
    workers[worker].isReachable = false
    for entry in entries.values where entry.worker == worker {
      let index = entry.attempt.task.index
      entries[index]?.isOutputOver = true
      if entry.hasExited {
        entries[index]?.left = []
      } else {
        end(entry.attempt, .lost, left: [])
      }
    }
  }
}
