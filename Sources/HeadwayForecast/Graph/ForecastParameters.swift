/// The constants of the forecast, each with its reason; none depends on a plan.
///
/// Spreads are standard deviations of natural logarithms: 0.1 is about ten per cent.
struct ForecastParameters: Sendable {
  /// Shorter durations count as this long: below, what is measured is the clock and the start of a process.
  var minimumDuration = 0.005

  // What is assumed of history before it speaks.

  /// The spread of a task from run to run that is assumed with the weight below.
  var withinSpread = 0.10
  /// How many observations the assumed spread is worth.
  var withinWeight = 3.0
  /// The spread of a task from run to run where there is one earlier run, which cannot tell.
  var withinAfterOneRun = 0.20
  /// The variance between the tasks of a kind that has one task, which cannot tell.
  var betweenOfOne = 0.5
  /// The least spread of a task of which neither name nor kind is known: kinds differ much.
  var minimumOverallSpread = 0.8
  /// The spread of what somebody hints.
  var hintSpread = 0.5
  /// How much the speed of runs differs where there is one earlier run, which cannot tell.
  var speedAfterOneRun = 0.25
  /// How many runs that is worth beside several: those few that went alike by chance are not as sure as they look.
  var speedWeight = 0.5
  /// How much the speed differs where only hints are known.
  var unknownSpeed = 1.0

  // How this run is told from earlier ones.

  /// How much kinds differ from the speed of their run, after two earlier runs or more, and twice that after one.
  var kindSpread = 0.10
  /// How much a kind differs of which history knows nothing.
  var unknownKindSpread = 1.0
  /// How much the speed that one kind shows can be off as that of the run.
  var speedPerKind = 0.30
  /// A variance that every observation has besides its own, so that exact ones do not drown the rest.
  var observationNoise = 0.02
  /// The largest difference of a single observation, so that one task cannot turn the run around.
  var maximumResidual = 3.0
  /// What a single task says of the spread at most, in spreads; what lies beyond is of another sort.
  var maximumRatio = 4.0
  /// How much of its spread a task keeps in the draws: some of it is the speed, which is drawn apart.
  var spreadKept = 0.5
  /// The least spread of a task.
  var minimumSpread = 0.03
  /// How often a task is of another sort than its history says.
  var outlierPart = 0.005
  /// The spread of such a task.
  var outlierSpread = 1.0

  // The first run.

  /// The spread between kinds.
  var coldKindSpread = 1.0
  /// The spread within a kind, with the weight below.
  var coldSpread = 0.8
  /// How many observations that is worth.
  var coldWeight = 3.0
  /// The most that a spread within a kind is taken for.
  var coldMaximumSpread = 1.2
  /// The most that the spread of a kind's mean is taken for.
  var coldMaximumKindSpread = 1.0
  /// How much a running task says beside a finished one.
  var runningWeight = 0.7
  /// The part of draws that the fraction of a first run lies above at its beginning: bold, as too slow a start is
  /// never caught up with when all kinds are unknown.
  var coldQuantile = 0.70
  /// The same at the end: careful, as the last tasks of a first run are the long ones and a bar cannot go back.
  var coldLateQuantile = 0.20
  /// How much the plain count of tasks is mixed into the fraction of a first run.
  var coldCount = 0.50
  /// The part of draws that the fraction lies above at the beginning when there is history: the median errs least.
  var warmQuantile = 0.50
  /// The same at the end: a little careful, as a bar that is ahead must wait and one that is behind need not.
  var warmLateQuantile = 0.40
  /// How much a task that still runs says of the speed.
  var runningTaskWeight = 0.5

  /// The spread of a task's whole duration as it follows from the part that it says is done, near the part 0.
  var reportSpread = 0.5

  // The draws.

  /// How many runs are drawn at most.
  var maximumSimulations = 48
  /// How many tasks are drawn in all at most, which bounds the time of a forecast: beyond, chance evens out by itself.
  var maximumSimulatedTasks = 12_000
  /// The fewest runs that are drawn.
  var minimumSimulations = 6
  /// The largest rest that is drawn several times; a larger one is drawn once.
  var maximumScheduledTasks = 4_000
  /// By how much the range is wider than the draws say, with many earlier runs.
  var warmWidening = 1.4
  /// How much more that is after one earlier run, from which no spread can be told; the nth part of it after n.
  var oneRunWidening = 0.3
  /// By how much the range is wider than the draws say, without.
  var coldWidening = 2.1

  // The correction by earlier misses.

  /// How many runs the width that the law gives is worth.
  var calibrationRuns = 3.0
  /// The most by which a range is made wider or narrower.
  var maximumCalibration = 4.0
  /// The least width of a told range, as a logarithm, in which misses are counted.
  var minimumWidth = 0.01

  /// The law.
  init() {}

  /// How much the speed of runs differs, from the speeds of some.
  func speedSpread(of speeds: [Double]) -> Double {
    let square = speeds.reduce(0) { $0 + $1 * $1 }
    let assumed = speedWeight * speedAfterOneRun * speedAfterOneRun
    return ((assumed + square) / (speedWeight + Double(max(1, speeds.count - 1)))).root
  }
}
