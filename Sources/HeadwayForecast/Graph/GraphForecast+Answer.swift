internal import HeadwayRun

extension GraphForecast {
  /// One simulation of the remaining tasks.
  private struct Simulation {
    /// The time until the last task ends.
    var length: Double
    /// The likelihood that the running tasks have run for as long as they have.
    var weight: Double
  }

  /// The forecast at a time.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: The raw fraction, and the remaining time with its range.
  /// - Complexity: O(simulations · (unfinished tasks + edges) · log tasks), at most 24,000 simulated tasks. With more
  ///   than 4,000 unfinished tasks there is one simulation, and only once in a thousandth to a hundredth of the run.
  ///   O(1) if nothing has happened and no time has passed since the last answer.
  public mutating func forecast(at now: Duration) -> Answer {
    let now = seconds(now)
    if let answer = answers.current, answer.time == now { return answer.forecast }
    if progress.unfinishedCount > parameters.maximumScheduledTasks, let recent = answers.recent,
      let countedDown = countedDown(recent, at: now)
    {
      return countedDown
    }
    let forecast = compute(at: now)
    answers.current = (now, forecast)
    answers.recent = answers.current
    return forecast
  }

  /// A recent answer for a very large run, counted down; nil if more than a small part of the run has passed since.
  ///
  /// The part is a thousandth, more above 20,000 tasks, and at most a hundredth, so that the forecasts of a whole run
  /// cost some hundred simulations.
  private func countedDown(
    _ recent: (time: Double, forecast: Answer), at now: Double
  ) -> Answer? {
    guard let remaining = recent.forecast.remaining else { return nil }
    let part = min(0.01, 0.001 * max(1, Double(progress.unfinishedCount) / 20_000))
    guard now - recent.time < part * (recent.time + remaining.median.nonnegativeSeconds) else {
      return nil
    }
    return recent.forecast.countedDown(from: recent.time, to: now)
  }

  private mutating func compute(at now: Double) -> Answer {
    guard progress.unfinishedCount > 0 else {
      let none = RemainingTime(low: .zero, median: .zero, high: .zero)
      return Answer(fraction: 1, remaining: none, hasHistory: progress.hasHistory)
    }
    updateOrder()
    gather()
    guard progress.hasHistory || observations.count > 0 || !remainingGraph.running.isEmpty else {
      return Answer(fraction: 0, remaining: nil, hasHistory: false)
    }
    let outlook = cachedOutlook(at: now)
    prepareSimulations(outlook)
    if progress.unfinishedCount > parameters.maximumScheduledTasks {
      count(simulatedTasks: progress.unfinishedCount)
      return answer(simulationsOfLargeRun(outlook, at: now), outlook, at: now)
    }
    // Halved, so that the number, and with it the random numbers, seldom changes.
    var number = parameters.maximumSimulations
    while number > parameters.minimumSimulations,
      number * progress.unfinishedCount > parameters.maximumSimulatedTasks
    {
      number /= 2
    }
    var simulations: [Simulation] = []
    simulations.reserveCapacity(number)
    for index in 0..<number {
      // Stratified: every simulation takes another slice of the distribution of the speed; odd ones mirror even ones.
      let slice = (Double((index / 2 * 7) % (number / 2)) + 0.5) / Double(number)
      let speed = Logarithms.normalQuantile(slice) * outlook.speedSpread
      simulations.append(simulate(index, speed: index % 2 == 0 ? speed : -speed, outlook, at: now))
    }
    count(simulatedTasks: number * progress.unfinishedCount)
    simulations.sort { $0.length < $1.length }
    return answer(simulations, outlook, at: now)
  }

  /// The expected durations in this run.
  func outlook(at now: Double) -> RunOutlook {
    guard hosts.mayDiffer else { return outlook(observations, hostShifts: [], at: now) }
    // Which host is slow shows best once kinds are known, and the other way round.
    var shifts = hosts.earlierShifts
    for _ in 0..<parameters.hostRounds {
      shifts = outlook(
        observations.without(shifts, parameters), hostShifts: shifts, at: now
      ).hostShifts(around: hosts.earlierShifts, observations, kinds: kinds.priors, parameters)
    }
    return outlook(observations.without(shifts, parameters), hostShifts: shifts, at: now)
  }

  /// The expected durations in this run, given how fast its hosts are.
  private func outlook(
    _ observations: RunObservations, hostShifts: [Double], at now: Double
  ) -> RunOutlook {
    var outlook: RunOutlook
    if progress.hasHistory {
      outlook = RunOutlook(
        observations, meanSeconds: progress.expectedSeconds / Double(tasks.count),
        speedSpread: model.speedSpread, kinds: kinds.priors, parameters: parameters)
    } else {
      let running = remainingGraph.running.map { task in
        let elapsed = max(now - tasks.starts[Int(task)], parameters.minimumDuration)
        return RunningTask(
          kind: Int(tasks.kinds[Int(task)]),
          elapsed: Logarithms.log(elapsed) - hostShift(of: Int(task), hostShifts))
      }
      outlook = RunOutlook(observations, running: running, parameters: parameters)
    }
    outlook.hostShifts = hostShifts
    return outlook
  }

  /// The forecast from simulations, sorted by length.
  private func answer(
    _ simulations: [Simulation], _ outlook: RunOutlook, at now: Double
  ) -> Answer {
    let hasHistory = progress.hasHistory
    let middle = Self.quantile(0.5, of: simulations)
    // No run is shorter than its longest path.
    let floor = pathFloor(outlook, at: now)
    let lift = floor > middle && middle > 0 ? floor / middle : 1
    let median = middle * lift
    let counted = Double(progress.endedCount) / Double(max(1, progress.countedCount))
    let (first, last) =
      hasHistory
      ? (parameters.warmQuantile, parameters.warmLateQuantile)
      : (parameters.coldQuantile, parameters.coldLateQuantile)
    var part = first + (last - first) * counted
    // The run may end at any moment once something is far overdue, so the bar approaches the end while it goes on.
    part += (parameters.overdueQuantile - part) * lateness(outlook, at: now)
    // The bar follows what is likely: where the run is a little faster than usual, it would lag behind otherwise.
    let target = Self.quantile(1 - part, of: simulations)
    var fraction = now > 0 ? now / (now + target) : 0
    if !hasHistory {
      fraction = (1 - parameters.coldCount) * fraction + parameters.coldCount * counted
    }
    let oneRun = model.runCount > 0 ? parameters.oneRunWidening / Double(model.runCount) : 0
    let widening =
      !hasHistory
      ? parameters.coldWidening
      : (parameters.warmWidening + oneRun) * model.calibration.factor
    let low = Self.widened(Self.quantile(0.1, of: simulations), from: middle, by: widening) * lift
    let high = Self.widened(Self.quantile(0.9, of: simulations), from: middle, by: widening) * lift
    return Answer(
      fraction: fraction,
      remaining: RemainingTime(
        low: Duration(clamping: low), median: Duration(clamping: median),
        high: Duration(clamping: high)),
      hasHistory: hasHistory)
  }

  /// How late the latest task is: from 0, up to `late` times as long as it should take, to 1, `veryLate` times.
  private func lateness(_ outlook: RunOutlook, at now: Double) -> Double {
    guard progress.hasHistory else { return 0 }
    var latest = 0.0
    for task in remainingGraph.running.lazy.map(Int.init) where tasks.sources[task] == .name {
      let elapsed = now - tasks.starts[task]
      guard elapsed > 0 else { continue }
      latest = max(
        latest,
        Logarithms.log(elapsed) - center(of: task, outlook)
          - 1.645 * spreadSquare(of: task, outlook).root)
    }
    let (first, last) = (Logarithms.log(parameters.late), Logarithms.log(parameters.veryLate))
    return min(1, max(0, (latest - first) / (last - first)))
  }

  /// A quantile of sorted simulations, each at the middle of its weight, with linear interpolation.
  private static func quantile(_ part: Double, of sorted: [Simulation]) -> Double {
    let all = sorted.reduce(0) { $0 + $1.weight }
    // As for samples without weights: the first one is at 0 and the last one at 1.
    let (first, last) = (sorted[0].weight / 2, sorted[sorted.count - 1].weight / 2)
    let wanted = first + part * (all - first - last)
    var sum = 0.0
    var before: (position: Double, length: Double)?
    for simulation in sorted {
      let position = sum + simulation.weight / 2
      if position >= wanted {
        guard let before, position > before.position else { return simulation.length }
        let share = (wanted - before.position) / (position - before.position)
        return before.length + share * (simulation.length - before.length)
      }
      before = (position, simulation.length)
      sum += simulation.weight
    }
    return sorted[sorted.count - 1].length
  }

  /// A bound moved away from the median, in logarithms.
  private static func widened(_ bound: Double, from median: Double, by factor: Double) -> Double {
    guard bound > 0, median > 0 else { return bound }
    return median * Logarithms.exp(factor * Logarithms.log(bound / median))
  }

  /// Gathers the running tasks, and the ready ones in their order.
  mutating func gather() {
    remainingGraph.running.removeAll(keepingCapacity: true)
    remainingGraph.ready.removeAll(keepingCapacity: true)
    progress.running.removeAll { tasks.states[Int($0)] != .running }
    progress.running.sort()
    remainingGraph.running.append(contentsOf: progress.running)
    progress.ready.removeAll { tasks.states[Int($0)] != .ready }
    remainingGraph.ready.append(contentsOf: progress.ready)
  }

  /// The simulations of a run with many remaining tasks, made from a single one.
  ///
  /// Random differences average out among so many tasks. The simulations differ in the speed of the run and its kinds,
  /// to which their lengths are proportional.
  private mutating func simulationsOfLargeRun(
    _ outlook: RunOutlook, at now: Double
  ) -> [Simulation] {
    var certain = outlook
    for kind in certain.shiftSpreads.indices { certain.shiftSpreads[kind] = 0 }
    let length = simulate(0, speed: 0, certain, at: now).length
    let kindSquare = outlook.shiftSpreads.reduce(0) { max($0, $1 * $1) } / 4
    let spread = (outlook.speedSpread * outlook.speedSpread + kindSquare).root
    return (0..<parameters.maximumSimulations).map { index in
      let part = (Double(index) + 0.5) / Double(parameters.maximumSimulations)
      return Simulation(
        length: length * Logarithms.exp(spread * Logarithms.normalQuantile(part)), weight: 1)
    }
  }

  /// Simulates the remaining tasks with one sample of the durations.
  private mutating func simulate(
    _ index: Int, speed: Double, _ outlook: RunOutlook, at now: Double
  ) -> Simulation {
    let mirror = index % 2 == 0 ? 1.0 : -1.0
    let logits = CommonRandomNumbers.logits
    let toScale = 1 / Logarithms.logisticDeviation
    for kind in workspace.shifts.indices {
      let number = CommonRandomNumbers.index(
        CommonRandomNumbers.start(of: -1 - kind), simulation: index)
      let normal = Double(logits[number]) * toScale * mirror
      workspace.shifts[kind] = outlook.shifts[kind] + speed + normal * outlook.shiftSpreads[kind]
    }
    Self.sampleDurations(
      simulation: index, mirror: mirror, workspace.notStarted, workspace.shifts,
      into: &workspace.durations)
    for (task, level) in tasks.secondLevels where tasks.states[task].isBeforeStart {
      let start = CommonRandomNumbers.start(of: task)
      if CommonRandomNumbers.unit(start + 2_048, simulation: index) < level.weight {
        workspace.durations[task] *= Logarithms.exp(level.distance)
      }
    }
    if !upToDate.isEmpty {
      upToDate.sample(
        workspace.remainingOrder, tasks.states, simulation: index, into: &workspace.durations,
        parameters)
    }
    var weight = 1.0
    for task in remainingGraph.running {
      let task = Int(task)
      var center =
        level(of: task, outlook) + workspace.shifts[Int(tasks.kinds[task])]
        + hostShift(of: task, outlook.hostShifts)
      var scale = scale(of: task, outlook)
      if let report = tasks.reports[task] { apply(report, of: task, to: &center, &scale) }
      workspace.durations[task] = residual(
        of: task, center: center, scale: scale, simulation: index, at: now)
      weight *= likelihood(of: task, center: center, scale: scale, at: now)
    }
    let length = workspace.schedule.length(of: remainingGraph, durations: workspace.durations)
    return Simulation(length: length, weight: max(weight, 1e-12))
  }

  /// Collects what the simulations need of each task that has not started.
  private mutating func prepareSimulations(_ outlook: RunOutlook) {
    workspace.notStarted.removeAll(keepingCapacity: true)
    progress.unfinished.removeAll { tasks.states[Int($0)] == .ended }
    remainingGraph.waiting.removeAll(keepingCapacity: true)
    gatherHosts(outlook)
    workspace.schedule.prepare(for: remainingGraph)
    for index in progress.unfinished.lazy.map(Int.init) where tasks.states[index] != .running {
      if tasks.states[index] == .waiting { remainingGraph.waiting.append(Int32(index)) }
      if tasks.groups.contains(index) {
        workspace.durations[index] = 0
        continue
      }
      workspace.notStarted.append(
        Workspace.Task(
          center: level(of: index, outlook), scale: scale(of: index, outlook),
          index: Int32(index), kind: tasks.kinds[index],
          randomStart: Int32(CommonRandomNumbers.start(of: index))))
    }
    if !upToDate.isEmpty {
      workspace.remainingOrder = workspace.order.filter { tasks.states[Int($0)] != .ended }
    }
    if workspace.shifts.count != outlook.shifts.count {
      workspace.shifts = ContiguousArray(repeating: 0, count: outlook.shifts.count)
    }
  }

  /// Samples the durations of the tasks that have not started.
  private static func sampleDurations(
    simulation: Int, mirror: Double, _ tasks: ContiguousArray<Workspace.Task>,
    _ shifts: ContiguousArray<Double>, into durations: inout ContiguousArray<Double>
  ) {
    let table = CommonRandomNumbers.logits
    let logits = table.span
    let tasks = tasks.span
    let shifts = shifts.span
    var durations = durations.mutableSpan
    for position in tasks.indices {
      let task = tasks[position]
      let number = CommonRandomNumbers.index(Int(task.randomStart), simulation: simulation)
      let logit = Double(logits[number])
      let value = task.center + shifts[Int(task.kind)] + task.scale * mirror * logit
      durations[Int(task.index)] = max(1e-4, Logarithms.exp(value))
    }
  }

  /// The scale of the logistic distribution of a task's logarithm.
  @inline(__always)
  private func scale(of index: Int, _ outlook: RunOutlook) -> Double {
    let kind = Int(tasks.kinds[index])
    let spread =
      outlook.taskSpreads.map { $0[kind] }
      ?? tasks.spreads[index] * outlook.spreadRatios[kind] * parameters.spreadKept
    return max(spread, parameters.minimumSpread) / Logarithms.logisticDeviation
  }

  /// Combines the expectation of a task with the fraction that it has reported, weighted by their certainty.
  func apply(
    _ report: (fraction: Double, time: Double), of task: Int, to center: inout Double,
    _ scale: inout Double
  ) {
    let elapsed = report.time - tasks.starts[task]
    guard elapsed > 0 else { return }
    // A fraction near 0 contains no information about the duration, and a fraction of 1 determines it.
    let doubt = max(parameters.minimumSpread, parameters.reportSpread * (1 - report.fraction))
    let difference = Logarithms.log(elapsed / report.fraction) - center
    // If the two contradict each other, the expectation is less certain than it seemed.
    let spread = max(scale * Logarithms.logisticDeviation, difference.magnitude / 2)
    let trust = spread * spread / (spread * spread + doubt * doubt)
    center += trust * difference
    scale = spread * (1 - trust).root / Logarithms.logisticDeviation
  }

  /// The likelihood that a running task has run for as long as it has.
  private func likelihood(of task: Int, center: Double, scale: Double, at now: Double) -> Double {
    let elapsed = now - tasks.starts[task]
    guard elapsed > 0, parameters.runningTaskWeight > 0 else { return 1 }
    let logElapsed = Logarithms.log(elapsed)
    let usual = Logarithms.survival((logElapsed - center) / scale)
    return (1 - parameters.runningTaskWeight) + parameters.runningTaskWeight * usual
  }

  /// The remaining duration of a running task in one simulation, given that it has run for some time.
  private func residual(
    of task: Int, center: Double, scale: Double, simulation: Int, at now: Double
  ) -> Double {
    let elapsed = now - tasks.starts[task]
    let start = CommonRandomNumbers.start(of: task)
    let part = CommonRandomNumbers.unit(start, simulation: simulation)
    let choice = CommonRandomNumbers.unit(start + 2_048, simulation: simulation)
    let distribution = DurationDistribution(
      center: center, scale: scale, level: secondLevel(of: task),
      tailPart: model.tailPart, parameters)
    let value = elapsed > 0 ? Logarithms.log(elapsed) : -100
    return max(
      1e-4, distribution.duration(above: value, choice: choice, exceededBy: part) - elapsed)
  }
}

extension GraphForecast.Answer {
  /// The forecast after some more time in which all went as expected.
  ///
  /// - Parameters:
  ///   - then: The time of this forecast, in seconds since the run began.
  ///   - now: A later time.
  /// - Returns: The forecast at that time.
  package func countedDown(from then: Double, to now: Double) -> Self {
    guard let remaining else { return self }
    var later = self
    let passed = max(0, now - then)
    // The fraction advances with the time, towards the end that was forecast.
    let rest =
      fraction > 0 ? then * (1 - fraction) / fraction : remaining.median.nonnegativeSeconds
    later.fraction = now > 0 ? now / (now + max(0, rest - passed)) : 0
    let elapsed = Duration(clamping: passed)
    later.remaining = RemainingTime(
      low: max(.zero, remaining.low - elapsed), median: max(.zero, remaining.median - elapsed),
      high: max(.zero, remaining.high - elapsed))
    return later
  }
}
