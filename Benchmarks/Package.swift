// swift-tools-version: 6.2
import PackageDescription

/// The settings of the package that is measured.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The package that is measured, for programs that use it as a library.
let headway = Target.Dependency.product(name: "Headway", package: "Headway")

let package = Package(
  name: "HeadwayBenchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "Headway", path: "..")],
  targets: [
    .executableTarget(
      name: "headway-bench", dependencies: [headway], swiftSettings: settings),
    // In C and tiny, because a process inherits the peak memory of the one that starts it.
    .executableTarget(name: "bench-helper"),

    // Timers: the peers, our side, and our side under a count of instructions and allocations.
    .executableTarget(name: "timer-peers", dependencies: ["CProbe", "CLibUV", "CLibEvent"]),
    .executableTarget(
      name: "timer-wheel", dependencies: ["CProbe", headway], swiftSettings: settings),
    .executableTarget(
      name: "timer-counts", dependencies: ["CProbe", "CMallocCount", headway],
      swiftSettings: settings),

    // Progress: the same three.
    .executableTarget(
      name: "progress-peers", dependencies: ["CProbe", "Stopwatch"], swiftSettings: settings),
    .executableTarget(
      name: "progress-tree", dependencies: ["CProbe", "Stopwatch", headway],
      swiftSettings: settings),
    .executableTarget(
      name: "progress-counts", dependencies: ["CMallocCount", "Stopwatch", headway],
      swiftSettings: settings),

    // Publishing: our side, and a watcher that costs nothing.
    .executableTarget(
      name: "relay-trial",
      dependencies: [
        "CProbe", "Stopwatch", headway, .product(name: "HeadwayRelay", package: "Headway"),
      ], swiftSettings: settings),
    .executableTarget(name: "relay-client"),

    // Graphs: our side and the peers.
    .executableTarget(
      name: "launch-graph", dependencies: ["CProbe", "GraphShapes", "Stopwatch", headway],
      swiftSettings: settings),
    .executableTarget(
      name: "launch-peers", dependencies: ["GraphShapes", "Stopwatch"], swiftSettings: settings),
    .executableTarget(
      name: "launch-counts", dependencies: ["CMallocCount", headway], swiftSettings: settings),
    .executableTarget(name: "launch-tbb", dependencies: ["CProbe", "CTBB"]),
    .target(name: "GraphShapes", swiftSettings: settings),

    // The remaining time: what a report costs; the formulas of others are in headway-bench.
    .executableTarget(
      name: "rate-counts", dependencies: ["CMallocCount", headway], swiftSettings: settings),

    // The bar: what its calls and its frames cost; the glide of others is in headway-bench.
    .executableTarget(
      name: "bar-costs", dependencies: ["CProbe", "CMallocCount", "Stopwatch", headway],
      swiftSettings: settings),
    .executableTarget(
      name: "bar-terminal", dependencies: ["CProbe", "Stopwatch", headway],
      swiftSettings: settings),

    // Forecasts: recorded runs in virtual time.
    .executableTarget(
      name: "forecast-replay",
      dependencies: [headway, .product(name: "HeadwayTestSupport", package: "Headway")],
      swiftSettings: settings),

    .target(name: "Stopwatch", dependencies: ["CProbe"], swiftSettings: settings),

    .target(name: "CProbe"),
    .target(name: "CMallocCount"),
    // Without these the peers are missing, and the rest is measured.
    .systemLibrary(
      name: "CTBB", pkgConfig: "tbb", providers: [.apt(["libtbb-dev"]), .brew(["tbb"])]),
    .systemLibrary(
      name: "CLibUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    .systemLibrary(
      name: "CLibEvent", pkgConfig: "libevent_core",
      providers: [.apt(["libevent-dev"]), .brew(["libevent"])]),
  ],
  cxxLanguageStandard: .cxx17
)
