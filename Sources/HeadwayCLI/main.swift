internal import HeadwayRunner

// First, before anything is opened and before a run splits the program, because there are no threads yet.
Supervisor.prepareProcess()
Supervisor.exit(Tool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
