internal import Glibc

// The first statement splits the program where a run is wanted, before anything could start a thread.
exit(Tool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
