import HeadwayBar
import HeadwayTerminal
import HeadwayTestSupport
import TerminalFixtures

/// A board with its terminal in memory and a clock that goes on with each frame.
struct BoardScene {
  var board: BarBoard
  var screen: TerminalScreen
  /// The bytes of the last step.
  private(set) var written: [UInt8] = []
  /// The time since the creation of the board.
  private(set) var now = Duration.seconds(1)

  init(
    _ style: TerminalStyle = .gray, _ interface: BarsInterface = .live, columns: Int = 80,
    rows: Int = 24
  ) {
    board = BarBoard(style: style, interface: interface)
    screen = TerminalScreen(size: TerminalSize(columns: columns, rows: rows))
  }

  /// Adds a bar.
  ///
  /// - Parameters:
  ///   - label: The text before it.
  ///   - fraction: The part that is done, nil for unknown progress.
  ///   - parent: The bar that it is nested in.
  /// - Returns: The identifier of the bar.
  mutating func add(
    _ label: String, _ fraction: Double? = 0, in parent: BarBoard.ID? = nil
  ) -> BarBoard.ID {
    var bar = ProgressBar(source: .forecast)
    bar.isReadOnly = true
    bar.isIndeterminate = fraction == nil
    if let fraction { bar.setValue(fraction, at: now) }
    return board.add(label, bar, in: parent, at: now)
  }

  /// Sets the part that is done, and makes the progress known.
  mutating func set(_ id: BarBoard.ID, _ fraction: Double) {
    let now = now
    board.update(id) { bar in
      bar.isIndeterminate = false
      bar.setValue(fraction, at: now)
    }
  }

  /// Ends a bar.
  mutating func end(_ id: BarBoard.ID, _ outcome: BarBoard.Outcome, note: String = "") {
    board.end(id, outcome, note: note, at: now)
  }

  /// Draws a frame after some time, by default the least from frame to frame.
  mutating func draw(after time: Duration = .milliseconds(100)) {
    now += time
    written = []
    board.frame(at: now, size: screen.size, into: &written)
    screen.write(written)
  }

  /// Takes the bars away.
  mutating func withdraw() {
    written = []
    board.withdraw(into: &written)
    screen.write(written)
  }

  /// What is on the screen, without the cells of bars and what is beside them: `fetch 46%`, or `fetch 3s` for unknown
  /// progress.
  var rows: [String] {
    screen.text.split(separator: "\n", omittingEmptySubsequences: false).map { row in
      guard let match = row.wholeMatch(of: /([^━╸╺─#]*?) *[━╸╺─#]{3,}[━╸╺─# -]* +(\d+%|\d+s)( .*)?/)
      else { return String(row) }
      return "\(match.1) \(match.2)"
    }
  }
}
