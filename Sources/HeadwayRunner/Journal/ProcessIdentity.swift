package import HeadwayLibc
internal import HeadwaySystem

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

  /// Whether the process exists.
  package var isAlive: Bool {
    number > 1 && boot == Self.currentBoot && Self.start(of: number) == started
  }

  /// Identifies the time since the machine was booted, empty if it is unknown.
  static var currentBoot: String {
    let text = readFile("/proc/sys/kernel/random/boot_id", most: 64)
    return String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  /// When a process started, in ticks; nil if it does not exist or has ended.
  static func start(of process: pid_t) -> Int? {
    // The name of the program, in parentheses, may contain anything.
    let text = String(decoding: readFile("/proc/\(process)/stat", most: 4096), as: UTF8.self)
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
    return Int(fields[19])
  }
}
