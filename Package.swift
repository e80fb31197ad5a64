// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: Swift 6, warnings as errors, explicit about memory and imports.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The modules, floor by floor; an arrow may only point down (`Tests/ArchitectureTests` checks it).
let modules: [Target] = [
  // Floor 0
  .target(name: "HeadwayLock", dependencies: ["CLock"], swiftSettings: settings),

  .target(name: "HeadwayCollections", swiftSettings: settings),
  .target(name: "HeadwayText", swiftSettings: settings),
  .target(name: "HeadwaySystem", dependencies: ["CSystem"], swiftSettings: settings),

  // Floor 1: pure cores, no Foundation.
  .target(name: "HeadwayRun", swiftSettings: settings),
  .target(
    name: "HeadwayTime", dependencies: ["HeadwaySystem", "HeadwayLock", "CTime"],
    swiftSettings: settings),
  .target(name: "HeadwayProgress", dependencies: ["HeadwayLock"], swiftSettings: settings),
  .target(name: "HeadwayBar", dependencies: ["HeadwayLock"], swiftSettings: settings),

  // Floor 2
  .target(name: "HeadwayForecast", dependencies: ["HeadwayRun"], swiftSettings: settings),
  .target(
    name: "HeadwayLaunch",
    dependencies: [
      "HeadwayCollections", "HeadwaySystem",
      "HeadwayRun", "HeadwayTime", "HeadwayProgress", "HeadwayForecast", "HeadwayLock",
    ],
    swiftSettings: settings),
  .target(
    name: "HeadwayFoundation", dependencies: ["HeadwayProgress", "HeadwayLock"],
    swiftSettings: settings),
  .target(name: "HeadwayPlan", dependencies: ["HeadwayText", "CYAML"], swiftSettings: settings),
  .target(
    name: "HeadwayStore", dependencies: ["HeadwayRun", "HeadwayForecast", "CHeadwaySQLite"],
    swiftSettings: settings),
  .target(
    name: "HeadwayTestSupport",
    dependencies: ["HeadwayCollections", "HeadwayLock", "HeadwayTime"],
    swiftSettings: settings),

  // Floor 3
  .target(
    name: "HeadwayRunner",
    dependencies: [
      "HeadwaySystem",
      "HeadwayRun", "HeadwayLaunch", "HeadwayForecast", "HeadwayPlan", "HeadwayStore",
      "HeadwayTime",
      "HeadwayLock", "CSpawn", "CXXHash",
    ],
    swiftSettings: settings),

  // Floor 4
  .target(
    name: "HeadwayTerminal",
    dependencies: [
      "HeadwayText",
      "HeadwayRun", "HeadwayBar", "HeadwayForecast", "HeadwayLaunch", "HeadwayLock",
      "HeadwayProgress", "HeadwayTime",
    ],
    swiftSettings: settings),

  .target(
    name: "HeadwayReport", dependencies: ["HeadwayRun", "HeadwayForecast"], swiftSettings: settings),

  // Empty without the trait GTK, and so is what stands on it.
  .target(
    name: "HeadwayGTK",
    dependencies: ["HeadwayBar", .target(name: "CGTK", condition: .when(traits: ["GTK"]))],
    swiftSettings: settings),

  // Floor 5
  .executableTarget(
    name: "HeadwayCLI",
    dependencies: [
      "HeadwayRun", "HeadwayText", "HeadwayRunner", "HeadwayTerminal", "HeadwayReport",
      "HeadwayPlan", "HeadwayLaunch", "HeadwayStore",
    ],
    swiftSettings: settings),

  .executableTarget(
    name: "HeadwayPlayer",
    dependencies: [
      "HeadwayGTK", "HeadwayBar", .target(name: "CGTK", condition: .when(traits: ["GTK"])),
    ], swiftSettings: settings),

  // The umbrella: re-exports, nothing else.
  .target(
    name: "Headway",
    dependencies: [
      "HeadwayRun", "HeadwayTime", "HeadwayProgress", "HeadwayForecast", "HeadwayLaunch",
      "HeadwayBar", "HeadwayTerminal",
    ],
    swiftSettings: settings),
]

/// C beside the modules that use it: system libraries, and the little that Swift cannot say.
let wrappers: [Target] = [
  .systemLibrary(
    name: "CYAML", pkgConfig: "yaml-0.1",
    providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
  .systemLibrary(
    name: "CXXHash", pkgConfig: "libxxhash",
    providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),
  // With a name of its own: SwiftPM refuses two targets of one name in all packages of a program, even where one of
  // them is never built, and `CSQLite` is what others call theirs.
  .systemLibrary(
    name: "CHeadwaySQLite", pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  .systemLibrary(
    name: "CGTK", pkgConfig: "gtk4",
    providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
  .target(name: "CSpawn"),
  .target(name: "CLock"),
  .target(name: "CTime"),
  .target(name: "CSystem"),
]

/// A test target that mirrors a module, with the further modules that its tests use.
func tests(_ module: String, _ more: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(module)Tests", dependencies: [.byName(name: module)] + more, swiftSettings: settings)
}

/// The tests, and the fuzz targets where they are asked for (`FUZZ=1`, see `Scripts/fuzz`).
let checks: [Target] =
  [
    tests("HeadwayCollections"),
    tests("HeadwaySystem"),
    tests("HeadwayText"),
    tests("HeadwayTime", ["HeadwayTestSupport", "HeadwayLock", "DocumentedPages"]),
    tests("HeadwayProgress", ["HeadwayLock", "HeadwayTestSupport", "DocumentedPages"]),
    tests(
      "HeadwayFoundation",
      ["HeadwayProgress", "HeadwayLock", "HeadwayTestSupport", "DocumentedPages"]),
    tests("HeadwayForecast", ["DocumentedPages"]),
    tests("HeadwayBar", ["BarCases", "HeadwayLock", "DocumentedPages"]),
    tests(
      "HeadwayLaunch",
      [
        "HeadwayProgress", "HeadwayForecast", "HeadwayTime", "HeadwayLock", "HeadwaySystem",
        "HeadwayTestSupport",
        "HeadwayTerminal", "DocumentedPages",
      ]),
    tests("HeadwayPlan"),
    tests("HeadwayStore", ["HeadwayForecast", "HistoryWriter"]),
    tests("HeadwayTestSupport", ["HeadwayLock", "HeadwayTime"]),
    tests("HeadwayRunner"),
    tests(
      "HeadwayTerminal",
      [
        "HeadwayBar", "HeadwayForecast", "HeadwayLaunch", "HeadwayProgress", "BarCases",
        "DocumentedPages",
      ]),
    tests("HeadwayReport", ["HeadwayForecast"]),
    tests(
      "HeadwayGTK",
      [
        "HeadwayPlayer", "HeadwayBar", "BarCases", "DocumentedPages",
        .target(name: "CGTK", condition: .when(traits: ["GTK"])),
      ]),
    tests(
      "HeadwayCLI",
      ["HeadwayLaunch", "HeadwayTerminal", "HeadwayStore", "HeadwayForecast", "CToolDriver"]),
    .target(name: "CToolDriver", path: "Tests/CToolDriver"),
    .executableTarget(
      name: "HistoryWriter", dependencies: ["HeadwayStore", "HeadwayForecast"],
      path: "Tests/HistoryWriter", swiftSettings: settings),
    .target(
      name: "BarCases", dependencies: ["HeadwayBar"], path: "Tests/BarCases",
      exclude: ["cases.json"], swiftSettings: settings),
    .target(name: "DocumentedPages", path: "Tests/DocumentedPages", swiftSettings: settings),
    .testTarget(name: "ArchitectureTests", swiftSettings: settings),
  ]
  + (Context.environment["FUZZ"] == nil
    ? []
    : [
      .executableTarget(
        name: "PlanFuzzer", dependencies: ["HeadwayPlan"], path: "Fuzzers/PlanFuzzer",
        linkerSettings: [.linkedLibrary("stdc++")])
    ])

/// Those of them that are built: all, or of the test targets only those that HEADWAY_TESTS names, for scripts that run
/// a part of the tests in a build folder of its own (`Scripts/test-gtk`, `Scripts/test-threads`).
let chosenChecks = checks.filter { check in
  guard check.type == .test, let names = Context.environment["HEADWAY_TESTS"] else { return true }
  return names.split(separator: " ").contains { $0 == check.name }
}

let package = Package(
  name: "Headway",
  platforms: [.macOS(.v26)],
  products: [
    // With what the umbrella re-exports, so that a module imported by its own name is rebuilt with it.
    .library(
      name: "Headway",
      targets: [
        "Headway", "HeadwayRun", "HeadwayTime", "HeadwayProgress", "HeadwayForecast",
        "HeadwayLaunch",
        "HeadwayBar", "HeadwayTerminal",
      ]),
    // Foundation's `Progress` in and out, and progress in words; apart, so that the rest does without Foundation.
    .library(name: "HeadwayFoundation", targets: ["HeadwayFoundation"]),
    // The forecast alone, for programs that use nothing else of the umbrella.
    .library(name: "HeadwayForecast", targets: ["HeadwayForecast", "HeadwayRun"]),
    .library(name: "HeadwayTestSupport", targets: ["HeadwayTestSupport"]),
    .executable(name: "headway", targets: ["HeadwayCLI"]),
    // The bar in a window of GTK 4, and a player of videos with it; empty without the trait GTK.
    .library(name: "HeadwayGTK", targets: ["HeadwayGTK"]),
    .executable(name: "headway-player", targets: ["HeadwayPlayer"]),
  ],
  traits: [
    .trait(name: "GTK", description: "The bar as a widget of GTK 4; needs GTK 4 on the system."),
    .default(enabledTraits: []),
  ],
  targets: modules + wrappers + chosenChecks
)
