internal import HeadwayLaunch
public import HeadwayRun

/// Shows only what went wrong: each failure with the end of its log, and nothing at all of a run that succeeds.
public struct QuietSurface: RunSurface {
  /// The run.
  private let description: RunDescription
  /// How to show it.
  private let style: TerminalStyle
  /// The state of the run.
  private var state: RunState

  /// Creates the surface of a run that has not begun.
  public init(_ description: RunDescription, style: TerminalStyle) {
    self.description = description
    self.style = style
    state = RunState(taskCount: description.graph.count)
  }

  /// Prints a failure.
  public mutating func receive(_ event: RunEvent, into output: inout [UInt8]) {
    state.apply(event)
    guard case .taskEnded(let task, let outcome, _, _) = event.kind, outcome.isFailure else {
      return
    }
    let report = Report(description: description, style: style)
    let rows = [report.endedSentence(task, outcome, state)] + report.tail(task, edge: "    ")
    for row in rows {
      row.encode(colour: style.colour, into: &output)
      output.append(UInt8(ascii: "\n"))
    }
  }

  /// Does nothing: nothing moves.
  public mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8]) {}

  /// Nothing moves.
  public func nextFrame(after now: Duration) -> Duration? { nil }

  /// Does nothing: printed lines stay.
  public mutating func withdraw(into output: inout [UInt8]) {}
}
