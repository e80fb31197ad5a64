internal import HeadwayPlan
internal import HeadwayRunner
internal import HeadwaySystem
internal import HeadwayText

/// `headway run --watch`: runs a plan, and again whenever a file that its tasks read has changed.
///
/// This process only waits. Each run is one of its own, in a child, as `headway run` would start it, so that it has
/// everything that a run has; what is up to date is not run again.
struct RepeatedRun {
  private let command: RunCommand
  private let watch = FolderWatch()

  /// How long nothing may change before the next run begins: editors write several files.
  private static let quiet = Duration.milliseconds(100)
  /// The maximum number of such pauses, for files that change on and on.
  private static let maxPauses = 50
  /// The pause between two looks if the system cannot watch all folders.
  private static let pollInterval = Duration.seconds(2)

  /// Creates the runs of a command.
  init(_ command: RunCommand) { self.command = command }

  /// Runs until a signal ends this process.
  ///
  /// - Throws: `UsageError` if the plan is invalid at the start or no task has inputs, `RunnerError` if no process can be created.
  func run() throws -> ExitCode {
    var plan = try command.plan()
    guard FileStatus(plan.path)?.kind == .file else {
      throw UsageError(message: "--watch needs a plan in a file, not on standard input")
    }
    var next = command
    var (seen, isComplete) = look(at: plan)
    guard seen.hasInputs else {
      let advice = "no selected task has any"
      throw UsageError(
        message: "--watch needs tasks with `inputs`, whose files it watches; \(advice)")
    }
    while true {
      try Supervisor.inChild { Tool.reportingErrors { try next.runOnce() }.rawValue }
      next = command.repeated
      (seen, isComplete, plan) = waitForChange(since: seen, isComplete, plan)
    }
  }

  /// Waits until the files differ from those of the last run.
  ///
  /// - Returns: The files now, whether all their folders are watched, and the plan.
  private func waitForChange(
    since seen: WatchedFiles, _ isComplete: Bool, _ plan: PlanFile
  ) -> (WatchedFiles, Bool, PlanFile) {
    var isComplete = isComplete
    var hasSaid = false
    while true {
      // A plan with errors is shown with them by the next run.
      let newPlan = try? command.plan()
      let now: WatchedFiles
      (now, isComplete) = look(at: newPlan ?? plan)
      if now != seen { return (now, isComplete, newPlan ?? plan) }
      if !hasSaid {
        hasSaid = true
        printMessage("waiting for changes of \(counted(now.count, "file")); Ctrl-C ends")
      }
      guard watch.wait(for: isComplete ? nil : Self.pollInterval) else { continue }
      var pauses = 0
      while pauses < Self.maxPauses, watch.wait(for: Self.quiet) { pauses += 1 }
    }
  }

  /// Looks at the files of a plan, and watches their folders from now on.
  private func look(at plan: PlanFile) -> (WatchedFiles, Bool) {
    let included = Set(plan.plan.tasks.compactMap(\.file)).sorted()
    let files = [plan.path] + included.map { $0.hasPrefix("/") ? $0 : "\(plan.folder)/\($0)" }
    func look() -> WatchedFiles { WatchedFiles(of: plan.plan, files: files, in: plan.folder) }
    let isComplete = look().folders.allSatisfy { watch.add($0) == 0 }
    // Again, because something may have changed before the folders were watched.
    return (look(), isComplete)
  }
}
