internal import Glibc
package import HeadwayRun
internal import HeadwayStore
internal import HeadwaySystem

extension RunRecord {
  /// How much later than its run a process may seem to have started, because clocks are set.
  private static let clockTolerance = Duration.seconds(60)

  /// Whether a run without an outcome is still running; nil if that cannot be known, as for a run of another machine.
  ///
  /// The name of a run ends with the number of its process. A process with that number that has started later than the
  /// run is another one, because the number was reused.
  package var isRunning: Bool? {
    guard outcome == nil else { return false }
    guard machine.host == MachineIdentity(cores: 1).host,
      let process = StateFolder.processNumber(of: name)
    else { return nil }
    guard StateFolder.isAlive(process) else { return false }
    return Self.age(of: process).map { $0 + Self.clockTolerance >= age }
  }

  /// The time since the run began.
  private var age: Duration { Self.now(CLOCK_REALTIME) - .milliseconds(began) }

  /// The time since a process started, negative if it has ended; nil if it is unknown.
  private static func age(of process: pid_t) -> Duration? {
    // The name of the program, in parentheses, may contain anything.
    let text = String(decoding: readFile("/proc/\(process)/stat", most: 4096), as: UTF8.self)
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 19, let ticks = Int64(fields[19]) else { return nil }
    if fields[0] == "Z" || fields[0] == "X" { return .seconds(Int64.min / 2) }
    return now(CLOCK_BOOTTIME) - .seconds(ticks) / sysconf(Int32(_SC_CLK_TCK))
  }

  private static func now(_ clock: clockid_t) -> Duration {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
