import Foundation

/// The cost of a frame of bars in a terminal, beside tqdm and rich.
///
/// Each draws to a terminal in memory with 80 columns, with counts beside its bars. Only its update and drawing are
/// timed; none of its threads runs.
extension Bar {
  /// What changes in a frame.
  private struct TerminalCase: Sendable {
    /// The name in the table.
    let title: String
    /// The arguments of `bar-terminal` and of the program of the peers.
    let words: [String]
    /// The arguments of the program of the peers, if they differ.
    var peerWords: [String]?
    /// The maximum number of microseconds.
    var microseconds: Double?
    /// The maximum number of bytes.
    var bytes: Double?
    /// The maximum ratio of the bytes, by peer.
    var byteRatios: [String: Double] = [:]
    /// The maximum ratio of the times, by peer.
    var timeRatios: [String: Double] = [:]
    /// Whether the peers are measured too.
    var hasPeers = true
  }

  /// The cases.
  private static let terminalCases = [
    TerminalCase(
      title: "1 bar, a step", words: ["all", "1"], timeRatios: ["tqdm": 0.125, "rich": 0.01]),
    TerminalCase(
      title: "10 bars, a step each", words: ["all", "10"],
      timeRatios: ["tqdm": 0.125, "rich": 0.01]),
    TerminalCase(
      title: "10 bars, one moves a cell", words: ["cell", "10"], microseconds: 15, bytes: 40,
      byteRatios: ["tqdm": 0.5, "rich": 0.25]),
    TerminalCase(
      title: "10 bars with speed and remaining time, one moves a cell", words: ["counted", "10"],
      peerWords: ["cell", "10"], microseconds: 15, byteRatios: ["tqdm": 0.6, "rich": 0.1]),
    TerminalCase(
      title: "10 bars, nothing moves", words: ["none", "10"], bytes: 0, hasPeers: false),
  ]

  /// Measures the frames.
  ///
  /// - Parameter options: The options.
  /// - Returns: The microseconds and bytes of a frame for each case, ours alone and beside each peer.
  /// - Throws: `Trouble` if a process fails.
  static func terminal(_ options: Options) throws -> [Row] {
    let python = try TerminalPeers()
    let frames = options.isQuick ? 2000 : 20_000
    let measurements = terminalCases.flatMap { one in
      let ours = {
        let words = one.words + ["\(frames)"]
        return named(
          "Headway", one, try Tools.numbers(Tools.beside("bar-terminal"), words) ?? [])
      }
      let theirs = (python?.names ?? []).filter { _ in one.hasPeers }.map { peer in
        {
          named(
            peer, one,
            try python?.measure(peer, one.peerWords ?? one.words, frames: frames / 50) ?? [])
        }
      }
      return [ours] + theirs
    }
    let rounds = try Rounds(options.rounds, measurements)
    return terminalCases.flatMap { rows($0, rounds, python) }
  }

  /// The values of a measurement, with their names in the rounds.
  private static func named(
    _ side: String, _ one: TerminalCase, _ numbers: [Double]
  ) -> [String: Double] {
    let units = ["µs", "bytes", "most bytes"]
    return Dictionary(
      uniqueKeysWithValues: zip(units, numbers).map { ("\(side) \(one.title) \($0)", $1) })
  }

  /// The rows of a case.
  private static func rows(
    _ one: TerminalCase, _ rounds: Rounds, _ python: TerminalPeers?
  ) -> [Row] {
    let goals = ["µs": (one.microseconds, one.timeRatios), "bytes": (one.bytes, one.byteRatios)]
    return ["µs", "bytes"].flatMap { unit in
      let title = "terminal: \(one.title)"
      let value = rounds.least("Headway \(one.title) \(unit)") ?? .nan
      let (goal, ratios) = goals[unit] ?? (nil, [:])
      let ours = Row(
        area: name, name: title, unit: unit, value: value, goal: goal, isExact: unit == "bytes")
      guard one.hasPeers else { return [ours] }
      return [ours]
        + TerminalPeers.all.map { peer in
          Row(
            area: name, name: title, unit: unit, value: value,
            peer: python.map { "\(peer) \($0.version(of: peer))" } ?? peer,
            peerValue: rounds.least("\(peer) \(one.title) \(unit)"), goal: ratios[peer])
        }
    }
  }
}

/// The Python interpreter with tqdm and rich.
private struct TerminalPeers: Sendable {
  /// The peers, in the order of the table.
  static let all = ["tqdm", "rich"]
  /// The program that measures the peers.
  private static let program = BarPeers.path("terminal_bars.py")

  /// The interpreter.
  private let python: String
  /// The versions.
  private let versions: [String]

  /// Finds an interpreter with both: that of `make bench`, or one of the machine; nil if there is none.
  ///
  /// - Throws: The error of starting one.
  init?() throws {
    let own = BarPeers.package.appending(path: ".build/peers/bin/python").path
    let candidates = [own, Tools.find("python3"), "/usr/bin/python3"].compactMap { $0 }
    for python in candidates where FileManager.default.isExecutableFile(atPath: python) {
      let versions = try Tools.words(python, [Self.program, "versions"])
      guard versions.count == Self.all.count else { continue }
      (self.python, self.versions) = (python, versions)
      return
    }
    return nil
  }

  /// The peers that can be measured.
  var names: [String] { Self.all }

  /// The version of a peer.
  func version(of peer: String) -> String {
    Self.all.firstIndex(of: peer).map { versions[$0] } ?? ""
  }

  /// Measures a peer.
  ///
  /// - Parameters:
  ///   - peer: The name of the peer.
  ///   - words: The case and the number of bars.
  ///   - frames: The number of frames.
  /// - Returns: The microseconds and the bytes of a frame.
  /// - Throws: `Trouble` if it fails.
  func measure(_ peer: String, _ words: [String], frames: Int) throws -> [Double] {
    try Tools.numbers(python, [Self.program, peer] + words + ["\(frames)"]) ?? []
  }
}
