import Foundation

/// What the bar of a page costs: the size and the frame call of its core, and the main thread of a browser.
extension Bar {
  /// The most bytes of the compressed core.
  private static let mostBytes = 16_384.0
  /// The most nanoseconds of a frame call in Node.
  private static let mostNanoseconds = 50.0
  /// The most that the time of the main thread may be of that of bars whose width is set in each frame.
  private static let mostOfWidth = 0.3
  /// The bars that glide at once.
  private static let bars = 20

  /// The ways of drawing that the bar of a page stands beside, by their words in the page.
  private static let ways: [(word: String, title: String)] = [
    ("width", "width per frame"), ("transform", "transform per frame"),
    ("progress", "<progress>"), ("range", "<input>"), ("animation", "animation"),
    ("idle", "empty frames"),
  ]

  /// Why bars are still, by the words of the program that measures them.
  private static let reasons = ["paused", "finished", "hidden", "removed", "page"]

  /// Measures the core and the element.
  ///
  /// - Parameter options: What the command line asks for.
  /// - Returns: The rows; without Node or a browser those that need none.
  /// - Throws: `Trouble` when the core cannot be built or a program fails.
  static func web(_ options: Options) throws -> [Row] {
    let root = BarPeers.package.deletingLastPathComponent()
    let script = root.appending(path: "Scripts/web").path
    let folder = BarPeers.package.appending(path: ".build/web")
    guard FileManager.default.isExecutableFile(atPath: script) else { return [] }
    // Its last words are told where it fails, as when the core is too large.
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

  /// Times a frame call of the core.
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

  /// Measures the element beside other ways in a browser.
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

  /// What a reason is called in the table.
  private static func title(_ reason: String) -> String {
    reason == "page" ? "on a hidden page" : reason
  }

  /// The numbers of words that come in pairs of a name and a value.
  private static func pairs(_ words: [String]) -> [String: Double] {
    var values: [String: Double] = [:]
    for place in stride(from: 0, to: words.count - 1, by: 2) {
      values[words[place]] = Double(words[place + 1])
    }
    return values
  }
}

/// The programs of this package that measure what others do, in languages that need no building.
enum BarPeers {
  /// The folder of this package.
  static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Where one of them is.
  static func path(_ name: String) -> String { package.appending(path: "Peers/\(name)").path }

  /// Tells the person at the keyboard what is not measured.
  static func tell(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
}
