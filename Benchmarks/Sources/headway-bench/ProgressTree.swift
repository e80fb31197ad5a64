import Foundation

/// Progress: our tree beside a bare atomic, a chain of locks and Foundation's `Progress`.
///
/// Each case has its own process, on one processor except for those with two threads, and is repeated there; the
/// minimum processor time counts. `progress-tree/TreeTrials.swift` describes the cases.
enum ProgressTree: Area {
  static let name = "progress"

  static func measure(_ options: Options) throws -> [Row] {
    if options.counts { return try counts() }
    let divisor = options.isQuick ? 10 : 1
    let probes = Set(cases.flatMap { $0.probes }).sorted { $0.key < $1.key }
    let rounds = try Rounds(
      options.rounds, probes.map { probe in { try probe.run(divisor: divisor) } })
    return cases.flatMap { $0.rows(rounds, divisor: divisor) }
  }

  /// The cases, with their peers and the goals of the ratios.
  private static let cases: [ProgressCase] =
    increments + together + children + reads + current + states + watched

  /// Increments on one thread.
  private static let increments: [ProgressCase] =
    [1, 4, 16, 32].map { depth in
      var peers = [
        Rival("relaxed atomic", .peer("atomic increment-1", million), goal: 1.5),
        Rival("Mutex chain", .peer("mutex increment-\(depth)", tenth)),
      ]
      if depth < 32 {
        let goals = [4: 1.0 / 25, 16: 1.0 / 150]
        peers.append(
          Rival(
            "Foundation", .peer("foundation increment-\(depth)", tenth), goal: goals[depth]))
      }
      return ProgressCase(
        "increment, depth \(depth)", "ns", .ours("increment-\(depth)", million), peers)
    } + [
      ProgressCase(
        "increment, asks for cancel", "ns", .ours("cancel-check", million),
        [Rival("relaxed atomic", .peer("atomic increment-1", million), goal: 1.5)])
    ]

  /// Increments on two threads.
  private static let together = [
    ProgressCase(
      "2 threads on one node", "ns", .ours("pair-leaf", million),
      [Rival("shared atomic", .peer("atomic pair-shared", million), goal: 1.2)]),
    ProgressCase(
      "2 threads, a node each", "ns", .ours("pair-own", million),
      [Rival("atomic on a line each", .peer("atomic pair-own", million), goal: 1.2)]),
  ]

  /// Children that are created and finished.
  private static let children = [
    ProgressCase(
      "child: create, finish, drop", "ns", .ours("child", many),
      [Rival("Foundation", .peer("foundation child", many), goal: 0.5)]),
    ProgressCase("memory, live child", "B", .ours("live-bytes", many), goal: 150, isGreatest: true),
    ProgressCase(
      "memory, live child", "B", .ours("live-bytes", many),
      [Rival("Foundation", .peer("foundation live-bytes", many))], isGreatest: true),
    ProgressCase(
      "memory, finished child", "B", .ours("kept-bytes", many), goal: 0, isGreatest: true),
  ]

  /// Reads of the root.
  private static let reads = [
    ProgressCase(
      "read, # finished children", "ns", .ours("read-finished", many), goal: 1_000),
    ProgressCase(
      "read, # finished children", "ns", .ours("read-finished", many),
      [Rival("Foundation", .peer("foundation read-finished", many))]),
    ProgressCase(
      "child and read, # in turn", "ns", .ours("read-each", few), goal: 1_000),
    ProgressCase(
      "child and read, # in turn", "ns", .ours("read-each", few),
      [Rival("Foundation", .peer("foundation read-each", few))]),
    ProgressCase(
      "read, # children moved", "ns/child", .ours("read-moving", many), goal: 25),
    ProgressCase("… first increment after it", "ns", .ours("read-moving", many), place: 1),
    ProgressCase(
      "move # children and read", "ns/child", .ours("read-moving", many),
      [Rival("Foundation", .peer("foundation read-moving", many))], place: nil),
    ProgressCase("move 1 of # and read", "ns", .ours("read-one", many), goal: 1_000),
  ]

  /// Children that join the current node.
  private static let current = ["implicit", "implicit-async"].map { word in
    ProgressCase(
      word == "implicit" ? "enter, child, leave" : "enter, child, leave, async", "ns",
      .ours(word, many),
      [Rival("Foundation", .peer("foundation implicit", few), goal: 1.0 / 14)])
  }

  /// Cancel and pause.
  private static let states = ["cancel", "pause"].map { word in
    ProgressCase(
      "\(word) # children", "ns/child", .ours(word, most),
      [Rival("Foundation", .peer("foundation \(word)", most), goal: 0.2)])
  }

  /// A feed beside two threads that write all the time.
  private static let watched = [
    ProgressCase(
      "feed, # changes: wakes", "per frame", .ours("feed", changes), goal: 1, isGreatest: true),
    ProgressCase(
      "feed, # changes: not seen", "changes", .ours("feed", changes), goal: 0, place: 1,
      isGreatest: true),
    ProgressCase("feed, # changes: increment", "ns", .ours("feed", changes), place: 2),
  ]

  /// The number of increments in a run.
  private static let million = 2_000_000
  /// The number of increments in a run of slow peers.
  private static let tenth = 100_000
  /// The maximum number of children.
  private static let most = 200_000
  /// Many children.
  private static let many = 100_000
  /// The number of children in cases that are slow in Foundation.
  private static let few = 20_000
  /// The number of changes that a feed follows.
  private static let changes = 1_000_000
}

/// A process that measures one case.
private struct Probe: Hashable, Sendable {
  /// The program and its arguments before the number.
  let command: String
  /// The number of increments, rounds or children.
  let size: Int

  /// Our process for a case.
  static func ours(_ word: String, _ size: Int) -> Probe {
    Probe(command: "progress-tree \(word)", size: size)
  }

  /// A peer's process for a case.
  static func peer(_ words: String, _ size: Int) -> Probe {
    Probe(command: "progress-peers \(words)", size: size)
  }

  /// The name of the first value that it prints; the further ones have their index appended.
  var key: String { "\(command) \(size)" }

  /// Runs it.
  ///
  /// - Parameter divisor: The number is divided by this.
  /// - Returns: The values by name, with their index appended from the second on, and their sum.
  /// - Throws: `Trouble` if it fails.
  func run(divisor: Int) throws -> [String: Double] {
    let words = command.split(separator: " ").map(String.init)
    let arguments = words.dropFirst() + ["\(size / divisor)"]
    guard let numbers = try Tools.numbers(Tools.beside(words[0]), Array(arguments)) else {
      throw Trouble("unknown case \(key): build the whole package")
    }
    var values = ["\(key) sum": numbers.reduce(0, +)]
    for (place, number) in numbers.enumerated() { values["\(key) \(place)"] = number }
    return values
  }
}

/// A peer of a case.
private struct Rival: Sendable {
  /// The name in the table.
  let name: String
  /// The process.
  let probe: Probe
  /// The maximum ratio.
  let goal: Double?

  /// Creates a peer.
  init(_ name: String, _ probe: Probe, goal: Double? = nil) {
    self.name = name
    self.probe = probe
    self.goal = goal
  }
}

/// A case with its peers, if it has any.
private struct ProgressCase: Sendable {
  /// The name in the table, with `#` in place of the number.
  let title: String
  /// The unit.
  let unit: String
  /// Our process.
  let ours: Probe
  /// The peers.
  let rivals: [Rival]
  /// The maximum value if it has no peers.
  let goal: Double?
  /// The index of our value, nil for the sum of all.
  let place: Int?
  /// Whether the maximum of all rounds counts.
  let isGreatest: Bool

  /// Creates a case.
  init(
    _ title: String, _ unit: String, _ ours: Probe, _ rivals: [Rival] = [], goal: Double? = nil,
    place: Int? = 0, isGreatest: Bool = false
  ) {
    self.title = title
    self.unit = unit
    self.ours = ours
    self.rivals = rivals
    self.goal = goal
    self.place = place
    self.isGreatest = isGreatest
  }

  /// The processes to run.
  var probes: [Probe] { [ours] + rivals.map(\.probe) }

  /// The rows of the measured values.
  func rows(_ rounds: Rounds, divisor: Int) -> [Row] {
    let key = "\(ours.key) \(place.map(String.init) ?? "sum")"
    let value = (isGreatest ? rounds.greatest(key) : rounds.least(key)) ?? .nan
    let name = title.replacing("#", with: "\(ours.size / divisor)")
    guard !rivals.isEmpty else {
      return [Row(area: ProgressTree.name, name: name, unit: unit, value: value, goal: goal)]
    }
    return rivals.map { rival in
      Row(
        area: ProgressTree.name, name: name, unit: unit, value: value, peer: rival.name,
        peerValue: rounds.least("\(rival.probe.key) 0"), goal: rival.goal)
    }
  }
}
