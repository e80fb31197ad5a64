internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayText

// What a run that goes on with another one says, a line each.

extension Resumption {
  /// The maximum number of tasks of a line.
  private static let maxNames = 10

  /// The lines before the run begins.
  ///
  /// - Parameter how: How the earlier run ended, as in `failed`.
  /// - Returns: How much is done, and what is different from the earlier run.
  func lines(_ how: String) -> [String] {
    let all = counted(commandCount, "task")
    var lines = ["resuming run \(run), which \(how): \(doneCount) of \(all) done"]
    func add(_ words: String, _ names: [String]) {
      guard !names.isEmpty else { return }
      let shown = names.prefix(Self.maxNames).joined(separator: ", ")
      let rest = names.count - Self.maxNames
      lines.append("\(words): \(shown)\(rest > 0 ? " and \(grouped(rest)) more" : "")")
    }
    add("under way when it died, and run again", lost.map(quoted))
    add("run again, as the command has changed", changed(.command))
    add("run again, as the environment, directory or files have changed", changed(.surroundings))
    var followers: [String] = []
    for case (let task, .after(let cause)) in changed {
      followers.append("\(quoted(task)) after \(quoted(cause))")
    }
    add("run again, as something before them does", followers)
    add("new in the plan", added.map(quoted))
    add("no longer in the plan", removed.map { "'\($0)'" })
    for task in kept.prefix(Self.maxNames) {
      lines.append(
        "\(quoted(task)) has changed, but was done and has `once: true`; to run it again, add --again \(argument(task))"
      )
    }
    return lines
  }

  /// How a task would end without running, in words, now that its turn has come; nil if it may run.
  mutating func endWithoutRunning(_ task: TaskID) -> String? {
    let known = ended.first { $0.task == task }?.outcome
    if known == .lost { return "its outcome is unknown" }
    return known != nil || isDone(task) ? Outcome.Kind.doneEarlier.words : nil
  }

  /// Why a task runs that has no inputs, or that a person wants to run again.
  func reason(for task: TaskID) -> String {
    if isForced(task) { return "--again names it" }
    switch changed.first(where: { $0.task == task })?.why {
    case .command: return "its command has changed"
    case .surroundings: return "its environment, directory or files have changed"
    case .after(let cause): return "it comes after \(quoted(cause))"
    case nil: return "it was not done"
    }
  }

  /// The lines after the run for tasks whose outcome is unknown.
  ///
  /// - Parameter current: The name of the run that has ended.
  /// - Returns: What a person can do.
  func questions(after current: String) -> [String] {
    ended.filter { $0.outcome == .lost }.flatMap { task, _ in
      [
        "the outcome of \(quoted(task)) is unknown: it was started and did not end by itself, and `once: true` forbids to run it again",
        "  if it was done: headway resume \(current) --done \(argument(task))",
        "  to run it again: headway resume \(current) --again \(argument(task))",
      ]
    }
  }

  /// The names of the tasks that run again for a reason.
  private func changed(_ why: Change) -> [String] {
    changed.filter { $0.why == why }.map { quoted($0.task) }
  }

  /// The name of a task in a sentence.
  private func quoted(_ task: TaskID) -> String { "'\(name(of: task))'" }

  /// The name of a task as a shell takes it.
  private func argument(_ task: TaskID) -> String { DryRun.words(.program([name(of: task)])) }
}
