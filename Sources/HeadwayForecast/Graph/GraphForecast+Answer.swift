internal import HeadwayRun

extension GraphForecast {
  /// A run of the rest in thought.
  private struct Draw {
    /// How long it takes.
    var length: Double
    /// How likely the running tasks of this run are in it.
    var weight: Double
  }

  /// What is to be expected at a time.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: The raw fraction, and the remaining time with its range.
  /// - Complexity: O(draws · (tasks left + edges) · log workers), at most 24,000 drawn tasks; where more than 4,000
  ///   tasks are left, one draw, and only once in a thousandth to a hundredth of the run. O(1) when nothing happened
  ///   and no time went by since the last answer.
  public mutating func forecast(at now: Duration) -> Answer {
    let now = seconds(now)
    if let answer, answer.time == now { return answer.forecast }
    if leftCount > law.mostScheduledTasks, let recent, let held = held(recent, at: now) {
      return held
    }
    let forecast = reckon(at: now)
    answer = (now, forecast)
    recent = answer
    return forecast
  }

  /// A recent answer of a very large run counted down, nil when a small part of the run has gone by since.
  ///
  /// The part is a thousandth, more where there are more than 20,000 tasks, and a hundredth at most, so that a whole
  /// run of them is foretold at the cost of some hundred schedules.
  private func held(
    _ recent: (time: Double, forecast: Answer), at now: Double
  ) -> Answer? {
    guard let remaining = recent.forecast.remaining else { return nil }
    let median = remaining.median.wholeSeconds
    let passed = now - recent.time
    let part = min(0.01, 0.001 * max(1, Double(leftCount) / 20_000))
    guard passed < part * (recent.time + median) else { return nil }
    var forecast = recent.forecast
    // The fraction goes on with the time, towards the end that it was reckoned from.
    let before = forecast.fraction
    let rest = before > 0 ? recent.time * (1 - before) / before : median
    forecast.fraction = now > 0 ? now / (now + max(0, rest - passed)) : 0
    let gone = Duration(reckoned: passed)
    forecast.remaining = RemainingTime(
      low: max(.zero, remaining.low - gone), median: max(.zero, remaining.median - gone),
      high: max(.zero, remaining.high - gone))
    return forecast
  }

  /// Computes an answer.
  private mutating func reckon(at now: Double) -> Answer {
    guard leftCount > 0 else {
      let none = RemainingTime(low: .zero, median: .zero, high: .zero)
      return Answer(fraction: 1, remaining: none, hasHistory: isWarm)
    }
    putInOrder()
    gather()
    guard isWarm || evidence.count > 0 || !rest.running.isEmpty else {
      return Answer(fraction: 0, remaining: nil, hasHistory: false)
    }
    let outlook = outlook(at: now)
    prepareDraws(outlook)
    if leftCount > law.mostScheduledTasks {
      count(drawnTasks: leftCount)
      return answer(lengthsOfLarge(outlook, at: now), at: now)
    }
    // In steps of two, so that the number, and with it the random numbers, changes seldom.
    var draws = law.mostDraws
    while draws > law.fewestDraws, draws * leftCount > law.mostDrawnTasks { draws /= 2 }
    var lengths: [Draw] = []
    lengths.reserveCapacity(draws)
    for draw in 0..<draws {
      // The speed is stratified: every draw takes another slice of the law; odd draws mirror the ones before.
      let slice = (Double((draw / 2 * 7) % (draws / 2)) + 0.5) / Double(draws)
      let speed = Logarithms.normalQuantile(slice) * outlook.speedSpread
      lengths.append(length(of: draw, speed: draw % 2 == 0 ? speed : -speed, outlook, at: now))
    }
    count(drawnTasks: draws * leftCount)
    lengths.sort { $0.length < $1.length }
    return answer(lengths, at: now)
  }

  /// What is believed of the durations of this run.
  func outlook(at now: Double) -> RunOutlook {
    if isWarm {
      return RunOutlook(
        evidence, meanSeconds: expectedSeconds / Double(states.count),
        speedSpread: model.speedSpread, kinds: kindPriors, law: law)
    }
    let running = rest.running.map { task in
      let elapsed = max(now - begins[Int(task)], law.leastDuration)
      return RunningTask(kind: Int(kinds[Int(task)]), elapsed: Logarithms.log(elapsed))
    }
    return RunOutlook(evidence, running: running, law: law)
  }

  /// The answer that the sorted lengths of the draws give.
  private func answer(_ lengths: [Draw], at now: Double) -> Answer {
    let median = Self.quantile(0.5, of: lengths)
    let counted = Double(endedCount) / Double(max(1, countedCount))
    let (first, last) =
      isWarm
      ? (law.warmQuantile, law.warmLateQuantile) : (law.coldQuantile, law.coldLateQuantile)
    let part = first + (last - first) * counted
    let target = Self.quantile(1 - part, of: lengths)
    var fraction = now > 0 ? now / (now + target) : 0
    if !isWarm { fraction = (1 - law.coldCount) * fraction + law.coldCount * counted }
    let widening =
      !isWarm
      ? law.coldWidening
      : (law.warmWidening + law.oneRunWidening / Double(max(1, model.runCount)))
        * model.calibration.factor
    let low = Self.widened(Self.quantile(0.1, of: lengths), from: median, by: widening)
    let high = Self.widened(Self.quantile(0.9, of: lengths), from: median, by: widening)
    return Answer(
      fraction: fraction,
      remaining: RemainingTime(
        low: Duration(reckoned: low), median: Duration(reckoned: median),
        high: Duration(reckoned: high)),
      hasHistory: isWarm)
  }

  /// A quantile of draws in the order of their lengths, each at the middle of its weight, in a straight line between.
  private static func quantile(_ part: Double, of sorted: [Draw]) -> Double {
    let all = sorted.reduce(0) { $0 + $1.weight }
    // As for plain samples: the first draw stands at 0 and the last at 1.
    let (least, most) = (sorted[0].weight / 2, sorted[sorted.count - 1].weight / 2)
    let wanted = least + part * (all - least - most)
    var sum = 0.0
    var before: (place: Double, length: Double)?
    for draw in sorted {
      let place = sum + draw.weight / 2
      if place >= wanted {
        guard let before, place > before.place else { return draw.length }
        let share = (wanted - before.place) / (place - before.place)
        return before.length + share * (draw.length - before.length)
      }
      before = (place, draw.length)
      sum += draw.weight
    }
    return sorted[sorted.count - 1].length
  }

  /// A bound moved away from the median, in logarithms.
  private static func widened(_ bound: Double, from median: Double, by factor: Double) -> Double {
    guard bound > 0, median > 0 else { return bound }
    return median * Logarithms.exp(factor * Logarithms.log(bound / median))
  }

  /// Gathers the running tasks and the ready ones in their order.
  mutating func gather() {
    rest.running.removeAll(keepingCapacity: true)
    rest.ready.removeAll(keepingCapacity: true)
    runningLog.removeAll { states[Int($0)] != .running }
    runningLog.sort()
    rest.running.append(contentsOf: runningLog)
    readyLog.removeAll { states[Int($0)] != .ready }
    rest.ready.append(contentsOf: readyLog)
  }

  /// The lengths of the draws of a rest of many tasks.
  ///
  /// The chance of single tasks evens out among so many, and one run in thought shows what it comes to. The draws
  /// differ in the speed of the run and its kinds, in proportion to which the rest is longer or shorter.
  private mutating func lengthsOfLarge(_ outlook: RunOutlook, at now: Double) -> [Draw] {
    var sure = outlook
    for kind in sure.shiftSpreads.indices { sure.shiftSpreads[kind] = 0 }
    let length = length(of: 0, speed: 0, sure, at: now).length
    let kindSquare = outlook.shiftSpreads.reduce(0) { max($0, $1 * $1) } / 4
    let spread = (outlook.speedSpread * outlook.speedSpread + kindSquare).root
    return (0..<law.mostDraws).map { draw in
      let part = (Double(draw) + 0.5) / Double(law.mostDraws)
      return Draw(
        length: length * Logarithms.exp(spread * Logarithms.normalQuantile(part)), weight: 1)
    }
  }

  /// How long the rest takes in one draw.
  private mutating func length(
    of draw: Int, speed: Double, _ outlook: RunOutlook, at now: Double
  ) -> Draw {
    let mirror = draw % 2 == 0 ? 1.0 : -1.0
    let logits = CommonDice.logits
    let toScale = 1 / Logarithms.logisticDeviation
    for kind in shiftsNow.indices {
      let dice = CommonDice.place(CommonDice.place(of: -1 - kind), draw: draw)
      let normal = Double(logits[dice]) * toScale * mirror
      shiftsNow[kind] = outlook.shifts[kind] + speed + normal * outlook.shiftSpreads[kind]
    }
    Self.draw(draw, mirror: mirror, waiting, shiftsNow, into: &durations)
    var weight = 1.0
    for task in rest.running {
      let place = Int(task)
      var center = level(of: place, outlook) + shiftsNow[Int(kinds[place])]
      var scale = scale(of: place, outlook)
      if let report = reports[place] { take(report, of: place, into: &center, &scale) }
      durations[place] = residual(
        of: place, center: center, scale: scale, draw: draw, mirror: mirror, at: now)
      weight *= likelihood(of: place, center: center, scale: scale, at: now)
    }
    let length = schedule.length(of: rest, durations: durations)
    return Draw(length: length, weight: max(weight, 1e-12))
  }

  /// Puts what the draws need of each task that has not begun in a row.
  private mutating func prepareDraws(_ outlook: RunOutlook) {
    waiting.removeAll(keepingCapacity: true)
    left.removeAll { states[Int($0)] == .ended }
    rest.pending.removeAll(keepingCapacity: true)
    schedule.prepare(for: rest)
    for place in left.lazy.map(Int.init) where states[place] != .running {
      if states[place] == .waiting { rest.pending.append(Int32(place)) }
      waiting.append(
        Waiting(
          center: level(of: place, outlook), scale: scale(of: place, outlook),
          place: Int32(place), kind: kinds[place], dice: Int32(CommonDice.place(of: place))))
    }
    if shiftsNow.count != outlook.shifts.count {
      shiftsNow = ContiguousArray(repeating: 0, count: outlook.shifts.count)
    }
  }

  /// Draws how long the tasks take that have not begun.
  private static func draw(
    _ draw: Int, mirror: Double, _ waiting: ContiguousArray<Waiting>,
    _ shifts: ContiguousArray<Double>, into durations: inout ContiguousArray<Double>
  ) {
    let table = CommonDice.logits
    let logits = table.span
    let waiting = waiting.span
    let shifts = shifts.span
    var durations = durations.mutableSpan
    for index in waiting.indices {
      let task = waiting[index]
      let logit = Double(logits[CommonDice.place(Int(task.dice), draw: draw)])
      let value = task.center + shifts[Int(task.kind)] + task.scale * mirror * logit
      durations[Int(task.place)] = max(1e-4, Logarithms.exp(value))
    }
  }

  /// The scale of the logistic law of a task's logarithm.
  @inline(__always)
  private func scale(of place: Int, _ outlook: RunOutlook) -> Double {
    let spread =
      outlook.taskSpreads.map { $0[Int(kinds[place])] }
      ?? spreads[place] * outlook.spreadRatios[Int(kinds[place])] * law.spreadKept
    return max(spread, law.leastSpread) / Logarithms.logisticDeviation
  }

  /// Draws what is expected of a task to what it says of itself, by how certain both are.
  func take(
    _ report: (part: Double, time: Double), of place: Int, into center: inout Double,
    _ scale: inout Double
  ) {
    let elapsed = report.time - begins[place]
    guard elapsed > 0 else { return }
    // A part that is done says nothing at 0 and all at 1.
    let doubt = max(law.leastSpread, law.reportSpread * (1 - report.part))
    let difference = Logarithms.log(elapsed / report.part) - center
    // Where the two contradict each other, what is expected is less certain than it seemed.
    let spread = max(scale * Logarithms.logisticDeviation, difference.magnitude / 2)
    let trust = spread * spread / (spread * spread + doubt * doubt)
    center += trust * difference
    scale = spread * (1 - trust).root / Logarithms.logisticDeviation
  }

  /// How likely it is that a running task has run for as long as it has.
  private func likelihood(of place: Int, center: Double, scale: Double, at now: Double) -> Double {
    let elapsed = now - begins[place]
    guard elapsed > 0, law.runningEvidence > 0 else { return 1 }
    let logElapsed = Logarithms.log(elapsed)
    let usual = Logarithms.survival((logElapsed - center) / scale)
    let part = (1 - law.runningEvidence) + law.runningEvidence * usual
    return part
  }

  /// How much longer a running task takes in one draw, given that it has run for some time.
  private func residual(
    of place: Int, center: Double, scale: Double, draw: Int, mirror: Double, at now: Double
  ) -> Double {
    let elapsed = now - begins[place]
    let begin = CommonDice.place(of: place)
    let logit = mirror * Double(CommonDice.logits[CommonDice.place(begin, draw: draw)])
    guard elapsed > 0 else {
      return max(1e-4, Logarithms.exp(center + scale * logit)) - elapsed
    }
    let logElapsed = Logarithms.log(elapsed)
    let outlier = law.outlierSpread / Logarithms.logisticDeviation
    let usual = (1 - law.outlierPart) * Logarithms.survival((logElapsed - center) / scale)
    let odd = law.outlierPart * Logarithms.survival((logElapsed - center) / outlier)
    let other = Double(CommonDice.logits[CommonDice.place(begin + 2_048, draw: draw)])
    let isOdd = Logarithms.survival(-other) * (usual + odd) < odd
    let (width, above) =
      isOdd ? (outlier, odd / law.outlierPart) : (scale, usual / (1 - law.outlierPart))
    // The part of the law above the drawn value: a part of what lies above the elapsed time.
    let part = max(above * Logarithms.survival(logit), 1e-300)
    let whole = Logarithms.exp(center + width * Logarithms.log((1 - part) / part))
    return max(1e-4, whole - elapsed)
  }
}
