package import HeadwayForecast

/// What earlier runs say about the tasks of a plan that is about to run, and what they do not.
package struct PastDurations: Hashable, Sendable {
  /// How long tasks took and how wrong forecasts were, the oldest run first, under the names of today.
  package internal(set) var history = DurationHistory()
  /// Whether runs of other machines are among them, because this one has not carried out enough of the plan yet.
  package internal(set) var isOfAnotherMachine = false
  /// What a person should know, a line each: nothing for a first run and for one with a history of its own.
  package internal(set) var notices: [String] = []

  /// Nothing is known.
  package init() {}
}

extension PlanHistory {
  /// The most forecasts of a run that are compared with the truth; neighbours say nearly the same.
  static let mostMisses = 8
  /// The part of a run before which a forecast is not compared: the first ones say how bold it begins, no more.
  static let tooEarly = 0.05

  /// Brings what earlier runs say to the tasks of a plan that is about to run.
  ///
  /// A task keeps its history through a change:
  ///
  /// | of the task has changed | then |
  /// |---|---|
  /// | nothing | its history is its own |
  /// | the command | it keeps its history: a changed command takes about as long more often than not |
  /// | the kind | it keeps its history, under its new kind |
  /// | the name | it gets the history of a name that the plan has no more and that had the same command at last |
  /// | the name and the command | it is new |
  ///
  /// Tasks that the plan has no more stay in the history, for what they say about their kinds and the speeds of runs.
  /// A task that succeeded is a sample with its time from its first attempt on; one that failed, ran out of time or was
  /// cancelled took at least that long; one that was up to date, was never started, or was retried without anybody
  /// noting its last attempt says nothing. Killed runs count for the tasks that ended in them.
  ///
  /// Runs of other machines are left out as soon as the runs that this machine has carried out know half of the
  /// tasks that the whole history knows. Misses come from runs that were carried out, at most eight of a run, spread
  /// over it.
  ///
  /// - Parameters:
  ///   - tasks: All tasks of the plan, also where only some of them are to run.
  ///   - machine: The machine that it is to run on.
  /// - Returns: What is known; of the notices, only the one about the machine.
  /// - Complexity: O(*n* + *m* log *m*) for *n* records and *m* tasks.
  package func durations(
    for tasks: [TaskIdentity], on machine: MachineIdentity
  ) -> PastDurations {
    let names = TaskNames(tasks, in: self)
    let own = runs.filter { $0.machine == machine }
    let known = names.known(by: runs)
    let isEnough =
      known > 0 && names.known(by: own.filter(\.isCarriedOut)) * 2 >= known
      || own.count == runs.count
    var past = PastDurations()
    for run in (isEnough ? own : runs).reversed() {
      let samples = names.samples(of: run)
      // A run in which everything was up to date says nothing, and is none.
      if samples.isEmpty { continue }
      past.isOfAnotherMachine = past.isOfAnotherMachine || run.machine != machine
      past.history.runs.append(
        DurationHistory.Run(samples: samples, workers: run.workers, misses: run.misses))
    }
    if past.isOfAnotherMachine {
      past.notices = [
        "history: this machine has not run the whole of '\(plain(plan))' yet; the times of "
          + "another machine are used"
      ]
    }
    return past
  }

  /// This history with that of a plan that was called otherwise before it.
  func following(_ older: PlanHistory) -> PlanHistory {
    var whole = self
    whole.tasks += older.tasks
    whole.runs += older.runs.map { run in
      var run = run
      for place in run.records.indices { run.records[place].task += tasks.count }
      return run
    }
    return whole
  }
}

extension PlanHistory.Run {
  /// A few of its forecasts with the truth, spread over the run; none for a run that was not carried out.
  var misses: [DurationHistory.Miss] {
    guard let total else { return [] }
    var errors = forecastErrors[...]
    return (0..<PlanHistory.mostMisses).compactMap { turn in
      let part = Double(turn) / Double(PlanHistory.mostMisses)
      let time = total * (PlanHistory.tooEarly + (1 - PlanHistory.tooEarly) * part)
      errors = errors.drop { $0.at < time }
      return errors.popFirst().map { .init(predicted: $0.told, actual: $0.remaining) }
    }
  }
}

/// The names that the tasks of a history have today.
private struct TaskNames {
  /// What each task of the history is known by today.
  private var today: [TaskIdentity]
  /// The place of each task of the history in the plan, nil where the plan has it no more.
  private var places: [Int?]
  /// The number of tasks of the plan.
  private let count: Int

  /// Finds the tasks of a history in a plan.
  init(_ tasks: [TaskIdentity], in history: PlanHistory) {
    // The file cuts long names; those of the plan are found by what it keeps of them.
    var planned: [String: Int] = [:]
    for (place, task) in tasks.enumerated() { planned[HistoryFile.cut(task.name)] = place }
    // The newest run comes first, so the first command of a name is its last one.
    var forgotten: [String: UInt64] = [:]
    var found: Set<String> = []
    for task in history.tasks {
      if planned[task.name] != nil {
        found.insert(task.name)
      } else if forgotten[task.name] == nil {
        forgotten[task.name] = task.fingerprint
      }
    }
    // Of several with one command each gets one, in the order of their names: `test-1` is `check-1` now.
    var new: [UInt64: [Int]] = [:]
    for place in tasks.indices.sorted(by: { tasks[$1].name < tasks[$0].name })
    where tasks[place].fingerprint != 0 && !found.contains(HistoryFile.cut(tasks[place].name)) {
      new[tasks[place].fingerprint, default: []].append(place)
    }
    for (name, fingerprint) in forgotten.sorted(by: { $0.key < $1.key }) {
      if let place = new[fingerprint]?.popLast() { planned[name] = place }
    }
    places = history.tasks.map { planned[$0.name] }
    today = zip(places, history.tasks).map { place, task in place.map { tasks[$0] } ?? task }
    count = tasks.count
  }

  /// The number of the plan's tasks of which runs know how long they took.
  func known(by runs: [PlanHistory.Run]) -> Int {
    var isKnown = [Bool](repeating: false, count: count)
    for run in runs {
      for record in run.records where record.evidence == .exact {
        if let place = places[record.task] { isKnown[place] = true }
      }
    }
    return isKnown.count { $0 }
  }

  /// What a run says about how long tasks take.
  func samples(of run: PlanHistory.Run) -> [DurationHistory.Sample] {
    run.records.compactMap { record in
      guard let duration = record.duration, record.evidence != .nothing else { return nil }
      let task = today[record.task]
      return DurationHistory.Sample(
        name: task.name, kind: task.kind, duration: duration,
        lastAttempt: record.attempts > 1 ? record.took : nil,
        isCensored: record.evidence == .atLeast)
    }
  }
}

extension HistoryStore {
  /// The runs of a plan up to which the history of a plan is used that was called otherwise.
  static let fewRuns = 5
  /// The commands that another plan must have in common at least: one or two are shared by accident.
  static let fewestShared = 3
  /// The commands by which a plan is compared with others.
  static let mostCommands = 1000
  /// The records of a plan's newest runs after which older ones are not read: more would not change what is learned.
  static let mostRecords = 200_000

  /// Tells what earlier runs say about the tasks of a plan that is about to run.
  ///
  /// A plan with few runs may have been called otherwise: where another plan has at least half of its commands, and at
  /// least three, the runs of that one count, too, as older ones.
  ///
  /// - Parameters:
  ///   - plan: The name of the plan.
  ///   - tasks: All its tasks, also where only some of them are to run.
  ///   - machine: The machine that it is to run on.
  /// - Returns: What is known; nothing for a first run, or where nothing can be read.
  /// - Complexity: O(*m* log *m*) for *m* tasks, and as reading 200,000 records at most, or one run.
  package func past(
    of plan: String, tasks: [TaskIdentity], on machine: MachineIdentity
  ) -> PastDurations {
    let own = history(of: plan, records: Self.mostRecords)
    var former: String?
    if own.runs.count < Self.fewRuns,
      own.runs.reduce(0, { $0 + $1.records.count }) < Self.mostRecords
    {
      // Numbers made from commands are spread evenly, so the lowest are a fair part of many.
      let commands = Set(tasks.map(\.fingerprint)).subtracting([0]).sorted().prefix(
        Self.mostCommands)
      let found = similar(to: commands, except: plan)
      former = found.flatMap {
        $0.shared * 2 >= commands.count && $0.shared >= Self.fewestShared ? $0.plan : nil
      }
    }
    let whole = former.map { own.following(history(of: $0, records: Self.mostRecords)) } ?? own
    var past = whole.durations(for: tasks, on: machine)
    if let former, own.runs.isEmpty, !past.history.runs.isEmpty {
      past.notices.insert(
        "history: '\(plain(plan))' has no run yet; the history of '\(plain(former))' fits it "
          + "and is used", at: 0)
    }
    return past
  }
}

/// A name for a line: without what a terminal would take for a command.
package func plain(_ name: String) -> String {
  String(
    String.UnicodeScalarView(
      name.unicodeScalars.map { scalar in
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) ? "?" : scalar
      }))
}
