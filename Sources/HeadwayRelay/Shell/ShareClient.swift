#if os(Linux)
  internal import CRelay
  internal import HeadwayLibc
  internal import HeadwayProgress
  internal import HeadwaySystem
  internal import HeadwayTime

  /// Tells another process of progress, and waits for its answer; for a program that does nothing else.
  package enum ShareClient {
    /// What has become of it.
    package enum Answer: Hashable, Sendable {
      /// It was noted.
      case noted
      /// There is no such process or no such share any more.
      case gone
      /// It was refused, or not answered in time; a sentence for people.
      case failed(String)
    }

    /// Tells the process that has started this one, if it lets its programs report.
    ///
    /// - Parameters:
    ///   - told: What to tell.
    ///   - limit: How long to wait for the answer.
    /// - Returns: What has become of it; `.gone` if no process is named by the environment.
    package static func tellParent(_ told: Told, within limit: Duration) -> Answer {
      guard let text = environmentValue(OpenShare.variable), let share = ParentShare(text) else {
        return .gone
      }
      return tell(told, to: share, within: limit)
    }

    /// Tells the process that reports for another one, such as a shell.
    ///
    /// - Parameters:
    ///   - told: What to tell.
    ///   - caller: The other one.
    ///   - limit: How long to wait for the answer.
    /// - Returns: What has become of it; `.gone` if no process reports for it.
    package static func tell(_ told: Told, for caller: Caller, within limit: Duration) -> Answer {
      for directory in RuntimeDirectory.all(of: RuntimeDirectory.places).directories {
        guard let folder = try? directory.open(creates: false) else { continue }
        let bytes = folder.contents(of: caller.fileName, most: 8_192)
        guard let share = ParentShare(String(decoding: bytes, as: UTF8.self)) else { continue }
        let answer = tell(told, to: share, within: limit)
        if answer != .gone { return answer }
        // Left over from a process that was killed.
        folder.remove(caller.fileName, ifIts: bytes)
      }
      return .gone
    }

    /// Starts this program once more, as a process that outlives this one.
    ///
    /// - Parameter arguments: The arguments, with the name of the program.
    /// - Returns: A descriptor from which its standard output can be read; the caller closes it.
    /// - Throws: `RelayError` if the system refuses it.
    package static func startThisProgram(_ arguments: [String]) throws(RelayError) -> Int32 {
      var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
      defer { for place in unsafe words.indices { unsafe free(words[place]) } }
      var output: Int32 = -1
      let error = unsafe hw_relay_start_self(&words, &output)
      if error != 0 { throw .system("cannot start a process", reason: errorDescription(error)) }
      return output
    }

    private static func tell(_ told: Told, to share: ParentShare, within limit: Duration) -> Answer
    {
      guard let socket = share.connect() else { return .gone }
      var core = WatcherCore()
      core.request(.tell(share: share.token, told.withinLimits))
      let poller = Poller()
      guard poller.isOpen, poller.add(socket.descriptor, token: 0) else {
        return .failed("cannot wait for an answer: \(errorDescription(errno))")
      }
      defer { poller.remove(socket.descriptor) }
      let deadline = MonotonicTime.now + limit
      while true {
        while let action = core.nextAction() {
          switch action {
          case .send(let bytes):
            // A new connection has room for a request.
            guard socket.send(bytes) == .done(bytes.count) else { return .gone }
            core.sent(bytes.count)
          case .answered(_, _, nil): return .noted
          case .answered(_, _, let refusal?):
            return refusal.kind == .unknownShare ? .gone : .failed(refusal.description)
          case .close(let error): return .failed("\(error)")
          case .began, .changed, .forecast, .ended: break
          }
        }
        let left = deadline - MonotonicTime.now
        guard left > .zero else {
          return .failed("the process that shows the progress does not answer")
        }
        _ = poller.wait(for: left)
        var bytes: [UInt8] = []
        switch socket.receive(into: &bytes) {
        case .done: core.received(bytes[...])
        case .wouldBlock: break
        case .ended, .failed: return .gone
        }
      }
    }
  }

  /// A process for which another one publishes progress, as a shell cannot do it itself.
  package struct Caller: Hashable, Sendable {
    /// The number of the process.
    package let pid: Int32
    /// When it began, in ticks of the system: the number may be used again.
    private let start: Int

    /// Finds a process; nil if there is none, or it cannot be seen.
    ///
    /// - Parameter pid: Its number.
    package init?(pid: Int32) {
      guard pid > 0, let status = ProcessStatus(of: pid) else { return nil }
      (self.pid, start) = (pid, status.started)
    }

    /// The name of its program or script, for people.
    package var program: String {
      let bytes = readFile("/proc/\(pid)/cmdline", most: 4_096)
      let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      func name(_ path: String) -> String {
        path.split(separator: "/").last.map { String($0) } ?? path
      }
      guard let first = words.first.map(name) else { return "process \(pid)" }
      // For a script, that of the script and not of its interpreter.
      if let script = words.dropFirst().first, !script.hasPrefix("-"),
        ["sh", "bash", "dash", "zsh", "ksh"].contains(first)
      {
        return name(script)
      }
      return first.hasPrefix("-") ? String(first.dropFirst()) : first
    }

    /// The file in which it is said how to report for it.
    var fileName: String { "\(pid)-\(start)\(RuntimeDirectory.shareSuffix)" }
  }

  /// Publishes a node for a process that cannot do it itself, until that ends.
  package enum CallerShare {
    /// Publishes, and waits for the end of the process or of its work.
    ///
    /// - Parameters:
    ///   - caller: The process.
    ///   - accepts: Whether the process is asked to end, by SIGTERM, when its work is cancelled.
    ///   - isReady: Called once others can report, or with the reason why they cannot.
    package static func run(
      for caller: Caller, accepts: Bool, isReady: (_ problem: RelayError?) -> Void
    ) {
      let ended = WaitableEvent()
      let watch: ProcessWatch
      do throws(ProcessWatch.Failure) {
        watch = try ProcessWatch(process: caller.pid)
      } catch {
        return isReady(.system("cannot wait for process \(caller.pid)", reason: "it has ended"))
      }
      let node = ProgressNode(caller.program)
      node.holdUntilFinished(EndSignal(ended))
      node.isPausable = false
      if accepts { node.onCancel { watch.send(SIGTERM) } }
      let publication = node.publish(kind: "tell", accepts: accepts ? .cancel : [])
      let share = ProcessShare(node)
      guard let value = share.environment[OpenShare.variable],
        let path = ParentShare(value)?.path,
        let folder = try? RuntimeDirectory(shared: splitPath(path).folder).open(creates: false)
      else {
        return isReady(
          publication.problem
            ?? .system("cannot publish the progress", reason: "there is no socket for it"))
      }
      // Another one may have come first: then this one is not needed.
      let temporary = ".\(caller.fileName).\(processNumber).new"
      guard folder.replace(temporary, with: Array(value.utf8)) == 0,
        folder.linkExclusively(temporary, to: caller.fileName) == 0,
        // The number of the process may have been used again before it was watched.
        Caller(pid: caller.pid) == caller
      else {
        folder.remove(temporary)
        publication.unpublish()
        return isReady(nil)
      }
      folder.remove(temporary)
      isReady(nil)
      let poller = Poller()
      if poller.isOpen, ended.isOpen, poller.add(watch.descriptor, token: 0),
        poller.add(ended.descriptor, token: 1)
      {
        while poller.wait(for: nil).isEmpty {}
        poller.remove(watch.descriptor)
      }
      folder.remove(caller.fileName)
      let state = node.snapshot(limit: 1)
      if !state.isFinished, let total = state.total, state.completed < total {
        node.detail = "it ended before all was done"
        publication.fail()
      }
      share.finish()
    }

    /// Sets an event when the node that holds it has finished.
    private final class EndSignal: Sendable {
      private let event: WaitableEvent

      init(_ event: WaitableEvent) { self.event = event }

      deinit { event.set() }
    }
  }
#endif
