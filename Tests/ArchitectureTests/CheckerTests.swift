import Testing

/// The checker itself, fed with packages that break the rules.
struct `The checker of the house` {
  /// A small house.
  private let house = Architecture(modules: [
    .init(name: "Base", floor: 0, isCLibrary: true),
    .init(name: "Low", floor: 1, shellFiles: ["Clock.swift"]),
    .init(name: "Twin", floor: 1),
    .init(name: "Bridge", floor: 2, isFoundationBridge: true),
    .init(name: "Middle", floor: 2, besides: ["CWidget", "Friend"]),
    .init(name: "Friend", floor: 2),
    .init(name: "High", floor: 3),
    .init(name: "All", floor: nil, besides: ["Low", "Middle"]),
  ])

  /// The violations of one file.
  private func violations(_ module: String, _ text: String, file: String = "File.swift") -> [String]
  {
    house.violations(of: [.init(module: module, file: file, text: text)])
  }

  @Test(arguments: [
    ("Low", "import Synchronization"),
    ("Middle", "public import Low\ninternal import Twin"),
    ("Middle", "import Base\nimport CWidget\nimport Friend"),
    ("Base", "#if canImport(Glibc)\n  @_exported public import Glibc\n#endif"),
    ("Bridge", "import Foundation"),
    ("High", "import FoundationEssentials\nimport Middle"),
    ("All", "@_exported public import Middle"),
    ("Low", ##"let raw = #"""# + "import" + #"\"#; let more = "\n" "##),
    (
      "Low",
      "// import High\n/* import High /* twice */ */\nlet text = \"\"\"\n  import High\n  \"\"\""
    ),
  ])
  func `What the floors allow passes`(module: String, text: String) {
    #expect(violations(module, text) == [])
  }

  @Test(arguments: [
    ("Low", "import Middle", "up to 2"),
    ("Low", "import Twin", "both are on floor 1"),
    ("Friend", "import Middle", "both are on floor 2"),
    ("Low", "import Foundation", "below floor 3 only"),
    ("Middle", "internal import FoundationEssentials", "below floor 3 only"),
    ("Low", "internal import Base", "floors 0 and 1 are pure"),
    ("Middle", "#if canImport(Glibc)\n  import Glibc\n#endif", "in one place"),
    ("High", "import Darwin", "in one place"),
    ("High", "import CWidget", "no rule allows"),
    ("Low", "import Dispatch", "no rule allows"),
    ("Middle", "@preconcurrency package import struct High.Thing", "up to 3"),
    ("High", "import All", "the umbrella"),
    ("All", "@_exported public import High", "only re-exports"),
    ("Attic", "import Low", "stands on no floor"),
  ])
  func `A planted violation is found`(module: String, text: String, message: String) {
    let found = violations(module, text)
    #expect(found.count == 1)
    #expect(found.first?.contains(message) == true, "\(found)")
  }

  @Test func `A named shell file may import the C library, its neighbours may not`() {
    #expect(violations("Low", "import Base", file: "Clock.swift") == [])
    #expect(violations("Low", "import Base", file: "Other.swift").count == 1)
  }

  /// The violations of a manifest of one target, whose only file imports what is given.
  private func violations(dependencies: String, imports: String) -> [String] {
    house.violations(
      ofManifest: """
        let package = Package(name: "P", targets: [
          .target(name: "Low"), // .target(name: "Comment")
          .target(name: "Middle", dependencies: [\(dependencies)], swiftSettings: settings),
          .systemLibrary(name: "CWidget", pkgConfig: "widget", providers: [.apt(["widget-dev"])]),
        ])
        """,
      sources: [
        .init(module: "Low", file: "L.swift", text: ""),
        .init(module: "Middle", file: "M.swift", text: imports),
      ])
  }

  @Test func `A manifest that says what the sources import passes`() {
    let dependencies = #""Low", .target(name: "CWidget", condition: .when(traits: ["W"]))"#
    #expect(violations(dependencies: dependencies, imports: "import Low\nimport CWidget") == [])
  }

  @Test func `An import that the manifest does not have is found`() {
    let found = violations(dependencies: "", imports: "import Low")
    #expect(
      found == ["Middle imports Low: add it to the target's dependencies in Package.swift."])
  }

  @Test func `A dependency that nobody imports is found`() {
    let found = violations(dependencies: #""Low""#, imports: "")
    #expect(
      found == ["Middle depends on Low and never imports it: remove it in Package.swift."])
  }

  @Test(arguments: [
    ("swiftSettings: [.unsafeFlags([])]", "unsafeFlags"),
    ("dependencies: [.package(path: \"../other\")]", "another package"),
    ("dependencies: [.product(name: \"X\", package: \"y\")]", "another package"),
  ])
  func `A manifest that leans on what it must not is found`(text: String, message: String) {
    let found = house.violations(ofManifest: text, sources: [])
    #expect(found.count == 1)
    #expect(found.first?.contains(message) == true, "\(found)")
  }

  @Test func `A folder without a target and a target without a folder are found`() {
    let sources = [Architecture.Source(module: "Low", file: "L.swift", text: "")]
    #expect(house.violations(ofManifest: "", sources: sources).count == 1)
    #expect(house.violations(ofManifest: #".target(name: "Low")"#, sources: []).count == 1)
  }
}

/// The checker of the vocabulary, with made-up sources.
struct `The checker of the vocabulary` {
  /// The violations of one file.
  private func violations(_ module: String, _ text: String) -> [String] {
    Vocabulary.violations(of: [.init(module: module, file: "File.swift", text: text)])
  }

  @Test(arguments: [
    (
      "HeadwayRun",
      "public enum Outcome: Hashable { case succeeded, failed(Failure)\ncase skipped }"
    ),
    ("HeadwayRun", "public struct TaskGraph {\n  struct Edge {}\n  var targets: [Int32] = []\n}"),
    ("HeadwayRun", "public mutating func apply(_ event: RunEvent) {\n}"),
    ("HeadwayText", "enum DurationText {\n  static func whole(_ d: Duration) -> String { a }\n}"),
    ("HeadwayText", "private static let wideBlocks: [ClosedRange<UInt32>] = [\n]"),
    ("HeadwayCLI", "enum ExitCode {\n  case succeeded\n  case failed\n}"),
    ("HeadwayCLI", "var state: RunState { runner.state }\nlet state: RunState"),
    ("HeadwayCLI", "func add(_ time: Duration)\nfunc text() -> String { name }"),
    ("HeadwayCLI", "// enum Outcome { case succeeded, failed, skipped }"),
  ])
  func `A declaration where it belongs passes`(module: String, text: String) {
    #expect(violations(module, text) == [])
  }

  @Test(arguments: [
    ("enum End {\n  case succeeded, failed(code: Int, because: String), cancelled\n}", "Outcome"),
    (
      "indirect enum Result: Hashable {\n  case timedOut\n  case skipped\n  case upToDate\n}",
      "Outcome"
    ),
    ("struct Edge {\n}", "TaskGraph"), ("private let dependents: [[Int]]", "TaskGraph"),
    ("var needs: [(task: Int, before: Int)] = []", "TaskGraph"),
    ("mutating func apply(\n  _ event: RunEvent, at now: Duration\n) {\n}", "RunState"),
    ("private(set) var state: RunState", "RunState"),
    ("enum TimeText {\n}", "DurationText"),
    ("static func text(\n  of time: Duration\n) -> String {\n}", "DurationText"),
    ("private let wide: [ClosedRange<UInt32>] = [0x1100...0x115F]", "TextWidth"),
    ("enum TextWidth {\n}", "TextWidth"),
  ])
  func `A second declaration is reported`(text: String, advice: String) throws {
    let found = violations("HeadwayCLI", text)
    #expect(found.count == 1)
    #expect(try #require(found.first).contains(advice))
  }
}

/// The checker of errors, with made-up sources.
struct `The checker of errors` {
  /// The names that are found in one file.
  private func functions(_ text: String) -> Set<String> {
    UntypedThrows.functions(in: [.init(module: "Low", file: "File.swift", text: text)])
  }

  @Test(arguments: [
    "public func add(_ body: () throws -> Void) {}", "func add() throws {}",
    "public func add() throws(E) -> Int { 1 }", "package func add() async throws {}",
    "public func add(\n  _ body: (Int) throws -> Void\n) throws(E) {\n  try body(1)\n}",
    "public func encode(to encoder: any Encoder) throws {}",
    "public init(from decoder: any Decoder) throws {}",
    "public struct S {\n  func run() throws {}\n}", "// public func add() throws {}",
    "public protocol P {\n  func run() throws(E)\n  var name: String { get }\n}\nfunc f() throws {}",
  ])
  func `What throws one type, or is not public, passes`(text: String) {
    #expect(functions(text) == [])
  }

  @Test(arguments: [
    ("public func add() throws {}", "add"), ("public func add() async throws -> Int { 1 }", "add"),
    ("@inlinable public func add<E>(\n  _ body: () throws(E) -> Int\n) rethrows {\n}", "add"),
    ("  public init(_ name: String) throws {\n  }", "init"),
    ("public static func make()\n  async throws -> Int\n{ 1 }", "make"),
    (
      "public protocol P: Sendable {\n  func run(\n    _ n: Int\n  ) async throws\n  func end()\n}",
      "run"
    ),
  ])
  func `What throws anything is found`(text: String, name: String) {
    #expect(functions(text) == ["Low.\(name)"])
  }
}

/// The checker of tests that fail by bad luck, with made-up ones.
struct `The checker of flaky tests` {
  /// What is said of one file.
  private func violations(_ text: String, reasons: [String: String] = [:]) -> [String] {
    let test = Architecture.Source(module: "LowTests", file: "File.swift", text: text)
    return Flakiness.violations(of: [test], reasons: reasons)
  }

  @Test(arguments: [
    ##"folder.installProgram("ssh", "#!/bin/sh")"##, #"setPermissions(0o755, ofFolder: path)"#,
    #"unsafe chmod(path, 0o600)"#, #"let file = unsafe open(path, flags, 0o644)"#,
    "// usleep(100) would not do", "try await clock.sleep(for: .seconds(2))",
    "#expect(poller.wait(for: .seconds(120)).isEmpty)", "console.finish(within: .seconds(10))",
    "let end = ContinuousClock.now + .seconds(60)",
    "#expect(begin.duration(to: .now) >= timeout)",
    #"var template = Array("/tmp/headway-XXXXXX".utf8CString)"#, #"node.filePath = "/tmp/a""#,
    "await #expect(processExitsWith: .success) { setenv(name, value, 1) }",
  ])
  func `What cannot fail by bad luck passes`(text: String) { #expect(violations(text) == []) }

  @Test(arguments: [
    ("unsafe chmod(path, 0o755)", "program"), ("fchmod(file, mode)", "program"),
    ("file = unsafe open(path, O_WRONLY | O_CREAT, 0o711)", "program"),
    ("replaceFile(path, with: text, permissions: 0o700)", "program"),
    ("try FileManager.default.setAttributes(mode, ofItemAtPath: path)", "program"),
    ("usleep(100)", "sleep"), ("try await Task.sleep(for: .seconds(1))", "sleep"),
    ("_ = poll(nil, 0, 50)", "sleep"),
    ("#expect(poller.wait(for: .milliseconds(500)).isEmpty)", "limit"),
    ("tool.end(within: .seconds(9))", "limit"),
    ("let end = ContinuousClock.now + .seconds(5)", "limit"),
    ("#expect(begin.duration(to: .now) < .seconds(60))", "duration"),
    ("let took = ContinuousClock().measure { work() }", "duration"),
    (#"mkdir("/tmp/headway-tests", 0o700)"#, "shared name"),
    ("let names = Mutex<[String]>([])", "lock"),
  ])
  func `A shape that can fail by bad luck is reported with advice, unless there is a reason`(
    text: String, name: String
  ) throws {
    let found = violations("func test() {\n  \(text)\n}")
    #expect(found.count == 1)
    #expect(try #require(found.first).hasPrefix("LowTests/File.swift: \(name): '\(text)': "))
    #expect(violations(text, reasons: ["LowTests/File.swift: \(name)": "so it is"]) == [])
  }

  @Test func `A reason that is not needed, and a changed environment, are reported`() {
    #expect(violations("", reasons: ["LowTests/File.swift: sleep": "gone"]).count == 1)
    #expect(violations("usleep(1); setenv(name, value, 1)").count == 2)
  }

  @Test(arguments: [
    ("  package var onWait: @Sendable ([String]) -> Void = { _ in }\n", "onWait"),
    ("  package func ask(_ a: Int, answer: @escaping (Int) -> Void) {\n", "ask"),
    ("  package init(\n    makeWay: (() -> Void)? = nil\n  ) {\n", "init"),
    ("  @discardableResult package func add(_ f: ((Int) async throws -> (Int, Int))?) {\n", "add"),
    ("  package init<T>(_ all: [String: (T) -> Void]) {\n", "init"),
    ("  nonisolated package let handler: @Sendable () -> Void\n", "handler"),
    ("  package typealias Handler = () -> Void\n", "Handler"),
    ("  package let name: String\n  private var handler: (() -> Void)?\n", nil),
    ("  package var makeIt: () -> Void { {} }\n", nil),
    ("  package func make() -> (() -> Void)? {\n", nil),
    ("  package func each(_ body: @Sendable (Int) throws -> ((Int) -> Void)?) {\n", nil),
    ("  package func each(_ body: (Int) -> Void) -> Int {\n", nil),
    ("  package var count: Int { words.reduce(0) { a, b -> Int in a + b } }\n", nil),
  ])
  func `A closure that is kept is told from one that is called`(text: String, name: String?) {
    let source = Architecture.Source(module: "HeadwayFiles", file: "Own.swift", text: text)
    #expect(KeptClosures.members(in: [source]) == (name.map { ["HeadwayFiles.Own.\($0)"] } ?? []))
  }
}
