internal import Glibc
internal import HeadwayRunner

// Before anything is opened, and before a run splits the program: no thread exists yet.
Supervisor.openStandardStreams()
exit(Tool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
