import Foundation

/// Timers: our timing wheel beside heaps, another wheel and the timers of two event loops, in virtual time.
///
/// Each case of each peer has its own process, on one processor, with the same random numbers; its processor time
/// counts. A timer carries 8 bytes, and a token of 8 bytes cancels it. `timer-peers/trial.hpp` describes the cases.
/// libuv and libevent get the time from us, and the time that their loops spend on polling is measured and subtracted
/// if it matters.
enum Time: Area {
  static let name = "time"

  static func measure(_ options: Options) throws -> [Row] {
    if options.counts { return try counts() }
    let measurements = options.sizes.map { size in
      (size, trials(size: size).map { trial in { try trial.run() } })
    }
    var rows: [Row] = []
    for (size, trials) in measurements {
      FileHandle.standardError.write(Data("\(size) timers\n".utf8))
      // A round of few timers takes milliseconds and is noisy; a round of many takes minutes.
      let rounds =
        size < 300_000
        ? 3 * options.rounds : size < 3_000_000 ? options.rounds : (options.rounds + 1) / 2
      rows += self.rows(try Rounds(rounds, trials), size: size)
    }
    FileHandle.standardError.write(Data("small cases\n".utf8))
    return try rows + corners(options) + services(options)
  }

  /// The cases, with the maximum ratios to the best peer by the number of timers.
  private static let cases: [Case] = [
    Case("arm+cancel", "ns/timer", goals: [100_000: 0.95, 1_000_000: 0.95]),
    Case("churn", "ns/change", goals: [100_000: 1, 1_000_000: 1]),
    Case("fifo", "ns/change", goals: [:]),
    Case("expire", "ns/timer", goals: [100_000: 1.2, 1_000_000: 0.25, 10_000_000: 0.25]),
    Case("jump", "ns/timer", goals: [:]),
    Case("worst", "ms", title: "slowest tick", goals: [:], from: 1_000_000),
  ]

  /// The peers.
  private static let peers = [
    Peer("heap", "4-ary heap"), Peer("queue", "priority_queue", upTo: 3_000_000),
    Peer("linked", "linked wheel"),
    Peer("libuv", "libuv", upTo: 3_000_000), Peer("libevent", "libevent", upTo: 3_000_000),
  ]

  /// All cases with a number of timers.
  private static func trials(size: Int) -> [Trial] {
    let sides = ["wheel"] + peers.filter { size <= $0.upTo }.map(\.word)
    return cases.filter { size >= $0.from }.flatMap { trial in
      sides.map { Trial(side: $0, trial: trial.word, size: size) }
    } + [Trial(side: "lane", trial: "fifo", size: size)]
  }

  /// The rows of the values with a number of timers.
  private static func rows(_ rounds: Rounds, size: Int) -> [Row] {
    let here = peers.filter { size <= $0.upTo }
    /// A row with our number, beside that of a peer if there is one.
    func row(
      _ title: String, _ unit: String, _ key: String, _ peer: Peer? = nil, goal: Double? = nil
    ) -> Row {
      let theirs = peer.flatMap { rounds.least(key.replacing(/^\w+/, with: $0.word)) }
      return Row(
        area: name, name: "\(title) \(label(size))", unit: unit, value: rounds.least(key) ?? .nan,
        peer: peer?.name, peerValue: theirs, goal: goal)
    }
    let times = cases.filter { size >= $0.from }.flatMap { trial in
      let key = "wheel \(trial.word)"
      let rows = here.map { row(trial.title, trial.unit, key, $0) }
      guard let goal = trial.goals[size] else { return rows }
      let best = rows.filter { $0.peerValue != nil }.min { $0.peerValue ?? 0 < $1.peerValue ?? 0 }
      return rows + [
        Row(
          area: name, name: "\(trial.title) \(label(size)), best peer", unit: trial.unit,
          value: rounds.least(key) ?? .nan, peer: best?.peer ?? "none", peerValue: best?.peerValue,
          goal: goal)
      ]
    }
    // The best structure for a fixed delay must not lose to any wheel.
    let lane = here.filter { ["heap", "linked"].contains($0.word) }.map { peer in
      row(
        "fifo, lane", "ns/change", "lane fifo", peer,
        goal: peer.word == "linked" && size >= 100_000 ? 1 : nil)
    }
    let memory = [("armed", "expire", 34.0), ("in churn", "churn", 46)].flatMap {
      title, word, goal in
      ([nil] + here).map { peer in
        let goal = peer == nil && size == 1_000_000 ? goal : nil
        return row("memory, \(title)", "B/timer", "wheel \(word) bytes", peer, goal: goal)
      }
    }
    let worst =
      size == 1_000_000 ? [row("slowest tick", "ms", "wheel worst", goal: 1)] : []
    return times + worst + lane + memory + [row("memory, lane", "B/timer", "lane fifo bytes")]
  }

  /// The cases of a single timer.
  private static func corners(_ options: Options) throws -> [Row] {
    let rounds = try Rounds(
      options.rounds,
      ["month", "far"].map { trial in
        { try Trial(side: "wheel", trial: trial, size: 1).run() }
      })
    return [
      Row(
        area: name, name: "jump of 30 days", unit: "µs",
        value: rounds.least("wheel month") ?? .nan, goal: 2),
      Row(
        area: name, name: "wake-ups to 2^40", unit: "times",
        value: rounds.greatest("wheel far") ?? .nan, goal: 8),
    ]
  }

  /// A number of timers in short.
  static func label(_ size: Int) -> String {
    let digits = String(size)
    guard size >= 1000, digits.dropFirst().allSatisfy({ $0 == "0" }) else { return digits }
    return "\(digits.prefix(1))e\(digits.count - 1)"
  }
}

/// A case with goals.
private struct Case: Sendable {
  /// The argument of `timer-wheel` and `timer-peers`.
  let word: String
  /// The name in the table.
  let title: String
  /// The unit of its first value.
  let unit: String
  /// The maximum ratio to the best peer, by the number of timers.
  let goals: [Int: Double]
  /// The minimum number of timers for which it is measured.
  let from: Int

  /// Creates a case.
  init(
    _ word: String, _ unit: String, title: String? = nil, goals: [Int: Double], from: Int = 1
  ) {
    self.word = word
    self.title = title ?? word
    self.unit = unit
    self.goals = goals
    self.from = from
  }
}

/// Another data structure for timers.
private struct Peer: Sendable {
  /// The argument of `timer-peers`.
  let word: String
  /// The name in the table.
  let name: String
  /// The maximum number of timers with which it is measured in reasonable time.
  let upTo: Int

  /// Creates a peer.
  init(_ word: String, _ name: String, upTo: Int = .max) {
    self.word = word
    self.name = name
    self.upTo = upTo
  }
}

/// A process that measures one case.
struct Trial: Sendable {
  /// The side: `wheel`, `services`, or a peer.
  let side: String
  /// The case.
  let trial: String
  /// The number of timers.
  let size: Int

  /// Runs it.
  ///
  /// - Returns: The value under `SIDE CASE`, and the bytes under `SIDE CASE bytes` if it prints them; empty if the peer
  ///   is missing.
  /// - Throws: `Trouble` if it fails.
  func run() throws -> [String: Double] {
    let ours = ["wheel", "lane", "services"].contains(side)
    let program = Tools.beside(ours ? "timer-wheel" : "timer-peers")
    guard let numbers = try Tools.numbers(program, [side, trial, "\(size)"]) else { return [:] }
    var values = ["\(side) \(trial)": numbers[0]]
    if numbers.count > 1 { values["\(side) \(trial) bytes"] = numbers[1] }
    return values
  }
}
