// swift-tools-version: 6.2
import PackageDescription

/// The Swift settings of the examples.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A dependency on Headway, as in any program.
let headway = Target.Dependency.product(name: "Headway", package: "Headway")

let package = Package(
  name: "HeadwayExamples",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "Headway", path: "..")],
  targets: [
    .executableTarget(
      name: "FiveSteps", dependencies: [headway, "Console"], swiftSettings: settings),
    .executableTarget(name: "OwnSurface", dependencies: [headway], swiftSettings: settings),
    .executableTarget(
      name: "FiveHosts", dependencies: [headway, "SeededRandom"], swiftSettings: settings),
    .executableTarget(
      name: "ManyHosts", dependencies: [headway, "SeededRandom"], swiftSettings: settings),
    .executableTarget(
      name: "ImageFilter", dependencies: [headway, "Console", "SeededRandom"],
      swiftSettings: settings),
    .executableTarget(
      name: "AppLaunch", dependencies: [headway, "Console", "SeededRandom", "Loopback"],
      swiftSettings: settings),
    .executableTarget(
      name: "ServerLaunch",
      dependencies: [
        headway, .product(name: "HeadwayView", package: "Headway"), "CSQLite", "Console",
        "Loopback",
      ],
      swiftSettings: settings),

    // Modules that several examples share: bars and signals, servers on this machine, and reproducible random numbers.
    .target(name: "Console", dependencies: [headway], swiftSettings: settings),
    .target(name: "Loopback", dependencies: [headway], swiftSettings: settings),
    .target(name: "SeededRandom", swiftSettings: settings),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  ]
)
