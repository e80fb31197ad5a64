import Foundation

/// Publishing: how late changes and requests arrive at another process, and what it costs.
///
/// `relay-trial` publishes, and `relay-client` watches, over as many connections as are wanted. The peer is the pipe through
/// which programs in Zig report, with the standard library of Zig at its writing end.
enum Relay: Area {
  static let name = "relay"

  /// The times in a unit: the trials print nanoseconds.
  private static let millisecond = 1e6
  private static let microsecond = 1e3

  static func measure(_ options: Options) throws -> [Row] {
    options.counts ? try counts() : try times(options)
  }

  /// The program in Zig that `make bench` builds, nil if it is not there.
  private static var zig: String? {
    let path = Tools.beside("../../peers/zig_progress")
    return [path, "Benchmarks/.build/peers/zig_progress"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  /// The numbers that a trial prints.
  private static func trial(_ words: String...) throws -> [Double] {
    guard let numbers = try Tools.numbers(Tools.beside("relay-trial"), words) else {
      throw Trouble("relay-trial does not know \(words)")
    }
    return numbers
  }

  /// What is the same in every run: the bytes of a change, and what an unchanged tree costs.
  private static func counts() throws -> [Row] {
    let idle = try trial("idle", "10", "3")
    let change = try trial("lateness", "1", "20", "30")
    return [
      Row(
        area: name, name: "unchanged for 3 s, 10 watchers", unit: "wake-ups", value: idle[0],
        goal: 0),
      Row(
        area: name, name: "unchanged for 3 s, 10 watchers", unit: "reads with bytes",
        value: idle[1], goal: 0),
      Row(area: name, name: "a changed number", unit: "B", value: change[2], goal: 200),
    ]
  }

  private static func times(_ options: Options) throws -> [Row] {
    let changes = options.isQuick ? 50 : 200
    let rounds = try Rounds(
      options.rounds,
      [1, 10, 1_000].map { watchers in
        {
          let numbers = try trial("lateness", "\(watchers)", "\(changes)", "40")
          return [
            "median \(watchers)": numbers[0] / millisecond,
            "late \(watchers)": numbers[1] / millisecond,
            "bytes \(watchers)": numbers[2], "cost \(watchers)": numbers[3] / microsecond,
          ]
        }
      } + [
        // No read with bytes is no byte.
        { ["idle": try trial("idle", "1", "2")[1] == 0 ? 0 : .nan] },
        {
          let numbers = try trial("publications", "1000", "10", "3")
          return [
            "median many": numbers[0] / millisecond, "late many": numbers[1] / millisecond,
            "cost many": numbers[2] / millisecond,
          ]
        },
        {
          let numbers = try trial("cancel", "\(changes)")
          return [
            "median cancel": numbers[0] / millisecond, "late cancel": numbers[1] / millisecond,
          ]
        },
      ]
        + ["plain", "published", "watched"].map { kind in
          { ["increment \(kind)": try trial("increment", "20000000", kind)[0]] }
        }
        + (zig.map { zig in
          [
            {
              let numbers = try trial("zig", "\(changes)", "40", "0", zig)
              return [
                "median zig": numbers[0] / millisecond, "late zig": numbers[1] / millisecond,
                "bytes zig": numbers[2], "cost zig": numbers[3] / microsecond,
              ]
            }, { ["idle zig": try trial("zig", "10", "40", "100", zig)[4]] },
          ]
        } ?? []))
    func row(_ title: String, _ unit: String, _ value: String, goal: Double? = nil) -> Row {
      Row(area: name, name: title, unit: unit, value: rounds.least(value) ?? .nan, goal: goal)
    }
    var rows: [Row] = []
    func row(_ title: String, _ unit: String, _ value: String, peer: String) -> Row {
      var row = row(title, unit, value)
      (row.peer, row.peerValue) = ("Zig's pipe", rounds.least(peer))
      return row
    }
    rows += [
      row("change arrives, 1 watcher, median", "ms", "median 1", peer: "median zig"),
      row("change arrives, 1 watcher, 99 %", "ms", "late 1", peer: "late zig"),
      row("processor time of a change, 1 watcher", "µs", "cost 1", peer: "cost zig"),
      row("bytes of a change, 1 watcher", "B", "bytes 1", peer: "bytes zig"),
      Row(
        area: name, name: "bytes of a second without a change", unit: "B",
        value: rounds.least("idle") ?? .nan, peer: "Zig's pipe", peerValue: rounds.least("idle zig")
      ),
    ]
    for watchers in [10, 1_000] {
      let title = "\(watchers) watchers"
      rows += [
        row("change arrives, \(title), median", "ms", "median \(watchers)"),
        row("change arrives, \(title), 99 %", "ms", "late \(watchers)"),
        row("processor time of a change, \(title)", "µs", "cost \(watchers)"),
      ]
    }
    rows += [
      row("1,000 publications, 10 watchers, median", "ms", "median many"),
      row("1,000 publications, 10 watchers, 99 %", "ms", "late many"),
      row("1,000 changes in a second, processor time", "ms", "cost many"),
      row("cancel arrives, median", "ms", "median cancel", goal: 5),
      row("cancel arrives, 99 %", "ms", "late cancel"),
    ]
    for kind in ["published", "watched"] {
      rows.append(
        Row(
          area: name, name: "increment in a \(kind) tree", unit: "ns",
          value: rounds.least("increment \(kind)") ?? .nan, peer: "unpublished",
          peerValue: rounds.least("increment plain"), goal: 1.05))
    }
    return rows
  }
}
