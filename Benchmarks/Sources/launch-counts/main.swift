// Counts the allocations of a task of a running graph, and those of a forecast.
//
//   launch-counts FORM LISTENERS TASKS
//       FORM is immediate or async; LISTENERS is the number of listeners
//   launch-counts forecast TASKS FORECASTS
//
// Prints the allocations of a run of tasks that do nothing, a tenth of them at once, from its start to its result; or those
// of forecasts of a run of tasks that do not depend on each other, of which two run and one has ended.

import CMallocCount
import Foundation
import Headway

/// Exits after a usage message.
func fail() -> Never {
  fatalError("launch-counts: see the comment at the top of its source")
}

/// Forecasts a run at one moment after another.
func allocationsOfForecasts(_ count: Int, tasks: Int) -> Int {
  var graph = LaunchGraph()
  for place in 0..<tasks { graph.add(String(place), .immediate { _ in }) }
  var forecaster = RunForecaster(graph, workers: 2)
  let events: [RunEvent.Kind] = [
    .runStarted(tasks: tasks, workers: 2), .taskStarted(TaskID(0), attempt: 1),
    .taskStarted(TaskID(1), attempt: 1),
    .taskEnded(TaskID(0), .succeeded, attempts: 1, ran: .seconds(1)),
    .taskStarted(TaskID(2), attempt: 1),
  ]
  for kind in events { forecaster.receive(RunEvent(time: .seconds(1), kind: kind)) }
  let before = malloc_count()
  for moment in 0..<count {
    let forecast = forecaster.forecast(at: .seconds(1) + .milliseconds(moment + 1))
    precondition(forecast.remaining != nil)
  }
  return Int(malloc_count() - before)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let listeners = Int(arguments[2]), let count = Int(arguments[3]) else {
  fail()
}
if arguments[1] == "forecast" {
  print(allocationsOfForecasts(count, tasks: listeners))
  exit(0)
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
