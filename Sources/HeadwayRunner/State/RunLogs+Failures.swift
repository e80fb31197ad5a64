internal import Glibc
internal import HeadwayPlan
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwaySystem

/// The failures of a run, beside its logs.
extension RunLogs {
  /// Stores the failures of a run that has ended; without any, nothing.
  ///
  /// A failure that cannot be stored is missing in the report only.
  func storeFailures(
    _ state: RunState, of plan: Plan, masked: (String) -> String = { $0 }
  ) {
    guard state.counts[.failed] + state.counts[.timedOut] > 0 else { return }
    var line = JSONLine(names: plan.tasks.map(\.name))
    var count = 0
    for index in state.tasks.indices where count < StoredFailure.maxCount {
      guard let outcome = state.outcome(of: TaskID(index)), outcome.isFailure else { continue }
      count += 1
      let command = masked(DryRun.words(plan.tasks[index].command))
      line.begin()
      StoredFailure(task: TaskID(index), outcome: outcome, command: command).write(to: &line)
      line.end()
      line.bytes.append(UInt8(ascii: "\n"))
    }
    _ = folder?.replace(StoredFailure.fileName, with: line.bytes)
  }

  /// Reads the stored failures, by the index of the task; lines that are damaged are left out.
  package func storedFailures() -> [Int: StoredFailure] {
    guard let file = folder?.openForReading(StoredFailure.fileName), file >= 0 else { return [:] }
    defer { close(file) }
    var found: [Int: StoredFailure] = [:]
    for line in readAll(file, limit: StoredFailure.maxBytes).bytes.split(separator: 0x0A) {
      guard let failure = try? decodeLine(StoredFailure.self, from: Array(line).span) else {
        continue
      }
      found[failure.task.index] = failure
    }
    return found
  }
}
