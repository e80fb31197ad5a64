import DocumentedPages
import HeadwayProgress
import ProcessFixtures
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// The examples of the documentation, whose bars are drawn into a pipe.
struct DocumentationTests {
  private let pages = DocumentedPages(of: "HeadwayTerminal")
  private let pipe = Pipe()
  private let bars: LiveBars
  /// What the examples work on.
  private let photos = [1, 2, 3]
  private let chunks = [[1, 2], [3]]
  private let albums = [Album(title: "first", songs: [1, 2]), Album(title: "second", songs: [3])]

  private struct Album {
    let title: String
    let songs: [Int]
  }

  /// The bars of an example, in place of those on standard error.
  private struct Bars {
    let shared: LiveBars
    func callAsFunction() -> LiveBars { shared }
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  private let LiveBars: Bars

  init() {
    bars = HeadwayTerminal.LiveBars(output: pipe.writer, style: .gray, interface: .lines)
    LiveBars = Bars(shared: bars)
  }

  private func resize(_ photo: Int) {}
  private func store(_ chunk: [Int]) {}
  private func convert(_ song: Int) {}
  private func runEditor() {}

  /// The lines that bars have left at their ends, and that were printed, without times.
  private var lines: [String] {
    bars.finish()
    return pipe.readAll().split(separator: "\n").map {
      String($0).replacing(/(in|after) [0-9.]+m?s/) { "\($0.1) T" }
        .replacing(/, [0-9.,]+[A-Z]?\/s/, with: "")
    }.filter { !$0.contains(/: [0-9]+%|still running/) }
  }

  @Test(arguments: ["ShowingBarsInATerminal", "ComingFromTqdm", "ComingFromIndicatif"])
  func `A test runs every example`(name: String) throws {
    let missing = try pages.examplesNotRun(of: name, in: "DocumentationTests")
    #expect(missing.isEmpty)
  }

  @Test func `A loop`() {
    for photo in photos.reporting("resize") { resize(photo) }
  }

  @Test func `Several bars`() {
    let bars = LiveBars()
    let release = bars.add("release", total: 11)
    let fetch = release.add("fetch", total: 5_000_000, kind: .file(.downloading))
    let build = release.add("build", total: 214)
    let tests = release.add("tests", total: nil)  // the total is unknown
    build.report(60)  // 60 of 214 are done
    fetch.complete(5_000_000)  // so many more bytes
    fetch.end()  // replaces the bar by a line
    bars.print("main.c: a warning")  // prints a line above the bars
    release.setFacts("2.1.0")  // your text, to the right of the bar
    release.report(5)
    bars.finish()
    tests.end()
    #expect(
      lines == [
        "release > fetch: done in T, 5.0 MB", "main.c: a warning",
        "release: stopped after T, 5 / 11",
      ])
  }

  @Test func `A progress tree`() async {
    let root = ProgressNode("release", total: 4)
    async let following: Void = bars.follow(root)
    root.finish()
    await following
    #expect(lines.first?.hasPrefix("release: done in T") == true)
  }

  @Test func `Loops in loops`() {
    let all = bars.add("albums", total: albums.count)
    for album in albums.reporting(to: all) {
      for song in album.songs.reporting(album.title, in: all) { convert(song) }
    }
    all.end()
    #expect(
      lines == [
        "albums > first: done in T, 2", "albums > second: done in T", "albums: done in T, 2",
      ])
  }

  @Test func `Loops in loops that count on both bars`() {
    let all = bars.add("songs", total: albums.map(\.songs.count).reduce(0, +))
    for album in albums {
      for song in album.songs.reporting(album.title, in: all).reporting(to: all) { convert(song) }
    }
    all.end()
    #expect(
      lines == [
        "songs > first: done in T, 2", "songs > second: done in T", "songs: done in T, 3",
      ])
  }

  @Test func `A bar for one file after the other`() {
    let (names, sizes) = (["a.txt", "b.txt"], [2, 3])
    func download(_ name: String, _ received: (Int) -> Void) { for _ in 1...2 { received(1) } }
    let fetch = bars.add("fetch", total: sizes[0], kind: .file(.downloading))
    for (name, size) in zip(names, sizes) {
      fetch.reset(total: size)
      fetch.setFacts(name)
      download(name) { received in fetch.complete(received) }
      fetch.end()
    }
    #expect(lines == ["fetch: done in T, 2 bytes", "fetch: done in T, 2 bytes"])
  }

  @Test func `A node whose work may fail`() async throws {
    let root = ProgressNode("release", total: 2)
    func build(_ node: ProgressNode) async throws -> Int {
      node.complete(2)
      node.finish()
      return 7
    }
    let size = try await bars.follow(root) { try await build(root) }
    #expect(size == 7)
    #expect(lines == ["release: done in T, 2"])
  }

  @Test func `A log handler`() throws {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    let LoggingSystem = LoggingSystemShape()
    LoggingSystem.bootstrap { _ in BarLogHandler(bars: bars) }
    var handler = try #require(LoggingSystem.make?("disks"))
    handler[metadataKey: "disk"] = "sda"
    handler.log(
      level: .warning, message: "no room", metadata: ["left": "0"], source: "", file: "",
      function: "", line: 0)
    bars.withoutBars { runEditor() }
    #expect(lines == ["warning: no room disk=sda left=0"])
  }

  @Test func `What tqdm does by hand`() {
    let fetch = LiveBars.shared.add("fetch", total: 5_000_000, kind: .file(.downloading))
    for chunk in chunks {
      store(chunk)
      fetch.complete(chunk.count)
    }
    fetch.end()
    #expect(lines == ["fetch: done in T, 3 bytes"])
  }

  @Test func `What indicatif has a group for`() {
    let bars = LiveBars()
    let fetch = bars.add("fetch", total: 5_000_000, kind: .file(.downloading))
    let tests = bars.add("tests", total: 214)
    let server = bars.add("wait for the server", total: nil)
    fetch.complete(1_200_000)
    tests.complete()
    server.end(note: "port 8080")
    bars.print("a line above the bars")
    bars.finish()
    #expect(
      lines == [
        "wait for the server: done in T, port 8080", "a line above the bars",
        "fetch: stopped after T, 1.2 / 5.0 MB", "tests: stopped after T, 1 / 214",
      ])
  }
}

// The shape of the package swift-log.

enum Logger {
  enum Level { case info, warning }
  typealias Message = String
  typealias MetadataValue = String
  typealias Metadata = [String: MetadataValue]
}

protocol LogHandler {
  var logLevel: Logger.Level { get set }
  var metadata: Logger.Metadata { get set }
  subscript(metadataKey key: String) -> Logger.MetadataValue? { get set }
  func log(
    level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
    file: String, function: String, line: UInt)
}

/// The logging system of a process, of which the example sets the handlers.
private final class LoggingSystemShape {
  /// The handler for a logger with a name.
  private(set) var make: ((String) -> any LogHandler)?

  func bootstrap(_ make: @escaping (String) -> any LogHandler) { self.make = make }
}

struct BarLogHandler: LogHandler {
  let bars: LiveBars
  var logLevel = Logger.Level.info
  var metadata = Logger.Metadata()

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(
    level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String,
    file: String, function: String, line: UInt
  ) {
    let all = self.metadata.merging(metadata ?? [:]) { $1 }
    let details = all.sorted { $0.key < $1.key }.map { " \($0)=\($1)" }
    bars.print("\(level): \(message)\(details.joined())")
  }
}
