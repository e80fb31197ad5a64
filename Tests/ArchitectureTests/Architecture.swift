/// The house as a table: the modules, the floor that each stands on, and what it may import beside lower floors.
///
/// A pure value. It is given sources and a manifest as text and answers with violations, so the tests can feed it
/// made-up packages as well as this one.
struct Architecture: Sendable {
  /// A module of the package.
  struct Module: Sendable {
    /// The name of the module and of its folder under `Sources`.
    var name: String
    /// Its floor; nil for the umbrella, which stands outside and imports only what it names.
    var floor: Int?
    /// What it may import beside lower floors: modules of its own floor, and C modules.
    var besides: Set<String> = []
    /// Whether it may import Foundation although its floor is low.
    var isFoundationBridge = false
    /// Whether a script builds it for another machine than this one, so that the manifest has no target of it.
    var isBuiltApart = false
    /// Its files that may import the C library although its floor is 0 or 1.
    var shellFiles: Set<String> = []
    /// Whether it is the C library under one name, which other modules import.
    var isCLibrary = false
  }

  /// The modules of the package, floor by floor.
  var modules: [Module]

  /// The house of this package.
  static let headway = Architecture(
    modules: [
      Module(name: "HeadwayLock", floor: 0, besides: ["CLock"]),
      Module(name: "HeadwayCollections", floor: 0),
      Module(name: "HeadwayText", floor: 0),
      Module(name: "HeadwayLibc", floor: 0, isCLibrary: true),
      Module(
        name: "HeadwaySystem", floor: 0, besides: ["CSystem"],
        shellFiles: [
          "CalendarText.swift", "Descriptors.swift", "ErrorDescription.swift", "Files.swift",
          "FileStatus.swift",
          "FolderWatch.swift", "ProcessIdentity.swift",
          "OutsideText.swift", "PipeReaders.swift", "Poller.swift", "PrivateDirectory.swift",
          "SignalSet.swift", "WaitableEvent.swift",
        ]),

      Module(name: "HeadwayRun", floor: 1),
      Module(name: "HeadwayTime", floor: 1, besides: ["CTime"]),
      Module(name: "HeadwayProgress", floor: 1),
      Module(name: "HeadwayBar", floor: 1),
      Module(
        name: "HeadwayFiles", floor: 1, besides: ["CXXHash"],
        shellFiles: [
          "ContentDigest.swift", "FilePattern.swift", "FileStatus+Trust.swift", "UserGroups.swift",
        ]),

      Module(name: "HeadwayForecast", floor: 2),
      Module(name: "HeadwayLaunch", floor: 2, besides: ["HeadwayForecast"]),
      Module(name: "HeadwayPlan", floor: 2, besides: ["CYAML"]),
      Module(
        name: "HeadwayState", floor: 2, besides: ["HeadwayForecast", "CHeadwaySQLite", "CXXHash"]),
      Module(name: "HeadwayFoundation", floor: 2, isFoundationBridge: true),
      Module(name: "HeadwayTestSupport", floor: 2),

      Module(
        name: "HeadwayRunner", floor: 3, besides: ["CSpawn", "CTLS", "HeadwayRelay"]),
      Module(name: "HeadwayTerminal", floor: 3),
      Module(name: "HeadwayRelay", floor: 3, besides: ["CRelay"]),

      Module(name: "HeadwayView", floor: 4),
      // The core of the page, in WebAssembly: `Scripts/web-core`.
      Module(name: "HeadwayWeb", floor: 4, isBuiltApart: true),
      Module(name: "HeadwayReport", floor: 4),
      Module(name: "HeadwayGTK", floor: 4, besides: ["CGTK"]),

      Module(name: "HeadwayCLI", floor: 5),

      Module(
        name: "Headway", floor: nil,
        besides: [
          "HeadwayRun", "HeadwayTime", "HeadwayProgress", "HeadwayForecast", "HeadwayLaunch",
          "HeadwayBar",
          "HeadwayTerminal",
        ]),
    ])

  /// Modules of the toolchain that every floor may import.
  static let everywhere: Set<String> = ["Swift", "Synchronization"]
  /// The C library under its names, for the one module that chooses between them.
  static let cLibraries: Set<String> = ["Glibc", "Musl", "Darwin"]
  /// Further modules of the toolchain for floor 2 and above.
  static let above: Set<String> = ["Dispatch", "Observation"]
  /// Foundation under its names, for its bridge and for floor 3 and above.
  static let foundations: Set<String> = [
    "Foundation", "FoundationEssentials", "FoundationInternationalization",
  ]

  /// A source file of a module.
  struct Source: Sendable {
    /// The module whose folder holds it.
    var module: String
    /// Its name without the folder.
    var file: String
    /// What it says.
    let text: String
    /// The same without comments.
    let swift: SwiftText

    init(module: String, file: String, text: String) {
      (self.module, self.file, self.text) = (module, file, text)
      swift = SwiftText(text)
    }
  }

  /// The module of a name, nil when the table has none.
  func module(_ name: String) -> Module? { modules.first { $0.name == name } }

  /// Checks the imports of sources against the floors.
  ///
  /// - Parameter sources: The files of the package.
  /// - Returns: A sentence for each broken rule, with what to do about it.
  func violations(of sources: [Source]) -> [String] {
    var found: [String] = []
    for name in Set(sources.map(\.module)).sorted() where module(name) == nil {
      found.append(
        "Sources/\(name) stands on no floor: give it a line in Architecture.headway and docs/dev/architecture.md."
      )
    }
    for source in sources {
      guard let module = module(source.module) else { continue }
      for imported in source.swift.imports {
        guard let violation = violation(in: imported, by: module, file: source.file) else {
          continue
        }
        found.append("Sources/\(source.module)/\(source.file) imports \(imported): \(violation)")
      }
    }
    return found
  }

  /// What is wrong with an import and what to do, nil when it is allowed.
  private func violation(in imported: String, by module: Module, file: String) -> String? {
    if Self.everywhere.contains(imported) || module.besides.contains(imported) { return nil }
    let floor = module.floor ?? 0
    if Self.foundations.contains(imported) {
      if module.isFoundationBridge || floor >= 3 { return nil }
      return
        "below floor 3 only HeadwayFoundation may. Use the standard library, or move the code up."
    }
    if Self.cLibraries.contains(imported) {
      if module.isCLibrary { return nil }
      return
        "the choice between C libraries stands in one place. Import the module that makes it."
    }
    if self.module(imported)?.isCLibrary == true {
      if floor >= 2 || module.shellFiles.contains(file) { return nil }
      return
        "floors 0 and 1 are pure. Move the call to the shell above, or name the file in shellFiles."
    }
    if Self.above.contains(imported), floor >= 2 { return nil }
    guard let target = self.module(imported) else {
      return
        "no rule allows that. Remove it, or add it to `besides` of \(module.name) with a reason."
    }
    guard let from = module.floor else {
      return
        "the umbrella only re-exports what Architecture.headway lists. Add it there or remove it."
    }
    guard let to = target.floor else {
      return "it is the umbrella. Import the module that is meant."
    }
    if to < from { return nil }
    return to == from
      ? "both are on floor \(from). Move what they share to a lower floor."
      : "an arrow from floor \(from) up to \(to). Move what both need down."
  }

  /// What a module imports that is neither the standard library nor a Swift module of this package.
  func outside(of module: String, in sources: [Source]) -> Set<String> {
    Set(
      sources.filter { $0.module == module }.flatMap { $0.swift.imports }
        .filter { $0 != "Swift" && self.module($0) == nil })
  }

  /// The modules that import nothing but the standard library, neither directly nor through others.
  func standalone(in sources: [Source]) -> Set<String> {
    let imports = Dictionary(grouping: sources, by: \.module).mapValues { files in
      Set(files.flatMap { $0.swift.imports })
    }
    var found = Set(
      modules.filter { $0.floor != nil && !$0.isBuiltApart }.map(\.name))
    // Removes those that import anything else, until nothing changes.
    while let other = found.first(where: { name in
      !(imports[name] ?? []).isSubset(of: found.union(["Swift"]))
    }) {
      found.remove(other)
    }
    return found
  }

  /// Checks that the manifest and the imports tell the same story, and that the manifest keeps its own rules.
  ///
  /// - Parameters:
  ///   - manifest: The text of Package.swift.
  ///   - sources: The files of the package.
  /// - Returns: A sentence for each broken rule, with what to do about it.
  func violations(ofManifest manifest: String, sources: [Source]) -> [String] {
    var found = forbidden(in: manifest)
    let targets = ManifestText(manifest).targets
    let names = Set(targets.map(\.name))
    let imports = Dictionary(grouping: sources, by: \.module).mapValues { files in
      Set(files.flatMap { $0.swift.imports })
    }
    for name in imports.keys.sorted()
    where !names.contains(name) && module(name)?.isBuiltApart != true {
      found.append(
        "Package.swift has no target \(name), but Sources/\(name) holds Swift: add the target.")
    }
    for target in targets where !target.isWrapper {
      guard let imported = imports[target.name] else {
        if module(target.name) != nil {
          found.append("Sources/\(target.name) is empty: remove the target or write the module.")
        }
        continue
      }
      let declared = Set(target.dependencies)
      for missing in imported.intersection(names).subtracting(declared).sorted() {
        found.append(
          "\(target.name) imports \(missing): add it to the target's dependencies in Package.swift."
        )
      }
      for unused in declared.subtracting(imported).sorted() {
        found.append(
          "\(target.name) depends on \(unused) and never imports it: remove it in Package.swift.")
      }
    }
    return found
  }

  /// What no manifest of this repository may say.
  private func forbidden(in manifest: String) -> [String] {
    let code = SwiftText(manifest).withoutComments
    var found: [String] = []
    if code.contains("unsafeFlags") {
      found.append("A manifest uses unsafeFlags, which SwiftPM refuses in a dependency: remove it.")
    }
    if code.contains(".package(") || code.contains(".product(") {
      found.append("Package.swift depends on another package, and Headway has none: remove it.")
    }
    return found
  }
}
