#if os(Linux)
  internal import HeadwayLibc
  internal import HeadwayLock
  internal import HeadwayProgress
  internal import HeadwayRun
  internal import HeadwaySystem
  internal import HeadwayTime

  /// The thread that serves all publications and subscriptions of the process.
  ///
  /// ```text
  ///   any thread ── post(command) ──▶ mailbox ──▶ thread: server (PublisherCore) ◀──▶ sockets of watchers
  ///                                                      clients (WatcherCore)   ◀──▶ sockets of publishers
  /// ```
  ///
  /// It runs while there is something to publish or to watch. Everything but the mailbox belongs to the thread, so nothing
  /// else needs a lock, and who posts a command never waits for the network. Safe from any thread.
  final class RelayLoop: Sendable {
    /// What other threads want.
    enum Command: Sendable {
      case publish(Published)
      case unpublish(PublicationID, PublicationEnd)
      case changed(PublicationID)
      case copied(PublicationID, ProgressSnapshot?)
      case forecast(PublicationID, RunForecast)
      case subscribe(Subscriber)
      case stopSearching(Int)
      case unsubscribe(Int)
      case ask(RelayClient.Question)
      case answer(PublisherCore.Reply, RelayRefusal?)
      case openShare(OpenShare)
      case openShares(ProcessShares)
      case closeShare(String)
      case readZig(ZigInput)
      case zigChanged(PublicationID)
    }

    private struct Mailbox: Sendable {
      var commands: [Command] = []
      /// Whether the thread runs, or is being started.
      var isRunning = false
      /// Whether the thread was woken for the commands.
      var isWoken = false
      var hasExitHandler = false
      /// The number of the thread, nil while it does not run.
      var thread: Int?
      /// Wakes the thread; nil before the first start, and if the system had no descriptor.
      var wake: WaitableEvent?
      /// Whether the process ends, so that nothing more is published or watched.
      var isEnding = false
      /// Those who wait until watchers were told of that.
      var enders: [WaitableEvent] = []
    }

    /// The loop of the process.
    static let shared = RelayLoop()

    /// How long the process waits at its end until its watchers are told: they read within a millisecond, if they do.
    private static let farewell: Duration = .milliseconds(200)

    private let mailbox = Guarded(Mailbox())

    /// Passes a command to the thread, which is started if necessary.
    ///
    /// In a copy of the process made by `fork`, and once the process ends, the command is refused: the thread is not there.
    func post(_ command: Command) {
      // Another thread may have held the lock at the fork.
      if isForkedCopy { return refuse(command, .forked) }
      let (isRefused, starts, installs, wake) = mailbox.withLock { mailbox in
        if mailbox.isEnding { return (true, false, false, nil as WaitableEvent?) }
        mailbox.commands.append(command)
        let starts = !mailbox.isRunning
        let wakes = !starts && !mailbox.isWoken
        let installs = !mailbox.hasExitHandler
        if starts, mailbox.wake == nil {
          let wake = WaitableEvent()
          if wake.isOpen { mailbox.wake = wake }
        }
        mailbox.isRunning = true
        mailbox.isWoken = true
        mailbox.hasExitHandler = true
        return (false, starts, installs, wakes ? mailbox.wake : nil)
      }
      if isRefused {
        return refuse(command, .system("cannot publish", reason: "the process is ending"))
      }
      if installs { atexit { RelayLoop.shared.endOfProcess() } }
      wake?.set()
      guard starts else { return }
      let error = SystemThread.start(named: "headway-relay", blocksSignals: true) { self.run() }
      guard error != 0 else { return }
      giveUp(.system("cannot start a thread", reason: errorDescription(error)))
    }

    /// Whether this is the thread of the loop, which must not wait for itself.
    var isOnThread: Bool {
      let own = SystemThread.number
      return mailbox.withLock { $0.thread == own }
    }

    /// Refuses all commands, because there is no thread for them.
    private func giveUp(_ error: RelayError) {
      let commands = mailbox.withLock { mailbox in
        mailbox.isRunning = false
        mailbox.thread = nil
        defer { mailbox.commands = [] }
        return mailbox.commands
      }
      for command in commands { refuse(command, error) }
    }

    /// Tells whoever waits for a command that it will not be carried out.
    private func refuse(_ command: Command, _ error: RelayError) {
      switch command {
      case .publish(let published): published.fail(error)
      case .subscribe(let subscriber):
        subscriber.report(error)
        subscriber.settle()
      case .ask(let question): question.answer?(.failed(error))
      case .openShare(let share): share.set(address: nil)
      case .openShares(let shares): shares.root.set(address: nil)
      case .answer, .unpublish, .changed, .copied, .forecast, .stopSearching, .unsubscribe,
        .closeShare,
        .readZig, .zigChanged:
        break
      }
    }

    /// Lets watchers know what has ended, and leaves no socket behind, when the process exits.
    ///
    /// It waits for the thread, but not for long: that may be in a handler of the program which waits for this one.
    func endOfProcess() {
      if isForkedCopy { return }
      let own = SystemThread.number
      let isDone = WaitableEvent()
      let wake = mailbox.withLock { mailbox -> WaitableEvent? in
        mailbox.isEnding = true
        // A handler that ends the process on the thread itself would wait for itself.
        guard mailbox.isRunning, mailbox.thread != own else { return nil }
        mailbox.enders.append(isDone)
        return mailbox.wake
      }
      guard let wake, isDone.isOpen else { return }
      wake.set()
      var ready = pollfd(fd: isDone.descriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&ready, 1, Int32(Self.farewell / .milliseconds(1)) * 2)
    }

    /// The loop.
    private func run() {
      let number = SystemThread.number
      let wake = mailbox.withLock { mailbox in
        mailbox.thread = number
        return mailbox.wake
      }
      guard let wake, let thread = RelayThread(wake: wake) else {
        let reason = "the limit on open files is reached"
        return giveUp(.system("cannot wait for watchers", reason: reason))
      }
      while true {
        let (commands, isEnding) = mailbox.withLock { mailbox -> ([Command], Bool) in
          defer { mailbox.commands = [] }
          mailbox.isWoken = false
          return (mailbox.commands, mailbox.isEnding)
        }
        for command in commands { thread.perform(command) }
        if isEnding {
          thread.finish(until: MonotonicTime.now + Self.farewell)
          let enders = mailbox.withLock { mailbox in
            mailbox.isRunning = false
            return mailbox.enders
          }
          for ender in enders { ender.set() }
          return
        }
        thread.settle()
        if thread.isIdle {
          let isOver = mailbox.withLock { mailbox in
            guard mailbox.commands.isEmpty, !mailbox.isEnding else { return false }
            mailbox.isRunning = false
            mailbox.thread = nil
            return true
          }
          if isOver { return }
          continue
        }
        thread.wait()
      }
    }
  }

  /// What belongs to the thread of a ``RelayLoop``.
  final class RelayThread {
    /// What a descriptor stands for.
    enum Source {
      case wake
      case listener
      case watcher(PublisherCore.Peer)
      /// The connection to the process that shows the work of this one.
      case parent
      case directories
      case connection(client: Int, number: Int)
      case process(client: Int, number: Int)
      case zigInput(Int)
    }

    private let poller = Poller()
    private let wake: WaitableEvent
    private var sources: [UInt64: Source] = [:]
    private var lastToken: UInt64 = 0
    /// What is to be done later.
    private var timers: [(time: Duration, perform: () -> Void)] = []
    private var server: RelayServer?
    private var clients: [Int: RelayClient] = [:]
    private var sockets: SocketList?

    /// Prepares the thread; nil if the system has no descriptors for it.
    init?(wake: WaitableEvent) {
      self.wake = wake
      guard poller.isOpen, add(wake.descriptor, .wake) != nil else { return nil }
    }

    /// Whether there is nothing to publish, to watch or to tell.
    var isIdle: Bool { server == nil && clients.isEmpty }

    // MARK: For the server and the clients

    /// Watches a descriptor.
    ///
    /// - Returns: The token for further calls, nil if the system has no room.
    func add(_ descriptor: Int32, _ source: Source, interest: Poller.Interest = .read) -> UInt64? {
      lastToken += 1
      guard poller.add(descriptor, token: lastToken, interest: interest) else { return nil }
      sources[lastToken] = source
      return lastToken
    }

    /// Changes what a descriptor stands for.
    func retarget(_ token: UInt64, _ source: Source) { sources[token] = source }

    /// Changes what a descriptor is watched for.
    func change(_ descriptor: Int32, _ token: UInt64, interest: Poller.Interest) {
      _ = poller.change(descriptor, token: token, interest: interest)
    }

    /// Watches a descriptor no longer; call it before the descriptor is closed.
    func remove(_ descriptor: Int32, _ token: UInt64) {
      sources[token] = nil
      poller.remove(descriptor)
    }

    /// Calls a function after some time.
    func call(after delay: Duration, _ perform: @escaping () -> Void) {
      timers.append((MonotonicTime.now + delay, perform))
    }

    // MARK: The loop

    /// Carries out what another thread wants.
    func perform(_ command: RelayLoop.Command) {
      switch command {
      case .publish(let published): startServer().publish(published)
      case .openShare(let share): startServer().open(share)
      case .openShares(let shares): startServer().open(shares)
      case .closeShare(let token): server?.closeShare(token)
      case .readZig(let input): startServer().read(input)
      case .unpublish(let id, let reason): server?.unpublish(id, reason)
      case .changed(let id): server?.changed(id)
      case .zigChanged(let id): server?.zigChanged(id)
      case .answer(let reply, let refusal): server?.answer(reply, refusal)
      case .copied(let id, let snapshot): server?.copied(id, snapshot)
      case .forecast(let id, let forecast): server?.forecast(forecast, of: id)
      case .subscribe(let subscriber): subscribe(subscriber)
      case .stopSearching(let number): clients[number]?.stopSearching()
      case .unsubscribe(let number):
        removeClient(number)
        if clients.values.allSatisfy(\.isForShare) { sockets = nil }
      case .ask(let question):
        if let client = clients[question.client] {
          client.ask(question)
        } else {
          question.answer?(.ended)
        }
      }
    }

    private func startServer() -> RelayServer {
      let started = server ?? RelayServer(thread: self)
      server = started
      return started
    }

    private func subscribe(_ subscriber: Subscriber) {
      let client = RelayClient(subscriber, thread: self)
      clients[subscriber.number] = client
      let list = sockets ?? SocketList(thread: self)
      sockets = list
      for problem in list.problems { subscriber.report(problem) }
      client.begin(with: list.names())
    }

    /// Adds the connections of the programs below a share.
    func add(_ client: RelayClient, number: Int) { clients[number] = client }

    /// The connections of a subscription or a share.
    func client(_ number: Int) -> RelayClient? { clients[number] }

    /// Ends the connections of the programs below a share.
    func removeClient(_ number: Int) { clients.removeValue(forKey: number)?.close() }

    /// Tells all subscriptions of a socket that has appeared.
    func socketAppeared(_ name: SocketName) {
      for client in clients.values { client.connect(to: name) }
    }

    /// Tells all subscriptions of a problem.
    func report(_ problem: RelayError) {
      for client in clients.values { client.report(problem) }
    }

    /// Does all that can be done without waiting.
    func settle() {
      runTimers()
      server?.advance()
      if server?.isOver ?? false { closeServer() }
    }

    private func closeServer() {
      server?.close()
      server = nil
    }

    private func runTimers() {
      guard !timers.isEmpty else { return }
      let now = MonotonicTime.now
      let due = timers.filter { $0.time <= now }
      timers.removeAll { $0.time <= now }
      for timer in due { timer.perform() }
    }

    /// Waits for what happens next, and takes it in.
    ///
    /// - Parameter limit: The latest time until which to wait, nil for none.
    func wait(until limit: Duration? = nil) {
      var deadline = limit
      for time in timers.lazy.map(\.time) { deadline = min(deadline ?? time, time) }
      if let time = server?.nextDeadline { deadline = min(deadline ?? time, time) }
      let events = poller.wait(for: deadline.map { max($0 - MonotonicTime.now, .zero) })
      for event in events {
        // Earlier events may have removed it.
        guard let source = sources[event.token] else { continue }
        switch source {
        case .wake: wake.clear()
        case .listener: server?.accept()
        case .watcher(let peer):
          server?.ready(
            peer, isReadable: event.isReadable || event.isHungUp, isWritable: event.isWritable)
        case .parent: server?.parentIsReadable()
        case .directories: sockets?.takeChanges()
        case .connection(let client, let number):
          clients[client]?.ready(
            number, isReadable: event.isReadable || event.isHungUp, isWritable: event.isWritable)
        case .process(let client, let number): clients[client]?.processEnded(number)
        case .zigInput(let number): server?.zigInputIsReadable(number)
        }
      }
    }

    /// Sends what is due and closes everything, at the end of the process.
    ///
    /// - Parameter limit: The latest time until which to wait for watchers that are slow.
    func finish(until limit: Duration) {
      for client in clients.values { client.close() }
      clients = [:]
      sockets = nil
      guard let server else { return }
      server.hurry()
      while true {
        settle()
        if !server.hasUnsent || MonotonicTime.now >= limit { break }
        wait(until: limit)
      }
      closeServer()
    }
  }
#endif
