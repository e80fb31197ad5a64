internal import HeadwayLibc
internal import HeadwayRun

/// Why the jobs of a run wait in the queue of a Slurm cluster: one `squeue` for all of them, less and less often.
///
/// An `squeue` that fails or does not answer says nothing about the jobs. Not thread safe; it belongs to the run loop, whose thread has
/// to start the program.
struct SlurmQueue {
  /// A job of the run that has not started.
  private struct Job {
    let id: String
    let reason: String
    /// When it is expected to start, in seconds since 1970; nil if unknown.
    let start: Int?
  }

  /// How long after the submission the first question is asked, and how long after an answer the next one, at most `mostInterval`.
  private static let firstInterval = Duration.seconds(2)
  private static let mostInterval = Duration.seconds(30)
  private static let answerTimeout = Duration.seconds(60)
  /// The most bytes of an answer, which may name all elements of arrays of this user.
  private static let mostBytes = 1 << 24
  /// The reasons for which a job waits for a person, in `squeue`'s words.
  private static let held: Set = [
    "JobHeldUser", "JobHeldAdmin", "launch_failed_requeued_held", "job_requeued_in_held_state",
  ]
  /// The reasons for which no job with these options ever starts.
  private static let impossible: Set = [
    "BadConstraints", "PartitionNodeLimit", "PartitionTimeLimit", "InvalidAccount", "InvalidQOS",
    "PartitionDown", "PartitionInactive", "AssocMaxCpuPerJobLimit", "QOSMaxCpuPerJobLimit",
    "QOSMaxWallDurationPerJobLimit", "AssocMaxWallDurationPerJobLimit",
  ]

  /// The line after a whole answer.
  private static let end = Array(".\n".utf8)

  private let name: String
  private var link: WorkerLink?
  private var answer: [UInt8] = []
  private var interval = firstInterval
  /// When the latest question was asked.
  private(set) var asked = Duration.zero
  /// When the next question is asked, or the present one is given up; nil if none is.
  private(set) var moment: Duration?

  /// Creates the queue of a run.
  ///
  /// - Parameter run: The name of the run.
  init(run: String) { name = SlurmJobs.prefix(run) }

  /// The descriptor of the answer, -1 if none is expected.
  var socket: Int32 { link?.socket ?? -1 }

  /// Asks soon, because jobs were submitted; at once if nobody asks.
  mutating func expectJobs(at now: Duration) {
    guard link == nil else { return }
    interval = Self.firstInterval
    moment = earliest(moment, now + interval)
  }

  /// Asks no more, because no job waits.
  mutating func stop() { if link == nil { moment = nil } }

  /// Asks, if it is time to.
  ///
  /// - Parameters:
  ///   - isAboutAll: Whether jobs that run are of interest, too, and not only those that wait.
  ///   - now: The time.
  ///   - spawner: Starts the program.
  /// - Returns: Whether an answer is expected from a new ``socket``; if the present question is given up, its program has to end.
  mutating func ask(
    aboutAll isAboutAll: Bool, at now: Duration, _ spawner: borrowing Spawner
  ) -> Bool {
    guard link == nil, let moment, moment <= now else { return false }
    answer = []
    asked = now
    let which = isAboutAll ? ["-r"] : ["-t", "PENDING"]
    // The times in seconds; columns that no reason and no name contains. The last line says that the answer is whole.
    let command =
      [
        "/bin/sh", "-c", #"SLURM_TIME_FORMAT=%s squeue "$@" && echo ."#, "headway", "-h", "--me",
        "-o", "%i|%r|%S|%T|%K|%j",
      ] + which
    do throws(StartError) {
      link = try WorkerLink(command, spawner)
      self.moment = now + Self.answerTimeout
    } catch {
      self.moment = now + interval
    }
    return link != nil
  }

  /// Whether the present question has taken too long.
  func isOverdue(at now: Duration) -> Bool { link != nil && moment.map { $0 <= now } ?? false }

  /// Takes what has arrived of the answer.
  ///
  /// - Returns: Whether it is complete.
  mutating func receive() -> Bool {
    guard let bytes = link?.receive(), answer.count <= Self.mostBytes else { return true }
    answer += bytes
    return false
  }

  /// Ends the present question.
  ///
  /// - Parameter now: The time.
  /// - Returns: Its program, which has to be ended.
  mutating func close(at now: Duration) -> WorkerLink? {
    moment = now + interval
    interval = min(interval * 2, Self.mostInterval)
    return link.take()
  }

  /// The jobs of the run that wait or run, by the latest answer; nil if nobody has answered.
  var present: Set<SubmittedJobs.Element>? { Self.present(in: answer, name) }

  /// The jobs of a run that wait or run, by an answer; nil if it is not whole.
  ///
  /// - Parameters:
  ///   - answer: What has come.
  ///   - prefix: The beginning of the names of the run's jobs.
  /// - Returns: The jobs.
  static func present(
    in answer: [UInt8], _ prefix: String
  ) -> Set<SubmittedJobs.Element>? {
    guard answer.suffix(end.count) == end[...] else { return nil }
    return Set(
      lines(of: String(decoding: answer, as: UTF8.self), prefix).compactMap {
        SubmittedJobs.Element(name: $0[5], place: $0[4], prefix: prefix)
      })
  }

  /// The jobs that wait, by the latest answer.
  ///
  /// - Parameters:
  ///   - count: How many of the run's workers have not started.
  ///   - places: How many more tasks could run at once if they had.
  ///   - now: The time of the run.
  ///   - wallClock: The time in seconds since 1970.
  /// - Returns: A description, nil if the answer names none of the jobs.
  func waiting(
    count: Int, places: Int, at now: Duration, wallClock: Int
  ) -> RunEvent.WorkersWaiting? {
    Self.waiting(
      in: String(decoding: answer, as: UTF8.self), name, count: count, places: places, at: now,
      wallClock: wallClock)
  }

  /// The jobs that wait, by an answer.
  ///
  /// - Parameters:
  ///   - answer: What `squeue` has printed.
  ///   - prefix: The beginning of the names of the run's jobs.
  ///   - count: How many of the run's workers have not started.
  ///   - places: How many more tasks could run at once if they had.
  ///   - now: The time of the run.
  ///   - wallClock: The time in seconds since 1970.
  /// - Returns: A description, nil if the answer names none of the jobs.
  static func waiting(
    in answer: String, _ prefix: String, count: Int, places: Int = 0, at now: Duration,
    wallClock: Int
  ) -> RunEvent.WorkersWaiting? {
    let jobs = jobs(in: answer, prefix)
    guard !jobs.isEmpty, count > 0 else { return nil }
    var counts: [String: Int] = [:]
    for job in jobs { counts[job.reason, default: 0] += 1 }
    // Those that wait for a person come first, because nobody else would notice.
    let stuck = jobs.first { held.contains($0.reason) || impossible.contains($0.reason) }
    let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? ""
    // However far away it says that is.
    let start = jobs.compactMap(\.start).min().map {
      now + .seconds(min(max($0 - wallClock, 0), RunLimits.days * 86_400))
    }
    return RunEvent.WorkersWaiting(
      count: count, reason: stuck?.reason ?? most, start: start,
      advice: stuck.map { advice($0, jobs) }, places: places)
  }

  /// How a job that waits for a person can start.
  private static func advice(_ job: Job, _ jobs: [Job]) -> String {
    let same = jobs.filter { $0.reason == job.reason }.map(\.id)
    let ids = same.count > 1 ? same.prefix(10).joined(separator: ",") : job.id
    return held.contains(job.reason)
      ? "scontrol release \(ids) lets \(same.count > 1 ? "them" : "it") start"
      : "with these options \(same.count > 1 ? "they do" : "it does") not start: change slurm_options"
  }

  /// Reads the lines of `squeue` about jobs that wait.
  private static func jobs(in text: String, _ prefix: String) -> [Job] {
    lines(of: text, prefix).compactMap { parts in
      guard parts[3] == "PENDING" else { return nil }
      // It says `None` before it has looked at a job.
      let reason = parts[1] == "None" ? "" : String(parts[1])
      return Job(
        id: String(parts[0]), reason: reason, start: Int(parts[2]).flatMap { $0 > 0 ? $0 : nil })
    }
  }

  /// The columns of the lines about jobs of a run.
  private static func lines(of text: String, _ prefix: String) -> [[Substring]] {
    text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "|", maxSplits: 5, omittingEmptySubsequences: false)
      return parts.count == 6 && parts[5].hasPrefix(prefix) ? parts : nil
    }
  }
}
