import Foundation
import Testing

/// This package's own sources and manifests.
enum Repository {
  /// The folder of Package.swift.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The text of a file of the repository.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The Swift files below `Sources`, read once.
  static func sources() throws -> [Architecture.Source] { try allSources.get() }

  private static let allSources = Result { try files(below: "Sources") }

  /// The modules whose public interface is listed in `API`.
  static func publicModules() throws -> Set<String> {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: root.appending(path: "API").path)
    return Set(files.map { String($0.prefix { $0 != "." }) })
  }

  /// What a program prints, which is a script of the repository or has an absolute path.
  static func output(
    of program: String, _ arguments: String...,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: program, relativeTo: root)
    process.arguments = arguments
    process.environment = environment
    process.standardOutput = output
    try process.run()
    return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  /// The Swift files below `Tests`, read once.
  static func tests() throws -> [Architecture.Source] { try allTests.get() }

  private static let allTests = Result { try files(below: "Tests") }

  /// The Swift files below a folder, each with the folder in it that holds it.
  private static func files(below name: String) throws -> [Architecture.Source] {
    let folder = root.appending(path: name)
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return try (files ?? []).filter { $0.hasSuffix(".swift") }.sorted().map { path in
      let parts = path.split(separator: "/").map(String.init)
      return Architecture.Source(
        module: parts[0], file: parts[parts.count - 1], text: try text("\(name)/\(path)"))
    }
  }
}

/// The house as it stands.
struct `The house of this package` {
  @Test func `Every import points to a lower floor`() throws {
    let sources = try Repository.sources()
    #expect(sources.count > 10, "the sources were not found below \(Repository.root.path)")
    #expect(Architecture.headway.violations(of: sources) == [])
  }

  @Test func `Outcomes, the graph, the fold, durations and text widths are declared once`() throws {
    let violations = Vocabulary.violations(of: try Repository.sources())
    #expect(violations == [])
  }

  @Test func `A public function names its error, or there is a reason`() throws {
    let modules = try Repository.publicModules()
    let sources = try Repository.sources().filter { modules.contains($0.module) }
    #expect(modules.contains("HeadwayLaunch") && sources.count > 100)
    #expect(UntypedThrows.functions(in: sources) == Set(UntypedThrows.reasons.keys))
  }

  @Test
  func `Modules that views and the runner share keep no closure of theirs, or there is a reason`()
    throws
  {
    let sources = try Repository.sources()
    #expect(Set(sources.map(\.module)).isSuperset(of: KeptClosures.modules))
    #expect(KeptClosures.members(in: sources) == Set(KeptClosures.reasons.keys))
  }

  @Test func `The documented floor of each module is its floor`() throws {
    let page = try Repository.text("docs/dev/architecture.md")
    let table = page.split(separator: "\n").drop { $0 != "## Modules" }.prefix {
      $0 != "## Where things are"
    }
    var documented: [String: Int] = [:]
    for line in table where line.contains("| `") {
      let cells = line.split(separator: "|")
      let floor = try #require(Int(cells[0].filter(\.isNumber)), "\(line)")
      for name in cells[1].split(whereSeparator: { !$0.isLetter }) {
        #expect(
          documented.updateValue(floor, forKey: String(name)) == nil, "\(name) is there twice")
      }
    }
    let modules = Architecture.headway.modules.compactMap { module in
      module.floor.map { (module.name, $0) }
    }
    #expect(documented == Dictionary(uniqueKeysWithValues: modules))
  }

  @Test func `No test has a shape by which it fails by bad luck, or there is a reason`() throws {
    // The tests of the checker have all shapes, in texts.
    let tests = try Repository.tests().filter { $0.module != "ArchitectureTests" }
    #expect(tests.count > 300)
    #expect(Flakiness.violations(of: tests) == [])
  }

  @Test func `The manifest and the imports agree, and the manifest stands alone`() throws {
    let manifest = try Repository.text("Package.swift")
    #expect(ManifestText(manifest).targets.count > 10, "the targets were not read")
    let violations = Architecture.headway.violations(
      ofManifest: manifest, sources: try Repository.sources())
    #expect(violations == [])
  }

  /// What Scripts/test-threads prints, by lines.
  private func testThreads(_ option: String) throws -> Set<String> {
    let text = try Repository.output(of: "Scripts/test-threads", option)
    return Set(text.split(separator: "\n").map(String.init))
  }

  @Test func `Tests that ThreadSanitizer skips have one thread`() throws {
    let skipped = try testThreads("--skipped").map { path in
      let parts = path.split(separator: "/")
      return "\(parts[0])/\(parts[parts.count - 1])"
    }
    #expect(skipped.contains("HeadwayTimeTests/TimingWheelModelTests.swift"))
    #expect(!skipped.contains("HeadwayTimeTests/TimerServiceTests.swift"))
    // `await #expect(processExitsWith:)` is not among them: the test waits for another process and does nothing else.
    let words = [
      " Task {", "async let", "askGroup", "Thread.", "Launcher(", "HeadwayLock", "Synchronization",
    ]
    // The types whose files start threads, such as TerminalThread.
    let starts = ["SystemThread.start(", "Task.detached", "detachNewThread"]
    let types = Set(
      try Repository.sources().filter { source in
        starts.contains { source.swift.withoutComments.contains($0) }
      }.map { String($0.file.prefix { $0.isLetter }) })
    #expect(types.isSuperset(of: ["ContentsChecker", "Launcher", "TerminalThread"]))
    for test in try Repository.tests() where skipped.contains("\(test.module)/\(test.file)") {
      let names = Set(test.swift.withoutComments.split { !$0.isLetter && !$0.isNumber })
      let found =
        words.filter { test.swift.withoutComments.contains($0) }
        + types.filter { names.contains(Substring($0)) }
      #expect(
        found == [], "\(test.file) has threads: add a word for them to Scripts/test-threads")
    }
  }

  @Test func `Every module with locks or atomics is tested under ThreadSanitizer`() throws {
    let targets = try testThreads("--list")
    #expect(targets.contains("HeadwayCLITests"))
    let shared: Set = ["HeadwayLock", "Synchronization", "Dispatch"]
    for source in try Repository.sources()
    where !shared.isDisjoint(with: source.swift.imports) && source.module != "HeadwayLock" {
      #expect(
        targets.contains("\(source.module)Tests"),
        "\(source.module) shares state between threads: Scripts/test-threads must run its tests")
    }
  }

  @Test(arguments: [(nil, false), ("1", true)] as [(String?, Bool)])
  func `Warnings are errors in our builds and not in those of users`(
    variable: String?, isError: Bool
  ) throws {
    let scratch = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: scratch) }
    var environment = ProcessInfo.processInfo.environment
    environment["HEADWAY_WARNINGS_AS_ERRORS"] = variable
    let package = try Repository.output(
      of: "/usr/bin/env", "swift", "package", "--package-path",
      Repository.root.path(percentEncoded: false), "--scratch-path",
      scratch.path(percentEncoded: false), "dump-package", environment: environment)
    #expect(package.contains("\"HeadwayTime\""))
    #expect(package.contains("treatAllWarnings") == isError)
  }

  @Test func `The umbrella re-exports everything that it imports`() throws {
    let umbrella = try Repository.text("Sources/Headway/Headway.swift")
    let lines = SwiftText(umbrella).withoutComments.split(separator: "\n")
    #expect(
      lines.allSatisfy { $0.hasPrefix("@_exported public import ") }, "only re-exports go there")
  }
}

/// What the compiler made, looked at without trusting the sources.
struct `The built modules` {
  /// The folder that holds this test's own binary and the objects of every module.
  private static var products: URL? {
    CommandLine.arguments.first { $0.contains(".xctest") }.map { argument in
      let path = argument.split(separator: ".xctest")[0] + ".xctest"
      return URL(filePath: String(path)).deletingLastPathComponent()
    }
  }

  /// The objects of a module, as bytes.
  private static func objects(of module: String) throws -> [(name: String, bytes: Data)] {
    let folder = try #require(products, "no test bundle among the arguments").appending(
      path: "\(module).build")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".o") }
      .map { ($0, try Data(contentsOf: folder.appending(path: $0))) }
  }

  /// What betrays Foundation in an object: the order to link it, or the name of one of its symbols.
  private static let traces = ["-lFoundation", "s10Foundation", "s20FoundationEssentials"]

  /// Whether an object uses Foundation.
  private static func usesFoundation(_ object: Data) -> Bool {
    traces.contains { object.range(of: Data($0.utf8)) != nil }
  }

  #if os(Linux)
    @Test(arguments: ["HeadwayLock", "HeadwayTime", "HeadwayProgress", "HeadwayBar"])
    func `A module of the lowest floors links no Foundation`(module: String) throws {
      let objects = try Self.objects(of: module)
      #expect(!objects.isEmpty, "no objects of \(module) beside this test's binary")
      for object in objects {
        #expect(
          !Self.usesFoundation(object.bytes),
          "\(object.name) of \(module) uses Foundation: remove what needs it, or move it up")
      }
    }

    @Test func `Foundation is recognised where it is used`() throws {
      #expect(try Self.objects(of: "ArchitectureTests").contains { Self.usesFoundation($0.bytes) })
    }

    @Test func `The tool does not load the whole of Foundation`() throws {
      let tool = try #require(Self.products).appending(path: "headway")
      let bytes = try Data(contentsOf: tool)
      #expect(
        bytes.range(of: Data("libFoundation.so".utf8)) == nil,
        "headway links Foundation, which costs 2 ms at each start: use FoundationEssentials or less"
      )
    }
  #endif
}
