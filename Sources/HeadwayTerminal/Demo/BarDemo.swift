internal import HeadwayBar
internal import HeadwayText

/// Bars of every look over a film that reports where it is four times a second; what `headway demo bar` shows.
///
/// A pure value; ``BarDemo/run(output:keyboard:style:)`` drives it.
struct BarDemoSurface: DrivenSurface {
  /// A bar with its look.
  private struct Exhibit: Sendable {
    /// What it shows.
    let label: String
    /// The model.
    var bar: ProgressBar
    /// Turns it into cells.
    var renderer: CellBar
    /// Whether the film is shown by it.
    var isFilm = true
    /// Values at which words of the program stand, by the numbers of their shapes.
    var chapters: [Double] = []
  }

  /// The length of the film in seconds.
  static let length = 12.0
  /// The time from one report to the next, in seconds.
  static let period = 0.25
  /// How far an arrow key moves it, in seconds.
  private static let keyStep = 0.5
  /// The time from one frame to the next.
  private static let interval = Duration.milliseconds(40)
  /// The time without a key after which it ends, once one was pressed.
  private static let patience = Duration.seconds(60)
  /// The columns of the labels and of the values.
  private static let (labelWidth, valueWidth) = (15, 8)
  /// The widest bar.
  private static let widest = 60
  /// The exhibit that the arrow keys move.
  private static let handle = 5

  /// What the terminal can show.
  private let style: TerminalStyle
  /// The bars.
  private var exhibits: [Exhibit]
  /// What is on the screen.
  private var region: LiveRegion
  /// The rows of the last frame, which stay at the end.
  private var rows: [Row] = []
  /// The size of the terminal at the last frame.
  private var size = ScreenSize(columns: 80, rows: 24)
  /// Where the film is.
  private var film = DemoFilm()
  /// Whether somebody has asked for the end, or nobody has pressed a key for long.
  private(set) var isOver = false
  /// When a key was pressed last.
  private var latestKey: Duration?
  /// The keys that wait for the next frame, which knows the time.
  private var keys = DemoKeys()
  /// When the last frame was drawn.
  private var lastFrame: Duration?

  /// Creates the demo.
  init(style: TerminalStyle) {
    self.style = style
    region = LiveRegion(style: style, hidesCursor: false)
    exhibits = Self.exhibits(style)
  }

  /// The bars, each with another look.
  private static func exhibits(_ style: TerminalStyle) -> [Exhibit] {
    /// A bar that shows the film.
    func exhibit(
      _ label: String, _ glyphs: BarGlyphs, usesOwnColours: Bool = false, isFilm: Bool = true,
      _ change: (inout ProgressBar, inout BarStyle) -> Void = { _, _ in }
    ) -> Exhibit {
      var bar = ProgressBar(range: 0...length, unitsPerSecond: 1)
      bar.step = keyStep
      var look = BarStyle.cells
      change(&bar, &look)
      bar.setStyle(look, at: 0)
      let renderer = CellBar(glyphs, style: style, usesOwnColours: usesOwnColours)
      return Exhibit(label: label, bar: bar, renderer: renderer, isFilm: isFilm)
    }
    var all = [
      exhibit("line", .line), exhibit("eighths", .eighths),
      exhibit("own colours", .eighths, usesOwnColours: true) { _, look in
        look.inProgressColor = BarColor(0x8A2BE2)
        look.defaultColor = BarColor(0x3A3A44)
      },
      exhibit("ASCII", .ascii),
      exhibit("right to left", .eighths) { bar, _ in bar.layout.direction = .rightToLeft },
      exhibit("dot and gap", .line) { _, look in (look.dotSize, look.gap) = (1, 1) },
      exhibit("ranges, marks", .line) { _, look in
        look.bufferedRanges = [0...length * 0.6, length * 0.75...length * 0.85]
        look.marks = [length * 0.3, length * 0.9]
      },
      exhibit("own parts", .line),
      exhibit("nobody knows", .line, isFilm: false) { bar, _ in bar.isIndeterminate = true },
    ]
    all[7].chapters = [0.25, 0.65].map { $0 * length }
    all[7].renderer.texts = [0: " sea ", 1: " hills "]
    return all
  }

  // MARK: The surface

  /// Is told nothing.
  mutating func receive(_ event: Never, into output: inout [UInt8]) {}

  /// Takes a key press in, which counts from the next frame on.
  mutating func press(_ key: UInt8) { keys.take(key) }

  /// Goes on to a time and draws what is seen then.
  mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8]) {
    guard now >= LiveSurface.delay, !isOver else { return }
    advance(to: now)
    self.size = ScreenSize(columns: max(size.columns, 1), rows: max(size.rows, 1))
    (rows, lastFrame) = (layout(at: now.seconds), now)
    region.show(
      Array(rows.prefix(self.size.rows - 1)), above: [], size: self.size, into: &output)
  }

  /// The next frame, also while it is paused: a key may come, and the size may change.
  func nextFrame(after now: Duration) -> Duration? {
    max(lastFrame.map { $0 + Self.interval } ?? LiveSurface.delay, LiveSurface.delay)
  }

  /// Takes the bars away; at the end the last picture stays.
  mutating func withdraw(into output: inout [UInt8]) {
    region.withdraw(printing: isOver ? rows : [], width: size.columns, into: &output)
  }

  /// Takes it that others have written below the bars.
  mutating func forget() { region.forget() }

  // MARK: What happens

  /// Plays the film and does what the keys say.
  private mutating func advance(to now: Duration) {
    let seconds = now.seconds
    for key in keys.pressed() {
      latestKey = now
      switch key {
      case .quit: isOver = true
      case .pause: togglePause(at: seconds)
      case .bar(let key): move(key, at: seconds)
      }
    }
    for report in film.reports(to: seconds) {
      for index in exhibits.indices where exhibits[index].isFilm {
        exhibits[index].bar.report(report.position, at: report.time)
      }
    }
    for index in exhibits.indices { exhibits[index].bar.advance(to: seconds) }
    // Without a key the film is shown once.
    let isForgotten = latestKey.map { now - $0 > Self.patience } ?? false
    guard film.isAtEnd(at: seconds) || isForgotten else { return }
    isOver = latestKey == nil || isForgotten
    film.restart(at: seconds)
    for index in exhibits.indices where exhibits[index].isFilm {
      exhibits[index].bar.reset(at: seconds)
    }
  }

  /// Stops or goes on, the film and the bars at once.
  private mutating func togglePause(at now: Double) {
    film.togglePause(at: now)
    for index in exhibits.indices {
      if film.isPaused {
        exhibits[index].bar.pause(at: now)
      } else {
        exhibits[index].bar.resume(at: now)
      }
    }
  }

  /// Moves the value with a key: the model says where, and the film goes there.
  private mutating func move(_ key: BarKey, at now: Double) {
    guard exhibits[Self.handle].bar.press(key, at: now) else { return }
    for event in exhibits[Self.handle].bar.takeEvents() {
      guard case .committed(let value) = event else { continue }
      film.seek(to: value, at: now)
      for index in exhibits.indices where index != Self.handle && exhibits[index].isFilm {
        exhibits[index].bar.seek(to: value, at: now)
      }
    }
  }

  // MARK: What is seen

  /// The rows at a time.
  private mutating func layout(at now: Double) -> [Row] {
    let width = size.columns - 1
    let room = width - Self.labelWidth - Self.valueWidth
    let isWide = room >= 8
    var title = Row("A film that reports four times a second, and bars that glide", .bold)
    title.cut(to: width, ellipsis: style.marks.ellipsis)
    var rows = [title]
    for index in exhibits.indices {
      var row = Row(capacity: width)
      if isWide {
        row.append(exhibits[index].label)
        row.pad(to: Self.labelWidth)
      }
      let columns = isWide ? min(room, Self.widest) : width
      exhibits[index].bar.layout.width = Double(columns)
      exhibits[index].bar.layout.height = 1
      let own = ownParts(exhibits[index], at: now)
      exhibits[index].renderer.draw(
        exhibits[index].bar, adding: own, at: now, .active, into: &row)
      if isWide, exhibits[index].isFilm {
        let text = Self.text(exhibits[index].bar.shown(at: now))
        row.append(text, endingAt: Self.labelWidth + columns + Self.valueWidth, .dim)
      }
      rows.append(row)
    }
    let dot = style.marks.separator
    var help = Row(
      film.isPaused
        ? "paused\(dot)Space goes on\(dot)arrows move it\(dot)q ends"
        : "Space pauses\(dot)arrows move it\(dot)q ends", film.isPaused ? .warning : .dim)
    help.cut(to: width, ellipsis: style.marks.ellipsis)
    return rows + [help]
  }

  /// The words on a bar, at the places of their values.
  private func ownParts(_ exhibit: Exhibit, at now: Double) -> [BarShape] {
    exhibit.chapters.enumerated().map { number, value in
      let width = Double(TextWidth.columns(of: exhibit.renderer.texts[number] ?? ""))
      let rect = BarRect(x: exhibit.bar.position(of: value, at: now), y: 0, width: width, height: 1)
      return BarShape(.custom, number: number, rect: rect, color: exhibit.bar.style.markColor)
    }
  }

  /// A time to a hundredth of a second.
  private static func text(_ seconds: Double) -> String {
    let hundredths = Int(seconds * 100 + 1e-6)
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
  }

  // MARK: Without a terminal

  /// The bars as lines of text, some way into the film.
  ///
  /// - Parameter style: What the output can show; colours are left out.
  /// - Returns: A line for each bar.
  static func gallery(style: TerminalStyle) -> String {
    var plain = style
    plain.colour = false
    var demo = BarDemoSurface(style: plain)
    for index in demo.exhibits.indices {
      demo.exhibits[index].bar.setValue(Self.length * 0.46, at: 0)
      demo.exhibits[index].bar.isIndeterminate = !demo.exhibits[index].isFilm
    }
    var output: [UInt8] = []
    for row in demo.layout(at: 0.5).dropLast() {
      row.encode(colour: false, into: &output)
      output.append(UInt8(ascii: "\n"))
    }
    return String(decoding: output, as: UTF8.self)
  }
}
