internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayText

// How a header is written and read.

extension RunHeader {
  /// The last millisecond that a run can have begun in, of the year 9999.
  private static let latestBeginning = 253_402_300_799_999

  /// The names of the fields.
  fileprivate enum Key: String {
    case version, run, resumes, done, again, plan, file, folder, words, set, arguments, workers,
      policy, output,
      forced
    case outerSecrets = "outer_secrets"
    case order, began, host, cores, boot, pid, started, identity, tasks
    case planText = "plan_text"
    case hosts
    case slurmOptions = "slurm_options"
    case tcp
    case patience = "patience_ms"
    case name, kind, fingerprint, command, digest, after, optional, always, service, once, hook,
      timeout,
      usual, pools, pool, limit, cpus, memory, gpus, labels
  }

  /// The header as a line.
  ///
  /// - Parameter mask: Hides secrets, nil if there are none.
  /// - Returns: The bytes, with the end of the line.
  package func bytes(hiding mask: SecretMask? = nil) -> [UInt8] {
    func masked(_ text: String) -> String { mask?.masked(text) ?? text }
    var line = JSONLine(names: [])
    // Most tasks have a short name, a short command and two digests.
    line.bytes.reserveCapacity(512 + tasks.count * 192)
    func text(_ key: Key, _ text: String) { line.add(named: key.rawValue, text: text) }
    func texts(_ key: Key, _ texts: [String]) {
      if !texts.isEmpty { line.add(named: key.rawValue, texts: texts.map(masked)) }
    }
    func number(_ key: Key, _ number: Int) { line.add(named: key.rawValue, number: number) }
    func flag(_ key: Key, _ flag: Bool) {
      if flag { line.add(named: key.rawValue, flag: true) }
    }
    line.begin()
    number(.version, Self.formatVersion)
    // Here, so that whoever looks for the newest run need not read further.
    number(.order, Int(order))
    text(.run, run)
    if let resumes { text(.resumes, resumes) }
    texts(.done, done)
    texts(.again, again)
    text(.plan, masked(plan))
    if let file = invocation.file { text(.file, file) }
    text(.folder, folder)
    if let plan = invocation.text { text(.planText, masked(plan)) }
    texts(.words, invocation.words)
    texts(.set, invocation.settings)
    texts(.arguments, arguments)
    texts(.hosts, (machines.hosts ?? []).map(\.text))
    texts(.slurmOptions, machines.slurmOptions)
    if machines.usesTCP == true { number(.tcp, machines.port ?? 0) }
    if let patience = machines.patience { number(.patience, Int(patience.wholeMilliseconds)) }
    number(.workers, workers)
    text(.policy, policy.rawValue)
    if let output { text(.output, output.rawValue) }
    flag(.forced, isForced)
    flag(.outerSecrets, hidesOuterSecrets)
    number(.began, Int(began))
    text(.host, hexadecimal(machine.host))
    number(.cores, machine.cores)
    text(.boot, process.boot)
    number(.pid, Int(process.number))
    number(.started, process.started)
    text(.identity, identity)
    if !pools.isEmpty {
      line.beginList(named: Key.pools.rawValue)
      for pool in pools {
        line.beginElement()
        text(.name, pool.name)
        number(.limit, pool.limit)
        line.end()
      }
      line.endList()
    }
    line.beginList(named: Key.tasks.rawValue)
    for task in tasks {
      line.beginElement()
      text(.name, task.name)
      if !task.kind.isEmpty { text(.kind, task.kind) }
      if !task.command.isEmpty { text(.command, task.command) }
      if task.fingerprint != 0 { text(.fingerprint, hexadecimal(task.fingerprint)) }
      if !task.digest.isEmpty { text(.digest, task.digest) }
      if !task.after.isEmpty { line.add(named: Key.after.rawValue, numbers: task.after) }
      flag(.optional, task.isOptional)
      flag(.always, task.isAlways)
      flag(.service, task.isService)
      flag(.once, task.isOnce)
      if let hook = task.hook { text(.hook, hook.rawValue) }
      if let timeout = task.timeout { line.add(named: Key.timeout.rawValue, seconds: timeout) }
      if let usual = task.usual { line.add(named: Key.usual.rawValue, seconds: usual) }
      if let pool = task.pool { number(.pool, pool) }
      if let needs = task.needs {
        number(.cpus, needs.cpus)
        if needs.memory > 0 { number(.memory, needs.memory) }
        if needs.gpus > 0 { number(.gpus, needs.gpus) }
        texts(.labels, needs.labels)
      }
      line.end()
    }
    line.endList()
    line.end()
    line.bytes.append(UInt8(ascii: "\n"))
    return line.bytes
  }

  /// Reads a header.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - run: The name of its run, which counts instead of the name in the file.
  /// - Throws: `StateError.run` if it was cut off, is damaged, or was written by a newer version.
  package init(_ bytes: [UInt8], of run: String) throws(StateError) {
    guard bytes.last == UInt8(ascii: "\n") else {
      throw .run(run, "its header is incomplete: it ended before its first task")
    }
    do {
      self = try RunHeader(JSONObject(bytes.dropLast()))
    } catch let newer as NewerVersion {
      throw .run(run, newer.words)
    } catch {
      let reason = (error as? DecodingError)?.words ?? "it cannot be read"
      throw .run(run, "its header is damaged: \(reason)")
    }
    self.run = run
  }
}

extension RunHeader {
  /// The largest number for the order of a run, which every reader of JSON reads exactly.
  private static let maxOrder: Int64 = 1 << 53

  /// A number that was read, so that there are larger ones.
  fileprivate static func limited(_ order: Int64) -> Int64 { min(max(order, 0), maxOrder) }

  /// The order of a run, from the beginning of its header as this version writes it.
  ///
  /// - Parameter bytes: The beginning.
  /// - Returns: The order, nil if it is not to be found there.
  static func order(atStartOf bytes: [UInt8]) -> Int64? {
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: ",", maxSplits: 2)
    let name = "\"\(Key.order.rawValue)\":"
    guard fields.count == 3, fields[0].hasPrefix("{\"\(Key.version.rawValue)\":"),
      fields[1].hasPrefix(name), let order = Int64(fields[1].dropFirst(name.count))
    else { return nil }
    return limited(order)
  }
}

/// A file of a run was written by a newer version of this program.
struct NewerVersion: Error {
  /// The version of the file.
  let version: Int
  /// The version that this program reads.
  let known: Int

  /// The refusal, for people.
  var words: String {
    "it was written by a newer headway: its format has version \(version), and this program reads versions up to \(known)"
  }
}

extension RunHeader {
  /// Reads a header from its fields.
  private init(_ fields: JSONObject) throws {
    let version = try fields.number(.version)
    guard version <= Self.formatVersion else {
      throw NewerVersion(version: version, known: Self.formatVersion)
    }
    self.init(
      run: try fields.text(.run), plan: try fields.text(.plan), folder: try fields.text(.folder),
      workers: try fields.number(.workers, clampedTo: 1...RunLimits.concurrency),
      began: Int64(try fields.number(.began, clampedTo: 0...RunHeader.latestBeginning)),
      machine: MachineIdentity(
        cores: try fields.number(.cores, clampedTo: 1...RunLimits.concurrency),
        host: try fields.hexadecimal(.host)),
      process: ProcessIdentity(
        number: try fields.processNumber(.pid), started: try fields.number(.started),
        boot: try fields.text(.boot)),
      identity: try fields.text(.identity))
    order = Self.limited(
      fields.contains(.order) ? Int64(try fields.number(.order)) : began)
    resumes = try fields.textIfPresent(.resumes)
    done = try fields.texts(.done)
    again = try fields.texts(.again)
    invocation.file = try fields.textIfPresent(.file)
    invocation.text = try fields.textIfPresent(.planText)
    invocation.words = try fields.texts(.words)
    invocation.settings = try fields.texts(.set)
    arguments = try fields.texts(.arguments)
    if fields.contains(.hosts) {
      machines.hosts = try fields.texts(.hosts).compactMap { try? WorkerHost($0) }
    }
    machines.slurmOptions = try fields.texts(.slurmOptions)
    if fields.contains(.tcp) {
      let port = try fields.number(.tcp, clampedTo: 0...Int(UInt16.max))
      (machines.usesTCP, machines.port) = (true, port > 0 ? port : nil)
    }
    if fields.contains(.patience) {
      machines.patience = try fields.patience(Key.patience.rawValue)
    }
    guard let policy = FailurePolicy(rawValue: try fields.text(.policy)) else {
      throw fields.damaged(.policy, "is unknown")
    }
    self.policy = policy
    // How output is shown is no reason to refuse a run of a newer version.
    output = try fields.textIfPresent(.output).flatMap(OutputMode.init)
    isForced = try fields.flag(.forced)
    hidesOuterSecrets = try fields.flag(.outerSecrets)
    var list: [Task] = []
    try fields.each(Key.tasks.rawValue) { list.append(try Task($0)) }
    for task in list where !task.after.allSatisfy(list.indices.contains) {
      throw fields.damaged(.after, "names a task that is not in the list")
    }
    tasks = list
    guard fields.contains(.pools) else { return }
    try fields.each(Key.pools.rawValue) {
      pools.append(
        TaskPool(
          name: try $0.text(.name),
          limit: try $0.number(.limit, clampedTo: 1...RunLimits.concurrency)))
    }
  }
}

extension RunHeader.Task {
  /// Reads a task from its fields.
  fileprivate init(_ fields: JSONObject) throws {
    self.init(name: try fields.text(.name))
    kind = try fields.textIfPresent(.kind) ?? ""
    command = try fields.textIfPresent(.command) ?? ""
    if fields.contains(.fingerprint) { fingerprint = try fields.hexadecimal(.fingerprint) }
    digest = try fields.textIfPresent(.digest) ?? ""
    if fields.contains(.after) { after = try fields.numbers(RunHeader.Key.after.rawValue) }
    isOptional = try fields.flag(.optional)
    isAlways = try fields.flag(.always)
    isService = try fields.flag(.service)
    isOnce = try fields.flag(.once)
    hook = try fields.textIfPresent(.hook).flatMap(PlanHook.init)
    timeout = try fields.duration(.timeout)
    usual = try fields.duration(.usual)
    if fields.contains(.pool) { pool = try fields.number(.pool) }
    guard fields.contains(.cpus) else { return }
    needs = Resources(
      cpus: try fields.number(.cpus, clampedTo: 0...RunLimits.concurrency),
      memory: try fields.contains(.memory) ? fields.number(.memory, clampedTo: 0...Int.max) : 0,
      gpus: try fields.contains(.gpus)
        ? fields.number(.gpus, clampedTo: 0...RunLimits.concurrency) : 0,
      labels: try fields.texts(.labels))
  }
}

extension JSONObject {
  fileprivate func contains(_ key: RunHeader.Key) -> Bool { contains(key.rawValue) }
  fileprivate func text(_ key: RunHeader.Key) throws -> String { try text(key.rawValue) }
  fileprivate func number(_ key: RunHeader.Key) throws -> Int { try number(key.rawValue) }
  fileprivate func number(
    _ key: RunHeader.Key, clampedTo range: ClosedRange<Int>
  ) throws -> Int { try number(key.rawValue, clampedTo: range) }

  /// Reads text, nil if it is missing.
  fileprivate func textIfPresent(_ key: RunHeader.Key) throws -> String? {
    try contains(key) ? text(key) : nil
  }

  /// Reads a Boolean that is false if it is missing.
  fileprivate func flag(_ key: RunHeader.Key) throws -> Bool {
    try contains(key) && flag(key.rawValue)
  }

  /// Reads a duration, nil if it is missing.
  fileprivate func duration(_ key: RunHeader.Key) throws -> Duration? {
    guard contains(key) else { return nil }
    guard let seconds = JSONSeconds(try fraction(key.rawValue)) else {
      throw damaged(key, "is not a number of seconds")
    }
    return seconds.duration
  }

  /// Reads a list of texts that is empty if it is missing.
  fileprivate func texts(_ key: RunHeader.Key) throws -> [String] {
    try contains(key) ? texts(key.rawValue) : []
  }

  /// Reads a number of 64 bits in hexadecimal digits.
  fileprivate func hexadecimal(_ key: RunHeader.Key) throws -> UInt64 {
    guard let number = UInt64(try text(key), radix: 16) else {
      throw damaged(key, "has other characters than hexadecimal digits")
    }
    return number
  }

  /// Reads the number of a process.
  fileprivate func processNumber(_ key: RunHeader.Key) throws -> Int32 {
    // 0 and negative numbers stand for groups of processes.
    guard let number = Int32(exactly: try number(key)), number > 0 else {
      throw damaged(key, "is no number of a process")
    }
    return number
  }

  /// The error for a field.
  fileprivate func damaged(_ key: RunHeader.Key, _ problem: String) -> DecodingError {
    damaged(key.rawValue, problem)
  }
}
