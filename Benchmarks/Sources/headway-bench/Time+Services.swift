import Foundation

/// Deadlines around asynchronous calls, beside a task group with a task that sleeps, as people write it by hand.
///
/// `timer-wheel/Services.swift` has the cases. A call has 30 seconds and needs none of them; the processor time is that
/// of all threads together.
extension Time {
  /// A case of ours, with its peer.
  private struct Call: Sendable {
    /// The name in the table.
    let title: String
    /// The unit.
    let unit: String
    /// The argument of `timer-wheel`.
    let word: String
    /// The number of calls.
    let count: Int
    /// The argument of the peer, nil if there is none.
    let peer: String?
    /// The maximum ratio, or without a peer the maximum value.
    let goal: Double?
  }

  /// The cases.
  private static let calls = [
    Call(
      title: "withDeadline, body returns at once", unit: "ns/call", word: "deadline-instant",
      count: 100_000, peer: "group-instant", goal: 0.25),
    Call(
      title: "withDeadline, body yields once", unit: "ns/call", word: "deadline-yield",
      count: 100_000, peer: "group-yield", goal: 0.25),
    Call(
      title: "withDeadline, memory kept", unit: "B/call", word: "deadline-kept", count: 1_000_000,
      peer: nil, goal: 1),
    Call(
      title: "withDeadline, memory kept", unit: "B/call", word: "deadline-kept", count: 1_000_000,
      peer: "group-kept", goal: nil),
    Call(
      title: "service, arm and cancel", unit: "ns/timer", word: "timer-instant", count: 1_000_000,
      peer: nil, goal: nil),
    Call(
      title: "service, memory kept", unit: "B/timer", word: "timer-kept", count: 1_000_000,
      peer: nil, goal: 1),
  ]

  /// The rows of many timers with the same delay, of which the oldest is cancelled and scheduled again.
  ///
  /// The peer is the linked wheel behind a mutex and a clock, so both sides read the clock once and lock twice.
  ///
  /// - Parameter options: The options.
  /// - Returns: A row for each number of timers.
  /// - Throws: `Trouble` if a process fails.
  private static func equalDelays(_ options: Options) throws -> [Row] {
    try options.sizes.filter { $0 <= 1_000_000 }.map { size in
      let rounds = try Rounds(
        options.rounds,
        [
          { try Trial(side: "services", trial: "timer-fifo", size: size).run() },
          { try Trial(side: "shared", trial: "fifo", size: size).run() },
        ])
      return Row(
        area: name, name: "service, equal delays \(label(size))", unit: "ns/change",
        value: rounds.least("services timer-fifo") ?? .nan, peer: "linked wheel, mutex and clock",
        peerValue: rounds.least("shared fifo"), goal: 1)
    }
  }

  /// The rows of the services.
  ///
  /// - Parameter options: The options.
  /// - Returns: A row for each case.
  /// - Throws: `Trouble` if a process fails.
  static func services(_ options: Options) throws -> [Row] {
    let ours = calls.map { Trial(side: "services", trial: $0.word, size: $0.count) }
    // The peer is slow and keeps so much memory that a fifth of the calls is enough.
    let theirs = Set(calls.compactMap(\.peer)).sorted().map { word in
      Trial(side: "services", trial: word, size: word.hasSuffix("kept") ? 200_000 : 20_000)
    }
    let rounds = try Rounds(options.rounds, (ours + theirs).map { trial in { try trial.run() } })
    return try equalDelays(options)
      + calls.map { call in
        // The remaining memory must be small in every round.
        let key = "services \(call.word)"
        let value = call.word.hasSuffix("kept") ? rounds.greatest(key) : rounds.least(key)
        return Row(
          area: name, name: call.title, unit: call.unit,
          value: value ?? .nan,
          peer: call.peer == nil ? nil : "task group and sleep",
          peerValue: call.peer.flatMap { rounds.least("services \($0)") }, goal: call.goal)
      }
  }
}
