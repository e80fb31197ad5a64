import Glibc
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
  store.begin(
    RunRecord(plan: "killed", began: 0, workers: 2, machine: MachineIdentity(cores: 2, host: 1)))
  tell("begin")
  for turn in 0..<20 {
    // The number of a record stands in its attempts.
    let records = (number..<number + size).map { number in
      let task = TaskIdentity(name: "task \(number % 200)", kind: "k", fingerprint: UInt64(number))
      return TaskRecord(
        task: task, outcome: .succeeded, ran: .microseconds(number), attempts: number)
    }
    number += size
    store.note(
      ForecastRecord(at: .seconds(turn), low: .zero, median: .seconds(1), high: .seconds(2)))
    guard store.append(records) else {
      tell("lost \(store.remarks)")
      exit(1)
    }
    tell("\(number - 1)")
  }
  store.end(total: .seconds(20), outcome: .succeeded)
}
