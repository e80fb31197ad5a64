extension Plan {
  /// What makes a task a service: it stays alive, and what waits for it starts when it is ready.
  package struct Service: Hashable, Sendable {
    /// What tells that a service is ready.
    package enum Readiness: Hashable, Sendable {
      /// Its process has started.
      case start
      /// A command succeeds.
      case command(Command)
      /// A port of this machine accepts connections; the text is its number.
      case port(String)
      /// A line of its output contains a text.
      case output(String)
      /// It sends `READY=1` to the socket in `NOTIFY_SOCKET`, as sd_notify does.
      case notification
      /// A file exists; the path is relative to the folder of the plan.
      case file(String)

      /// What it waits for, as the end of a sentence such as "ended before it was ready: …".
      package var unmet: String {
        switch self {
        case .start: "it has not started"
        case .command: "the command in \"ready\" does not succeed"
        case .port(let port): "port \(port) accepts no connection"
        case .output(let text): "no line of its output contains \(quoted(text))"
        case .notification: "it has not sent READY=1 to the socket in NOTIFY_SOCKET"
        case .file(let path): "there is no file \(quoted(path))"
        }
      }
    }

    /// What tells that it is ready.
    package var readiness = Readiness.start
    /// The longest time between two checks.
    package var interval = Duration.milliseconds(100)
    /// The time within which an attempt must get ready, or `nil` for no limit.
    package var timeout: Duration? = .seconds(60)
    /// How often it is started again after it has ended by itself.
    package var restarts = 0

    /// Creates a service that is ready once it has started.
    package init() {}

    /// The number of its port; nil if it has none, or the text is not a number of a port.
    package var port: Int? {
      guard case .port(let text) = readiness, let number = Int(text), (1...65_535).contains(number)
      else { return nil }
      return number
    }

    /// Its texts that may contain braces.
    var texts: [String] {
      switch readiness {
      case .start, .notification: []
      case .command(let command): command.texts
      case .port(let text), .output(let text), .file(let text): [text]
      }
    }
  }
}
