internal import HeadwayLibc
internal import HeadwayRelay
internal import HeadwaySystem

/// `headway tell`: lets a script report its progress.
///
/// Inside a task of `headway run`, or of any program that lets others report, it moves the node of that task. Otherwise it
/// moves a node of the calling process, usually a shell, which a second process publishes until the caller ends.
struct TellCommand {
  /// How long to wait for the answer of the process that shows the progress.
  private static let patience: Duration = .seconds(1)
  /// How long to wait until the second process publishes.
  private static let startLimit: Int32 = 5_000

  private var told = Told()
  /// The process that reports, if it was named.
  private var pid: Int32?
  private let acceptsCancel: Bool
  /// Whether this is the second process.
  private var publishes = false

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.tell.options, takesText: true)
    acceptsCancel = parsed.options["--no-cancel"] == nil
    if let text = parsed.options["--publish-for"] {
      pid = try Self.process(text, "--publish-for")
      publishes = true
      return
    }
    if let text = parsed.options["--for"] { pid = try Self.process(text, "--for") }
    var words = parsed.words[...]
    if let first = words.first, readAmount(first) { words.removeFirst() }
    if !words.isEmpty { told.detail = words.joined(separator: " ") }
    if let text = parsed.options["--message"] { told.detail = text }
    if let text = parsed.options["--total"] {
      guard let total = Self.number(text) else {
        throw UsageError(message: "--total takes a whole number from 0, not '\(text)'")
      }
      told.total = total
    }
    told.label = parsed.options["--label"]
    told.isFinished = parsed.options["--finish"] != nil
    if told == Told() {
      throw UsageError(
        message: "tell needs an amount, such as 42/100, 42%, +1 or 42, or a message in quotes")
    }
  }

  private static func process(_ text: String, _ option: String) throws(UsageError) -> Int32 {
    guard let pid = Int32(text), pid > 0 else {
      throw UsageError(message: "\(option) takes the number of a process, not '\(text)'")
    }
    return pid
  }

  /// Reads `+N`, `N`, `N/M` or `P%`; what is beyond the range counts as its end, as it was computed by a script.
  ///
  /// - Returns: Whether it was an amount; otherwise it is the beginning of the message.
  private mutating func readAmount(_ text: String) -> Bool {
    if text.hasPrefix("+"), let added = Self.number(text.dropFirst()) {
      told.added = added
    } else if let completed = Self.number(text) {
      told.completed = completed
    } else if text.hasSuffix("%"), let percent = Self.decimal(text.dropLast()) {
      told.percent = min(percent, 100)
    } else {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 2, let completed = Self.number(parts[0]),
        let total = Self.number(parts[1])
      else { return false }
      (told.completed, told.total) = (completed, total)
    }
    return true
  }

  /// The number that digits stand for, at most the largest one; nil if there is anything else.
  private static func number(_ text: some StringProtocol) -> Int? {
    let isNumber =
      !text.isEmpty
      && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return isNumber ? Int(text) ?? .max : nil
  }

  /// The number that digits with at most one point stand for; nil if there is anything else.
  private static func decimal(_ text: some StringProtocol) -> Double? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ number($0) != nil }) else { return nil }
    return Double(String(text))
  }

  /// Reports.
  ///
  /// Progress that cannot be shown is no reason to fail: a script with `set -e` goes on.
  func run() throws -> ExitCode {
    #if os(Linux)
      if publishes { return publish() }
      if environmentValue("HEADWAY_PUBLISH") == "off" { return .success }
      if pid == nil {
        switch ShareClient.tellParent(told, within: Self.patience) {
        case .noted: return .success
        case .failed(let reason): return complain(reason)
        case .gone: break
        }
      }
      guard let caller = Caller(pid: pid ?? getppid()) else {
        return complain(
          pid.map { "there is no process \($0)" }
            ?? "the calling process has ended; use --for to name another one")
      }
      for _ in 0..<2 {
        switch ShareClient.tell(told, for: caller, within: Self.patience) {
        case .noted: return .success
        case .failed(let reason): return complain(reason)
        case .gone: if let problem = startPublisher(for: caller) { return complain(problem) }
        }
      }
      switch ShareClient.tell(told, for: caller, within: Self.patience) {
      case .noted: return .success
      case .failed(let reason): return complain(reason)
      case .gone: return complain("the process that publishes it has ended")
      }
    #else
      return complain("\(RelayError.notSupported)")
    #endif
  }

  private func complain(_ reason: String) -> ExitCode {
    printMessage("cannot show the progress: \(reason)")
    return .success
  }

  #if os(Linux)
    /// Starts the second process, and waits until it publishes.
    ///
    /// - Returns: Why it does not, nil if it does.
    private func startPublisher(for caller: Caller) -> String? {
      var words = ["headway", "tell", "--publish-for", "\(caller.pid)"]
      if !acceptsCancel { words.append("--no-cancel") }
      let output: Int32
      do throws(RelayError) {
        output = try ShareClient.startThisProgram(words)
      } catch {
        return "\(error)"
      }
      defer { close(output) }
      var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&ready, 1, Self.startLimit) > 0 else {
        return "the process that publishes it does not start"
      }
      let answer = readAll(output, limit: 4_096).bytes
      return answer.isEmpty ? nil : String(decoding: answer, as: UTF8.self)
    }

    /// Publishes for another process until that ends.
    private func publish() -> ExitCode {
      _ = signal(SIGPIPE, SIG_IGN)
      // The shares of the parent are not for this process.
      _ = unsafe unsetenv("HEADWAY_PROGRESS")
      guard let pid, let caller = Caller(pid: pid) else { return .unavailable }
      // A directory that is in use cannot be unmounted.
      _ = unsafe chdir("/")
      CallerShare.run(for: caller, accepts: acceptsCancel) { problem in
        if let problem { _ = writeAll(STDOUT_FILENO, Array("\(problem)".utf8)) }
        // The first process waits for the end of it.
        close(STDOUT_FILENO)
        _ = unsafe open("/dev/null", O_WRONLY)
      }
      return .success
    }
  #endif
}
