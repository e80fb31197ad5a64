import Foundation

/// The cost of the bar on a page: the size and the frame call of its core, and the main thread of a browser.
extension Bar {
  /// The maximum number of bytes of the compressed core.
  private static let mostBytes = 16_384.0
  /// The maximum number of nanoseconds of a frame call in Node.
  private static let mostNanoseconds = 50.0
  /// The maximum ratio of the time of the main thread to that of bars whose width is set in each frame.
  private static let mostOfWidth = 0.3
  /// The number of moving bars.
  private static let bars = 20

  /// The other ways of drawing, by their names in the page.
  private static let ways: [(word: String, title: String)] = [
    ("width", "width per frame"), ("transform", "transform per frame"),
    ("progress", "<progress>"), ("range", "<input>"), ("animation", "animation"),
    ("idle", "empty frames"),
  ]

  /// The reasons for which bars do not move, by their names in the measuring program.
  private static let reasons = ["paused", "finished", "hidden", "removed", "page"]

  /// Measures the core and the element.
  ///
  /// - Parameter options: The options.
  /// - Returns: The rows; without Node or a browser only those that do not need them.
  /// - Throws: `Trouble` if the core cannot be built or a program fails.
  static func web(_ options: Options) throws -> [Row] {
    let root = BarPeers.package.deletingLastPathComponent()
    let script = root.appending(path: "Scripts/web").path
    let folder = BarPeers.package.appending(path: ".build/web")
    guard FileManager.default.isExecutableFile(atPath: script) else { return [] }
    // If it fails, its last line is printed, for example that the core is too large.
    guard try !Tools.words(script, [folder.path]).isEmpty else {
      throw Trouble("\(script) does not build the core of the page")
    }
    let core = folder.appending(path: "headway-bar.wasm").path
    let sizes = try Tools.words("/bin/sh", ["-c", "gzip -9nc \"$0\" | wc -c", core])
    let size = Row(
      area: name, name: "page: core, compressed", unit: "bytes",
      value: sizes.first.flatMap { Double($0) } ?? .nan, goal: mostBytes, isExact: true)
    let element = folder.appending(path: "headway-bar.js").path
    return try [size] + frameCall(core, options) + browser(element, options)
  }

  /// Measures a frame call of the core.
  private static func frameCall(_ core: String, _ options: Options) throws -> [Row] {
    guard let node = Tools.find("node") else {
      BarPeers.tell("node is missing: a frame call of the core of the page is not measured")
      return []
    }
    let rounds = try Rounds(
      options.isQuick ? 1 : options.rounds,
      [
        {
          let numbers = try Tools.numbers(node, [BarPeers.path("core_frame.mjs"), core]) ?? []
          return numbers.first.map { ["frame": $0] } ?? [:]
        }
      ])
    return [
      Row(
        area: name, name: "page: shown value and place, in Node", unit: "ns",
        value: rounds.least("frame") ?? .nan, goal: mostNanoseconds)
    ]
  }

  /// Measures the element beside other ways of drawing in a browser.
  private static func browser(_ element: String, _ options: Options) throws -> [Row] {
    guard let python = Tools.find("python3") else { return [] }
    let seconds = options.isQuick ? "2" : "5"
    let arguments = [BarPeers.path("web_bars.py"), element, "\(bars)", seconds]
    let rounds = try Rounds(
      options.isQuick ? 1 : options.rounds,
      [{ pairs(try Tools.words(python, arguments + ways.map(\.word))) }])
    guard let task = rounds.least("headway.task") else {
      BarPeers.tell("the browser or its driver is missing: bars in a page are not measured")
      return []
    }
    let times = ways.map { way in
      Row(
        area: name, name: "page: \(bars) bars, main thread", unit: "ms/s", value: task,
        peer: way.title, peerValue: rounds.least("\(way.word).task"),
        goal: way.word == "width" ? mostOfWidth : nil)
    }
    let layouts = Row(
      area: name, name: "page: \(bars) bars", unit: "layouts/s",
      value: rounds.greatest("headway.layouts") ?? .nan, goal: 0)
    let still = reasons.flatMap { reason in
      [("calls", "callbacks/s"), ("animations", "animations")].compactMap { word, unit in
        rounds.greatest("\(reason).\(word)").map { value in
          Row(
            area: name, name: "page: \(bars) bars, \(title(reason))", unit: unit, value: value,
            goal: 0)
        }
      }
    }
    return times + [layouts] + still
  }

  /// The name of a reason in the table.
  private static func title(_ reason: String) -> String {
    reason == "page" ? "on a hidden page" : reason
  }

  /// The numbers in pairs of a name and a value.
  private static func pairs(_ words: [String]) -> [String: Double] {
    var values: [String: Double] = [:]
    for place in stride(from: 0, to: words.count - 1, by: 2) {
      values[words[place]] = Double(words[place + 1])
    }
    return values
  }
}

/// The programs of this package that measure peers in other languages and need no build.
enum BarPeers {
  /// The folder of this package.
  static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The path of a program.
  static func path(_ name: String) -> String { package.appending(path: "Peers/\(name)").path }

  /// Reports what is not measured.
  static func tell(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}
