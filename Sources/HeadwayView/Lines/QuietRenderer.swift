internal import HeadwayRun
package import HeadwayTerminal

/// Shows failures only: each with the end of its log, how to decide on those that hold the run, and nothing for a run that succeeds.
package struct QuietRenderer: RunRenderer {
  private let formatter: EventFormatter

  /// Creates the renderer of a run that has not begun.
  package init(_ description: RunDescription, style: TerminalStyle) {
    formatter = EventFormatter(description: description, style: style)
  }

  /// Whether an event is shown.
  static func shows(_ event: RunEvent) -> Bool {
    switch event.kind {
    case .taskEnded(_, let outcome, _, _): outcome.isFailure
    // Nothing happens until somebody decides.
    case .runHeld: true
    default: false
    }
  }

  /// Prints the failures.
  package mutating func update(_ update: RunUpdate, into output: inout [UInt8]) {
    for event in update.events where Self.shows(event.event) {
      if case .runHeld(let task) = event.event.kind {
        formatter.print(formatter.held(by: task), into: &output)
      } else {
        formatter.printEnd(event, into: &output)
      }
    }
  }
}
