internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwayRelay
internal import HeadwayRunner
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayView

/// `headway watch`: shows what programs of this user publish, and asks it for what keys say.
struct WatchCommand {
  /// The least time between two changes of a tree that is drawn.
  private static let interval = Duration.milliseconds(50)
  /// The most nodes of a tree that are read: more than have rows.
  static let nodes = 64

  /// What to show, nil for all.
  private let word: String?
  private let isOnce: Bool
  private let isJSON: Bool

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.watch.options)
    word = try parsed.onlyWord("name one ID, or none for all")
    isOnce = parsed.options["--once"] != nil
    isJSON = parsed.options["--json"] != nil
  }

  /// Shows the work.
  ///
  /// - Throws: `UsageError`, `RunnerError`.
  func run() throws -> ExitCode {
    if isJSON { return try printLines() }
    let interface = BarsInterface.fitting(
      isTerminal: isTerminal(STDOUT_FILENO), environment: environmentValue)
    return isOnce || interface != .live ? try printTable() : try showLive()
  }

  // MARK: Once

  private func printTable() throws -> ExitCode {
    let works = PublishedWorks.now()
    var shown = works.described
    if let word {
      guard let work = try works.find(word) else { return .unavailable }
      shown = shown.filter { $0.id == work.id }
    }
    try printOutput(WatchTable.text(shown, style: TerminalStyle(environment: environmentValue)))
    return .success
  }

  // MARK: Lines

  private func printLines() throws -> ExitCode {
    // Held until the end, as it also tells when the work has ended before it is found again.
    var chosen: WatchedPublication?
    if let word {
      chosen = try PublishedWorks.now().find(word)
      if chosen == nil { return .unavailable }
    }
    let printer = LinePrinter(isOnce: isOnce)
    let subscription = Subscription(
      chosen.map { .id($0.id) } ?? .all, onBytes: { printer.take($1, from: $0) },
      onProblem: { printMessage("\($0)") })
    let isOnce = isOnce
    BlockingTask.run { [chosen] in
      if isOnce {
        _ = await subscription.current(within: PublishedWorks.patience)
      } else {
        let following = Task { await Self.follow(subscription, chosen, printer) }
        printer.onFailure { following.cancel() }
        await following.value
      }
    }
    let error = printer.error
    guard error == 0 || error == EPIPE else { throw RunnerError.lostOutput(error) }
    return .success
  }

  /// Prints a line for each publisher that dies or is lost, as it cannot send one, until the task is cancelled or the chosen
  /// publication has ended.
  private static func follow(
    _ subscription: Subscription, _ chosen: WatchedPublication?, _ printer: LinePrinter
  ) async {
    guard let chosen else {
      await withDiscardingTaskGroup { group in
        for await work in subscription { group.addTask { await end(of: work, printer) } }
      }
      return
    }
    await withTaskGroup { group in
      group.addTask {
        for await work in subscription {
          printer.noteFound()
          return await end(of: work, printer)
        }
      }
      group.addTask {
        _ = await chosen.ended()
        // If it ended before it was found again, it will not be.
        if printer.hasFound { await wait() } else { await end(of: chosen, printer) }
      }
      await group.next()
      group.cancelAll()
    }
  }

  /// Waits for the end of a publication, and prints a line if its publisher could not send one.
  private static func end(of work: WatchedPublication, _ printer: LinePrinter) async {
    switch await work.ended() {
    case .died: printer.print(WatchLines.lost(work.id, reason: "its process ended"))
    case .lost(let problem): printer.print(WatchLines.lost(work.id, reason: "\(problem)"))
    case .finished, .failed, .unpublished, nil: break
    @unknown default: break
    }
  }

  /// Waits until the task is cancelled.
  private static func wait() async {
    let (never, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in never {}
    continuation.finish()
  }

  // MARK: Live

  private func showLive() throws -> ExitCode {
    // Before any thread is started.
    let terminal = try TerminalGuard()
    // All other threads begin after this, so that only this one receives signals.
    return try SignalSet.all.whileBlocked {
      var chosen: WatchedPublication?
      if let word {
        chosen = try PublishedWorks.now().find(word)
        if chosen == nil { return .unavailable }
      }
      // By the signal, so that a calling shell sees why.
      if let end = show(chosen, terminal) { Supervisor.exit(signal: end) }
      return .success
    }
  }

  /// Draws until the user leaves.
  ///
  /// - Returns: The signal that asked for the end, nil if there was none.
  private func show(_ chosen: WatchedPublication?, _ terminal: TerminalGuard) -> Int32? {
    let inbox = WatchInbox()
    let printsProblems = !isTerminal(STDERR_FILENO)
    let filter = chosen.map { Subscription.Filter.id($0.id) } ?? .all
    let subscription = Subscription(filter, every: Self.interval) { problem in
      // The terminal is drawn on.
      if printsProblems { printMessage("\(problem)") } else { inbox.print("headway: \(problem)") }
    }
    let watching = Task.detached {
      await withDiscardingTaskGroup { group in
        if let chosen {
          // It may have ended before it is found again, and then it will not be.
          group.addTask { if await chosen.ended() != nil { inbox.update(WatchedWork(chosen)) } }
        }
        for await work in subscription {
          group.addTask { await Self.follow(work, inbox) }
        }
      }
    }
    defer { watching.cancel() }
    return ForegroundSession.run(
      WatchRenderer(
        inbox, style: TerminalStyle(environment: environmentValue), endsWithWork: word != nil),
      output: STDOUT_FILENO, keyboard: STDIN_FILENO, terminal: terminal,
      onStart: { inbox.onNews($0) })
  }

  /// Passes on what becomes of work, and what the user asks it for.
  private static func follow(_ publication: WatchedPublication, _ inbox: WatchInbox) async {
    let requests = inbox.requests(for: publication.id)
    let asking = Task {
      for await request in requests {
        do throws(RelayError) {
          try await publication.ask(request)
        } catch {
          let title = WatchedWork(publication).title
          inbox.show(message: "\(title): \(error)")
        }
      }
    }
    for await snapshot in publication.node.feed(every: interval, limit: nodes) {
      // The last one comes with how it ended.
      if !snapshot.isFinished { inbox.update(WatchedWork(publication, snapshot)) }
    }
    _ = await publication.ended()
    inbox.update(WatchedWork(publication))
    asking.cancel()
  }
}

/// Prints lines that come from several threads, until that is not possible any more.
private final class LinePrinter: Sendable {
  private struct State: Sendable {
    var lines: WatchLines
    /// The errno because of which nothing more is printed, 0 if there is none.
    var error: Int32 = 0
    var onFailure: (@Sendable () -> Void)?
    var hasFound = false
  }

  private let state: Guarded<State>

  init(isOnce: Bool) { state = Guarded(State(lines: WatchLines(isOnce: isOnce))) }

  /// The errno because of which something was not printed, 0 if there is none.
  var error: Int32 { state.withLock { $0.error } }

  /// Whether the chosen publication was found.
  var hasFound: Bool { state.withLock { $0.hasFound } }

  /// Notes that the chosen publication was found.
  func noteFound() { state.withLock { $0.hasFound = true } }

  /// Sets what is called when nothing more can be printed.
  func onFailure(_ body: @escaping @Sendable () -> Void) {
    let hasFailed = state.withLock { state in
      state.onFailure = body
      return state.error != 0
    }
    if hasFailed { body() }
  }

  /// Prints what a process has sent.
  func take(_ bytes: ArraySlice<UInt8>, from connection: Int) {
    print { $0.take(bytes, from: connection) }
  }

  /// Prints a line.
  func print(_ line: [UInt8]) { print { _ in line } }

  private func print(_ make: (inout WatchLines) -> [UInt8]) {
    // Written inside of the lock, so that no line is torn.
    let onFailure = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.error == 0 else { return nil }
      let output = make(&state.lines)
      guard !output.isEmpty else { return nil }
      state.error = writeAll(STDOUT_FILENO, output)
      return state.error == 0 ? nil : state.onFailure
    }
    onFailure?()
  }
}
