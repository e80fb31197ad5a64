import Glibc
import HeadwayForecast
import HeadwayRun
import HeadwayStore

// Writes a history until it is killed, and tells after each call what is in the file for good.
//
//   HistoryWriter PATH FIRST BATCH RUNS
//
// A line is `begin`, or the number of the last record of a batch that `append` has written.

/// Writes a line at once, as only a system call does.
func tell(_ line: String) {
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
  let graph = GraphRecord(
    tasks: names.map { TaskIdentity(name: $0, kind: "k", fingerprint: UInt64($0.utf8.count)) },
    needs: names.indices.dropFirst().map { GraphRecord.Need(task: $0, before: $0 - 1) })
  store.begin(
    RunRecord(
      plan: "killed", name: "\(number)", began: 0, workers: 2,
      machine: MachineIdentity(cores: 2, host: 1), graph: graph))
  tell("begin")
  for turn in 0..<20 {
    // The number of a record stands in its attempts.
    let records = (number..<number + size).map { number in
      let task = TaskIdentity(name: "task \(number % 200)", kind: "k", fingerprint: UInt64(number))
      return TaskRecord(
        task: task, place: number % 200, outcome: .succeeded, began: .zero,
        ran: .microseconds(number), took: .microseconds(1), attempts: number,
        expected: .microseconds(number))
    }
    number += size
    store.note(
      ForecastRecord(
        at: .seconds(turn), fraction: Double(turn) / 20,
        remaining: RemainingTime(low: .zero, median: .seconds(1), high: .seconds(2))))
    guard store.append(records) else {
      tell("lost \(store.remarks)")
      exit(1)
    }
    tell("\(number - 1)")
  }
  store.end(total: .seconds(20), outcome: .succeeded)
}
