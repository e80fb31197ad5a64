internal import HeadwayLock
package import HeadwayProgress
package import HeadwayRun

extension RunForecast {
  /// Adds what a running task reports itself, in place of the estimate of its fraction.
  ///
  /// - Parameters:
  ///   - snapshot: The progress of the task; without a total only the detail counts.
  ///   - task: The task.
  ///   - detail: What the task does, for people; nil for nothing.
  /// - Complexity: O(running tasks).
  package mutating func add(_ snapshot: ProgressSnapshot, of task: TaskID, detail: String?) {
    var entry = self[task] ?? RunForecast.Task(task)
    if snapshot.total != nil {
      entry.fraction = min(snapshot.shownFraction, 1.nextDown)
      entry.isReported = true
    }
    entry.detail = detail
    tasks.removeAll { $0.id == task }
    tasks.append(entry)
  }
}

extension Launcher {
  /// What running tasks report themselves, in the order in which their first attempts began.
  ///
  /// - Parameter limit: The maximum number of tasks.
  /// - Returns: The tasks with their numbers of attempts and their progress, without what is below it.
  /// - Complexity: O(tasks); nothing is created for tasks that do not report.
  package func reports(
    limit: Int
  ) -> [(task: TaskID, attempt: Int, snapshot: ProgressSnapshot)] {
    let running = guarded.withLock { state in
      state.running.lazy.compactMap { $0 }.filter(\.reportsProgress)
        .sorted {
          state.core.entries[$0.index].firstStart < state.core.entries[$1.index].firstStart
        }
        .prefix(limit)
        .map { (state.core.id($0.index), Int($0.attempt), $0) }
    }
    // Outside of the lock: reading a tree may call back.
    return running.compactMap { task, attempt, running in
      running.reportedProgress.map { (task, attempt, $0.snapshot(limit: 1)) }
    }
  }
}
