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
  /// What some tasks report themselves.
  ///
  /// - Parameter tasks: The tasks; those that do not run, or do not report, are left out.
  /// - Returns: The tasks with their numbers of attempts and their progress, without what is below it.
  /// - Complexity: O(`tasks`).
  package func reports(
    of tasks: some Collection<TaskID>
  ) -> [(task: TaskID, attempt: Int, snapshot: ProgressSnapshot)] {
    let running = guarded.withLock { state in
      tasks.compactMap { task -> (TaskID, Int, RunningTask)? in
        guard state.running.indices.contains(task.index), let running = state.running[task.index],
          running.reportsProgress
        else { return nil }
        return (task, Int(running.attempt), running)
      }
    }
    // Outside of the lock: reading a tree may call back.
    return running.compactMap { task, attempt, running in
      running.reportedProgress.map { (task, attempt, $0.snapshot(limit: 1)) }
    }
  }
}
