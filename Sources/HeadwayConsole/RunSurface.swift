internal import HeadwayLock
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTerminal

/// The errno after which no more output of tasks was written, 0 before; the thread and the run share it.
final class SharedFailure: Sendable {
  let code = Guarded<Int32>(0)
}

/// A run as the render loop draws it: its own words, and between them the output of its tasks.
struct RunSurface: Renderer {
  /// The interval at which logs are read while few tasks run.
  private static let interval = Duration.milliseconds(30)
  /// The number of running tasks from which on the logs are read less often.
  private static let manyTasks = 16

  private var renderer: any RunRenderer
  private let take: @Sendable () -> RunUpdate
  /// The output of the tasks, nil if only that of failed tasks is shown.
  private var feed: OutputFeed?
  /// The descriptor for the output of tasks, nil for the one of the renderer.
  private let output: Int32?
  /// The errno after which no more output of tasks is written, 0 before.
  private let failure: SharedFailure
  /// The events that wait for the output before them.
  private var events: ArraySlice<RunUpdate.Event> = []
  /// The run at the last update, and after the events that were shown.
  private var newest = RunSnapshot()
  private var shown = RunSnapshot()

  init(
    _ renderer: any RunRenderer, feed: OutputFeed?, output: Int32?,
    take: @escaping @Sendable () -> RunUpdate, failure: SharedFailure
  ) {
    self.renderer = renderer
    self.feed = feed
    self.output = output
    self.take = take
    self.failure = failure
  }

  var hasMore: Bool { !events.isEmpty || (mayHaveOutput && feed?.hasMore ?? false) }

  mutating func update(into output: inout [UInt8]) {
    let update = take()
    guard feed != nil else { return renderer.update(update, into: &output) }
    events += update.events
    newest = update.snapshot
    var next = RunUpdate()
    while let event = events.first {
      if case .taskEnded(let task, _, _, _) = event.event.kind {
        if mayHaveOutput {
          show(&next, into: &output)
          guard print(into: &output, { $0.finish(task, into: &$1) }) else { return }
        }
      }
      feed?.follow(event.event)
      next.events.append(event)
      events = events.dropFirst()
    }
    shown = newest
    show(&next, into: &output)
    if mayHaveOutput {
      _ = print(into: &output) { feed, bytes in
        feed.stream(into: &bytes)
        return true
      }
    }
  }

  /// Whether somebody reads the output of tasks.
  private var mayHaveOutput: Bool { failure.code.withLock { $0 == 0 } }

  /// Passes events to the renderer.
  private mutating func show(_ update: inout RunUpdate, into output: inout [UInt8]) {
    update.snapshot = shown
    renderer.update(update, into: &output)
    update.events.removeAll()
  }

  /// Prints output of tasks above what is redrawn, or writes it to the descriptor for it.
  private mutating func print(
    into bytes: inout [UInt8], _ body: (inout OutputFeed, inout [UInt8]) -> Bool
  ) -> Bool {
    guard var feed else { return true }
    var text: [UInt8] = []
    let result = body(&feed, &text)
    self.feed = feed
    guard !text.isEmpty else { return result }
    if let output {
      let code = writeAll(output, text)
      if code != 0 { failure.code.withLock { $0 = code } }
    } else {
      renderer.makeWay(for: text.count { $0 == 0x0A }, into: &bytes)
      bytes += text
    }
    return result
  }

  mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
    renderer.frame(at: now, size: size, into: &output)
  }

  func nextFrame(after now: Duration) -> Duration? {
    let next = renderer.nextFrame(after: now)
    guard let feed, feed.streams, !feed.running.isEmpty, mayHaveOutput else { return next }
    let read = now + (feed.running.count > Self.manyTasks ? ScreenRegion.interval : Self.interval)
    return min(next ?? read, read)
  }

  mutating func withdraw(into output: inout [UInt8]) { renderer.withdraw(into: &output) }
  mutating func press(_ key: UInt8) { renderer.press(key) }
  mutating func show(_ keys: KeySession.Phase) { renderer.show(keys) }
}
