import Glibc
import HeadwayRun
import HeadwayState

// Writes a history until it is killed, and prints what is durable.
//
//   HistoryWriter PATH FIRST SIZE RUNS
//
// A line is `begin`, or the number of the last record of a run that was stored.

/// Writes a line at once, as only a system call does.
func printLine(_ line: String) {
  var bytes = Array("\(line)\n".utf8)
  if unsafe write(STDOUT_FILENO, &bytes, bytes.count) != bytes.count { exit(3) }
}

let words = CommandLine.arguments
guard words.count == 5, let first = Int(words[2]), let size = Int(words[3]),
  let runs = Int(words[4])
else { exit(2) }
var limits = HistoryLimits()
limits.runs = runs
let store = HistoryStore(path: words[1], limits: limits)
var number = first
while true {
  // A run is named by its first record, and has one of three graphs.
  let names = (0..<200 + number % 3).map { "task \($0)" }
  let edges = names.indices.dropFirst().map { TaskGraph.Edge(before: $0 - 1, after: $0) }
  // The number of a record stands in its attempts.
  let records = (number..<number + size).map { number in
    TaskRecord(
      index: number % 200, outcome: .succeeded, began: .zero,
      ran: .microseconds(number), took: .microseconds(1), attempts: number,
      expected: .microseconds(number))
  }
  var run = RunRecord(
    plan: "killed", name: "\(number)", began: 0, workers: 2,
    machine: MachineIdentity(cores: 2, host: 1),
    tasks: names.map { name in
      // Tasks change now and then, so that there is something to delete.
      TaskIdentity(name: name, kind: "k", fingerprint: UInt64(number / 1000))
    },
    graph: TaskGraph(taskCount: names.count, edges: edges))
  run.records = records
  run.forecasts = (0..<20).map { turn in
    ForecastRecord(
      at: .seconds(turn), fraction: Double(turn) / 20,
      remaining: RemainingTime(low: .zero, median: .seconds(1), high: .seconds(2)))
  }
  (run.total, run.outcome) = (.seconds(20), .succeeded)
  printLine("begin")
  guard store.store(run) else {
    printLine("lost \(store.warnings)")
    exit(1)
  }
  number += size
  printLine("\(number - 1)")
}
