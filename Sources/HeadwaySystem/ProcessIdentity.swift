package import HeadwayLibc

/// Identifies a process beyond the life of its number, which the system uses again.
package struct ProcessIdentity: Hashable, Sendable {
  /// The number of the process.
  package var number: pid_t
  /// When it started, in ticks of the system's clock since the machine was booted; 0 if unknown.
  package var started: Int
  /// Identifies the time since the machine was booted; empty if unknown.
  package var boot: String

  /// Creates an identity.
  package init(number: pid_t, started: Int, boot: String) {
    self.number = number
    self.started = started
    self.boot = boot
  }

  /// The identity of this process.
  package static var current: ProcessIdentity {
    ProcessIdentity(number: getpid(), started: start(of: getpid()) ?? 0, boot: currentBoot)
  }

  /// Whether a process has this number, which may be another one than that which had it before.
  package static func exists(_ number: pid_t) -> Bool {
    number > 1 && (kill(number, 0) == 0 || errno == EPERM)
  }

  /// Whether the process exists.
  package var isAlive: Bool {
    number > 1 && boot == Self.currentBoot && Self.start(of: number) == started
  }

  /// Identifies the time since the machine was booted, empty if it is unknown.
  package static var currentBoot: String {
    let text = readFile("/proc/sys/kernel/random/boot_id", most: 64)
    return String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  /// When a process started, in ticks; nil if it does not exist or has ended.
  package static func start(of process: pid_t) -> Int? {
    guard let status = ProcessStatus(of: process), !status.hasEnded else { return nil }
    return status.started
  }
}

/// What the system says of a process.
package struct ProcessStatus: Hashable, Sendable {
  /// The number of the process that started it, or of the one that has taken its place.
  package let parent: pid_t
  /// When it started, in ticks of the system's clock since the machine was booted.
  package let started: Int
  /// Whether it has ended, and its parent has not yet asked how.
  package let hasEnded: Bool

  /// Asks the system; nil if there is no such process, or it cannot be seen.
  ///
  /// - Parameter process: The number of the process.
  package init?(of process: pid_t) {
    // The name of the program, in parentheses, may contain anything.
    let text = String(decoding: readFile("/proc/\(process)/stat", most: 4096), as: UTF8.self)
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 19, let parent = pid_t(fields[1]), let started = Int(fields[19]) else {
      return nil
    }
    (self.parent, self.started) = (parent, started)
    hasEnded = fields[0] == "Z" || fields[0] == "X"
  }
}
