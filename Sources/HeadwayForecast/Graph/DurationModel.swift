/// How long tasks take according to earlier runs: a median and a spread for each name, kind, and all.
///
/// Every logarithm of a duration is the level of its task, plus the speed of its run, plus chance:
/// *log d = level(name) + speed(run) + ε*. Levels and speeds are fitted in turns. A level is then drawn to the mean of
/// its kind by how reliable it is: *ρ = b / (b + w / m)* with the variance *b* between the tasks of the kind, *w*
/// within a task from run to run, and *m* runs (the one-way analysis of variance, as in James and Stein's estimators).
struct DurationModel: Sendable {
  /// What is known of a task's duration; logarithms of seconds.
  struct Prior: Sendable {
    /// The median.
    var center: Double
    /// The standard deviation.
    var spread: Double
    /// From what it was learned.
    var source: Source
    /// The median of what the task itself took, whatever others of its kind took; nil where it never did its work.
    var own: Double?
    /// What is added to the median once the task is tried again; nil where it never was.
    var retryShift: Double?
  }

  /// What is known of a kind as a whole.
  struct KindPrior: Sendable {
    /// How much its mean differs from the speed of its run.
    var spread: Double
    /// The mean of its tasks, to which each was drawn.
    var center: Double
    /// The part by which each was drawn to it: 1 - *ρ*.
    var doubt: Double
    /// How many observations the spread of its tasks rests on.
    var freedom: Double
  }

  /// From what a duration was learned.
  enum Source: UInt8, Sendable {
    /// Nothing: only the run itself can tell.
    case nothing
    /// All tasks of the history.
    case all
    /// The tasks of its kind.
    case kind
    /// Somebody's hint.
    case hint
    /// The task itself, in earlier runs.
    case name
  }

  /// The identity of a task in history.
  private struct Identity: Hashable {
    /// The name.
    var name: String
    /// The kind.
    var kind: String
  }

  /// The priors of the tasks that history has seen.
  private var names: [Identity: Prior] = [:]
  /// The priors of their kinds.
  private var kinds: [String: Prior] = [:]
  /// What is known of these kinds as wholes.
  private var kindPriors: [String: KindPrior] = [:]
  /// The prior of a task of which nothing is known.
  private let all: Prior
  /// How much the speed of runs differs, as a standard deviation of logarithms.
  let speedSpread: Double
  /// How many earlier runs there are.
  let runCount: Int

  /// By how much the ranges of earlier forecasts were too narrow or too wide.
  let calibration: ForecastCalibration

  /// Whether there is any history.
  var isEmpty: Bool { all.source == .nothing }

  /// Learns from earlier runs.
  ///
  /// - Complexity: O(samples), a few passes.
  init(_ history: DurationHistory, _ parameters: ForecastParameters) {
    calibration = ForecastCalibration(history.runs, parameters)
    var table = SampleTable(history, parameters)
    guard !table.samples.isEmpty else {
      all = Prior(center: 0, spread: 1, source: .nothing)
      (speedSpread, runCount) = (parameters.unknownSpeed, 0)
      return
    }
    table.fit()
    let medians = table.medians()
    runCount = history.runs.count
    speedSpread =
      runCount > 1 ? parameters.speedSpread(of: table.speeds) : parameters.speedAfterOneRun
    let (center, spread) = table.overall()
    all = Prior(center: center, spread: max(parameters.minimumOverallSpread, spread), source: .all)
    for kind in table.kindNames.indices {
      let (center, within, between) = table.variances(of: kind, runs: runCount)
      kinds[table.kindNames[kind]] = Prior(
        center: center, spread: (within + between).root, source: .kind)
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
          retryShift: table.lastAttempts[task].map { $0.sum / Double($0.count) })
        names[Identity(name: table.names[task], kind: table.kindNames[kind])] = prior
      }
    }
  }

  /// What is known of a kind as a whole.
  func kindPrior(_ kind: String, _ parameters: ForecastParameters) -> KindPrior {
    kindPriors[kind]
      ?? KindPrior(
        spread: parameters.unknownKindSpread, center: 0, doubt: 0, freedom: parameters.withinWeight)
  }

  /// What is known of a task.
  func prior(of task: ForecastInput.Task, _ parameters: ForecastParameters) -> Prior {
    if let known = names[Identity(name: task.name, kind: task.kind)] { return known }
    if let hint = task.hint, hint > .zero {
      let center = Logarithms.log(max(hint.nonnegativeSeconds, parameters.minimumDuration))
      return Prior(center: center, spread: parameters.hintSpread, source: .hint)
    }
    return kinds[task.kind] ?? all
  }
}
