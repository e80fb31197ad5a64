internal import CTLS
internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwaySystem
internal import HeadwayTime

/// Jobs of a Slurm cluster that are submitted with `sbatch`, and whose workers connect to the run over TCP.
///
/// ```
///   run                       slurmctld              node
///    │ sbatch --array=0-2       │                      │
///    ├─────────────────────────▶│ starts the jobs      │
///    │                          ├─────────────────────▶│ reads the file with the address and the key
///    │ TCP, TLS 1.3, which job it is                   │
///    │◀────────────────────────────────────────────────┤
/// ```
///
/// These are the words for what is submitted:
///
/// - The *number* of a job counts all jobs of the run, from 1. Only the run knows it.
/// - A *submission* is one `sbatch`, for one job, or for an array of jobs that are alike. Its name is `headway-RUN-` and the first number.
/// - An *element* is a job as the cluster knows it: the submission, by its first number, and the place in the array.
/// - The *ID* of a submission is what Slurm calls it; with the place, `scancel` takes it.
///
/// No process of the run belongs to a job, so what has become of one that does not connect is known from the queue of the
/// cluster. Not thread safe: it belongs to the run loop, whose thread has to start the programs.
struct SubmittedJobs {
  /// A job as the cluster, and its worker, know it.
  struct Element: Hashable, Sendable, CustomStringConvertible {
    /// The first number of the submission.
    let submission: Int
    /// The place in the array, 0 if there is none.
    let place: Int

    init(submission: Int, place: Int) { (self.submission, self.place) = (submission, place) }

    /// Reads what a worker says that it is; nil if that is something else.
    init?(_ text: String) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let submission = Int(parts[0]), let place = Int(parts[1]) else {
        return nil
      }
      self.init(submission: submission, place: place)
    }

    /// Reads the columns of `squeue`; nil if they are not about a job of the run.
    ///
    /// - Parameters:
    ///   - name: The name of the submission.
    ///   - place: The place in the array, or words for that there is none.
    ///   - prefix: The beginning of the names of the run's submissions.
    init?(name: Substring, place: Substring, prefix: String) {
      guard name.hasPrefix(prefix), let submission = Int(name.dropFirst(prefix.count)) else {
        return nil
      }
      self.init(submission: submission, place: Int(place) ?? 0)
    }

    /// What a worker says that it is.
    var description: String { "\(submission).\(place)" }
  }

  /// What has happened.
  enum Event {
    /// The worker of a job has connected; the socket has its bytes.
    case connected(Int, socket: Int32)
    /// Jobs could not be submitted, for a reason.
    case refused([Int], reason: String)
  }

  /// A job that may be in the cluster.
  private struct Job {
    let element: Element
    /// What `scancel` calls it, nil before that is known.
    var id: String?
    /// When that was known.
    var submitted = Duration.zero
  }

  /// An `sbatch` under way.
  private struct Submission {
    var link: WorkerLink
    let name: String
    let numbers: [Int]
    /// The submissions whose jobs it ends before.
    let ended: [String]
    /// What it has printed.
    var answer: [UInt8] = []
    /// What it has said on standard error.
    var errors: [UInt8] = []
  }

  /// The most jobs of an array: Slurm's own limit is 1001, unless its administrator has changed it.
  private static let mostPerArray = 1_000
  /// The most bytes that are kept of what a program says.
  private static let mostBytes = 1 << 16
  /// The delay before jobs are ended again, if nobody has answered.
  private static let cancelDelay = Duration.seconds(10)
  /// How often that is tried; afterwards, the jobs end a minute after they have started.
  private static let mostCancels = 30
  /// How long the end of the run waits for submissions that are under way.
  private static let endTimeout = Duration.seconds(5)

  private let run: String
  /// The folder of the run, for the file with the key, and for what workers say.
  private let folder: PrivateDirectory
  private let identity: String
  /// The path of this program, which the nodes share.
  private let program: String
  private let tunnels: TLSTunnels
  /// The token of connections in a poller; each submission has the next two, for its output and its errors.
  private let token: UInt64
  private var submissions: [UInt64: Submission] = [:]
  private var submissionCount: UInt64 = 0
  /// The jobs to submit, with what tells `sbatch` about them.
  private var waiting: [(options: [String], numbers: [Int])] = []
  private var jobs: [Int: Job] = [:]
  /// The numbers of these jobs.
  private var numbers: [Element: Int] = [:]
  private var lastNumber = 0
  /// The jobs to end, as `scancel` calls them.
  private var unwanted: [String] = []
  /// The `scancel` under way, and the jobs that it ends.
  private var cancel: (link: WorkerLink, ids: [String])?
  /// When to look after these, and how often nobody has answered.
  private(set) var moment: Duration?
  private var failedCancels = 0
  /// The names of submissions that have failed, and may have reached the cluster nevertheless.
  private var doubtful: [String] = []

  /// Listens for workers, and writes the file by which they find it.
  ///
  /// - Parameters:
  ///   - port: The port, nil for any.
  ///   - run: The name of the run.
  ///   - folder: The folder of the run.
  ///   - identity: The beginning of `HEADWAY_TASK_ID` in the run.
  ///   - token: The lowest of the tokens that it has in a poller.
  /// - Throws: `RunnerError.connection` if the port or the file cannot be used.
  init(
    port: Int?, run: String, folder: PrivateDirectory, identity: String, token: UInt64
  ) throws(RunnerError) {
    (self.run, self.folder, self.identity, self.token) = (run, folder, identity, token)
    program = WorkerProgram.own
    var used = UInt16(port ?? 0)
    let listening = unsafe hw_tcp_listen(&used)
    guard listening >= 0 else { throw .connection("port \(port ?? 0)", errorDescription(errno)) }
    let file = ConnectionFile(addresses: ConnectionFile.ownAddresses(), port: used)
    let error = folder.replace(ConnectionFile.name, with: file.bytes, permissions: 0o600)
    if error != 0 {
      close(listening)
      throw .connection("\(folder.path)/\(ConnectionFile.name)", errorDescription(error))
    }
    tunnels = try TLSTunnels(listening: listening, key: file.key)
  }

  /// Whether jobs may be in the cluster.
  var hasJobs: Bool { !jobs.isEmpty }

  /// Adds a job, which ``submit(_:in:)`` submits.
  ///
  /// - Parameter options: What tells `sbatch` about it.
  /// - Returns: Its number.
  mutating func add(_ options: [String]) -> Int {
    lastNumber += 1
    if let same = waiting.firstIndex(where: {
      $0.options == options && $0.numbers.count < Self.mostPerArray
    }) {
      waiting[same].numbers.append(lastNumber)
    } else {
      waiting.append((options, [lastNumber]))
    }
    return lastNumber
  }

  /// Submits the jobs that were added, and ends those that were removed.
  ///
  /// - Parameters:
  ///   - spawner: Starts the programs.
  ///   - poller: Waits for what they say.
  /// - Returns: What could not be submitted.
  mutating func submit(_ spawner: borrowing Spawner, in poller: Poller) -> [Event] {
    cancelUnwanted(spawner, at: MonotonicTime.continuous)
    var events: [Event] = []
    for (options, numbers) in waiting {
      guard let first = numbers.first else { continue }
      let name = SlurmJobs.prefix(run) + "\(first)"
      do throws(StartError) {
        let link = try WorkerLink(command(name, numbers, options), spawner)
        for (place, number) in numbers.enumerated() {
          let element = Element(submission: first, place: place)
          jobs[number] = Job(element: element)
          self.numbers[element] = number
        }
        submissionCount += 1
        let token = token + submissionCount * 2
        submissions[token] = Submission(link: link, name: name, numbers: numbers, ended: doubtful)
        _ = watch(link, token, in: poller)
      } catch {
        events.append(.refused(numbers, reason: error.reason))
      }
    }
    waiting = []
    return events
  }

  /// The command that submits jobs, once those of earlier submissions that have failed are known to be gone.
  private func command(_ name: String, _ numbers: [Int], _ options: [String]) -> [String] {
    // Slurm keeps the script; the key is only in the file.
    let worker = DryRun.words(.program([program, "worker", identity, "--connect"]))
    let path = DryRun.words(.program(["\(folder.path)/\(ConnectionFile.name)"]))
    let isArray = numbers.count > 1
    let place = isArray ? "$SLURM_ARRAY_TASK_ID" : "0"
    // What follows a percent sign is replaced.
    let said = folder.path.split(separator: "%", omittingEmptySubsequences: false)
      .joined(separator: "%%")
    let file = "\(said)/\(Self.outputName(name, isArray ? "%a" : "0"))"
    return ["/bin/sh", "-c", SlurmJobs.script, "headway"] + doubtful + ["--"]
      + ["sbatch", "--parsable"] + options
      // After those of the user, because the run depends on them.
      + ["--job-name=\(name)", "--no-requeue", "--output=\(file)", "--error=\(file)"]
      + (isArray ? ["--array=0-\(numbers.count - 1)"] : [])
      + ["--wrap=exec \(worker) \(path) --as \(numbers.first ?? 0).\(place)"]
  }

  /// The name of the file with what the worker of a job says.
  private static func outputName(_ name: String, _ place: String) -> String {
    "\(name).\(place).txt"
  }

  private func outputName(_ element: Element) -> String {
    Self.outputName(SlurmJobs.prefix(run) + "\(element.submission)", "\(element.place)")
  }

  /// Goes on with the end of the jobs that were removed.
  private mutating func cancelUnwanted(_ spawner: borrowing Spawner, at now: Duration) {
    if let (started, ids) = cancel {
      var link = started
      guard link.reap() else {
        moment = now + .seconds(1)
        return
      }
      cancel = nil
      if link.status == 0 {
        failedCancels = 0
      } else if failedCancels < Self.mostCancels {
        // Nobody has answered, or some had already ended.
        failedCancels += 1
        unwanted += ids
        moment = now + Self.cancelDelay
        return
      }
      moment = nil
    }
    if let moment, moment > now { return }
    moment = nil
    guard !unwanted.isEmpty else { return }
    if var link = try? WorkerLink(["scancel"] + unwanted, spawner) {
      // What it says is of no interest.
      link.closeStreams()
      cancel = (link, unwanted)
      unwanted = []
    }
    moment = now + .seconds(1)
  }

  /// Lets a poller wait for what happens.
  ///
  /// - Returns: Whether there was room.
  func watch(in poller: Poller) -> Bool {
    poller.add(tunnels.arrivalEvent.descriptor, token: token)
      && submissions.allSatisfy { watch($1.link, $0, in: poller) }
  }

  private func watch(_ link: WorkerLink, _ token: UInt64, in poller: Poller) -> Bool {
    poller.add(link.socket, token: token)
      && (link.errors < 0 || poller.add(link.errors, token: token + 1))
  }

  /// Lets a poller wait no more.
  func unwatch(in poller: Poller) {
    poller.remove(tunnels.arrivalEvent.descriptor)
    for submission in submissions.values {
      poller.remove(submission.link.socket)
      if submission.link.errors >= 0 { poller.remove(submission.link.errors) }
    }
  }

  /// Whether a token is one of these.
  func contains(token: UInt64) -> Bool {
    (self.token...self.token + submissionCount * 2 + 1).contains(token)
  }

  /// Handles an event of the poller.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - poller: The poller.
  ///   - retired: Gets programs that have to be reaped.
  /// - Returns: What has happened.
  mutating func handle(
    _ token: UInt64, in poller: Poller, _ retired: inout [WorkerLink]
  ) -> [Event] {
    if token == self.token {
      return tunnels.takeArrivals().map { arrival in
        .connected(
          Element(arrival.name).flatMap { numbers[$0] } ?? 0, socket: arrival.socket)
      }
    }
    let key = self.token + (token - self.token) & ~1
    if token != key {
      readErrors(key, in: poller)
      return []
    }
    if let bytes = submissions[key]?.link.receive() {
      submissions[key]?.answer += bytes
      return []
    }
    readErrors(key, in: poller)
    guard var submission = submissions.removeValue(forKey: key) else { return [] }
    poller.remove(submission.link.socket)
    submission.link.disconnect()
    if submission.link.errors >= 0 { poller.remove(submission.link.errors) }
    submission.link.endErrors()
    if !submission.link.reap() { retired.append(submission.link) }
    return take(submission)
  }

  /// Keeps what a submission says on standard error.
  private mutating func readErrors(_ key: UInt64, in poller: Poller) {
    guard var submission = submissions[key], submission.link.errors >= 0 else { return }
    if let bytes = submission.link.receiveErrors() {
      submission.errors = (submission.errors + bytes).suffix(Self.mostBytes)
    } else {
      poller.remove(submission.link.errors)
      submission.link.endErrors()
    }
    submissions[key] = submission
  }

  /// Takes the answer of a submission that has ended.
  private mutating func take(_ submission: Submission) -> [Event] {
    guard let id = Self.id(in: submission.answer) else {
      doubtful.append(submission.name)
      for number in submission.numbers { forget(number) }
      let said = String(decoding: submission.errors, as: UTF8.self)
        .split(whereSeparator: \.isNewline).last
      return [
        .refused(
          submission.numbers, reason: said.map { String($0) } ?? "sbatch has ended without a word")
      ]
    }
    doubtful.removeAll { submission.ended.contains($0) }
    let now = MonotonicTime.continuous
    for (place, number) in submission.numbers.enumerated() {
      let own = submission.numbers.count > 1 ? "\(id)_\(place)" : id
      if jobs[number] == nil {
        // It was removed meanwhile.
        unwanted.append(own)
      } else {
        jobs[number]?.id = own
        jobs[number]?.submitted = now
      }
    }
    return []
  }

  /// The ID in what `sbatch` has printed: a line with the number, and after a semicolon the name of the cluster.
  static func id(in answer: [UInt8]) -> String? {
    String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isNewline).last { line in
      line.prefix { $0 != ";" }.allSatisfy { ("0"..."9").contains($0) } && line.first != ";"
    }.map { String($0.prefix { $0 != ";" }) }
  }

  /// Whether a job was known to the cluster at a time, and is not any more.
  ///
  /// - Parameters:
  ///   - number: The job.
  ///   - present: The jobs that wait or run, by an answer.
  ///   - time: When it was asked.
  /// - Returns: Whether it is gone.
  func isGone(_ number: Int, by present: Set<Element>, askedAt time: Duration) -> Bool {
    guard let job = jobs[number], job.id != nil else { return false }
    return job.submitted < time && !present.contains(job.element)
  }

  /// What the worker of a job has said.
  func output(of number: Int) -> [UInt8] {
    guard let job = jobs[number] else { return [] }
    return folder.contents(of: outputName(job.element), most: Self.mostBytes)
  }

  /// Forgets a job, which ``submit(_:in:)`` ends unless it does so by itself.
  ///
  /// - Parameters:
  ///   - number: The job.
  ///   - isOver: Whether it has ended by itself, or is about to.
  mutating func remove(_ number: Int, isOver: Bool) {
    for index in waiting.indices { waiting[index].numbers.removeAll { $0 == number } }
    guard let job = forget(number) else { return }
    folder.remove(outputName(job.element))
    if !isOver, let id = job.id { unwanted.append(id) }
  }

  @discardableResult
  private mutating func forget(_ number: Int) -> Job? {
    guard let job = jobs.removeValue(forKey: number) else { return nil }
    numbers[job.element] = nil
    return job
  }

  /// Accepts no more workers, waits a while for submissions that are under way, and ends the jobs that are left.
  ///
  /// - Parameters:
  ///   - spawner: Starts the programs that do so.
  ///   - poller: Has waited for what happens.
  /// - Returns: The programs, which have to be reaped.
  mutating func end(_ spawner: borrowing Spawner, in poller: Poller) -> [WorkerLink] {
    unwatch(in: poller)
    var links: [WorkerLink] = []
    let end = MonotonicTime.now + Self.endTimeout
    for key in submissions.keys.sorted() {
      // A request that was sent cannot be taken back, so its answer is waited for.
      while submissions[key] != nil, MonotonicTime.now < end {
        guard let socket = submissions[key]?.link.socket else { break }
        var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&watched, 1, PollTimeout.milliseconds(end - MonotonicTime.now))
        _ = handle(key, in: poller, &links)
      }
    }
    if let (link, ids) = cancel {
      links.append(link)
      unwanted += ids
    }
    // Everything of the run, whatever is known of it.
    if !unwanted.isEmpty || !submissions.isEmpty || !doubtful.isEmpty || hasJobs,
      var link = try? WorkerLink(
        ["/bin/sh", "-c", SlurmJobs.script, "headway", SlurmJobs.prefix(run)], spawner)
    {
      link.closeStreams()
      links.append(link)
    }
    for var submission in submissions.values {
      submission.link.closeStreams()
      submission.link.end(SIGTERM)
      if !submission.link.reap() { links.append(submission.link) }
    }
    (submissions, waiting, unwanted, cancel) = ([:], [], [], nil)
    folder.remove(ConnectionFile.name)
    tunnels.end()
    return links
  }
}
