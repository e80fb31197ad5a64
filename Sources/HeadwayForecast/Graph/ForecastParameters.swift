/// The parameters of the forecast, each with its reason; none depends on a plan.
///
/// Spreads are standard deviations of natural logarithms: 0.1 is about ten percent.
struct ForecastParameters: Sendable {
  /// Shorter durations count as this long, because they mostly measure the clock and the start of a process.
  var minimumDuration = 0.005

  // Assumptions about history.

  /// The spread of a task from run to run that is assumed with the weight below.
  var withinSpread = 0.10
  /// The number of observations that the assumed spread counts as.
  var withinWeight = 3.0
  /// The spread of a task from run to run after one earlier run, which cannot show it.
  var withinAfterOneRun = 0.20
  /// The variance between the tasks of a kind with a single task, which cannot show it.
  var betweenOfOne = 0.5
  /// The minimum spread of a task whose name and kind are unknown, because kinds differ a lot.
  var minimumOverallSpread = 0.8
  /// The spread of hints.
  var hintSpread = 0.5
  /// The spread of the speed of runs after one earlier run, which cannot show it.
  var speedAfterOneRun = 0.25
  /// The number of runs that this spread counts as: a few runs that were similar by chance are not as certain as they
  /// seem.
  var speedWeight = 0.5
  /// The spread of the speed if only hints are known.
  var unknownSpeed = 1.0

  // The differences between this run and earlier ones.

  /// The spread between kinds and the speed of their run after two or more earlier runs; it is twice that after one.
  var kindSpread = 0.10
  /// The same for a kind that is not in history.
  var unknownKindSpread = 1.0
  /// The spread of the speed of the run if it is estimated from a single kind.
  var speedPerKind = 0.30
  /// A variance that is added to every observation, so that exact ones do not dominate.
  var observationNoise = 0.02
  /// The largest difference of a single observation, so that one task cannot dominate the run.
  var maximumResidual = 3.0
  /// The largest difference of a single task that counts for the spread, in spreads; larger ones are outliers.
  var maximumRatio = 4.0
  /// The part of its spread that a task keeps in simulations: the rest is the speed, which is sampled separately.
  var spreadKept = 0.5
  /// The least spread of a task.
  var minimumSpread = 0.03
  /// The probability that a task is an outlier.
  var outlierPart = 0.005
  /// The spread of outliers.
  var outlierSpread = 1.0

  // The first run.

  /// The spread between kinds.
  var coldKindSpread = 1.0
  /// The spread within a kind, with the weight below.
  var coldSpread = 0.8
  /// The number of observations that this spread counts as.
  var coldWeight = 3.0
  /// The maximum spread within a kind.
  var coldMaximumSpread = 1.2
  /// The maximum spread of a kind's mean.
  var coldMaximumKindSpread = 1.0
  /// The weight of a running task relative to a finished one.
  var runningWeight = 0.7
  /// The part of simulations below the fraction at the beginning of a first run.
  ///
  /// It is optimistic, because a slow start cannot be made up for when all kinds are unknown.
  var coldQuantile = 0.70
  /// The same at the end: pessimistic, because the last tasks of a first run are long and a bar cannot go back.
  var coldLateQuantile = 0.20
  /// The weight of the fraction of finished tasks in the fraction of a first run.
  var coldCount = 0.50
  /// The part of simulations below the fraction at the beginning with history: the median has the smallest error.
  var warmQuantile = 0.50
  /// The same at the end: slightly pessimistic, because a bar that is ahead has to wait.
  var warmLateQuantile = 0.40
  /// The weight of a running task as an observation of the speed.
  var runningTaskWeight = 0.5

  /// The spread of a task's total duration that follows from a reported fraction near 0.
  var reportSpread = 0.5

  // Simulations.

  /// The maximum number of simulations.
  var maximumSimulations = 48
  /// The maximum number of tasks in all simulations, which limits the time; chance evens out among more.
  var maximumSimulatedTasks = 12_000
  /// The minimum number of simulations.
  var minimumSimulations = 6
  /// The maximum number of unfinished tasks that are simulated several times; more are simulated once.
  var maximumScheduledTasks = 4_000
  /// The factor by which the range is wider than that of the simulations, with many earlier runs.
  var warmWidening = 1.4
  /// The additional factor after one earlier run, which cannot show a spread; it is divided by the number of runs.
  var oneRunWidening = 0.3
  /// The factor by which the range is wider than that of the simulations, without earlier runs.
  var coldWidening = 2.1

  // The correction by earlier misses.

  /// The number of runs that the uncorrected width counts as.
  var calibrationRuns = 3.0
  /// The maximum factor by which a range is made wider or narrower.
  var maximumCalibration = 4.0
  /// The minimum width of a predicted range, as a logarithm, for the correction.
  var minimumWidth = 0.01

  /// How much the speed of runs differs, from the speeds of some.
  func speedSpread(of speeds: [Double]) -> Double {
    let square = speeds.reduce(0) { $0 + $1 * $1 }
    let assumed = speedWeight * speedAfterOneRun * speedAfterOneRun
    return ((assumed + square) / (speedWeight + Double(max(1, speeds.count - 1)))).root
  }
}
