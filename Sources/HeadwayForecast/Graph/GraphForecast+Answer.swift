extension GraphForecast {
  /// What is to be expected at a time.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: The raw fraction, and the remaining time with its range.
  /// - Complexity: O(draws · (tasks left + edges) · log workers), at most some 25,000 drawn tasks whatever the graph;
  ///   O(1) when nothing happened and no time went by since the last answer.
  public mutating func forecast(at now: Duration) -> RunForecastAnswer {
    let now = seconds(now)
    if let answer, answer.time == now { return answer.forecast }
    let forecast = reckon(at: now)
    answer = (now, forecast)
    return forecast
  }

  /// Computes an answer.
  private mutating func reckon(at now: Double) -> RunForecastAnswer {
    guard leftCount > 0 else {
      let none = RemainingTime(low: .zero, median: .zero, high: .zero)
      return RunForecastAnswer(fraction: 1, remaining: none, hasHistory: isWarm)
    }
    putInOrder()
    gather()
    guard isWarm || evidence.count > 0 || !rest.running.isEmpty else {
      return RunForecastAnswer(fraction: 0, remaining: nil, hasHistory: false)
    }
    let outlook = outlook(at: now)
    let draws = max(
      law.fewestDraws, min(law.mostDraws, law.mostDrawnTasks / max(1, leftCount)) / 2 * 2)
    var lengths: [Double] = []
    lengths.reserveCapacity(draws)
    for draw in 0..<draws {
      lengths.append(length(of: draw, of: draws, outlook, at: now))
    }
    count(drawnTasks: draws * leftCount)
    lengths.sort()
    return answer(lengths, at: now)
  }

  /// What is believed of the durations of this run.
  private func outlook(at now: Double) -> RunOutlook {
    if isWarm {
      return RunOutlook(
        evidence, meanSeconds: expectedSeconds / Double(states.count),
        speedSpread: model.speedSpread, kindSpreads: kindSpreads, law: law)
    }
    let running = rest.running.map { task in
      let elapsed = max(now - begins[Int(task)], law.leastDuration)
      return RunningTask(kind: Int(kinds[Int(task)]), elapsed: Logarithms.log(elapsed))
    }
    return RunOutlook(evidence, running: running, law: law)
  }

  /// The answer that the sorted lengths of the draws give.
  private func answer(_ lengths: [Double], at now: Double) -> RunForecastAnswer {
    let median = Self.quantile(0.5, of: lengths)
    let target = Self.quantile(1 - (isWarm ? law.warmQuantile : law.coldQuantile), of: lengths)
    var fraction = now > 0 ? now / (now + target) : 0
    if !isWarm {
      let counted = Double(endedCount) / Double(max(1, countedCount))
      fraction = (1 - law.coldCount) * fraction + law.coldCount * counted
    }
    let widening = isWarm ? law.warmWidening : law.coldWidening
    let low = Self.widened(Self.quantile(0.1, of: lengths), from: median, by: widening)
    let high = Self.widened(Self.quantile(0.9, of: lengths), from: median, by: widening)
    return RunForecastAnswer(
      fraction: fraction,
      remaining: RemainingTime(
        low: Duration(reckoned: low), median: Duration(reckoned: median),
        high: Duration(reckoned: high)),
      hasHistory: isWarm)
  }

  /// A quantile of sorted values, between two of them in a straight line.
  private static func quantile(_ part: Double, of sorted: [Double]) -> Double {
    let place = part * Double(sorted.count - 1)
    let below = min(Int(place), sorted.count - 1)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (place - Double(below)) * (sorted[above] - sorted[below])
  }

  /// A bound moved away from the median, in logarithms.
  private static func widened(_ bound: Double, from median: Double, by factor: Double) -> Double {
    guard bound > 0, median > 0 else { return bound }
    return median * Logarithms.exp(factor * Logarithms.log(bound / median))
  }

  /// Gathers the running tasks and the ready ones in their order.
  private mutating func gather() {
    rest.running.removeAll(keepingCapacity: true)
    rest.ready.removeAll(keepingCapacity: true)
    for place in states.indices where states[place] == .running {
      rest.running.append(Int32(place))
    }
    readyLog.removeAll { states[Int($0)] != .ready }
    rest.ready.append(contentsOf: readyLog)
  }

  /// How long the rest takes in one draw.
  private mutating func length(
    of draw: Int, of draws: Int, _ outlook: RunOutlook, at now: Double
  ) -> Double {
    // The speed is stratified: every draw takes another slice of the law; odd draws mirror the ones before.
    let slice = (Double((draw / 2 * 7) % (draws / 2)) + 0.5) / Double(draws)
    let speed = Logarithms.normalQuantile(slice) * outlook.speedSpread * (draw % 2 == 0 ? 1 : -1)
    let mirror = draw % 2 == 0 ? 1.0 : -1.0
    let logits = CommonDice.logits
    let toScale = 1 / Logarithms.logisticDeviation
    let shifts = outlook.shifts.indices.map { kind in
      let dice = CommonDice.place(CommonDice.place(of: -1 - kind), draw: draw)
      let normal = Double(logits[dice]) * toScale * mirror
      return outlook.shifts[kind] + speed + normal * outlook.shiftSpreads[kind]
    }
    for place in states.indices where states[place] == .waiting || states[place] == .ready {
      let kind = Int(kinds[place])
      let scale = scale(of: place, outlook)
      let logit = Double(logits[CommonDice.place(CommonDice.place(of: place), draw: draw)])
      let center = isWarm ? centers[place] : 0
      durations[place] = max(
        1e-4, Logarithms.exp(center + shifts[kind] + scale * mirror * logit))
    }
    for task in rest.running {
      let place = Int(task)
      let center = (isWarm ? centers[place] : 0) + shifts[Int(kinds[place])]
      durations[place] = residual(
        of: place, center: center, scale: scale(of: place, outlook), draw: draw, mirror: mirror,
        at: now)
    }
    return schedule.length(of: rest, durations: durations)
  }

  /// The scale of the logistic law of a task's logarithm.
  @inline(__always)
  private func scale(of place: Int, _ outlook: RunOutlook) -> Double {
    let spread =
      outlook.taskSpreads.map { $0[Int(kinds[place])] } ?? spreads[place] * law.spreadKept
    return max(spread, law.leastSpread) / Logarithms.logisticDeviation
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
