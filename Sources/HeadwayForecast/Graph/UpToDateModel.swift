internal import HeadwayRun

/// Which of the tasks that may be up to date will run, as far as it is known.
///
/// A task runs if its own inputs have changed, or if a task runs and changes files that it reads. Both have a probability,
/// which is learned from earlier runs; a look at the files of a task decides the first one. A change spreads from task to
/// task along the files that they write and read, not along dependencies that only decide the order.
///
/// If a comment was changed, no compiled file changes, and if a declaration was, all of them do. So whether tasks change
/// their outputs is sampled for a whole simulation rather than for each task, and the tasks of this run that have ended
/// show how likely it is.
struct UpToDateModel: Sendable {
  /// What is known of a task before it starts.
  enum Finding: UInt8, Sendable {
    /// It runs: its inputs have changed, or it always runs.
    case runs
    /// Its files have not been looked at.
    case unknown
    /// Its files are as they were: it runs only if a dependency changes them.
    case unchanged
    /// It only groups others, and passes on whether one of them runs.
    case group
  }

  /// What is known of each task; empty if none may be up to date.
  private(set) var findings = ContiguousArray<Finding>()
  /// The probability that the inputs of each task have changed.
  private(set) var changes = ContiguousArray<Float>()
  /// The probability that each task runs if a task has run whose files it reads.
  private(set) var consequences = ContiguousArray<Float>()
  /// Where the tasks that read what a task writes begin in `readers`; the last entry is their number.
  private var starts = ContiguousArray<Int32>()
  /// The tasks that read what each task writes.
  private var readers: [Int32] = []
  /// The same for tasks that were added to the run.
  private var addedReaders: [Int: [Int]] = [:]
  /// Whether a task has changed files that each task reads.
  private var follow = ContiguousArray<Bool>()
  /// The same in one simulation.
  private var followHere = ContiguousArray<Bool>()
  /// Whether each task has run and left its outputs as they were.
  private var sameOutputs = ContiguousArray<Bool>()
  /// The number of tasks of this run whose outputs were compared, and of those that have changed them.
  private var outputs = (all: 0.0, changed: 0.0)

  /// Whether no task may be up to date, so that the rest need not be asked.
  var isEmpty: Bool { findings.isEmpty }

  /// Adds a task, whose probabilities are not known yet.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - index: Its index.
  ///   - parameters: The parameters of the forecast.
  mutating func append(
    _ task: ForecastInput.Task, at index: Int, _ parameters: ForecastParameters
  ) {
    guard task.mayBeUpToDate || !findings.isEmpty else { return }
    for _ in findings.count..<index { add(.runs, parameters) }
    add(!task.mayBeUpToDate ? .runs : task.isGroup ? .group : .unknown, parameters)
  }

  private mutating func add(_ finding: Finding, _ parameters: ForecastParameters) {
    findings.append(finding)
    changes.append(Float(parameters.changeProbability))
    consequences.append(Float(parameters.consequenceProbability))
    follow.append(false)
    followHere.append(false)
    sameOutputs.append(false)
  }

  /// Sets along which edges a change spreads.
  ///
  /// - Complexity: O(tasks + edges).
  mutating func connect(_ edges: [TaskGraph.Edge]) {
    starts = ContiguousArray(repeating: 0, count: findings.count + 1)
    for edge in edges { starts[edge.before + 1] += 1 }
    for index in findings.indices { starts[index + 1] += starts[index] }
    var ends = starts
    readers = Array(repeating: 0, count: edges.count)
    for edge in edges {
      readers[Int(ends[edge.before])] = Int32(edge.after)
      ends[edge.before] += 1
    }
  }

  /// Adds a task that reads what some tasks write.
  mutating func connect(_ task: Int, to writers: [Int]) {
    guard task < findings.count else { return }
    for writer in writers { addedReaders[writer, default: []].append(task) }
  }

  /// The tasks that read what a task writes.
  private func readers(of task: Int) -> Readers {
    let range = task + 1 < starts.count ? Int(starts[task])..<Int(starts[task + 1]) : 0..<0
    return Readers(
      known: readers[range], added: addedReaders.isEmpty ? [] : addedReaders[task]?[...] ?? [])
  }

  /// The tasks that read what a task writes.
  private struct Readers: Sequence, IteratorProtocol {
    var known: ArraySlice<Int32>
    var added: ArraySlice<Int>

    mutating func next() -> Int? { known.popFirst().map(Int.init) ?? added.popFirst() }
  }

  /// Records what a look at the files of a task has shown.
  mutating func found(_ task: Int, changed: Bool) {
    guard task < findings.count, findings[task] != .group, findings[task] != .runs || changed
    else { return }
    findings[task] = changed ? .runs : .unchanged
  }

  /// Records whether a task that has run has changed its outputs.
  mutating func foundOutputs(of task: Int, changed: Bool) {
    guard task < findings.count else { return }
    outputs.all += 1
    if changed { outputs.changed += 1 }
    sameOutputs[task] = !changed
  }

  /// Whether a task has run and left its outputs as they were, so that nothing follows from it.
  func hasSameOutputs(_ task: Int) -> Bool { task < sameOutputs.count && sameOutputs[task] }

  /// Records that a task has run and may have changed its outputs, or that one of the tasks of a group has.
  mutating func ran(_ task: Int) {
    for reader in readers(of: task) { follow[reader] = true }
  }

  /// Whether a task has changed files that a task reads.
  func follows(_ task: Int) -> Bool { task < follow.count && follow[task] }

  /// Decides for one simulation which tasks run.
  ///
  /// - Parameters:
  ///   - order: The unfinished tasks in topological order.
  ///   - states: The state of each task.
  ///   - simulation: The number of the simulation.
  ///   - durations: The sampled durations; that of a task that does not run is set to zero.
  ///   - parameters: The parameters of the forecast.
  /// - Complexity: O(tasks + edges).
  mutating func sample(
    _ order: [Int32], _ states: ContiguousArray<GraphForecast.State>, simulation: Int,
    into durations: inout ContiguousArray<Double>, _ parameters: ForecastParameters
  ) {
    let common = CommonRandomNumbers.unit(Self.commonStart, simulation: simulation)
    for index in follow.indices { followHere[index] = follow[index] }
    for index in order.lazy.map(Int.init) {
      if states[index] != .running,
        !runs(index, simulation: simulation, common: common, parameters)
      {
        durations[index] = 0
        continue
      }
      for reader in readers(of: index) { followHere[reader] = true }
    }
  }

  /// Where the random number starts that the tasks of a simulation share.
  private static let commonStart = CommonRandomNumbers.start(of: .min)

  /// Whether a task runs in one simulation.
  private func runs(
    _ index: Int, simulation: Int, common: Double, _ parameters: ForecastParameters
  ) -> Bool {
    guard index < findings.count, findings[index] != .runs else { return true }
    if findings[index] == .group { return followHere[index] }
    let start = CommonRandomNumbers.start(of: index)
    if findings[index] == .unknown,
      CommonRandomNumbers.unit(start + 1_024, simulation: simulation) < Double(changes[index])
    {
      return true
    }
    guard followHere[index] else { return false }
    let isShared =
      CommonRandomNumbers.unit(start + 512, simulation: simulation) < parameters.sharedChange
    let number =
      isShared ? common : CommonRandomNumbers.unit(start + 3_072, simulation: simulation)
    return number < consequence(of: index, parameters)
  }

  /// The probability that a task runs if one of its dependencies runs, with what this run has shown.
  private func consequence(of index: Int, _ parameters: ForecastParameters) -> Double {
    let usual = Double(consequences[index])
    // A task that hardly ever follows its dependencies only has to wait for them.
    let likely =
      usual < parameters.minimumConsequence
      ? usual : max(usual, parameters.consequenceProbability)
    let weight = parameters.probabilityWeight
    return (weight * usual + outputs.changed * likely) / (weight + outputs.all)
  }

  /// Learns both probabilities from earlier runs.
  ///
  /// Each task counts with its own runs, and in addition with those of its kind as if these were
  /// `probabilityWeight` runs.
  ///
  /// - Parameters:
  ///   - runs: For each earlier run, whether each task ran: nil if it was not part of the run.
  ///   - order: The tasks in topological order.
  ///   - kinds: The kind of each task.
  ///   - parameters: The parameters of the forecast.
  /// - Complexity: O(runs · (tasks + edges)).
  mutating func learn(
    from runs: [[Bool?]], _ order: [Int32], kinds: ContiguousArray<Int32>,
    _ parameters: ForecastParameters
  ) {
    guard !findings.isEmpty, !runs.isEmpty else { return }
    let kindCount = Int(kinds.max() ?? -1) + 1
    var own = Frequencies(count: findings.count, kindCount: kindCount)
    var after = Frequencies(count: findings.count, kindCount: kindCount)
    for run in runs {
      var follows = [Bool](repeating: false, count: findings.count)
      for index in order.lazy.map(Int.init) {
        // A group ends in every run, even if all that it groups is up to date.
        guard findings[index] == .group ? follows[index] : run[index] == true else { continue }
        for reader in readers(of: index) { follows[reader] = true }
      }
      for index in findings.indices where findings[index] == .unknown {
        guard index < run.count, let ran = run[index] else { continue }
        if follows[index] {
          after.add(index, kind: Int(kinds[index]), ran)
        } else {
          own.add(index, kind: Int(kinds[index]), ran)
        }
      }
    }
    for index in findings.indices where findings[index] == .unknown {
      let kind = Int(kinds[index])
      changes[index] = own.probability(
        of: index, kind: kind, usual: Float(parameters.changeProbability), parameters)
      consequences[index] = after.probability(
        of: index, kind: kind, usual: Float(parameters.consequenceProbability), parameters)
    }
  }

  /// How often tasks ran, by task and by kind.
  private struct Frequencies {
    private var tasks: [(ran: Float, all: Float)]
    private var kinds: [(ran: Float, all: Float)]

    init(count: Int, kindCount: Int) {
      tasks = Array(repeating: (0, 0), count: count)
      kinds = Array(repeating: (0, 0), count: kindCount)
    }

    mutating func add(_ task: Int, kind: Int, _ ran: Bool) {
      tasks[task].all += 1
      kinds[kind].all += 1
      guard ran else { return }
      tasks[task].ran += 1
      kinds[kind].ran += 1
    }

    func probability(
      of task: Int, kind: Int, usual: Float, _ parameters: ForecastParameters
    ) -> Float {
      let weight = Float(parameters.probabilityWeight)
      let ofKind = (kinds[kind].ran + weight * usual) / (kinds[kind].all + weight)
      return (tasks[task].ran + weight * ofKind) / (tasks[task].all + weight)
    }
  }
}
