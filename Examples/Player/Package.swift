// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A package of its own, apart from the other examples, because the trait needs GTK on the system.
let package = Package(
  name: "Player",
  dependencies: [.package(name: "Headway", path: "../..", traits: ["GTK"])],
  targets: [
    .executableTarget(
      name: "headway-player",
      dependencies: [.product(name: "HeadwayGTK", package: "Headway")],
      swiftSettings: settings),
    .testTarget(
      name: "PlayerTests",
      dependencies: ["headway-player", .product(name: "HeadwayGTK", package: "Headway")],
      swiftSettings: settings),
  ]
)
