package import HeadwayForecast
package import HeadwayRun
internal import HeadwayText

/// The durations of a plan's tasks in earlier runs.
package struct PastDurations: Hashable, Sendable {
  /// The durations and forecast errors, the oldest run first, under the current names of the tasks.
  package internal(set) var history = DurationHistory()
  /// Whether runs of other machines are included, because this one has not run enough of the plan yet.
  package internal(set) var isOfAnotherMachine = false
  /// Notices for people, a line each; none for a first run, or if the plan has a history of this machine.
  package internal(set) var notices: [String] = []

  /// Creates an empty history.
  package init() {}
}

extension PlanHistory {
  /// The maximum number of forecasts of a run that are compared with its end; neighbours are nearly the same.
  static let maxMisses = 8
  /// The fraction of a run before which forecasts are not compared, because they are mostly guesses.
  static let firstMiss = 0.05

  /// Collects the durations of the tasks of a plan that is about to run.
  ///
  /// A task keeps its history when it changes:
  ///
  /// | change | history |
  /// |---|---|
  /// | none | its own |
  /// | the command | its own: most changed commands take about as long as before |
  /// | the kind | its own, under the new kind |
  /// | the name | that of a removed task whose last command was the same |
  /// | the name and the command | none |
  ///
  /// Tasks that were removed from the plan stay in the history, for their kinds and the speeds of runs. A task that
  /// succeeded is a sample with the time from its first attempt on. One that failed, timed out or was cancelled is a
  /// censored sample. One that was up to date, was never started, or was retried without a record of its last attempt
  /// is no sample; those that were up to date are listed, also for a run without samples. Killed runs count for the
  /// tasks that ended in them.
  ///
  /// Runs of other machines are left out once the complete runs of this machine include half of the tasks in the whole
  /// history. Forecast errors come from complete runs, at most eight of each, evenly spaced.
  ///
  /// - Parameters:
  ///   - tasks: All tasks of the plan, even if only some of them are about to run.
  ///   - machine: The machine that the plan is about to run on.
  /// - Returns: The durations; of the notices, only the one about the machine.
  /// - Complexity: O(*n* + *m* log *m*) for *n* records and *m* tasks.
  package func durations(
    for tasks: [TaskIdentity], on machine: MachineIdentity
  ) -> PastDurations {
    if runs.isEmpty { return PastDurations() }
    let names = TaskNames(tasks, in: self)
    let own = runs.filter { $0.machine == machine }
    let known = names.known(by: runs)
    let isEnough =
      known > 0 && names.known(by: own.filter(\.isComplete)) * 2 >= known
      || own.count == runs.count
    var past = PastDurations()
    for record in (isEnough ? own : runs).reversed() {
      var run = DurationHistory.Run(
        samples: names.samples(of: record), workers: record.workers, misses: record.misses)
      run.processors = record.machine.cores
      run.upToDate = names.upToDate(in: record)
      if run.samples.isEmpty && run.upToDate.isEmpty { continue }
      if !run.samples.isEmpty && record.machine != machine { past.isOfAnotherMachine = true }
      past.history.runs.append(run)
    }
    if past.isOfAnotherMachine {
      past.notices = [
        "history: this machine has not run all of '\(plan.sanitized)' yet; using the times of "
          + "another machine"
      ]
    }
    return past
  }

  /// Returns this history followed by that of the plan's former name.
  func appending(_ older: PlanHistory) -> PlanHistory {
    var whole = self
    whole.tasks += older.tasks
    whole.runs += older.runs.map { run in
      var run = run
      for index in run.records.indices { run.records[index].index += tasks.count }
      return run
    }
    for index in whole.runs.indices { whole.runs[index].tasks = whole.tasks }
    return whole
  }
}

extension RunRecord {
  /// Some of its forecasts with the actual remaining time, evenly spaced; none for an incomplete run.
  var misses: [DurationHistory.Miss] {
    guard let total else { return [] }
    var errors = forecastErrors[...]
    return (0..<PlanHistory.maxMisses).compactMap { step in
      let part = Double(step) / Double(PlanHistory.maxMisses)
      let time = total * (PlanHistory.firstMiss + (1 - PlanHistory.firstMiss) * part)
      errors = errors.drop { $0.at < time }
      return errors.popFirst().map { .init(predicted: $0.told, actual: $0.remaining) }
    }
  }
}

/// The current names of the tasks of a history.
private struct TaskNames {
  /// The current identity of each task of the history.
  private var current: [TaskIdentity]
  /// The index of each task of the history in the plan, nil if it was removed.
  private var indices: [Int?]
  /// The number of tasks of the plan.
  private let count: Int

  init(_ tasks: [TaskIdentity], in history: PlanHistory) {
    // The file has cut long names.
    var planned: [String: Int] = [:]
    for (index, task) in tasks.enumerated() { planned[HistoryFile.cut(task.name)] = index }
    // The newest run comes first, so the first command of a name is its last one.
    var removed: [String: UInt64] = [:]
    var found: Set<String> = []
    for task in history.tasks {
      if planned[task.name] != nil {
        found.insert(task.name)
      } else if removed[task.name] == nil {
        removed[task.name] = task.fingerprint
      }
    }
    // Several tasks with the same command are matched in the order of their names: `test-1` is `check-1` now.
    var new: [UInt64: [Int]] = [:]
    for index in tasks.indices.sorted(by: { tasks[$1].name < tasks[$0].name })
    where tasks[index].fingerprint != 0 && !found.contains(HistoryFile.cut(tasks[index].name)) {
      new[tasks[index].fingerprint, default: []].append(index)
    }
    for (name, fingerprint) in removed.sorted(by: { $0.key < $1.key }) {
      if let index = new[fingerprint]?.popLast() { planned[name] = index }
    }
    indices = history.tasks.map { planned[$0.name] }
    current = zip(indices, history.tasks).map { index, task in index.map { tasks[$0] } ?? task }
    count = tasks.count
  }

  /// The number of the plan's tasks that have succeeded in some runs.
  func known(by runs: [RunRecord]) -> Int {
    var isKnown = [Bool](repeating: false, count: count)
    for run in runs {
      for record in run.records where record.observation == .exact {
        if let index = indices[record.index] { isKnown[index] = true }
      }
    }
    return isKnown.count { $0 }
  }

  /// The samples of a run.
  func samples(of run: RunRecord) -> [DurationHistory.Sample] {
    run.records.compactMap { record in
      guard let duration = record.duration, record.observation != .missing else { return nil }
      let task = current[record.index]
      var sample = DurationHistory.Sample(
        name: task.name, kind: task.kind, duration: duration,
        lastAttempt: record.attempts > 1 ? record.took : nil,
        isCensored: record.observation == .censored, host: record.host)
      // What a service used until its end says nothing about the time until it was ready.
      if record.role != .service, let usage = record.usage, let took = record.took {
        sample.cpuTime = usage.cpuTime
        sample.start = record.began.map { $0 + record.ran - took }
      }
      return sample
    }
  }

  /// The tasks of a run that were up to date.
  func upToDate(in run: RunRecord) -> [DurationHistory.Task] {
    run.records.lazy.filter { $0.outcome == .upToDate }.map { record in
      DurationHistory.Task(name: current[record.index].name, kind: current[record.index].kind)
    }
  }
}

extension HistoryStore {
  /// The number of runs from which on the history of a plan's former name is no longer used.
  static let fewRuns = 5
  /// The minimum number of commands in common with a former name: one or two may be a coincidence.
  static let minSharedCommands = 3
  /// The maximum number of commands by which a plan is compared with others.
  static let maxComparedCommands = 1000
  /// The number of records after which older runs are not read, because they would not change the forecast.
  static let maxRecords = 200_000
  /// The number of records of other plans that are read for the kinds of a plan: enough for several runs of most
  /// plans, and read in about ten milliseconds.
  static let maxOtherRecords = 10_000

  /// Reads the durations of the tasks of a plan that is about to run.
  ///
  /// A plan with few runs may have been renamed: if another plan has at least half of its commands, and at least three,
  /// the runs of that plan are used as older runs. Of kinds without a sample, other plans say how long their tasks take
  /// on this machine; if every kind has one, nothing else is read.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan.
  ///   - tasks: All its tasks, even if only some of them are about to run.
  ///   - machine: The machine that the plan is about to run on.
  /// - Returns: The durations; none for a first run, or if nothing can be read.
  /// - Complexity: O(*m* log *m*) for *m* tasks, and as reading 200,000 records at most, or one run, and 10,000 of other
  ///   plans.
  package func past(
    of plan: String, tasks: [TaskIdentity], on machine: MachineIdentity
  ) -> PastDurations {
    let own = history(of: plan, records: Self.maxRecords)
    var former: String?
    if own.runs.count < Self.fewRuns,
      own.runs.reduce(0, { $0 + $1.records.count }) < Self.maxRecords
    {
      // Hashes are spread evenly, so the lowest ones are a fair sample.
      let commands = Set(tasks.map(\.fingerprint)).subtracting([0]).sorted().prefix(
        Self.maxComparedCommands)
      let found = similar(to: commands, except: plan)
      former = found.flatMap {
        $0.shared * 2 >= commands.count && $0.shared >= Self.minSharedCommands ? $0.plan : nil
      }
    }
    let whole = former.map { own.appending(history(of: $0, records: Self.maxRecords)) } ?? own
    var past = whole.durations(for: tasks, on: machine)
    past.history.kinds = kinds(
      past.history.kindsWithoutSample(of: tasks), except: plan, on: machine)
    if let former, own.runs.isEmpty, !past.history.runs.isEmpty {
      past.notices.insert(
        "history: '\(plan.sanitized)' has no runs yet; using the history of the similar plan "
          + "'\(former.sanitized)'", at: 0)
    }
    return past
  }

  /// Summarizes how long tasks of some kinds take in other plans on a machine.
  private func kinds(
    _ names: Set<String>, except plan: String, on machine: MachineIdentity
  ) -> [DurationHistory.Kind] {
    if names.isEmpty { return [] }
    let durations =
      read { file throws(HistoryError) in
        try file.durations(
          ofKinds: Set(names.map(HistoryFile.cut)), except: plan, on: machine,
          limit: Self.maxOtherRecords)
      } ?? [:]
    return names.sorted().compactMap { name in
      DurationHistory.Kind(name: name, durations: durations[HistoryFile.cut(name)] ?? [])
    }
  }
}

extension DurationHistory {
  /// The kinds of tasks that no earlier run has a sample of; tasks without a kind have nothing in common.
  fileprivate func kindsWithoutSample(of tasks: [TaskIdentity]) -> Set<String> {
    var kinds = Set(tasks.lazy.map(\.kind))
    kinds.remove("")
    for run in runs.reversed() {
      for sample in run.samples {
        if kinds.isEmpty { return kinds }
        kinds.remove(sample.kind)
      }
    }
    return kinds
  }
}
