// swift-tools-version: 6.2
import PackageDescription

/// The settings of all Swift targets: Swift 6, strict memory safety, explicit imports.
let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]
  // Only in our own builds, where the scripts set it: in a package that uses this one by its path, a warning of a later
  // compiler must not be an error.
  + (Context.environment["HEADWAY_WARNINGS_AS_ERRORS"] == nil
    ? [] : [.treatAllWarnings(as: .error)])

/// The modules by floor; a module depends only on lower floors, which `Tests/ArchitectureTests` checks.
let modules: [Target] = [
  // Floor 0
  .target(name: "HeadwayLock", dependencies: ["CLock"], swiftSettings: settings),
  .target(name: "HeadwayLibc", swiftSettings: settings),
  .target(name: "HeadwayCollections", swiftSettings: settings),
  .target(name: "HeadwayText", swiftSettings: settings),
  .target(
    name: "HeadwaySystem", dependencies: ["HeadwayLibc", "CSystem"], swiftSettings: settings),

  // Floor 1: the values and mechanisms that the others share; at most modules of floor 0.
  .target(name: "HeadwayRun", dependencies: ["HeadwayText"], swiftSettings: settings),
  .target(
    name: "HeadwayTime", dependencies: ["HeadwaySystem", "HeadwayLock", "CTime"],
    swiftSettings: settings),
  .target(
    name: "HeadwayProgress", dependencies: ["HeadwayLock", "HeadwayText"], swiftSettings: settings),
  .target(name: "HeadwayBar", swiftSettings: settings),
  .target(
    name: "HeadwayFiles",
    dependencies: ["HeadwayLibc", "HeadwaySystem", "HeadwayText", "CXXHash"],
    swiftSettings: settings),

  // Floor 2
  .target(
    name: "HeadwayForecast", dependencies: ["HeadwayCollections", "HeadwayRun"],
    swiftSettings: settings),
  .target(
    name: "HeadwayLaunch",
    dependencies: [
      "HeadwayCollections", "HeadwayLibc", "HeadwaySystem",
      "HeadwayRun", "HeadwayTime", "HeadwayProgress", "HeadwayForecast", "HeadwayLock",
    ],
    swiftSettings: settings),
  .target(
    name: "HeadwayFoundation",
    dependencies: ["HeadwayLibc", "HeadwayProgress", "HeadwayText", "HeadwayLock"],
    swiftSettings: settings),
  .target(
    name: "HeadwayPlan",
    dependencies: [
      "HeadwayLibc", "HeadwaySystem", "HeadwayText", "HeadwayRun", "HeadwayFiles", "CYAML",
    ],
    swiftSettings: settings),
  .target(
    name: "HeadwayState",
    dependencies: [
      "HeadwayLibc", "HeadwayLock", "HeadwaySystem", "HeadwayText", "HeadwayRun", "HeadwayFiles",
      "HeadwayForecast", "HeadwayTime", "CHeadwaySQLite", "CXXHash",
    ],
    swiftSettings: settings),
  .target(
    name: "HeadwayTestSupport",
    dependencies: ["HeadwayCollections", "HeadwayLock", "HeadwayText", "HeadwayTime"],
    swiftSettings: settings),

  // Floor 3
  .target(
    name: "HeadwayRunner",
    dependencies: [
      "HeadwayLibc", "HeadwaySystem", "HeadwayText",
      "HeadwayRun", "HeadwayFiles", "HeadwayLaunch", "HeadwayForecast", "HeadwayPlan",
      "HeadwayState", "HeadwayTime", "HeadwayProgress", "HeadwayRelay",
      "HeadwayCollections", "HeadwayLock", "CSpawn", "CTLS",
    ],
    swiftSettings: settings),

  .target(
    name: "HeadwayRelay",
    dependencies: [
      "HeadwayCollections", "HeadwayProgress", "HeadwayRun", "HeadwayTime", "HeadwayLibc",
      "HeadwayLock", "HeadwaySystem", "HeadwayText", "CRelay",
    ],
    swiftSettings: settings),

  .target(
    name: "HeadwayTerminal",
    dependencies: [
      "HeadwayBar", "HeadwayForecast", "HeadwayLibc", "HeadwayLock", "HeadwayProgress",
      "HeadwaySystem",
      "HeadwayText", "HeadwayTime",
    ],
    swiftSettings: settings),

  // Floor 4
  .target(
    name: "HeadwayView",
    dependencies: [
      "HeadwayRun", "HeadwayBar", "HeadwayLaunch", "HeadwayLibc", "HeadwayLock",
      "HeadwayProgress", "HeadwayRelay", "HeadwaySystem",
      "HeadwayTerminal", "HeadwayText", "HeadwayTime",
    ],
    swiftSettings: settings),

  .target(
    name: "HeadwayReport",
    dependencies: [
      "HeadwayCollections", "HeadwayRun", "HeadwaySystem", "HeadwayTerminal", "HeadwayText",
    ],
    swiftSettings: settings),

  // Empty without the trait GTK.
  .target(
    name: "HeadwayGTK",
    dependencies: ["HeadwayBar", .target(name: "CGTK", condition: .when(traits: ["GTK"]))],
    swiftSettings: settings),

  // Floor 5
  .executableTarget(
    name: "HeadwayCLI",
    dependencies: [
      "HeadwayRun", "HeadwayText", "HeadwayFiles", "HeadwayRunner", "HeadwayView",
      "HeadwayTerminal", "HeadwayReport", "HeadwayPlan", "HeadwayLaunch", "HeadwayState",
      "HeadwayBar",
      "HeadwaySystem", "HeadwayRelay", "HeadwayProgress", "HeadwayLibc", "HeadwayLock",
      "HeadwayTime",
    ],
    swiftSettings: settings),

  // The umbrella: re-exports the modules.
  .target(
    name: "Headway",
    dependencies: [
      "HeadwayRun", "HeadwayTime", "HeadwayProgress", "HeadwayForecast", "HeadwayLaunch",
      "HeadwayBar", "HeadwayTerminal",
    ],
    swiftSettings: settings),
]

/// C targets: system libraries, and functions that Swift cannot express.
let wrappers: [Target] = [
  .systemLibrary(
    name: "CYAML", pkgConfig: "yaml-0.1",
    providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
  .systemLibrary(
    name: "CXXHash", pkgConfig: "libxxhash",
    providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),
  // Not `CSQLite`, which other packages use: SwiftPM rejects two targets with the same name in all packages of a program,
  // even if one of them is never built.
  .systemLibrary(
    name: "CHeadwaySQLite", pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  .systemLibrary(
    name: "COpenSSL", pkgConfig: "openssl",
    providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
  .systemLibrary(
    name: "CGTK", pkgConfig: "gtk4",
    providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
  .target(name: "CSpawn", dependencies: ["CSystem"]),
  .target(name: "CTLS", dependencies: ["COpenSSL"]),
  .target(name: "CRelay"),
  .target(name: "CLock"),
  .target(name: "CTime"),
  .target(name: "CSystem"),
]

/// Creates the test target of a module; `more` are further targets that its tests import.
func tests(_ module: String, _ more: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(module)Tests", dependencies: [.byName(name: module), "HeadwayLock"] + more,
    swiftSettings: settings)
}

/// Creates the fuzz target of a group of parsers; `modules` have them.
func fuzzer(_ group: String, _ modules: [Target.Dependency]) -> Target {
  .executableTarget(
    name: "\(group)Fuzzer", dependencies: ["FuzzSupport"] + modules,
    path: "Fuzzers/\(group)Fuzzer", exclude: ["Corpus", "dictionary.txt"],
    linkerSettings: [.linkedLibrary("stdc++")])
}

/// The fuzz targets; see `Scripts/fuzz`.
let fuzzers: [Target] = [
  .target(name: "FuzzSupport", path: "Fuzzers/FuzzSupport"),
  fuzzer("Argument", ["HeadwayText"]),
  fuzzer(
    "Command", ["HeadwayFiles", "HeadwayPlan", "HeadwayRunner", "HeadwayState", "HeadwaySystem"]),
  fuzzer(
    "Event", ["HeadwayView", "HeadwayRun", "HeadwayTerminal", "HeadwayText"]),
  fuzzer("History", ["HeadwayReport", "HeadwayRun", "HeadwayState"]),
  fuzzer("Journal", ["HeadwayRun", "HeadwayState"]),
  fuzzer(
    "Output",
    ["HeadwayView", "HeadwayRun", "HeadwayTerminal", "HeadwayTestSupport", "HeadwayText"]),
  fuzzer("Plan", ["HeadwayPlan"]),
  fuzzer("Relay", ["HeadwayProgress", "HeadwayRelay", "HeadwayRun"]),
  fuzzer("Text", ["HeadwayTerminal", "HeadwayText"]),
  fuzzer("Value", ["HeadwayPlan", "HeadwayRun", "HeadwayText"]),
]

/// The tests, and with `FUZZ=1` the fuzz targets.
let checks: [Target] =
  [
    tests("Headway", ["DocumentedPages"]),
    tests("HeadwayCollections"),
    tests("HeadwaySystem", ["ProcessFixtures"]),
    tests("HeadwayText", ["HeadwayCollections"]),
    tests("HeadwayTime", ["HeadwayTestSupport", "DocumentedPages", "Repetitions"]),
    tests(
      "HeadwayProgress",
      [
        "HeadwayCollections", "HeadwayTestSupport", "DocumentedPages",
        "ProgressFixtures", "Repetitions",
      ]),
    tests(
      "HeadwayFoundation",
      [
        "HeadwayProgress", "HeadwayTestSupport", "DocumentedPages",
        "ProcessFixtures",
      ]),
    tests("HeadwayRun", ["HeadwayCollections", "HeadwayLaunch", "HeadwayView", "HeadwayText"]),
    tests("HeadwayForecast", ["HeadwayCollections", "DocumentedPages", "Repetitions"]),
    tests("HeadwayBar", ["HeadwayText", "BarCases", "DocumentedPages"]),
    tests(
      "HeadwayLaunch",
      [
        "HeadwayProgress", "HeadwayForecast", "HeadwayTime", "HeadwaySystem",
        "HeadwayTestSupport", "HeadwayView", "HeadwayTerminal", "DocumentedPages",
        "ProcessFixtures", "CToolDriver", "Repetitions",
      ]),
    tests("HeadwayFiles", ["HeadwaySystem", "ProcessFixtures"]),
    tests("HeadwayPlan"),
    tests(
      "HeadwayRelay",
      [
        "HeadwayCollections", "HeadwayLaunch", "HeadwayProgress", "HeadwayRun", "HeadwaySystem",
        "CRelay", "ProcessFixtures", "ProgressFixtures", "RelayPeer", "HeadwayCLI",
        "CToolDriver", "Repetitions",
      ]),
    tests(
      "HeadwayState",
      [
        "HeadwayCollections", "HeadwayForecast", "HeadwayRun", "HeadwaySystem",
        "HistoryWriter", "ProcessFixtures", "Repetitions", "RunFixtures",
      ]),
    tests("HeadwayTestSupport", ["HeadwayTime"]),
    tests(
      "HeadwayRunner",
      [
        "HeadwayCollections", "HeadwayFiles", "HeadwayLaunch", "HeadwayPlan", "HeadwayRelay",
        "HeadwayRun", "HeadwayState", "HeadwaySystem", "HeadwayTime", "CSpawn", "CTLS",
        "ProcessFixtures",
        "CToolDriver", "Repetitions", "RunFixtures",
      ]),
    tests(
      "HeadwayTerminal",
      [
        "HeadwayBar", "HeadwayCollections", "HeadwayProgress", "HeadwaySystem",
        "HeadwayTestSupport", "HeadwayText", "BarCases",
        "DocumentedPages", "TerminalFixtures", "ProcessFixtures", "CToolDriver",
      ]),
    tests(
      "HeadwayView",
      [
        "HeadwayForecast", "HeadwayLaunch", "HeadwayProgress", "HeadwayRelay",
        "HeadwayRun", "HeadwaySystem", "HeadwayTerminal",
        "HeadwayTestSupport", "HeadwayText", "DocumentedPages", "TerminalFixtures",
        "ProcessFixtures", "RunFixtures",
      ]),
    tests("HeadwayReport", ["HeadwayCollections", "HeadwayForecast", "RunFixtures"]),
    tests(
      "HeadwayGTK",
      [
        "HeadwayBar", "HeadwayCollections", "BarCases", "DocumentedPages",
        .target(name: "CGTK", condition: .when(traits: ["GTK"])),
      ]),
    tests(
      "HeadwayCLI",
      [
        "HeadwayLaunch", "HeadwayProgress", "HeadwayRelay", "HeadwayTerminal",
        "HeadwayTestSupport", "HeadwayState", "HeadwayForecast",
        "TerminalFixtures", "ProcessFixtures", "CToolDriver", "Repetitions",
      ]),
    .target(name: "Repetitions", path: "Tests/Repetitions", swiftSettings: settings),
    .target(name: "CToolDriver", path: "Tests/CToolDriver"),
    .executableTarget(
      name: "HistoryWriter", dependencies: ["HeadwayRun", "HeadwayState"],
      path: "Tests/HistoryWriter", swiftSettings: settings),
    .executableTarget(
      name: "RelayPeer", dependencies: ["HeadwayProgress", "HeadwayRelay", "ProgressFixtures"],
      path: "Tests/RelayPeer", swiftSettings: settings),
    .target(
      name: "BarCases", dependencies: ["HeadwayBar"], path: "Tests/BarCases",
      exclude: ["cases.json"], swiftSettings: settings),
    .target(
      name: "TerminalFixtures", dependencies: ["HeadwayTerminal", "HeadwayTestSupport"],
      path: "Tests/TerminalFixtures", swiftSettings: settings),
    .target(
      name: "ProcessFixtures", dependencies: ["HeadwayLock", "HeadwaySystem", "CToolDriver"],
      path: "Tests/ProcessFixtures", swiftSettings: settings),
    .target(
      name: "ProgressFixtures", dependencies: ["HeadwayCollections", "HeadwayProgress"],
      path: "Tests/ProgressFixtures", swiftSettings: settings),
    .target(
      name: "RunFixtures",
      dependencies: ["HeadwayLock", "HeadwayRun", "HeadwayState", "HeadwaySystem"],
      path: "Tests/RunFixtures", swiftSettings: settings),
    .target(name: "DocumentedPages", path: "Tests/DocumentedPages", swiftSettings: settings),
    .testTarget(
      name: "ArchitectureTests", dependencies: ["DocumentedPages"], swiftSettings: settings),
  ]
  + (Context.environment["FUZZ"] == nil ? [] : fuzzers)

/// The test targets that are built: all, or those in HEADWAY_TESTS, for scripts that run a part of the tests in a separate
/// build folder (`Scripts/test-gtk`, `Scripts/test-threads`).
let chosenChecks = checks.filter { check in
  guard check.type == .test, let names = Context.environment["HEADWAY_TESTS"] else { return true }
  return names.split(separator: " ").contains { $0 == check.name }
}

let package = Package(
  name: "Headway",
  // The first systems whose standard library has what the modules use: `Mutex`, `Atomic`, `Int128`, task executors, and
  // asynchronous sequences with a type of error. The modules for tools avoid what came later, `[4 of Int]`, `isolated deinit`
  // and spans of arrays and strings; `Scripts/check-platforms` finds what is missing there.
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    // Lists the re-exported modules, so that a module that is imported by its own name is rebuilt too.
    .library(
      name: "Headway",
      targets: [
        "Headway", "HeadwayRun", "HeadwayTime", "HeadwayProgress", "HeadwayForecast",
        "HeadwayLaunch",
        "HeadwayBar", "HeadwayTerminal",
      ]),
    // Separate, because the rest does not use Foundation.
    .library(name: "HeadwayFoundation", targets: ["HeadwayFoundation"]),
    // Separate, because the rest needs no system library.
    .library(name: "HeadwayRelay", targets: ["HeadwayRelay"]),
    // For programs that use nothing else of the umbrella.
    .library(name: "HeadwayForecast", targets: ["HeadwayForecast", "HeadwayRun"]),
    // Runs of a launcher in a terminal, for tools. Separate, because programs that only show bars do not need it.
    .library(name: "HeadwayView", targets: ["HeadwayView"]),
    .library(name: "HeadwayTestSupport", targets: ["HeadwayTestSupport"]),
    .executable(name: "headway", targets: ["HeadwayCLI"]),
    // The bar in a window of GTK 4; empty without the trait GTK.
    .library(name: "HeadwayGTK", targets: ["HeadwayGTK"]),
  ],
  traits: [
    .trait(name: "GTK", description: "The bar as a widget of GTK 4; needs GTK 4 on the system."),
    .default(enabledTraits: []),
  ],
  targets: modules + wrappers + chosenChecks
)
