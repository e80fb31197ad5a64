/// A model of task durations from earlier runs: a median and a spread for each task and kind, and for all tasks.
///
/// The logarithm of a duration is the sum of the level of its task, the speed of its run and random noise: *log d =
/// level(name) + speed(run) + ε*. Levels and speeds are fitted alternately. A level is then shrunk towards the mean of
/// its kind according to its reliability, *ρ = b / (b + w / m)*, where *b* is the variance between the tasks of the
/// kind, *w* the variance within a task from run to run, and *m* the number of runs (the one-way analysis of variance,
/// as in James and Stein's estimators).
struct DurationModel: Sendable {
  /// The expected duration of a task, as logarithms of seconds.
  struct Prior: Sendable {
    /// The median.
    var center: Double
    /// The standard deviation.
    var spread: Double
    /// What the estimate is based on.
    var source: Source
    /// The median of the task's own durations, regardless of its kind; nil if it never succeeded.
    var own: Double?
    /// The change of the median once the task is retried; nil if it never was.
    var retryShift: Double?
    /// The level of its latest duration, if that was far from the others.
    var secondLevel: SecondLevel?
    /// The share of its time in which it computes, 0 if it is unknown.
    var share = 0.0
  }

  /// The estimates for a kind as a whole.
  struct KindPrior: Sendable {
    /// The standard deviation between its mean and the speed of the run.
    var spread: Double
    /// The mean of its tasks, towards which each one was shrunk.
    var center: Double
    /// The factor of this shrinkage: 1 - *ρ*.
    var doubt: Double
    /// The number of observations on which the spread of its tasks is based.
    var freedom: Double
  }

  /// The source of an estimate.
  enum Source: UInt8, Sendable {
    /// None; only the current run.
    case nothing
    /// All tasks of the history.
    case all
    /// The tasks of the kind.
    case kind
    /// A hint of the user.
    case hint
    /// The task itself, in earlier runs.
    case name

    /// Whether it says something about the task, and not only about all tasks.
    var isExpectation: Bool {
      switch self {
      case .nothing, .all: false
      case .kind, .hint, .name: true
      }
    }
  }

  /// The estimates for tasks in the history.
  private var names: [DurationHistory.Task: Prior] = [:]
  /// The estimates for single tasks of the kinds in the history.
  private var kinds: [String: Prior] = [:]
  /// The estimates for these kinds as a whole.
  private var kindPriors: [String: KindPrior] = [:]
  /// The estimate for an unknown task.
  private var all: Prior
  /// The standard deviation of the speed of runs.
  let speedSpread: Double
  /// The number of earlier runs.
  let runCount: Int

  /// How much longer tasks take on the hosts of earlier runs, as logarithms.
  private var hostShifts: [String: Double] = [:]

  /// The correction of ranges from the errors of earlier forecasts.
  let calibration: ForecastCalibration

  /// The probability that a task takes far longer than it usually does.
  let tailPart: Double

  var isEmpty: Bool { all.source == .nothing }

  /// Learns from earlier runs.
  ///
  /// - Complexity: O(samples), a few passes.
  init(_ history: DurationHistory, _ parameters: ForecastParameters) {
    calibration = ForecastCalibration(history.runs, parameters)
    // A run in which every task was up to date says nothing about durations.
    let measured = DurationHistory(runs: history.runs.filter { !$0.samples.isEmpty })
    var table = SampleTable(measured, parameters)
    guard !table.samples.isEmpty else {
      (speedSpread, runCount) = (parameters.unknownSpeed, 0)
      all = Self.overall(history.kinds, parameters)
      tailPart = parameters.outlierPart
      addKinds(history.kinds, parameters)
      return
    }
    table.fit()
    let medians = table.medians()
    runCount = measured.runs.count
    tailPart = table.tailPart
    hostShifts = table.hostShifts
    speedSpread =
      runCount > 1 ? parameters.speedSpread(of: table.speeds) : parameters.speedAfterOneRun
    let (center, spread) = table.overall()
    all = Prior(
      center: center, spread: max(parameters.minimumOverallSpread, spread), source: .all,
      share: table.share(of: table.names.indices))
    for kind in table.kindNames.indices {
      let (center, within, between) = table.variances(of: kind, runs: runCount)
      kinds[table.kindNames[kind]] = Prior(
        center: center, spread: (within + between).root, source: .kind,
        share: table.share(of: table.tasksOfKind[kind]))
      let seen = table.tasksOfKind[kind].reduce(0) { $0 + table.counts[$1] }
      let number = Double(table.tasksOfKind[kind].count)
      let share = within * number / Double(seen)
      kindPriors[table.kindNames[kind]] = KindPrior(
        spread: runCount > 1 ? parameters.kindSpread : 2 * parameters.kindSpread, center: center,
        doubt: share / (between + share),
        freedom: parameters.withinWeight + Double(seen) - number)
      for task in table.tasksOfKind[kind] {
        let count = Double(table.counts[task])
        let reliability = between / (between + within / count)
        let chance =
          (parameters.withinWeight * within + table.squares[task])
          / (parameters.withinWeight + count - 1)
        let prior = Prior(
          center: center + reliability * (table.levels[task] - center),
          spread: (chance + between * (1 - reliability)).root, source: .name,
          own: medians[task],
          retryShift: table.lastAttempts[task].map { $0.sum / Double($0.count) },
          secondLevel: table.secondLevels[task], share: table.share(of: [task]))
        names[DurationHistory.Task(name: table.names[task], kind: table.kindNames[kind])] = prior
      }
    }
    addKinds(history.kinds, parameters)
  }

  /// Adds the kinds of other plans that this plan has no samples of.
  private mutating func addKinds(
    _ others: [DurationHistory.Kind], _ parameters: ForecastParameters
  ) {
    for kind in others where kinds[kind.name] == nil {
      let (center, square) = Self.estimate(kind, parameters)
      kinds[kind.name] = Prior(center: center, spread: square.root, source: .kind)
      kindPriors[kind.name] = KindPrior(
        spread: parameters.otherPlanSpread, center: center, doubt: 0,
        freedom: parameters.withinWeight)
    }
  }

  /// The level and the variance of the tasks of a kind in other plans.
  private static func estimate(
    _ kind: DurationHistory.Kind, _ parameters: ForecastParameters
  ) -> (center: Double, square: Double) {
    let count = Double(max(kind.count, 1))
    let assumed = parameters.coldWeight * parameters.coldSpread * parameters.coldSpread
    return (
      Logarithms.log(max(kind.typical.nonnegativeSeconds, parameters.minimumDuration)),
      (assumed + (count - 1) * kind.spread * kind.spread) / (parameters.coldWeight + count - 1)
    )
  }

  /// The estimate for an unknown task from the kinds of other plans.
  private static func overall(
    _ others: [DurationHistory.Kind], _ parameters: ForecastParameters
  ) -> Prior {
    guard !others.isEmpty else { return Prior(center: 0, spread: 1, source: .nothing) }
    let centers = others.map { estimate($0, parameters).center }
    let mean = centers.reduce(0, +) / Double(centers.count)
    let square = centers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(centers.count)
    return Prior(
      center: mean, spread: max(parameters.minimumOverallSpread, square.root), source: .all)
  }

  /// How much longer tasks take on a host than on all hosts together, as a logarithm; 0 if it is unknown.
  func hostShift(_ host: String) -> Double { hostShifts[host] ?? 0 }

  /// The estimates for a kind as a whole.
  func kindPrior(_ kind: String, _ parameters: ForecastParameters) -> KindPrior {
    kindPriors[kind]
      ?? KindPrior(
        spread: runCount > 0 ? parameters.unknownKindSpread : parameters.hintedKindSpread,
        center: 0, doubt: 0, freedom: parameters.withinWeight)
  }

  /// The estimate for a task.
  func prior(of task: ForecastInput.Task, _ parameters: ForecastParameters) -> Prior {
    // Without history nothing has to be hashed.
    if !names.isEmpty, let known = names[DurationHistory.Task(name: task.name, kind: task.kind)] {
      return known
    }
    if let hint = task.hint, hint > .zero {
      let center = Logarithms.log(max(hint.nonnegativeSeconds, parameters.minimumDuration))
      return Prior(
        center: center, spread: parameters.hintSpread, source: .hint,
        share: kinds[task.kind]?.share ?? 0)
    }
    // Tasks without a kind have nothing in common.
    return task.kind.isEmpty ? all : kinds[task.kind] ?? all
  }
}
