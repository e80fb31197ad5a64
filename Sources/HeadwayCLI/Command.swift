/// The description of a command, from which come its parsing, its help, its manual page and its completion.
///
/// An option is added by one entry in the `options` of its command. Texts are printed as they are written here, so they are
/// wrapped at 88 columns; the explanations of options are wrapped when they are printed.
struct Command: Sendable {
  /// A group of commands in the overview, in the order of their use.
  enum Group: String, CaseIterable {
    case plans = "Plans"
    case work = "Runs, earlier and now"
    case more = "More"
  }

  /// What the arguments of a command are that are not options.
  enum Operands: Sendable {
    case none
    /// A plan file.
    case plan
    /// A plan file, and then tasks of it; tasks of the default plan without one.
    case planAndTasks
    /// `clear`, and a plan of the history.
    case historyPlans
    /// A plan that has runs.
    case storedPlans
    /// A run that is kept, or a plan that has runs.
    case storedRun
    /// The same, and then tasks of the run.
    case storedRunAndTasks
    /// A run of the history, or a plan file.
    case historyRun
    /// An ID or a name of running work.
    case work
    /// An ID or a name of running work, and then tasks of a run.
    case workAndTasks
    /// One of the given words.
    case words([String])
    /// The name of a command.
    case command
  }

  /// The name.
  let name: String
  /// The lines of its use, without the name of the program.
  let usage: [String]
  /// What it does, in a few words that begin with a verb.
  let summary: String
  /// Its group in the overview, nil if the overview leaves it out.
  var group: Group?
  /// Its use in the overview, nil for the first line of its use.
  var shortUsage: String?
  /// Whether it has a line of its own in the overview; otherwise the line of another one names it.
  var hasOverviewLine = true
  /// What it does in the overview, nil for the summary.
  var shortSummary: String?
  /// The paragraphs before the options; indented lines are kept as they are.
  let about: String
  /// What its arguments are.
  var operands = Operands.none
  /// The options.
  var options: [Arguments.Option] = []
  /// The paragraphs after the options.
  var notes = ""
  /// Commands to try, each with what it does.
  var examples: [(line: String, effect: String)] = []
  /// The paragraph about its exit code.
  var exits = ""
  /// The names of related commands.
  var related: [String] = []
  /// Runs the command with the arguments after its name.
  let start: @Sendable ([String]) throws -> ExitCode

  /// Whether it looks for plans or runs, and so needs the path of the folder.
  var usesFolder: Bool {
    switch operands {
    case .none, .words, .command: false
    case .plan, .planAndTasks, .historyPlans, .storedPlans, .storedRun, .storedRunAndTasks,
      .historyRun, .work, .workAndTasks:
      true
    }
  }

  /// All commands, in the order of the overview.
  static let all = [
    run, resume, list, check, schema, graph, runs, status, logs, attach, history, report, watch,
    pause, unpause, cancel, retry, skip, tell, worker, demo, completion, help,
  ]

  /// The command with a name, nil if there is none.
  static func named(_ name: String) -> Command? { all.first { $0.name == name } }
}
