internal import HeadwayLaunch
internal import HeadwayPlan
internal import HeadwayRelay
internal import HeadwayRun

// How a header is written and read.

extension RunHeader {
  /// The names of the fields.
  fileprivate enum Key: String, CodingKey {
    case version, run, plan, file, folder, words, set, arguments, workers, policy, forced
    case began, host, cores, boot, pid, started, identity, tasks
    case planText = "plan_text"
    case name, kind, fingerprint, command, digest, after, optional, always, service, hook, timeout,
      usual
  }

  /// The header as a line.
  ///
  /// - Parameter masked: Hides secrets in a text.
  /// - Returns: The bytes, with the end of the line.
  func bytes(masked: (String) -> String = { $0 }) -> [UInt8] {
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
    text(.run, run)
    text(.plan, masked(plan))
    if let file = request.file { text(.file, file) }
    text(.folder, folder)
    if let plan = request.text { text(.planText, masked(plan)) }
    texts(.words, request.words)
    texts(.set, request.settings)
    texts(.arguments, arguments)
    number(.workers, workers)
    text(.policy, PolicyName(policy).rawValue)
    flag(.forced, isForced)
    number(.began, Int(began))
    text(.host, hexadecimal(machine.host))
    number(.cores, machine.cores)
    text(.boot, process.boot)
    number(.pid, Int(process.number))
    number(.started, process.started)
    text(.identity, identity)
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
      if let hook = task.hook { text(.hook, hook.rawValue) }
      if let timeout = task.timeout { line.add(named: Key.timeout.rawValue, seconds: timeout) }
      if let usual = task.usual { line.add(named: Key.usual.rawValue, seconds: usual) }
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
  /// - Throws: `RunnerError.run` if it was cut off, is damaged, or was written by a newer version.
  package init(_ bytes: [UInt8], of run: String) throws(RunnerError) {
    guard bytes.last == UInt8(ascii: "\n") else {
      throw .run(run, "its header is incomplete: it ended before its first task")
    }
    do {
      self = try decodeObject(RunHeader.self, from: bytes.span.extracting(droppingLast: 1))
    } catch let newer as NewerVersion {
      throw .run(run, newer.words)
    } catch {
      let reason = (error as? DecodingError)?.words ?? "it cannot be read"
      throw .run(run, "its header is damaged: \(reason)")
    }
    self.run = run
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

extension RunHeader: Decodable {
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let version = try fields.decode(Int.self, forKey: .version)
    guard version <= Self.formatVersion else {
      throw NewerVersion(version: version, known: Self.formatVersion)
    }
    self.init(
      run: try fields.decode(String.self, forKey: .run),
      plan: try fields.decode(String.self, forKey: .plan),
      folder: try fields.decode(String.self, forKey: .folder),
      workers: try fields.decode(Int.self, forKey: .workers),
      began: try fields.decode(Int64.self, forKey: .began),
      machine: MachineIdentity(
        cores: try fields.decode(Int.self, forKey: .cores),
        host: try fields.hexadecimal(.host)),
      process: ProcessIdentity(
        number: try fields.decode(Int32.self, forKey: .pid),
        started: try fields.decode(Int.self, forKey: .started),
        boot: try fields.decode(String.self, forKey: .boot)),
      identity: try fields.decode(String.self, forKey: .identity))
    request.file = try fields.decodeIfPresent(String.self, forKey: .file)
    request.text = try fields.decodeIfPresent(String.self, forKey: .planText)
    request.words = try fields.texts(.words)
    request.settings = try fields.texts(.set)
    arguments = try fields.texts(.arguments)
    guard let name = PolicyName(rawValue: try fields.decode(String.self, forKey: .policy)) else {
      throw fields.damaged(.policy, "is unknown")
    }
    policy = name.policy
    isForced = try fields.flag(.forced)
    var list = try fields.nestedUnkeyedContainer(forKey: .tasks)
    tasks.reserveCapacity(list.count ?? 0)
    while !list.isAtEnd {
      tasks.append(try Task(list.nestedContainer(keyedBy: Key.self)))
    }
    for task in tasks where !task.after.allSatisfy(tasks.indices.contains) {
      throw fields.damaged(.after, "names a task that is not in the list")
    }
  }
}

extension RunHeader.Task {
  /// Reads a task from its fields.
  fileprivate init(_ fields: KeyedDecodingContainer<RunHeader.Key>) throws {
    self.init(name: try fields.decode(String.self, forKey: .name))
    kind = try fields.decodeIfPresent(String.self, forKey: .kind) ?? ""
    command = try fields.decodeIfPresent(String.self, forKey: .command) ?? ""
    if fields.contains(.fingerprint) { fingerprint = try fields.hexadecimal(.fingerprint) }
    digest = try fields.decodeIfPresent(String.self, forKey: .digest) ?? ""
    if fields.contains(.after) {
      var list = try fields.nestedUnkeyedContainer(forKey: .after)
      while !list.isAtEnd { after.append(try list.decode(Int.self)) }
    }
    isOptional = try fields.flag(.optional)
    isAlways = try fields.flag(.always)
    isService = try fields.flag(.service)
    hook = try fields.decodeIfPresent(String.self, forKey: .hook).flatMap(Plan.Hook.init)
    timeout = try fields.duration(.timeout)
    usual = try fields.duration(.usual)
  }
}

extension KeyedDecodingContainer where Key == RunHeader.Key {
  /// Reads a Boolean that is false if it is missing.
  fileprivate func flag(_ key: Key) throws -> Bool {
    try contains(key) && decode(Bool.self, forKey: key)
  }

  /// Reads a number of seconds, nil if it is missing.
  fileprivate func duration(_ key: Key) throws -> Duration? {
    guard contains(key) else { return nil }
    guard let seconds = EventSeconds(try decode(Double.self, forKey: key)) else {
      throw damaged(key, "is not a number of seconds")
    }
    return seconds.duration
  }

  /// Reads a list of texts that is empty if it is missing.
  fileprivate func texts(_ key: Key) throws -> [String] {
    guard contains(key) else { return [] }
    var list = try nestedUnkeyedContainer(forKey: key)
    var texts: [String] = []
    while !list.isAtEnd { texts.append(try list.decode(String.self)) }
    return texts
  }

  /// Reads a number of 64 bits in hexadecimal digits.
  fileprivate func hexadecimal(_ key: Key) throws -> UInt64 {
    guard let number = UInt64(try decode(String.self, forKey: key), radix: 16) else {
      throw damaged(key, "has other characters than hexadecimal digits")
    }
    return number
  }

  /// The error for a field.
  fileprivate func damaged(_ key: Key, _ problem: String) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath + [key], debugDescription: "'\(key.rawValue)' \(problem)"))
  }
}

/// The names of the failure policies in headers.
private enum PolicyName: String {
  case stop, hold
  case keepGoing = "keep_going"
  case failFast = "fail_fast"

  init(_ policy: FailurePolicy) {
    self =
      switch policy {
      case .stop: .stop
      case .keepGoing: .keepGoing
      case .failFast: .failFast
      case .hold: .hold
      }
  }

  var policy: FailurePolicy {
    switch self {
    case .stop: .stop
    case .keepGoing: .keepGoing
    case .failFast: .failFast
    case .hold: .hold
    }
  }
}

/// A number of 64 bits in 16 hexadecimal digits.
func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}
