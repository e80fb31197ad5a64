internal import HeadwayLock
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTerminal

/// The errno after which no more output of tasks was written, 0 before; the thread and the run share it.
final class SharedFailure: Sendable {
  let code = Guarded<Int32>(0)
}

/// A run as the render loop draws it: its own words, and between them the output of its tasks.
///
/// The words for an event come after the output before it, as long as the reader of the output takes it. One that has
/// stopped reading, such as a pager, gets its output late, and the words appear all the same.
struct RunSurface: Renderer {
  /// The interval at which logs are read while output comes, or while nothing tells that they grow.
  private static let interval = Duration.milliseconds(20)
  /// The number of running tasks from which on the logs are read less often if nothing tells that they grow.
  private static let manyTasks = 16
  /// How long a pass waits for the reader of the output.
  private static let patience = Duration.milliseconds(100)
  /// The number of passes in a row in which a reader takes nothing until the words no longer wait for it.
  private static let mostRefusals = 10

  private var renderer: any RunRenderer
  private let take: @Sendable () -> RunUpdate
  /// The output of the tasks, nil if only that of failed tasks is shown.
  private var feed: OutputFeed?
  /// Where the output of tasks goes, nil for the place of the renderer.
  private let port: OutputPort?
  /// Tells that there is output, nil if the logs have to be read at intervals.
  private let growth: FolderWatch?
  /// Whether the renderer redraws rows below the output.
  private let isRedrawn: Bool
  /// The errno after which no more output of tasks is written, 0 before.
  private let failure: SharedFailure
  /// The events that wait for the output before them.
  private var events: ArraySlice<RunUpdate.Event> = []
  /// How many of them the renderer has received already.
  private var toldEvents = 0
  /// The run at the last update, and after the events that were shown.
  private var newest = RunSnapshot()
  private var shown = RunSnapshot()
  /// Output that the reader has not taken, and the position of its first byte.
  private var text: [UInt8] = []
  private var written = 0
  /// The number of passes in a row in which the reader has taken nothing.
  private var refusals = 0
  /// Whether output has come in the last pass, so that the next one is due without news.
  private var isGathering = false

  init(
    _ renderer: any RunRenderer, description: RunDescription, feed: OutputFeed?, isRedrawn: Bool,
    take: @escaping @Sendable () -> RunUpdate, failure: SharedFailure
  ) {
    self.renderer = renderer
    self.feed = feed
    self.isRedrawn = isRedrawn
    port = feed == nil ? nil : description.output.output.map { OutputPort($0) }
    growth = feed?.streams == true ? description.logWatch : nil
    self.take = take
    self.failure = failure
  }

  var hasMore: Bool {
    !events.isEmpty || mayHaveOutput && (written < text.count || feed?.hasMore ?? false)
  }

  var news: Int32? { isGathering || !mayHaveOutput ? nil : growth?.descriptor }

  mutating func update(into output: inout [UInt8]) {
    let update = take()
    guard feed != nil else { return renderer.update(update, into: &output) }
    growth?.clear()
    isGathering = false
    events += update.events
    newest = update.snapshot
    guard flush() else { return tellIfStalled(into: &output) }
    var next = RunUpdate()
    while let event = events.first {
      if let end = event.event.endOfAttempt, mayHaveOutput {
        show(&next, into: &output)
        var isWhole = true
        let isWritten = print(into: &output) { feed, text in
          isWhole =
            end.isRetried
            ? feed.finishAttempt(end.task, into: &text) : feed.finish(end.task, into: &text)
        }
        guard isWhole else { return }
        feed?.follow(event.event)
        pass(event, to: &next)
        guard isWritten else { return show(&next, into: &output) }
      } else {
        feed?.follow(event.event)
        pass(event, to: &next)
      }
    }
    shown = newest
    show(&next, into: &output)
    guard mayHaveOutput else { return }
    _ = print(into: &output) { $0.stream(into: &$1) }
  }

  /// Takes the first event, for the renderer unless it knows it already.
  private mutating func pass(_ event: RunUpdate.Event, to next: inout RunUpdate) {
    events = events.dropFirst()
    if toldEvents > 0 { toldEvents -= 1 } else { next.events.append(event) }
  }

  /// Passes the events on although the output before them waits, if its reader has stopped reading.
  private mutating func tellIfStalled(into output: inout [UInt8]) {
    guard refusals >= Self.mostRefusals else { return }
    var next = RunUpdate()
    next.events = Array(events.dropFirst(toldEvents))
    toldEvents = events.count
    shown = newest
    show(&next, into: &output)
  }

  /// Whether somebody reads the output of tasks.
  private var mayHaveOutput: Bool { failure.code.withLock { $0 == 0 } }

  /// Passes events to the renderer.
  private mutating func show(_ update: inout RunUpdate, into output: inout [UInt8]) {
    update.snapshot = shown
    let mustBreak = update.events.contains {
      if case .runEnding = $0.event.kind { isRedrawn } else { false }
    }
    speak(into: &output, mustBreak: mustBreak) { $0.update(update, into: &$1) }
    update.events.removeAll()
  }

  /// Lets the renderer print, below a last line of a task that has no end yet.
  private mutating func speak(
    into output: inout [UInt8], mustBreak: Bool = false,
    _ body: (inout any RunRenderer, inout [UInt8]) -> Void
  ) {
    guard isMidLine else { return body(&renderer, &output) }
    var words: [UInt8] = []
    body(&renderer, &words)
    guard !words.isEmpty || mustBreak else { return }
    feed?.breakLine()
    output.append(0x0A)
    output += words
  }

  /// Whether the cursor is behind a line of a task that has no end yet.
  var isMidLine: Bool { port == nil && feed?.isMidLine ?? false }

  /// Prints output of tasks above what is redrawn, or writes it to the descriptor for it.
  ///
  /// - Returns: Whether nothing waits for its reader.
  private mutating func print(
    into bytes: inout [UInt8], _ body: (inout OutputFeed, inout [UInt8]) -> Void
  ) -> Bool {
    guard var feed = self.feed.take() else { return true }
    body(&feed, &text)
    self.feed = feed
    guard !text.isEmpty else { return true }
    isGathering = true
    guard port == nil else { return flush() }
    renderer.makeWay(for: text.count { $0 == 0x0A }, into: &bytes)
    bytes += text
    text.removeAll(keepingCapacity: true)
    return true
  }

  /// Writes what waits for the reader of the output.
  ///
  /// - Returns: Whether nothing waits any more.
  private mutating func flush() -> Bool {
    guard let port, !text.isEmpty else { return true }
    guard mayHaveOutput else {
      drop()
      return true
    }
    let start = written
    let result = port.write(text, from: &written, patience: Self.patience)
    switch result {
    case .done: drop()
    case .waiting: refusals = written > start ? 0 : refusals + 1
    case .failed(let code):
      failure.code.withLock { $0 = code }
      drop()
    }
    return text.isEmpty
  }

  /// Forgets the output that was written, or that nobody reads.
  private mutating func drop() {
    text.removeAll(keepingCapacity: true)
    (written, refusals) = (0, 0)
  }

  mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
    // Rows cannot be below a line that is not complete.
    if isRedrawn, isMidLine { return }
    speak(into: &output) { $0.frame(at: now, size: size, into: &$1) }
  }

  func nextFrame(after now: Duration) -> Duration? {
    let next = isRedrawn && isMidLine ? nil : renderer.nextFrame(after: now)
    guard let feed, feed.streams, !feed.running.isEmpty, mayHaveOutput else { return next }
    guard isGathering || growth == nil else { return next }
    let isBusy = growth == nil && feed.running.count > Self.manyTasks
    let read = now + (isBusy ? ScreenRegion.interval : Self.interval)
    return min(next ?? read, read)
  }

  mutating func withdraw(into output: inout [UInt8]) {
    speak(into: &output) { $0.withdraw(into: &$1) }
  }
  mutating func erase(into output: inout [UInt8]) {
    speak(into: &output) { $0.erase(into: &$1) }
  }
  mutating func printLines(into output: inout [UInt8]) {
    speak(into: &output) { $0.makeWay(for: 0, into: &$1) }
  }
  var needsRows: Bool { isRedrawn }
  mutating func press(_ key: UInt8) { renderer.press(key) }
  mutating func show(_ keys: KeySession.Phase) { renderer.show(keys) }
}
