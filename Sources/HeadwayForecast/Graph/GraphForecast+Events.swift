internal import HeadwayRun

extension GraphForecast {
  /// Tells that a task began, or began again after a retry.
  ///
  /// - Complexity: O(1).
  public mutating func start(_ task: Int, at now: Duration) {
    let now = seconds(now)
    guard states.indices.contains(task), states[task] != .ended else { return }
    run(task)
    begins[task] = now
    reports[task] = nil
    answer = nil
  }

  /// Tells that a task is over; one that never started, as it only gathers others, may be done too.
  ///
  /// What is over stays so: a second end, a start and a retry change nothing.
  ///
  /// - Complexity: O(children).
  public mutating func end(_ task: Int, _ end: End, at now: Duration) {
    let now = seconds(now)
    guard states.indices.contains(task), states[task] != .ended else { return }
    let took = states[task] == .running ? now - begins[task] : nil
    close(task)
    switch end {
    case .done:
      endedCount += 1
      if let took { learn(task, took: took) }
    case .failed: endedCount += 1
    case .skipped: countedCount -= 1
    }
  }

  /// Tells that an attempt at a task went wrong and that another one follows.
  ///
  /// - Parameters:
  ///   - task: The place of the task.
  ///   - delay: The time until the next attempt, which `start` tells.
  ///   - now: The time.
  public mutating func retry(_ task: Int, after delay: Duration, at now: Duration) {
    let now = seconds(now)
    guard states.indices.contains(task), states[task] != .ended else { return }
    run(task)
    // What a task takes that often fails first holds the failed attempts, too.
    if let shift = retryShifts.removeValue(forKey: task) { centers[task] += shift }
    begins[task] = now + delay.wholeSeconds
    reports[task] = nil
    answer = nil
  }

  /// Tells how far a running task says it is.
  ///
  /// - Parameters:
  ///   - task: The place of the task.
  ///   - part: The part that is done, from 0 to 1; anything else is ignored.
  ///   - now: The time.
  public mutating func report(_ task: Int, part: Double, at now: Duration) {
    let now = seconds(now)
    guard states.indices.contains(task), states[task] == .running, part > 0, part <= 1 else {
      return
    }
    reports[task] = (part, now)
    answer = nil
  }

  /// Adds a task to the run.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - before: The places of the tasks that it waits for.
  ///   - now: The time.
  /// - Returns: Its place: the number of tasks so far.
  /// - Complexity: O(tasks that it waits for), amortised; the next forecast puts the graph in order again.
  @discardableResult
  public mutating func add(
    _ task: ForecastInput.Task, after before: [Int] = [], at now: Duration
  ) -> Int {
    _ = seconds(now)
    let place = states.count
    append(task)
    for earlier in before {
      let edge = TaskGraph.Edge(before: earlier, after: place)
      guard isKnown(edge) else { continue }
      edges.add(earlier, place)
      if states[earlier] != .ended { rest.waits[place] += 1 }
    }
    if rest.waits[place] == 0 { makeReady(place) }
    answer = nil
    return place
  }

  /// Takes a task out of the run; what waited for it no longer does.
  public mutating func remove(_ task: Int, at now: Duration) { end(task, .skipped, at: now) }

  /// Tells how many tasks run at a time from now on; less than 1 counts as 1.
  public mutating func setWorkers(_ workers: Int, at now: Duration) {
    _ = seconds(now)
    rest.workers = max(1, workers)
    answer = nil
  }

  /// Takes a task out of those that are left and lets go what waits for it.
  private mutating func close(_ task: Int) {
    states[task] = .ended
    schedule.forget(task)
    reports[task] = nil
    leftCount -= 1
    answer = nil
    var edge = edges.firstEdge(of: task)
    while edge >= 0 {
      let (child, next) = edges.step(edge)
      edge = next
      rest.waits[child] -= 1
      if rest.waits[child] == 0, states[child] == .waiting { makeReady(child) }
    }
  }

  /// Gives a task a worker.
  private mutating func run(_ task: Int) {
    if states[task] != .running { runningLog.append(Int32(task)) }
    states[task] = .running
    schedule.forget(task)
  }

  /// Lets a task wait for a worker.
  private mutating func makeReady(_ task: Int) {
    states[task] = .ready
    readyLog.append(Int32(task))
  }

  /// Learns from a finished task.
  private mutating func learn(_ task: Int, took: Double) {
    evidence.add(
      kind: Int(kinds[task]), value: Logarithms.log(max(took, law.leastDuration)),
      center: centers[task], spread: spreads[task], law: law)
  }

  /// Puts the children of each task in a row, if the graph has changed.
  mutating func putInOrder() {
    guard isStale else { return }
    isStale = false
    (rest.childStarts, rest.children) = edges.row()
    sortTopologically()
    if order == .longestPath { rank() }
  }
}
