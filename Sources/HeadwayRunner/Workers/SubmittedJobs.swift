internal import CTLS
internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTime

/// Jobs of a Slurm cluster that are submitted with `sbatch`, and whose workers connect to the run over TCP.
///
/// ```
///   run                       slurmctld              node
///    │ sbatch --array=0-2       │                      │
///    ├─────────────────────────▶│ starts the jobs      │
///    │                          ├─────────────────────▶│ reads the file with the address and the key
///    │ TCP, TLS 1.3, the number of the job             │
///    │◀────────────────────────────────────────────────┤
/// ```
///
/// Jobs that are submitted together and are alike are one array. No process of the run belongs to a job, so what has become of one that
/// does not connect is known from the queue of the cluster. Not thread safe: it belongs to the run loop, whose thread has to
/// start the programs.
struct SubmittedJobs {
  /// What has happened.
  enum Event {
    /// The worker of a job has connected; the socket has its bytes.
    case connected(Int, socket: Int32)
    /// Jobs could not be submitted, for a reason.
    case refused([Int], reason: String)
  }

  /// A job that may be in the cluster.
  private struct Job {
    /// The name of its submission.
    let name: String
    /// Its place in the array, nil if it is none.
    let element: Int?
    /// The number that Slurm has given to the submission, nil before it is known.
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
    var answer: [UInt8] = []
  }

  /// The most jobs of an array: Slurm's own limit is 1001, unless its administrator has changed it.
  private static let mostPerArray = 1_000
  /// The most bytes of the output of a job that are read.
  private static let mostBytes = 1 << 16

  private let run: String
  /// The beginning of the names of the files with what workers say.
  private let folder: PrivateDirectory
  private let identity: String
  /// The path of this program, which the nodes share.
  private let program: String
  private let tunnels: TLSTunnels
  /// The token of connections in a poller; those of submissions follow.
  private let token: UInt64
  private var submissions: [UInt64: Submission] = [:]
  private var submissionCount: UInt64 = 0
  /// The jobs to submit, with what tells `sbatch` about them.
  private var waiting: [(options: [String], numbers: [Int])] = []
  private var jobs: [Int: Job] = [:]
  private var lastNumber = 0
  /// The jobs to end, as `scancel` takes them.
  private var unwanted: [String] = []
  /// The names of submissions that have failed, and may have reached the cluster nevertheless.
  private var doubtful: [String] = []

  /// Listens for workers, and writes the file by which they find it.
  ///
  /// - Parameters:
  ///   - port: The port, nil for any.
  ///   - run: The name of the run.
  ///   - folder: The folder of the run.
  ///   - identity: The beginning of `HEADWAY_TASK_ID` in the run.
  ///   - token: The lowest of the tokens that it has in a poller; there must be as many as jobs.
  /// - Throws: `RunnerError.connection` if the port cannot be used.
  init(
    port: Int?, run: String, folder: PrivateDirectory, identity: String, token: UInt64
  ) throws(RunnerError) {
    (self.run, self.folder, self.identity, self.token) = (run, folder, identity, token)
    program = SlurmJobs.program
    var used = UInt16(port ?? 0)
    let listening = unsafe hw_tcp_listen(&used)
    guard listening >= 0 else { throw .connection("port \(port ?? 0)", errorDescription(errno)) }
    let file = ConnectionFile(addresses: ConnectionFile.ownAddresses(), port: used)
    tunnels = try TLSTunnels(listening: listening, key: file.key)
    let error = folder.replace(ConnectionFile.name, with: file.bytes, permissions: 0o600)
    if error != 0 { throw .connection(path, errorDescription(error)) }
  }

  /// The path of the file with the address and the key.
  private var path: String { "\(folder.path)/\(ConnectionFile.name)" }

  /// The names of the submissions that may have jobs in the cluster.
  var names: [String] { Set(jobs.values.map(\.name)).sorted() }

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
  ///   - retired: Gets programs that have to be reaped.
  /// - Returns: What could not be submitted.
  mutating func submit(
    _ spawner: borrowing Spawner, in poller: Poller, _ retired: inout [WorkerLink]
  ) -> [Event] {
    var events: [Event] = []
    if !unwanted.isEmpty, let link = try? WorkerLink(["scancel"] + unwanted, spawner) {
      retired.append(link)
      unwanted = []
    }
    for (options, numbers) in waiting {
      guard let first = numbers.first else { continue }
      let name = SlurmJobs.prefix(run) + "\(first)"
      for (element, number) in numbers.enumerated() {
        jobs[number] = Job(name: name, element: numbers.count > 1 ? element : nil, id: nil)
      }
      do throws(StartError) {
        let link = try WorkerLink(command(name, numbers, options), spawner)
        submissionCount += 1
        submissions[token + submissionCount] = Submission(
          link: link, name: name, numbers: numbers, ended: doubtful)
        _ = poller.add(link.socket, token: token + submissionCount)
      } catch {
        for number in numbers { jobs[number] = nil }
        events.append(.refused(numbers, reason: error.reason))
      }
    }
    waiting = []
    return events
  }

  /// The command that submits jobs, once those of earlier submissions that have failed are known to be gone.
  private func command(_ name: String, _ numbers: [Int], _ options: [String]) -> [String] {
    var words = ["sbatch", "--parsable", "--job-name=\(name)", "--no-requeue"]
    if numbers.count > 1 { words.append("--array=0-\(numbers.count - 1)") }
    // Not in a script that Slurm keeps: the key is only in the file.
    let worker = DryRun.words(.program([program, "worker", identity, "--connect", path]))
    let number = "$((\(numbers.first ?? 0) + ${SLURM_ARRAY_TASK_ID:-0}))"
    let output = Self.outputName(name, numbers.count > 1 ? "%a" : "0")
    words.append("--output=\(escaped(folder.path))/\(output)")
    return ["/bin/sh", "-c", SlurmJobs.script, "headway"] + doubtful + ["--"] + words + options
      + ["--wrap=exec \(worker) --as \(number)"]
  }

  /// The name of the file with what the worker of a job says.
  private static func outputName(_ name: String, _ element: String) -> String {
    "\(name).\(element).txt"
  }

  /// A path for `sbatch`, which replaces what follows a percent sign.
  private func escaped(_ path: String) -> String {
    path.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
  }

  /// Lets a poller wait for what happens.
  ///
  /// - Returns: Whether there was room.
  func watch(in poller: Poller) -> Bool {
    poller.add(tunnels.arrivalEvent.descriptor, token: token)
      && submissions.allSatisfy { poller.add($1.link.socket, token: $0) }
  }

  /// Lets a poller wait no more.
  func unwatch(in poller: Poller) {
    poller.remove(tunnels.arrivalEvent.descriptor)
    for submission in submissions.values { poller.remove(submission.link.socket) }
  }

  /// Whether a token is one of these.
  func contains(token: UInt64) -> Bool {
    (self.token...self.token + submissionCount).contains(token)
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
      return tunnels.takeArrivals().map {
        .connected(Int($0.name) ?? 0, socket: $0.socket)
      }
    }
    if let bytes = submissions[token]?.link.receive() {
      submissions[token]?.answer += bytes
      return []
    }
    guard var submission = submissions.removeValue(forKey: token) else { return [] }
    poller.remove(submission.link.socket)
    submission.link.disconnect()
    let said = Self.lastLine(submission.link.receiveErrors() ?? [])
    submission.link.endErrors()
    if !submission.link.reap() { retired.append(submission.link) }
    // The number, and after a semicolon the name of the cluster.
    let digits = submission.answer.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    if !digits.isEmpty {
      let id = String(decoding: digits, as: UTF8.self)
      doubtful.removeAll { submission.ended.contains($0) }
      for (element, number) in submission.numbers.enumerated() {
        jobs[number]?.id = id
        jobs[number]?.submitted = MonotonicTime.continuous
        // It was removed meanwhile.
        if jobs[number] == nil {
          unwanted.append(submission.numbers.count > 1 ? "\(id)_\(element)" : id)
        }
      }
      return []
    }
    doubtful.append(submission.name)
    for number in submission.numbers { jobs[number] = nil }
    return [.refused(submission.numbers, reason: said ?? "sbatch has ended without a word")]
  }

  /// The last line of a text, nil if it has none.
  private static func lastLine(_ bytes: [UInt8]) -> String? {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).last.map {
      String($0)
    }
  }

  /// Whether a job was known to the cluster at a time.
  func wasSubmitted(_ number: Int, before time: Duration) -> Bool {
    guard let job = jobs[number], job.id != nil else { return false }
    return job.submitted < time
  }

  /// The number of the job that a line of `squeue` is about, nil if it is none of these.
  ///
  /// - Parameters:
  ///   - name: The name of the job.
  ///   - element: Its place in an array, in `squeue`'s words.
  ///   - prefix: The beginning of the names of the run's jobs.
  /// - Returns: The number.
  static func number(of name: Substring, _ element: Substring, _ prefix: String) -> Int? {
    guard name.hasPrefix(prefix), let first = Int(name.dropFirst(prefix.count)) else { return nil }
    return first + (Int(element) ?? 0)
  }

  /// What the worker of a job has said.
  func output(of number: Int) -> [UInt8] {
    guard let job = jobs[number] else { return [] }
    return folder.contents(
      of: Self.outputName(job.name, "\(job.element ?? 0)"), most: Self.mostBytes)
  }

  /// Forgets a job, which ``submit(_:in:_:)`` ends unless it does so by itself.
  ///
  /// - Parameters:
  ///   - number: The job.
  ///   - isOver: Whether it has ended by itself, or is about to.
  mutating func remove(_ number: Int, isOver: Bool) {
    for index in waiting.indices { waiting[index].numbers.removeAll { $0 == number } }
    guard let job = jobs.removeValue(forKey: number) else { return }
    folder.remove(Self.outputName(job.name, "\(job.element ?? 0)"))
    if !isOver, let id = job.id { unwanted.append(job.element.map { "\(id)_\($0)" } ?? id) }
  }

  /// Ends the jobs that were removed and the submissions that are under way, and accepts no more workers.
  ///
  /// - Parameters:
  ///   - spawner: Starts the programs that do so.
  ///   - poller: Has waited for what happens.
  /// - Returns: The programs, which have to be reaped.
  mutating func end(_ spawner: borrowing Spawner, in poller: Poller) -> [WorkerLink] {
    unwatch(in: poller)
    var links: [WorkerLink] = []
    waiting = []
    _ = submit(spawner, in: poller, &links)
    for submission in submissions.values {
      var link = submission.link
      link.disconnect()
      link.endErrors()
      link.end(SIGTERM)
      if !link.reap() { links.append(link) }
    }
    let names = submissions.values.map(\.name) + doubtful
    if !names.isEmpty,
      let link = try? WorkerLink(["/bin/sh", "-c", SlurmJobs.script, "headway"] + names, spawner)
    {
      links.append(link)
    }
    submissions = [:]
    folder.remove(ConnectionFile.name)
    tunnels.end()
    return links
  }
}
