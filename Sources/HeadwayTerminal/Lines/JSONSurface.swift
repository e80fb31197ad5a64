internal import HeadwayLaunch
public import HeadwayRun

/// Shows a run as JSON for programs: one object a line, one line an event.
///
/// The format is stable and described in `docs/events.md`: each line is a `RunEvent` as its `Codable` form has it,
/// and a `JSONDecoder` reads it back. Later versions may add events and fields, so readers ignore what they do not know;
/// what is there keeps its name, its type and its meaning.
///
/// The surface adds what events do not know:
///
/// | `event` | further fields |
/// |---|---|
/// | `run_started` | `plan`: the name of the plan |
/// | `task_ended` | `optional`, true where the run may succeed without the task; `usual` where that is known: how long it usually takes; `log` where there is one: its path |
/// | `run_ended` | `succeeded`, `up_to_date`, `failed`, `timed_out`, `cancelled`, `skipped`: numbers of tasks; `predicted` where it was known: how long the run was to take |
public struct JSONSurface: RunSurface {
  /// The run.
  private let description: RunDescription
  /// The state of the run, for the counts at its end.
  private var state: RunState
  /// How long the run was to take, as it was told at its beginning.
  private var prediction = Prediction()

  /// Creates the surface of a run that has not begun.
  public init(_ description: RunDescription) {
    self.description = description
    state = RunState(taskCount: description.graph.count)
  }

  /// Prints the event.
  public mutating func receive(_ event: RunEvent, into output: inout [UInt8]) {
    state.apply(event)
    prediction.receive(event)
    var line = JSONLine(names: description.graph.names)
    // The line is written at the end of what is there, without a copy.
    swap(&line.bytes, &output)
    line.begin()
    event.write(to: &line)
    if case .runStarted = event.kind { line.add(.plan, text: description.name) }
    if case .runEnded = event.kind {
      state.counts.write(to: &line)
      if let predicted = prediction.total { line.add(.predicted, seconds: predicted) }
    }
    if case .taskEnded(let task, _, _, _) = event.kind {
      let isOptional =
        task.index < description.graph.count && description.graph.settings(of: task).isOptional
      if isOptional { line.add(.optional, flag: true) }
      if let usual = description.forecaster.usual(task) { line.add(.usual, seconds: usual) }
      if let path = description.logPath(task) { line.add(.log, text: path) }
    }
    line.end()
    line.bytes.append(UInt8(ascii: "\n"))
    swap(&line.bytes, &output)
  }

  /// Does nothing: nothing moves.
  public mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8]) {}

  /// Nothing moves.
  public func nextFrame(after now: Duration) -> Duration? { nil }

  /// Does nothing: printed lines stay.
  public mutating func withdraw(into output: inout [UInt8]) {}
}
