internal import Glibc
internal import HeadwayRunner

// First, before anything is opened and before a run splits the program, because there are no threads yet.
Supervisor.prepareProcess()
exit(Tool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
