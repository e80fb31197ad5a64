internal import CSpawn
internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwaySystem

/// Checks whether services that have started are ready.
///
/// The first check comes soon, because many services are ready at once, and each further pause is twice as long, up to the
/// interval of the service. Nothing wakes the run once all services are ready. Not thread safe: it belongs to the run loop.
final class ReadinessChecks {
  /// The check of a service that is not ready yet.
  private struct Check {
    let service: Plan.Service
    /// The number of its latest command, from 1.
    var number = 0
    /// Whether that command runs.
    var isRunning = false
    /// Whether a command could not be started.
    var wasRefused = false
    var pause = ReadinessChecks.firstPause
    var next: Duration
    let socket: NotificationSocket?
  }

  /// The pause before the first check.
  private static let firstPause = Duration.milliseconds(5)

  private let work: RunWork
  private var checks: [TaskID: Check] = [:]

  /// Creates checks without services.
  init(_ work: RunWork) { self.work = work }

  /// The time of the next check, nil if there is none.
  var next: Duration? { checks.values.lazy.filter { !$0.isRunning }.map(\.next).min() }

  // MARK: Starting and ending

  /// Prepares the start of a service, or of another task, for which nothing is needed.
  ///
  /// - Returns: The socket for a service that sends READY=1, nil for others.
  /// - Throws: `StartError` if that cannot be opened, or if another program uses the port and would be taken for the service.
  func prepare(_ task: TaskID) throws(StartError) -> NotificationSocket? {
    guard let service = work.plan.tasks[task.index].service else { return nil }
    if let port = service.port, hw_port_accepts(Int32(port)) {
      throw StartError(
        reason:
          "port \(port) is already in use, so the service cannot be told from the program that uses it; end that program, or use another port"
      )
    }
    return service.readiness == .notification ? try NotificationSocket() : nil
  }

  /// Begins to check a task that has started, if it is a service.
  func begin(
    _ task: TaskID, _ socket: NotificationSocket?, _ core: inout LaunchCore,
    _ table: inout AttemptTable, at now: Duration
  ) {
    guard let service = work.plan.tasks[task.index].service else { return }
    guard service.readiness != .start else {
      core.serviceReady(task, at: now)
      return
    }
    // What an earlier attempt, or its condition, has written says nothing about this one.
    if case .output(let text) = service.readiness { table.search(for: text, in: task) }
    checks[task] = Check(service: service, next: now + Self.firstPause, socket: socket)
  }

  /// Ends the checks of a task that is being ended or has ended.
  func end(_ task: TaskID, _ table: inout AttemptTable, at now: Duration) {
    guard !checks.isEmpty, let check = checks.removeValue(forKey: task) else { return }
    let output = work.readinessLogName(of: task).map {
      "; what it printed is in \($0) beside this log"
    }
    let unmet = work.shown.tasks[task.index].service?.readiness.unmet ?? ""
    table.note(task, "ended before it was ready: \(unmet)\(output ?? "")")
    if check.isRunning { table.kill(work.readinessAttempt(of: task, number: 1).task, at: now) }
  }

  // MARK: Checking

  /// Checks the services whose time has come.
  func check(_ core: inout LaunchCore, _ table: inout AttemptTable, at now: Duration) {
    guard let next, next <= now else { return }
    for task in checks.keys.sorted() {
      guard let check = checks[task], check.next <= now, !check.isRunning else { continue }
      if let request = work.readinessRequest(for: task) {
        start(request, for: task, &table, at: now)
      } else {
        let isReady = isReady(check) || table.hasFound(in: task)
        finish(task, isReady: isReady, &core, at: now)
      }
    }
  }

  /// Starts the command that checks a service.
  private func start(
    _ request: AttemptRequest, for task: TaskID, _ table: inout AttemptTable, at now: Duration
  ) {
    let number = (checks[task]?.number ?? 0) + 1
    let attempt = work.readinessAttempt(of: task, number: number)
    // That of an earlier attempt may still be ending.
    guard !table.isUnderWay(attempt.task) else { return postpone(task, at: now) }
    checks[task]?.number = number
    let error = table.start(
      attempt, request, log: work.readinessLog(of: task), isDetached: false, at: now)
    if let error {
      // Later checks fail for the same reason, so only the first one is noted.
      if checks[task]?.wasRefused == false {
        table.note(task, "its readiness cannot be checked: \(error.reason)")
      }
      checks[task]?.wasRefused = true
      postpone(task, at: now)
    } else {
      checks[task]?.isRunning = true
    }
  }

  /// Records how far the command that checks a service has got.
  func commandReached(
    _ stage: AttemptTable.Stage, of service: TaskID, _ core: inout LaunchCore,
    _ table: inout AttemptTable, at now: Duration
  ) {
    switch stage {
    case .running, .ending, .conditionMet: break
    case .lingering: table.kill(work.readinessAttempt(of: service, number: 1).task, at: now)
    case .over(let result):
      commandIsOver(of: service, isReady: result == .succeeded, &core, at: now)
    }
  }

  /// Records the end of the command that checks a service, or that it was given up.
  func commandIsOver(
    of service: TaskID, isReady: Bool, _ core: inout LaunchCore, at now: Duration
  ) {
    // Otherwise it is that of an earlier attempt, which took long to end.
    guard checks[service]?.isRunning == true else { return }
    finish(service, isReady: isReady, &core, at: now)
  }

  /// Records the result of a check.
  private func finish(
    _ task: TaskID, isReady: Bool, _ core: inout LaunchCore, at now: Duration
  ) {
    guard isReady else { return postpone(task, at: now) }
    checks[task] = nil
    core.serviceReady(task, at: now)
  }

  private func postpone(_ task: TaskID, at now: Duration) {
    guard var check = checks[task] else { return }
    check.isRunning = false
    check.next = now + check.pause
    check.pause = min(check.pause * 2, check.service.interval)
    checks[task] = check
  }

  /// Whether a service is ready that needs no command to be checked.
  private func isReady(_ check: Check) -> Bool {
    switch check.service.readiness {
    // The table looks for a text in all that is printed.
    case .start, .command, .output: false
    case .port: check.service.port.map { hw_port_accepts(Int32($0)) } ?? false
    case .file(let path): unsafe access(path, F_OK) == 0
    case .notification: check.socket?.isReady ?? false
    }
  }
}

/// A socket that receives what a service sends with sd_notify.
final class NotificationSocket {
  /// The variable that tells a service its path.
  static let variable = "NOTIFY_SOCKET"

  /// Its path.
  let path: String
  private let descriptor: Int32

  /// Opens a socket that only this user can reach.
  ///
  /// - Throws: `StartError` if the system refuses it.
  init() throws(StartError) {
    var room = [CChar](repeating: 0, count: 108)
    descriptor = unsafe hw_notify_open(&room, room.count)
    guard descriptor >= 0 else {
      throw StartError(reason: "cannot open a socket for READY=1: \(errorDescription(errno))")
    }
    path = String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether the service has said that it is ready since the last call.
  var isReady: Bool { hw_notify_is_ready(descriptor) }

  deinit { unsafe hw_notify_close(descriptor, path) }
}
