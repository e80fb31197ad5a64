internal import HeadwayRunner

// First, before anything is opened and before a run splits the program, because there are no threads yet.
Supervisor.prepareProcess()
unsafe Supervisor.exit(
  Tool.run(arguments: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).rawValue)
