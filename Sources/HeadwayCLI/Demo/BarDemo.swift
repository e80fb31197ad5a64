internal import HeadwayBar
internal import HeadwayTerminal
internal import HeadwayText

/// The demo of the bars: every style, with a video that reports its position four times a second.
///
/// A pure value; `headway demo bar` runs it.
struct BarDemoRenderer: Renderer {
  /// A bar in a style.
  private struct Exhibit: Sendable {
    let label: String
    var bar: ProgressBar
    var renderer: CellBar
    /// Whether it shows the position of the video.
    var isVideo = true
    /// The values at which the program's own texts are shown, by the numbers of their shapes.
    var chapters: [Double] = []
  }

  /// The length of the video in seconds.
  static let length = 12.0
  /// The interval of the reports in seconds.
  static let period = 0.25
  /// The step of an arrow key in seconds.
  private static let keyStep = 0.5
  /// The time from one frame to the next.
  private static let interval = Duration.milliseconds(40)
  /// The time without a key after which the demo ends, once one was pressed.
  private static let idleTimeout = Duration.seconds(60)
  /// The columns of the labels and of the values.
  private static let (labelWidth, valueWidth) = (15, 8)
  /// The widest bar.
  private static let widest = 60
  /// The exhibit that the arrow keys move.
  private static let handle = 5

  private let style: TerminalStyle
  private var exhibits: [Exhibit]
  private var region: ScreenRegion
  /// The rows of the last frame, which stay at the end.
  private var rows: [Row] = []
  /// The size of the terminal at the last frame.
  private var size = TerminalSize(columns: 80, rows: 24)
  private var video = DemoVideo()
  /// Whether the user has quit, or has not pressed a key for long.
  private(set) var isOver = false
  /// The time of the latest key.
  private var latestKey: Duration?
  /// The keys since the last frame; the next frame knows the time.
  private var keys = DemoKeys()
  private var lastFrame: Duration?

  /// Creates the demo.
  init(style: TerminalStyle) {
    self.style = style
    region = ScreenRegion(style: style, hidesCursor: false)
    exhibits = Self.exhibits(style)
  }

  /// The bars, each with another look.
  private static func exhibits(_ style: TerminalStyle) -> [Exhibit] {
    /// A bar in a style of its own.
    func exhibit(
      _ label: String, _ glyphs: BarGlyphs, usesOwnColors: Bool = false, isVideo: Bool = true,
      _ change: (inout ProgressBar, inout BarStyle) -> Void = { _, _ in }
    ) -> Exhibit {
      var bar = ProgressBar(range: 0...length, unitsPerSecond: 1)
      bar.step = keyStep
      var look = BarStyle.cells
      change(&bar, &look)
      bar.setStyle(look, at: 0)
      let renderer = CellBar(glyphs, style: style, usesOwnColors: usesOwnColors)
      return Exhibit(label: label, bar: bar, renderer: renderer, isVideo: isVideo)
    }
    var all = [
      exhibit("line", .line), exhibit("eighths", .eighths),
      exhibit("own colors", .eighths, usesOwnColors: true) { _, look in
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
      exhibit("own shapes", .line),
      exhibit("unknown", .line, isVideo: false) { bar, _ in bar.isIndeterminate = true },
    ]
    all[7].chapters = [0.25, 0.65].map { $0 * length }
    all[7].renderer.texts = [0: " sea ", 1: " hills "]
    return all
  }

  // MARK: The renderer

  /// Records a key press for the next frame.
  mutating func press(_ key: UInt8) { keys.take(key) }

  /// Advances to a time and draws the frame.
  mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
    guard now >= ScreenRegion.delay, !isOver else { return }
    advance(to: now)
    self.size = TerminalSize(columns: max(size.columns, 1), rows: max(size.rows, 1))
    (rows, lastFrame) = (layout(at: now / .seconds(1)), now)
    region.show(
      Array(rows.prefix(self.size.rows - 1)), above: [], size: self.size, into: &output)
  }

  /// The next frame, also while paused: a key may be pressed and the size may change.
  func nextFrame(after now: Duration) -> Duration? {
    max(lastFrame.map { $0 + Self.interval } ?? ScreenRegion.delay, ScreenRegion.delay)
  }

  /// Erases the bars; at the end the last picture stays.
  mutating func withdraw(into output: inout [UInt8]) {
    region.withdraw(printing: isOver ? rows : [], width: size.columns, into: &output)
  }

  /// Forgets the drawn rows after other output.
  mutating func forget() { region.forget() }

  // MARK: The course of the demo

  /// Plays the video and handles the keys.
  private mutating func advance(to now: Duration) {
    let seconds = now / .seconds(1)
    for key in keys.pressed() {
      latestKey = now
      switch key {
      case .quit: isOver = true
      case .pause: togglePause(at: seconds)
      case .bar(let key): move(key, at: seconds)
      }
    }
    for report in video.reports(to: seconds) {
      for index in exhibits.indices where exhibits[index].isVideo {
        exhibits[index].bar.report(report.position, at: report.time)
      }
    }
    for index in exhibits.indices { exhibits[index].bar.advance(to: seconds) }
    // Without a key the video plays once.
    let isAbandoned = latestKey.map { now - $0 > Self.idleTimeout } ?? false
    guard video.isAtEnd(at: seconds) || isAbandoned else { return }
    isOver = latestKey == nil || isAbandoned
    video.restart(at: seconds)
    for index in exhibits.indices where exhibits[index].isVideo {
      exhibits[index].bar.reset(at: seconds)
    }
  }

  /// Pauses or resumes the video and the bars.
  private mutating func togglePause(at now: Double) {
    video.togglePause(at: now)
    for index in exhibits.indices {
      if video.isPaused {
        exhibits[index].bar.pause(at: now)
      } else {
        exhibits[index].bar.resume(at: now)
      }
    }
  }

  /// Moves the value with a key: the video seeks to the position that the model reports.
  private mutating func move(_ key: BarKey, at now: Double) {
    guard exhibits[Self.handle].bar.press(key, at: now) else { return }
    for event in exhibits[Self.handle].bar.takeEvents() {
      guard case .committed(let value) = event else { continue }
      video.seek(to: value, at: now)
      for index in exhibits.indices where index != Self.handle && exhibits[index].isVideo {
        exhibits[index].bar.seek(to: value, at: now)
      }
    }
  }

  // MARK: Layout

  /// The rows at a time.
  private mutating func layout(at now: Double) -> [Row] {
    let width = size.columns - 1
    let room = width - Self.labelWidth - Self.valueWidth
    let isWide = room >= 8
    var title = Row("A video that reports four times a second, and bars that glide", .bold)
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
      if isWide, exhibits[index].isVideo {
        let text = Self.text(exhibits[index].bar.shown(at: now))
        row.append(text, endingAt: Self.labelWidth + columns + Self.valueWidth, .dim)
      }
      rows.append(row)
    }
    let dot = style.marks.separator
    var help = Row(
      video.isPaused
        ? "paused\(dot)Space resumes\(dot)arrows seek\(dot)q quits"
        : "Space pauses\(dot)arrows seek\(dot)q quits", video.isPaused ? .warning : .dim)
    help.cut(to: width, ellipsis: style.marks.ellipsis)
    return rows + [help]
  }

  /// The program's own texts on a bar, at the positions of their values.
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

  /// The bars as lines of text, some way into the video.
  ///
  /// - Parameter style: What the output can show; colors are not used.
  /// - Returns: A line for each bar.
  static func gallery(style: TerminalStyle) -> String {
    var plain = style
    plain.color = false
    var demo = BarDemoRenderer(style: plain)
    for index in demo.exhibits.indices {
      demo.exhibits[index].bar.setValue(Self.length * 0.46, at: 0)
      demo.exhibits[index].bar.isIndeterminate = !demo.exhibits[index].isVideo
    }
    var output: [UInt8] = []
    for row in demo.layout(at: 0.5).dropLast() {
      row.encode(color: false, into: &output)
      output.append(UInt8(ascii: "\n"))
    }
    return String(decoding: output, as: UTF8.self)
  }
}
