internal import HeadwayRun

/// Shows a run as JSON for programs: one object a line, one line an event.
///
/// The format is stable and described in `docs/events.md`: each line is a `RunEvent` in its `Codable` form, and a
/// `JSONDecoder` reads it back. Later versions may add events and fields, so readers must ignore those that they do not
/// know; existing ones keep their name, type and meaning.
///
/// The renderer adds what events do not know:
///
/// | `event` | further fields |
/// |---|---|
/// | `run_started` | `plan`: the name of the plan; `resumes`: the name of the earlier run that it goes on with, if any |
/// | `task_ended` | `optional`: true if the run may succeed without the task; `usual`: its usual duration, if known; `log`: the path of its log, if there is one |
/// | `run_ended` | `succeeded`, `up_to_date`, `failed`, `timed_out`, `cancelled`, `skipped`, `lost`, `done_earlier`: numbers of tasks; `predicted`: the predicted duration of the run, if known |
package struct JSONRenderer: RunRenderer {
  private let description: RunDescription

  /// Creates the renderer of a run that has not begun.
  package init(_ description: RunDescription) { self.description = description }

  /// Prints the events.
  package mutating func update(_ update: RunUpdate, into output: inout [UInt8]) {
    for event in update.events { print(event.event, update.snapshot, into: &output) }
  }

  private func print(_ event: RunEvent, _ run: RunSnapshot, into output: inout [UInt8]) {
    var line = JSONLine(names: description.names)
    // The line is written at the end of the output, without a copy.
    swap(&line.bytes, &output)
    line.begin()
    event.write(to: &line)
    if case .runStarted = event.kind {
      line.add(.plan, text: description.name)
      if let run = description.resumes { line.add(.resumes, text: run) }
    }
    if case .runEnded = event.kind {
      run.counts.write(to: &line)
      if let predicted = run.forecast?.predicted { line.add(.predicted, seconds: predicted) }
    }
    if case .taskEnded(let task, _, _, _) = event.kind {
      if description.isOptional(task) { line.add(.optional, flag: true) }
      if let usual = description.usual(task) { line.add(.usual, seconds: usual) }
      if let path = description.logPath(task) { line.add(.log, text: path) }
    }
    line.end()
    line.bytes.append(UInt8(ascii: "\n"))
    swap(&line.bytes, &output)
  }
}
