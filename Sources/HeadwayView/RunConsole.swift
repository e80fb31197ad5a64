public import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwayRelay
public import HeadwayRun
internal import HeadwaySystem
public import HeadwayTerminal

/// Shows a run in the terminal or log of a program.
///
/// ```swift
/// let launcher = try Launcher(graph)
/// let result = await RunConsole("start", graph).run(launcher)
/// ```
///
/// Running tasks are shown with what they report to `LaunchContext.progress`: `312 / 1,000, 40/s`, a bar, and a remaining time
/// that follows from it.
///
/// A thread of its own draws at its own pace, so the run never waits for the terminal. Safe to use from any thread.
public final class RunConsole: Sendable {
  /// The ways to show a run.
  ///
  /// ```swift
  /// let console = RunConsole("start", graph, mode: RunConsole.Mode.quiet)
  /// ```
  public enum Mode: Hashable, Sendable {
    /// A region at the bottom of a terminal that is redrawn, and lines above it that stay.
    case screen
    /// A line when a task starts and when it ends, for logs, pipes and screen readers.
    case lines
    /// Lines of JSON for programs, in the format of `headway run --ui json`.
    case json
    /// Failures only.
    case quiet
  }

  /// The keys that a view of a run understands.
  package static let keys = ScreenRenderer.keys.union(RunKeys.all)

  private let mode: Mode
  /// Whether the output of tasks that succeed is shown, too.
  private let showsOutput: Bool
  /// The errno after which no more output of tasks was written, 0 if there is none.
  private let outputFailure = SharedFailure()
  private let inbox: SharedRunInbox
  private let loop: RenderLoop<RunSurface>
  /// The names of the tasks, by index.
  private let names: [String]
  /// Follows the publication of a run of another process, nil if there is nothing to follow.
  private let following = Guarded<Task<Void, Never>?>(nil)

  /// The least time between two looks at what the tasks of a run of another process report.
  private static let reportInterval = Duration.milliseconds(50)

  /// Creates the console of a program's own run, which has not begun.
  ///
  /// - Parameters:
  ///   - name: The name of the run.
  ///   - graph: The tasks of the run.
  ///   - forecaster: A forecaster of the run, for one that knows its history; it must not have received events.
  ///   - output: The descriptor to write to; it stays open.
  ///   - mode: The way to show the run, nil for the one that fits the output: a screen in a terminal, lines elsewhere.
  ///   - style: What the terminal can show, nil for what the environment says.
  public convenience init(
    _ name: String, _ graph: LaunchGraph, forecaster: RunForecaster? = nil, output: Int32 = 2,
    mode: Mode? = nil, style: TerminalStyle? = nil
  ) {
    let isTerminal = isTerminal(output)
    var fitting = style ?? TerminalStyle(environment: environmentValue)
    if !isTerminal { fitting.color = fitting.color && style != nil }
    let interface = BarsInterface.fitting(isTerminal: isTerminal, environment: environmentValue)
    let forecaster = forecaster ?? RunForecaster(graph, workers: 1)
    let tasks = (0..<graph.count).map { TaskID($0) }
    var inbox = RunInbox()
    inbox.forecaster = forecaster
    let shared = SharedRunInbox(inbox)
    self.init(
      RunDescription(
        name: name, names: graph.names, timeouts: tasks.map { graph.settings(of: $0).timeout },
        optional: tasks.map { graph.settings(of: $0).isOptional },
        usual: tasks.map { forecaster.usual($0) }),
      mode: mode ?? (interface == .live ? .screen : .lines), style: fitting, output: output,
      keyboard: nil, hidesCursor: false, remote: nil, onLeave: {}, inbox: shared,
      keepsOutput: true, now: { shared.guarded.withLock { $0.now } })
  }

  /// Creates the console of a run of this process that folds and forecasts itself.
  ///
  /// - Parameters:
  ///   - description: The run.
  ///   - mode: The way to show it.
  ///   - style: What the terminal can show.
  ///   - output: The descriptor to write to; it stays open.
  ///   - now: Returns the time since the run began.
  package convenience init(
    _ description: RunDescription, mode: Mode, style: TerminalStyle, output: Int32,
    now: @escaping @Sendable () -> Duration
  ) {
    self.init(
      description, mode: mode, style: style, output: output, keyboard: nil, hidesCursor: true,
      remote: nil, onLeave: {}, inbox: SharedRunInbox(RunInbox()), now: now)
  }

  /// Creates the console of a run of another process, which has not begun for it.
  ///
  /// - Parameters:
  ///   - description: The run.
  ///   - forecaster: A forecaster of the run that has not received events; nil if only the forecasts of the run are shown.
  ///   - mode: The way to show it.
  ///   - style: What the terminal can show.
  ///   - output: The descriptor to write to; it stays open.
  ///   - keyboard: The keyboard that is read once the user asks for it, nil for none.
  ///   - remote: Asks the run for what keys say.
  ///   - onLeave: Called on the thread when the user leaves the view.
  package convenience init(
    _ description: RunDescription, forecaster: RunForecaster?, mode: Mode, style: TerminalStyle,
    output: Int32, keyboard: RequestedKeyboard?, remote: RunRemote,
    onLeave: @escaping @Sendable () -> Void
  ) {
    var inbox = RunInbox()
    inbox.forecaster = forecaster
    let shared = SharedRunInbox(inbox)
    self.init(
      description, mode: mode, style: style, output: output, keyboard: keyboard,
      hidesCursor: true, remote: remote, onLeave: onLeave, inbox: shared,
      now: { shared.guarded.withLock { $0.now } })
  }

  private init(
    _ description: RunDescription, mode: Mode, style: TerminalStyle, output: Int32,
    keyboard: RequestedKeyboard?, hidesCursor: Bool, remote: RunRemote?,
    onLeave: @escaping @Sendable () -> Void, inbox: SharedRunInbox, keepsOutput: Bool = false,
    now: @escaping @Sendable () -> Duration
  ) {
    let renderer: any RunRenderer =
      switch mode {
      case .screen: ScreenRenderer(description, style: style, hidesCursor: hidesCursor)
      case .lines: LineRenderer(description, style: style)
      case .json: JSONRenderer(description)
      case .quiet: QuietRenderer(description, style: style)
      }
    self.mode = mode
    self.inbox = inbox
    names = description.names
    showsOutput = mode != .json && description.output.mode != .failed
    let feed = showsOutput ? OutputFeed(description, color: style.color) : nil
    loop = RenderLoop(
      RunSurface(
        renderer, description: description, feed: feed, isRedrawn: mode == .screen,
        take: { inbox.guarded.withLock { $0.take() } }, failure: outputFailure),
      output: output, requested: keyboard,
      filterKey: { key in
        guard let remote else { return false }
        switch inbox.guarded.withLock({ $0.keys.press(key, $0.update.snapshot) }) {
        case .ask(let request): remote.ask(request) { inbox.note($0) }
        case .leave: onLeave()
        case nil: return false
        }
        return true
      }, keepsOutput: keepsOutput, now: now)
    let loop = loop
    inbox.guarded.withLock {
      $0.onRefusal = { [weak loop] in loop?.print("headway: \($0)") }
    }
  }

  deinit { finish() }

  /// Runs a launcher and shows its run, to the end.
  ///
  /// Call it instead of `Launcher.run()`. Cancelling the calling task cancels the run, as there.
  ///
  /// - Parameter launcher: A launcher of the graph that the console was created with, which has not begun.
  /// - Returns: The outcomes of all tasks, when everything was written.
  /// - Complexity: That of `RunForecaster.receive(_:)` for each event.
  public func run(_ launcher: Launcher) async -> LaunchResult {
    let events = launcher.events()
    showReports(of: launcher)
    launcher.start()
    return await withTaskCancellationHandler {
      // The events end with the run; a cancelled task would stop listening before.
      await Task.detached { for await event in events { self.receive(event) } }.value
      finish()
      return await launcher.result
    } onCancel: {
      launcher.cancel()
    }
  }

  /// Runs a launcher and shows its run, and blocks the calling thread until its end, for programs without an asynchronous `main`.
  ///
  /// The restrictions of `Launcher.runBlocking()` apply.
  ///
  /// - Parameter launcher: A launcher of the graph that the console was created with, which has not begun.
  /// - Returns: The outcomes of all tasks, when everything was written.
  @available(*, noasync, message: "use run(_:)")
  public func runBlocking(_ launcher: Launcher) -> LaunchResult {
    let events = launcher.events()
    showReports(of: launcher)
    let end = Semaphore()
    Task.detached {
      for await event in events { self.receive(event) }
      end.post()
    }
    let result = launcher.runBlocking()
    end.wait()
    finish()
    return result
  }

  /// Shows what the running tasks of a launcher report to `LaunchContext.progress`.
  ///
  /// ``run(_:)`` does so by itself. Call it if you pass the events to ``receive(_:)`` yourself.
  ///
  /// - Parameter launcher: The launcher of the run that is shown.
  public func showReports(of launcher: Launcher) {
    inbox.guarded.withLock { $0.reported = ReportedTasks(launcher) }
  }

  /// Follows what a run of another process publishes: its newest forecast, and what the programs of its tasks report.
  ///
  /// - Parameters:
  ///   - run: The name of the run.
  ///   - process: The number of its process.
  package func followPublication(of run: String, process: Int32) {
    let (inbox, loop, names, interval) = (inbox, loop, names, Self.reportInterval)
    let task = Task.detached {
      let indices = Dictionary(
        names.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
      // After a connection that was lost, such as while this process was stopped, the work is found again.
      for await work in Subscription(ofProcess: process, every: interval) where work.name == run {
        for await snapshot in work.node.feed(every: interval) {
          let reports = Self.reports(in: snapshot, indices)
          let forecast = work.forecast
          inbox.guarded.withLock { $0.follow(reports, forecast) }
          loop.nudge()
        }
      }
    }
    following.withLock { $0 = task }
  }

  /// What programs report for their tasks, in the tree of a run.
  ///
  /// In a run of an older version, a program may have given the node of its task another name, perhaps that of another task:
  /// then nobody knows whose it is.
  static func reports(
    in run: ProgressSnapshot, _ indices: [String: Int]
  ) -> [(task: TaskID, snapshot: ProgressSnapshot)] {
    let counts = Dictionary(run.children.map { ($0.label, 1) }, uniquingKeysWith: +)
    return run.children.compactMap { child in
      guard child.kind.hasCounts, counts[child.label] == 1, let index = indices[child.label]
      else { return nil }
      return (TaskID(index), child)
    }
  }

  /// Shows the next event of a program's own run, for programs that look at the events themselves.
  ///
  /// ``finish(within:)`` must be called at the end; it writes what is left. The article "Showing a run" has an example.
  ///
  /// - Parameter event: The event.
  /// - Complexity: That of `RunForecaster.receive(_:)`.
  public func receive(_ event: RunEvent) {
    inbox.guarded.withLock { $0.receive(event, age: .zero) }
    loop.nudge()
  }

  /// Shows the next events of a run of another process.
  ///
  /// - Parameters:
  ///   - events: The events.
  ///   - state: The state of the run after them.
  ///   - forecast: The latest forecast of the run, nil before the first.
  ///   - age: How long ago the last of the events happened.
  ///   - hasMore: Whether further events are known to follow.
  /// - Complexity: That of `RunForecaster.receive(_:)` for each event, with a forecaster.
  package func receive(
    _ events: [RunEvent], _ state: RunState, _ forecast: RunForecast?, age: Duration,
    hasMore: Bool = false
  ) {
    let isForecast = inbox.guarded.withLock { inbox in
      inbox.isBehind = hasMore
      inbox.predicted = .some(forecast?.predicted)
      for event in events { inbox.receive(event, age: age) }
      return inbox.forecaster != nil
    }
    if isForecast { loop.nudge() } else { show(events, state, forecast) }
  }

  /// Shows the changes of a run that folds and forecasts itself.
  ///
  /// - Parameters:
  ///   - events: The next events.
  ///   - state: The state of the run after them.
  ///   - forecast: The latest forecast, nil before the first.
  /// - Complexity: O(events), and O(active tasks), at most `RunSnapshot.maximumActive`, where they are shown.
  package func show(_ events: [RunEvent], _ state: RunState, _ forecast: RunForecast?) {
    // A quiet run without failures does not wake the thread.
    let isQuiet = mode == .quiet && !showsOutput
    let shown = isQuiet ? events.filter { QuietRenderer.shows($0) } : events
    if isQuiet, shown.isEmpty { return }
    let snapshot = RunSnapshot(state, forecast, hasTasks: mode == .screen || mode == .lines)
    inbox.guarded.withLock { inbox in
      for event in shown { inbox.update.events.append(RunUpdate.Event(event, state)) }
      inbox.update.snapshot = snapshot
    }
    loop.nudge()
  }

  /// Prints values above the run, as `Swift.print` does; tasks may do so, too.
  ///
  /// - Parameters:
  ///   - items: The values; their texts may have several lines. Control characters are removed.
  ///   - separator: The text between two values.
  public func print(_ items: Any..., separator: String = " ") {
    let text = items.map { "\($0)" }.joined(separator: separator)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    loop.print(lines.map { TaskOutputText.line(String($0)) }.joined(separator: "\n"))
  }

  /// Erases what would be overwritten later and keeps away from the terminal until `resume()`, so that something else can
  /// write to it; calls are counted.
  ///
  /// - Parameter limit: The maximum time to wait for a slow terminal.
  /// - Returns: Whether the terminal is free now.
  @discardableResult
  public func suspend(within limit: Duration = .milliseconds(500)) -> Bool {
    loop.suspend(within: limit)
  }

  /// Draws again after `suspend(within:)`.
  public func resume() { loop.resume() }

  /// Writes what is left, erases the region and ends the thread; a second call does nothing.
  ///
  /// - Parameter limit: The maximum time to wait for a slow terminal, nil to wait without limit.
  /// - Returns: Whether everything was written, or the reader is gone.
  @discardableResult
  public func finish(within limit: Duration? = nil) -> Bool {
    following.withLock { $0.take() }?.cancel()
    return loop.finish(within: limit) { [outputFailure] in
      outputFailure.code.withLock { if $0 == 0 { $0 = ETIMEDOUT } }
    }
  }

  /// The errno because of which something was not shown, 0 if there is none; a reader that is gone is not an error.
  package var failure: Int32 { loop.failure }

  /// The errno because of which output of tasks was not shown, 0 if there is none; a reader that is gone is not an error.
  ///
  /// `ETIMEDOUT` if the reader had stopped reading at the end.
  package var lostOutput: Int32 { outputFailure.code.withLock { $0 == EPIPE ? 0 : $0 } }
}
