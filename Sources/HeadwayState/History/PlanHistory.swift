package import HeadwayRun

/// The last runs of a plan, read once and then used without the file.
package struct PlanHistory: Sendable {
  /// The name of the plan.
  package let plan: String
  /// The tasks of all runs, each once; every run has the same array.
  package internal(set) var tasks: [TaskIdentity] = []
  /// The runs, the one that began last first, without their graphs.
  package internal(set) var runs: [RunRecord] = []

  /// Creates a history without runs.
  package init(plan: String) { self.plan = plan }

  /// Adds a run that goes on, where it belongs by when it began.
  package mutating func add(running run: RunRecord) {
    var indices: [TaskIdentity: Int] = [:]
    for (index, task) in tasks.enumerated() { indices[task] = index }
    var run = run
    for position in run.records.indices {
      let task = run.tasks[run.records[position].index]
      let index = indices[task] ?? tasks.count
      if index == tasks.count {
        indices[task] = index
        tasks.append(task)
      }
      run.records[position].index = index
    }
    run.graph = nil
    runs.insert(run, at: runs.firstIndex { $0.began <= run.began } ?? runs.count)
    for index in runs.indices { runs[index].tasks = tasks }
  }
}

/// An overview of a history.
package struct HistorySummary: Hashable, Sendable {
  /// The size of the file in bytes.
  package internal(set) var bytes: Int64 = 0
  /// The plans, by name.
  package internal(set) var plans: [Plan] = []

  /// An overview of the runs of a plan.
  package struct Plan: Hashable, Sendable {
    /// The name of the plan.
    package let name: String
    /// The number of its runs.
    package let runs: Int
    /// The number of its tasks.
    package let tasks: Int
    /// The number of records of tasks.
    package let records: Int
    /// When the newest run began, in milliseconds since 1970.
    package let last: Int64
  }
}
