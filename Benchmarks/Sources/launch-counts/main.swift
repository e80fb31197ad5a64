// Counts the allocations of a task of a running graph.
//
//   launch-counts FORM LISTENERS TASKS
//       FORM is immediate or async; LISTENERS is the number of listeners
//
// Prints the allocations of a run of tasks that do nothing, a tenth of them at once, from its start to its result.

import CMallocCount
import Headway

/// Exits after a usage message.
func fail() -> Never {
  fatalError("launch-counts: see the comment at the top of its source")
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let listeners = Int(arguments[2]), let count = Int(arguments[3]) else {
  fail()
}
let body: TaskBody
switch arguments[1] {
case "immediate": body = .immediate { _ in }
case "async": body = .asynchronous { _ in }
default: fail()
}
var graph = LaunchGraph()
let settings = TaskSettings(timeout: .seconds(60))
for place in 0..<count {
  let task = graph.add(String(place), settings: settings, body)
  if place >= 10 { graph.addDependency(of: task, on: TaskID(place - 10)) }
}
let launcher = try Launcher(graph, options: LauncherOptions(workers: 1))
let events = (0..<listeners).map { _ in launcher.events(keeping: 1) }
let before = malloc_count()
let result = await launcher.run()
let after = malloc_count()
withExtendedLifetime(events) {}
precondition(result.isSuccess && result.tasks.count == count)
print(after - before)
