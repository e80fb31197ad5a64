public import HeadwayRun

extension GraphForecast {
  /// Records the start of an attempt at a task.
  ///
  /// - Complexity: O(1).
  public mutating func start(_ task: Int, at now: Duration) {
    let now = seconds(now)
    guard tasks.indices.contains(task), tasks.states[task] != .ended else { return }
    run(task)
    hosts.remove(task)
    tasks.starts[task] = now
    if !tasks.waits.isEmpty { tasks.waits[task] = nil }
    tasks.reports[task] = nil
    answers.current = nil
  }

  /// Records the end of a task; a task that only groups others may end without having started.
  ///
  /// Only the duration of a success counts; that of a failed or cancelled task does not apply to other tasks, and a
  /// skipped task is not part of the run. A task ends once: a second end, or a later start or retry, has no effect.
  ///
  /// - Complexity: O(dependents).
  public mutating func end(_ task: Int, _ outcome: Outcome.Kind, at now: Duration) {
    let now = seconds(now)
    guard tasks.indices.contains(task), tasks.states[task] != .ended else { return }
    let took = tasks.states[task] == .running ? now - tasks.starts[task] : nil
    let host = hosts.ofTask.isEmpty ? nil : hosts.ofTask[task]
    close(task)
    switch outcome {
    case .succeeded:
      progress.endedCount += 1
      if let took { learn(task, took: took, on: host) }
      // A task that only groups others does not start, and passes on whether one of them has run.
      if took != nil ? !upToDate.hasSameOutputs(task) : upToDate.follows(task) {
        upToDate.ran(task)
      }
    case .failed, .timedOut, .cancelled, .lost: progress.endedCount += 1
    case .upToDate, .doneEarlier, .skipped: progress.countedCount -= 1
    }
  }

  /// Records what a look at the files of a task has shown before its start.
  ///
  /// - Parameters:
  ///   - task: The index of a task that may be up to date; others always run.
  ///   - changed: Whether its inputs have changed, so that it will run; otherwise it runs only if a dependency changes
  ///     its files.
  ///   - now: The time.
  /// - Complexity: O(1).
  public mutating func found(_ task: Int, changed: Bool, at now: Duration) {
    _ = seconds(now)
    guard tasks.indices.contains(task), tasks.states[task] != .ended else { return }
    upToDate.found(task, changed: changed)
    answers.current = nil
  }

  /// Records whether a task has changed its outputs, before its end; if it has not, nothing follows from it.
  ///
  /// - Parameters:
  ///   - task: The index of a task that may be up to date.
  ///   - changed: Whether its outputs differ from those before it ran.
  ///   - now: The time.
  /// - Complexity: O(1).
  public mutating func foundOutputs(of task: Int, changed: Bool, at now: Duration) {
    _ = seconds(now)
    guard tasks.indices.contains(task), tasks.states[task] != .ended else { return }
    upToDate.foundOutputs(of: task, changed: changed)
    answers.current = nil
  }

  /// Records that an attempt at a task failed and that another one follows.
  ///
  /// - Parameters:
  ///   - task: The index of the task.
  ///   - delay: The time until the next attempt, whose start is reported with `start`.
  ///   - now: The time.
  public mutating func retry(_ task: Int, after delay: Duration, at now: Duration) {
    let now = seconds(now)
    guard tasks.indices.contains(task), tasks.states[task] != .ended else { return }
    run(task)
    // The usual duration of a task that often fails first includes its failed attempts.
    if let shift = tasks.retryShifts.removeValue(forKey: task) { tasks.centers[task] += shift }
    hosts.remove(task)
    tasks.retried.insert(task)
    tasks.starts[task] = now + delay.nonnegativeSeconds
    if !tasks.waits.isEmpty { tasks.waits[task] = nil }
    tasks.reports[task] = nil
    answers.current = nil
  }

  /// Records the fraction of its work that a running task reports.
  ///
  /// - Parameters:
  ///   - task: The index of the task.
  ///   - part: The fraction that is done, above 0 and at most 1; other values are ignored.
  ///   - now: The time.
  public mutating func report(_ task: Int, part: Double, at now: Duration) {
    let now = seconds(now)
    guard tasks.indices.contains(task), tasks.states[task] == .running, part > 0, part <= 1 else {
      return
    }
    tasks.reports[task] = (part, now)
    answers.current = nil
  }

  /// Adds a task to the run.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - dependencies: The indices of the tasks that it waits for.
  ///   - now: The time.
  /// - Returns: The index of the task.
  /// - Complexity: O(dependencies), amortized; the next forecast sorts the graph again.
  @discardableResult
  public mutating func add(
    _ task: ForecastInput.Task, after dependencies: [Int] = [], at now: Duration
  ) -> Int {
    _ = seconds(now)
    let index = tasks.count
    let known = dependencies.filter { tasks.indices.contains($0) }
    append(task)
    remainingGraph.graph.addTask(after: known)
    upToDate.connect(index, to: known)
    for before in known where tasks.states[before] != .ended {
      remainingGraph.openDependencies[index] += 1
    }
    if remainingGraph.openDependencies[index] == 0 { makeReady(index) }
    answers.current = nil
    return index
  }

  /// Removes a task from the run; its dependents do not wait for it any more.
  public mutating func remove(_ task: Int, at now: Duration) { end(task, .skipped, at: now) }

  /// Sets the number of tasks that run at a time; less than 1 counts as 1.
  public mutating func setWorkers(_ workers: Int, at now: Duration) {
    _ = seconds(now)
    remainingGraph.workers = max(1, workers)
    updateSharing()
    answers.current = nil
  }

  /// Ends a task and makes the dependents ready that waited for it alone.
  private mutating func close(_ task: Int) {
    tasks.states[task] = .ended
    if !tasks.waits.isEmpty { tasks.waits[task] = nil }
    workspace.schedule.exclude(task)
    tasks.reports[task] = nil
    hosts.remove(task)
    progress.unfinishedCount -= 1
    answers.current = nil
    for position in 0..<remainingGraph.graph.dependentCount(of: task) {
      let dependent = remainingGraph.graph.dependent(position, of: task)
      remainingGraph.openDependencies[dependent] -= 1
      if remainingGraph.openDependencies[dependent] == 0, tasks.states[dependent] == .waiting {
        makeReady(dependent)
      }
    }
  }

  private mutating func run(_ task: Int) {
    if tasks.states[task] != .running { progress.running.append(Int32(task)) }
    tasks.states[task] = .running
    workspace.schedule.exclude(task)
  }

  private mutating func makeReady(_ task: Int) {
    tasks.states[task] = .ready
    progress.ready.append(Int32(task))
  }

  /// Learns from the duration of a finished task.
  private mutating func learn(_ task: Int, took: Double, on host: Int?) {
    observations.add(
      kind: Int(tasks.kinds[task]), value: Logarithms.log(max(took, parameters.minimumDuration)),
      center: tasks.centers[task], spread: tasks.spreads[task], host: host, parameters: parameters)
  }

  /// Packs and sorts the graph, if it has changed.
  mutating func updateOrder() {
    guard isOrderStale else { return }
    isOrderStale = false
    remainingGraph.graph.pack()
    workspace.order = remainingGraph.graph.topologicalOrder()
    if order == .longestPath { rank() }
  }
}
