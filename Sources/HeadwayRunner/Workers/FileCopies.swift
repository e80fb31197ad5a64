internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwaySystem

/// Copies the files of tasks between the folder of the plan and hosts with another file system, with `rsync` over `ssh`.
///
/// For each host and direction there is at most one `rsync`; what is asked for meanwhile goes together in the next one, so that
/// many small tasks do not wait for a connection each. Not thread safe; it belongs to the run loop, whose thread has to start
/// the program.
struct FileCopies {
  /// The files of an attempt to be copied.
  struct Copy: Hashable {
    let attempt: Attempt
    /// Whether they come back.
    let isBack: Bool
    /// The patterns of their names.
    let patterns: [String]
  }

  /// A copy that is over.
  struct Result: Hashable {
    let attempt: Attempt
    /// Why the files were not copied, nil if they were.
    let problem: String?
  }

  /// A host in one direction.
  private struct Lane {
    let host: String
    let folder: String
    let isBack: Bool
    var waiting: [Copy] = []
    var copying: [Copy] = []
    var link: WorkerLink?
    /// What the program has printed.
    var said: [UInt8] = []
    /// Whether its output has ended.
    var isOver = false
    /// Whether it was ended because one of its copies is not needed any more; the others begin again.
    var isCut = false
  }

  /// The most patterns of one `rsync`, whose command has to stay short enough for the system.
  private static let mostPatterns = 500
  /// How often is read what a program has printed that has ended.
  private static let mostLastReads = 64
  /// The most bytes that are kept of what the program prints.
  private static let mostSaid = 4_096
  /// How long `rsync` waits for the other machine, in seconds: longer than it takes until what runs there is lost.
  private let timeout: Int

  private let firstToken: UInt64
  /// The programs that could not be waited for, and that have not ended.
  private var retired: [WorkerLink] = []
  /// The lanes, two for each place in the run.
  private var lanes: [Int: Lane] = [:]

  /// Creates an empty collection.
  ///
  /// - Parameters:
  ///   - firstToken: The lowest of the tokens of its programs in a poller; two for each place.
  ///   - patience: How long a worker may hear nothing.
  init(firstToken: UInt64, patience: Duration) {
    self.firstToken = firstToken
    timeout = Int((patience + WorkerLease.endingTime * 2).components.seconds)
  }

  /// Whether a token of the poller is that of a program.
  func contains(token: UInt64) -> Bool {
    token >= firstToken && token - firstToken < UInt64(WorkerHost.mostPlaces) * 2
  }

  /// Notes where the files of a place are, from now on.
  mutating func setFolder(_ folder: String, of host: String, place: Int) {
    for isBack in [false, true] {
      let number = place * 2 + (isBack ? 1 : 0)
      if lanes[number]?.folder == folder { continue }
      if lanes[number]?.link == nil {
        lanes[number] = Lane(host: host, folder: folder, isBack: isBack)
      }
    }
  }

  /// Copies files, at once or after others.
  mutating func add(_ copy: Copy, place: Int) {
    lanes[place * 2 + (copy.isBack ? 1 : 0)]?.waiting.append(copy)
  }

  /// Gives up a copy for an attempt, whose program is ended if it has begun.
  mutating func withdraw(_ attempt: Attempt) {
    for number in lanes.keys {
      lanes[number]?.waiting.removeAll { $0.attempt == attempt }
      guard lanes[number]?.copying.contains(where: { $0.attempt == attempt }) == true else {
        continue
      }
      lanes[number]?.copying.removeAll { $0.attempt == attempt }
      lanes[number]?.isCut = true
      lanes[number]?.link?.end(SIGTERM)
    }
  }

  /// Starts what can start, and takes the results.
  ///
  /// - Returns: The copies that have ended.
  mutating func advance(_ spawner: borrowing Spawner, in poller: Poller) -> [Result] {
    var results: [Result] = []
    retired.removeAll { link in
      var link = link
      return link.reap()
    }
    for number in lanes.keys {
      // Something that it has left may hold its output, such as the master of later connections of `ssh`.
      if var link = lanes[number]?.link, link.reap() {
        if lanes[number]?.isOver == false {
          for _ in 0..<Self.mostLastReads where lanes[number]?.link?.hasArrived == true {
            receive(number, in: poller)
          }
          if lanes[number]?.isOver == false { close(number, in: poller) }
        }
        results += end(number, link.status)
      }
      while let lane = lanes[number], lane.link == nil, !lane.waiting.isEmpty {
        results += start(number, spawner, in: poller)
      }
    }
    return results
  }

  /// Starts a program for what waits.
  private mutating func start(
    _ number: Int, _ spawner: borrowing Spawner, in poller: Poller
  ) -> [Result] {
    guard var lane = lanes[number] else { return [] }
    defer { lanes[number] = lane }
    var patterns: [String] = []
    var together: [Copy] = []
    while let copy = lane.waiting.first,
      together.isEmpty || patterns.count + copy.patterns.count <= Self.mostPatterns
    {
      lane.waiting.removeFirst()
      // One that leads out of the folder must not keep the others from being copied.
      if let error = Self.problem(of: copy.patterns) {
        if together.isEmpty { return [Result(attempt: copy.attempt, problem: error)] }
        lane.waiting.insert(copy, at: 0)
        break
      }
      patterns += copy.patterns
      together.append(copy)
    }
    do {
      var link = try WorkerLink(
        Self.command(lane.host, lane.folder, lane.isBack, patterns, timeout: timeout), spawner)
      guard poller.add(link.socket, token: firstToken + UInt64(number)) else {
        let error = errno
        link.disconnect()
        link.endErrors()
        link.end(SIGTERM)
        retired.append(link)
        throw StartError(reason: errorDescription(error))
      }
      lane.link = link
      lane.link?.endErrors()
      lane.copying = together
      (lane.said, lane.isOver, lane.isCut) = ([], false, false)
      return []
    } catch {
      let reason = (error as? StartError)?.reason ?? "\(error)"
      return together.map { Result(attempt: $0.attempt, problem: "rsync: \(reason)") }
    }
  }

  /// Why files of patterns cannot be copied, nil if they can.
  private static func problem(of patterns: [String]) -> String? {
    do throws(CopyRulesError) {
      _ = try CopyRules(patterns)
      return nil
    } catch {
      return "'\(error.pattern)' leads out of the folder of the plan"
    }
  }

  /// The command that copies files.
  static func command(
    _ host: String, _ folder: String, _ isBack: Bool, _ patterns: [String], timeout: Int
  ) throws(CopyRulesError) -> [String] {
    // Brackets for an address of IPv6.
    let there = (host.contains(":") ? "[\(host)]" : host) + ":\(folder)/"
    // Without owners, permissions other than to execute, and folders that have no files; the folders themselves stay as they are.
    return [
      "/bin/sh", "-c", "exec \"$@\" 2>&1", "headway", "rsync", "-rltEOms",
      "--timeout=\(timeout)", "-e", "ssh -T -o BatchMode=yes",
    ] + (try CopyRules(patterns).options) + ["--"] + (isBack ? [there, "./"] : ["./", there])
  }

  /// Takes what a program has printed.
  mutating func receive(_ token: UInt64, in poller: Poller) {
    receive(Int(token - firstToken), in: poller)
  }

  private mutating func receive(_ number: Int, in poller: Poller) {
    guard let link = lanes[number]?.link, lanes[number]?.isOver == false else { return }
    if let bytes = link.receive() {
      lanes[number]?.said += bytes
      if let excess = lanes[number].map({ $0.said.count - Self.mostSaid }), excess > 0 {
        lanes[number]?.said.removeFirst(excess)
      }
      return
    }
    close(number, in: poller)
  }

  /// Notes that a program prints nothing more.
  private mutating func close(_ number: Int, in poller: Poller) {
    if let socket = lanes[number]?.link?.socket { poller.remove(socket) }
    lanes[number]?.link?.disconnect()
    lanes[number]?.isOver = true
  }

  /// Takes the results of a program that has ended.
  private mutating func end(_ number: Int, _ status: Int32) -> [Result] {
    guard let lane = lanes[number] else { return [] }
    lanes[number]?.link = nil
    lanes[number]?.copying = []
    if lane.isCut {
      lanes[number]?.waiting.insert(contentsOf: lane.copying, at: 0)
      return []
    }
    var problem: String?
    if status != 0 {
      let lines = String(decoding: lane.said, as: UTF8.self).split(whereSeparator: \.isNewline)
      // After what has gone wrong, it says that the connection is closed, and where in its own source it has ended.
      let said =
        lines.last {
          !$0.hasPrefix("rsync error:") && !$0.contains("connection unexpectedly closed")
        } ?? lines.last
      // It does not always say anything, such as when the disk there is full.
      let isExit = status & 0x7F == 0
      problem =
        said.map { String($0) }
        ?? (isExit
          ? "rsync ended with \(status >> 8 & 0xFF), see \"EXIT VALUES\" in its manual"
          : "rsync was ended by signal \(status & 0x7F)")
    }
    return lane.copying.map { Result(attempt: $0.attempt, problem: problem) }
  }

  /// Ends all programs, because the run is over.
  ///
  /// - Returns: Those that have not ended yet.
  mutating func end(in poller: Poller) -> [WorkerLink] {
    defer { (lanes, retired) = ([:], []) }
    return retired
      + lanes.values.compactMap { lane in
        guard var link = lane.link else { return nil }
        if !lane.isOver { poller.remove(link.socket) }
        link.disconnect()
        link.end(SIGTERM)
        return link.reap() ? nil : link
      }
  }
}
