internal import HeadwayRunner
internal import HeadwaySystem

// First, before anything is opened and before a run splits the program, because there are no threads yet.
Supervisor.prepareProcess()
Supervisor.exit(Tool.run(Array(OutsideText.arguments.dropFirst())).rawValue)
