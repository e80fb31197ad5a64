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
  var withinWeight = 2.0
  /// The spread of a task from run to run after one earlier run, which cannot show it.
  var withinAfterOneRun = 0.20
  /// The distance from the other durations of a task, in spreads, above which one does not count for its level.
  var deviantSpreads = 4.0
  /// The part of the durations of a kind above which so many are far from the others that this is usual.
  var maximumDeviants = 0.01
  /// The minimum ratio to the other durations for that.
  var deviantRatio = 1.7
  /// The probability that a task whose latest duration was far from the others takes as long again.
  var repeatedDeviant = 0.6
  /// The number of such durations that this probability counts as.
  var repeatWeight = 1.0
  /// The number of durations that the probability of an outlier counts as.
  var outlierWeight = 200.0
  /// The variance between the tasks of a kind with a single task, which cannot show it.
  var betweenOfOne = 0.5
  /// The minimum spread of a task whose name and kind are unknown, because kinds differ a lot.
  var minimumOverallSpread = 0.8
  /// The spread between a kind in other plans and in this one.
  var otherPlanSpread = 0.7
  /// The spread of hints.
  var hintSpread = 0.5
  /// The spread of the speed of runs after one earlier run, which cannot show it.
  var speedAfterOneRun = 0.19
  /// The number of runs that this spread counts as: a few runs that were similar by chance are not as certain as they
  /// seem.
  var speedWeight = 0.5
  /// The spread of the speed without earlier runs of the plan: hints are usually measured on a similar machine.
  var unknownSpeed = 0.5

  // The differences between this run and earlier ones.

  /// The spread between kinds and the speed of their run after two or more earlier runs; it is twice that after one.
  var kindSpread = 0.075
  /// The same for a kind that is not in history.
  var unknownKindSpread = 1.0
  /// The same without earlier runs of the plan.
  var hintedKindSpread = 0.5
  /// The spread of the speed of the run if it is estimated from a single kind.
  var speedPerKind = 0.40
  /// A variance that is added to every observation, so that exact ones do not dominate.
  var observationNoise = 0.02
  /// The spread between hosts: one in twelve is more than twice as fast or as slow as usual.
  var hostSpread = 0.4
  /// The number of rounds in which the speeds of hosts and kinds are estimated alternately.
  var hostRounds = 2
  /// The largest difference of a single observation, so that one task cannot dominate the run.
  var maximumResidual = 1.0
  /// How far the mean of the differences may be from history before the limit moves towards it.
  var nearHistory = 0.6
  /// The maximum number of moves of the limit.
  var robustRounds = 8
  /// The largest difference of a single task that counts for the spread, in spreads; larger ones are outliers.
  var maximumRatio = 4.0
  /// The number of finished tasks of a kind that the assumption counts as that logarithms add up as seconds do.
  var sumWeight = 100.0
  /// The part of its spread that a task keeps in simulations: the rest is the speed, which is sampled separately.
  var spreadKept = 0.5
  /// The least spread of a task.
  var minimumSpread = 0.03
  /// The probability that a task is an outlier.
  var outlierPart = 0.005
  /// The spread of outliers.
  var outlierSpread = 1.2

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
  /// The same at the end: slightly optimistic, because a run that ends early leaves a jump.
  var warmLateQuantile = 0.54
  /// The part of simulations below the fraction when a task is very late.
  var overdueQuantile = 0.6
  /// The ratio to the highest usual duration from which a task is late.
  var late = 2.0
  /// The ratio to it from which a task is very late.
  var veryLate = 5.0
  /// The weight of a running task as an observation of the speed.
  var runningTaskWeight = 0.37

  /// The spread of a task's total duration that follows from a reported fraction near 0.
  var reportSpread = 0.5

  // Tasks that may be up to date.

  /// The probability that the inputs of a task have changed, if nothing is known.
  var changeProbability = 0.5
  /// The probability that a task runs if one of its dependencies has run, if nothing is known: most outputs change.
  var consequenceProbability = 0.9
  /// The part of the tasks that change their outputs all together or not at all.
  var sharedChange = 0.8
  /// The probability below which a task does not run because its dependencies have changed their outputs.
  var minimumConsequence = 0.25
  /// The number of runs that these probabilities, and those of a kind, count as.
  var probabilityWeight = 2.0

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
  var warmWidening = 1.21
  /// The additional factor after one earlier run, which cannot show a spread; it is divided by the number of runs.
  ///
  /// Without any, spreads are assumed, which are wide enough.
  var oneRunWidening = 0.51
  /// The factor by which the range is wider than that of the simulations, without earlier runs.
  var coldWidening = 2.15

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
