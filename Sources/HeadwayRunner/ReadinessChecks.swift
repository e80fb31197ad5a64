internal import CSpawn
internal import Glibc
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwaySystem

/// Looks whether services that have started are ready.
///
/// The first look comes soon, because many services are ready at once, and each further pause is twice as long, up to the
/// interval of the service. Nothing wakes the run once all services are ready. Not thread safe: it belongs to the run loop.
final class ReadinessChecks {
  /// A service that is not ready yet.
  private struct Check {
    let service: Plan.Service
    /// The number of the command that looks, from 1.
    var number = 0
    /// Whether that command runs.
    var isAsking = false
    var pause: Duration
    var next: Duration
    /// How much of its log was searched for a text.
    var offset = 0
    let log: String?
    let socket: NotificationSocket?
  }

  /// The pause before the first look.
  private static let firstPause = Duration.milliseconds(5)

  private let work: RunWork
  private var checks: [TaskID: Check] = [:]

  /// Creates checks without services.
  init(_ work: RunWork) { self.work = work }

  /// The time of the next look, nil if there is none.
  var next: Duration? { checks.values.lazy.filter { !$0.isAsking }.map(\.next).min() }

  /// Why a service must not be started, nil if it may: something else would be taken for it.
  func refusal(of task: TaskID) -> String? {
    guard let port = work.plan.tasks[task.index].service?.port, hw_port_accepts(Int32(port)) else {
      return nil
    }
    return
      "port \(port) is in use already, so the service could not be told from what uses it; end that program, or use another port"
  }

  /// The socket for a service that tells when it is ready, nil for others.
  ///
  /// - Throws: `StartError` if it cannot be opened.
  func socket(of task: TaskID) throws(StartError) -> NotificationSocket? {
    guard work.plan.tasks[task.index].service?.readiness == .notification else { return nil }
    return try NotificationSocket()
  }

  /// Begins to look at a service.
  ///
  /// - Returns: Whether it is ready already, as one is for which the plan gives no sign.
  func begin(_ task: TaskID, socket: NotificationSocket?, at now: Duration) -> Bool {
    guard let service = work.plan.tasks[task.index].service else { return false }
    guard service.readiness != .start else { return true }
    let log = work.logFile(of: task)
    var check = Check(
      service: service, pause: Self.firstPause, next: now + Self.firstPause, log: log,
      socket: socket)
    // What an earlier attempt has written says nothing about this one.
    check.offset = log.map { Self.size(of: $0) } ?? 0
    checks[task] = check
    return false
  }

  /// Ends the looking at a service.
  ///
  /// - Returns: What it was waiting for; nil if it was not looked at.
  @discardableResult
  func end(_ task: TaskID) -> String? {
    checks.removeValue(forKey: task)?.service.readiness.unmet
  }

  /// Whether a service is looked at.
  func contains(_ task: TaskID) -> Bool { checks[task] != nil }

  /// What to do about services at a moment.
  enum Step: Hashable {
    /// The service is ready.
    case ready(TaskID)
    /// Its command is to be run, the one with a number.
    case ask(TaskID, number: Int)
  }

  /// Looks at the services whose time has come.
  func steps(at now: Duration) -> [Step] {
    guard let next, next <= now else { return [] }
    var steps: [Step] = []
    for task in checks.keys.sorted() {
      guard let check = checks[task], check.next <= now, !check.isAsking else { continue }
      if case .command = check.service.readiness {
        checks[task]?.number += 1
        checks[task]?.isAsking = true
        steps.append(.ask(task, number: check.number + 1))
      } else if look(at: task) {
        checks[task] = nil
        steps.append(.ready(task))
      } else {
        postpone(task, at: now)
      }
    }
    return steps
  }

  /// Records how a command that looks at a service has ended.
  ///
  /// - Returns: Whether the service is ready.
  func answered(_ task: TaskID, _ result: Outcome, at now: Duration) -> Bool {
    guard checks[task] != nil else { return false }
    if result == .succeeded {
      checks[task] = nil
      return true
    }
    checks[task]?.isAsking = false
    postpone(task, at: now)
    return false
  }

  private func postpone(_ task: TaskID, at now: Duration) {
    guard let check = checks[task] else { return }
    checks[task]?.next = now + check.pause
    checks[task]?.pause = min(check.pause * 2, check.service.interval)
  }

  private func look(at task: TaskID) -> Bool {
    guard let check = checks[task] else { return false }
    switch check.service.readiness {
    case .start, .command: return false
    case .port: return check.service.port.map { hw_port_accepts(Int32($0)) } ?? false
    case .file(let path): return unsafe access(path, F_OK) == 0
    case .notification: return check.socket?.isReady ?? false
    case .output(let text): return finds(text, in: task)
    }
  }

  /// Searches the new part of a log for a text.
  private func finds(_ text: String, in task: TaskID) -> Bool {
    guard let check = checks[task], let log = check.log else { return false }
    let file = unsafe open(log, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    lseek(file, off_t(check.offset), SEEK_SET)
    let (bytes, _) = readAll(file, limit: Self.searchLimit)
    let wanted = Array(text.utf8)
    if bytes.contains(wanted) { return true }
    // The text may go on in what comes next.
    checks[task]?.offset += max(bytes.count - wanted.count + 1, 0)
    return false
  }

  /// The number of bytes that one look searches.
  private static let searchLimit = 4 << 20

  private static func size(of path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
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
