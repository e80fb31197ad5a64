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

let package = Package(
  name: "HeadwayBenchmarks",
  platforms: [.macOS(.v26)],
  targets: [
    .executableTarget(name: "headway-bench", swiftSettings: settings),
    // In C and tiny, because a process inherits the peak memory of the one that starts it.
    .executableTarget(name: "bench-helper"),
  ]
)
