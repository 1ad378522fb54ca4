// swift-tools-version: 6.0
import PackageDescription

// The map is docs/decisions.md and CONTRIBUTING.md. Two rules hold everywhere:
// TrackerCore depends on libm alone, and no target but `godwit` sees both TrackerAgent and TrackerIO.

let package = Package(
  name: "godwit",
  products: [
    .executable(name: "godwit", targets: ["godwit"]),
    .executable(name: "godwit-lab", targets: ["godwit-lab"]),
    .executable(name: "drive-feeder", targets: ["drive-feeder"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
  ],
  targets: [
    // Decisions.
    .systemLibrary(name: "CMath"),
    .target(name: "TrackerCore", dependencies: ["CMath"]),
    .target(name: "TrackerWire", dependencies: ["TrackerCore", "CZlib"]),
    .target(name: "TrackerAgent", dependencies: ["TrackerCore"]),

    // The same tracker in virtual time, over a recorded track.
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .target(
      name: "TrackerLab", dependencies: ["TrackerCore", "TrackerWire", "TrackerAgent", "CExpat"],
      resources: [.embedInCode("Report/report.html")]),

    // Effects: one C library each.
    .target(name: "CGPS", linkerSettings: [.linkedLibrary("gps")]),
    .target(name: "CGPIO", linkerSettings: [.linkedLibrary("gpiod")]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // OpenSSL and zlib are what Debian's libcurl brings into the process anyway.
    .target(
      name: "CCurl",
      linkerSettings: [.linkedLibrary("curl"), .linkedLibrary("ssl"), .linkedLibrary("crypto")]),
    .target(name: "CCares", linkerSettings: [.linkedLibrary("cares")]),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .target(name: "CTOML"),
    .target(name: "CHost"),
    .target(
      name: "TrackerIO",
      dependencies: [
        "TrackerCore", "TrackerWire", "CGPS", "CGPIO", "CSQLite", "CCurl", "CCares", "CZlib", "CSystemd",
        "CTOML", "CHost",
      ]),

    // The command, where decisions and effects meet.
    .executableTarget(
      name: "godwit",
      dependencies: [
        "TrackerCore", "TrackerWire", "TrackerAgent", "TrackerIO",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // The laboratory: recorded drives, on a desk.
    .executableTarget(
      name: "godwit-lab",
      dependencies: [
        "TrackerCore", "TrackerIO", "TrackerLab",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Drives that the project makes itself, and the GPS module that plays them.
    .target(
      name: "DriveGenerator", dependencies: ["TrackerCore", "TrackerLab"],
      path: "Tests/Drives/DriveGenerator"),
    .executableTarget(
      name: "drive-feeder",
      dependencies: [
        "DriveGenerator", "CFeeder", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Rig/drive-feeder"),
    .target(name: "CFeeder", path: "Tests/Rig/CFeeder"),
    .executableTarget(
      name: "core-cost", dependencies: ["TrackerCore", "DriveGenerator"], path: "Benchmarks/CoreCost"),

    // What the power-cut rig (Tests/Rig/power-cuts) cuts the power of.
    .executableTarget(
      name: "queue-writer", dependencies: ["TrackerCore", "TrackerIO"], path: "Tests/Rig/QueueWriter"),
    .executableTarget(
      name: "QueueBenchmark",
      dependencies: [
        "DriveGenerator", "TrackerLab", "TrackerAgent", "TrackerIO", "TrackerWire", "TrackerCore",
        "CSQLite",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/QueueBenchmark"),

    // What a fleet of sync machines does to its server (Benchmarks/fleet).
    .executableTarget(
      name: "FleetBenchmark",
      dependencies: [
        "TrackerLab", "TrackerIO", "TrackerWire", "TrackerCore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/FleetBenchmark"),
    .testTarget(
      name: "FleetBenchmarkTests",
      dependencies: ["FleetBenchmark", "TrackerLab", "TrackerWire", "TrackerCore"]),

    // The schedule read the naive way.
    .target(name: "ScheduleOracle", dependencies: ["DriveGenerator"], path: "Tests/ScheduleOracle"),
    .testTarget(name: "TrackerCoreTests", dependencies: ["TrackerCore", "DriveGenerator", "ScheduleOracle"]),
    .testTarget(
      name: "TrackerWireTests", dependencies: ["TrackerWire", "TrackerCore"],
      exclude: ["Golden", "read-compact"]),
    .testTarget(
      name: "TrackerIOTests",
      dependencies: [
        "TrackerIO", "TrackerWire", "TrackerCore", "CHost", "CCurl", "DriveGenerator", "ScheduleOracle",
      ]),
    .testTarget(name: "TrackerAgentTests", dependencies: ["TrackerAgent", "TrackerCore"]),
    .testTarget(
      name: "TrackerLabTests",
      dependencies: ["TrackerLab", "TrackerCore", "TrackerWire", "DriveGenerator"]),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "godwit", "TrackerLab", "TrackerAgent", "TrackerIO", "TrackerCore", "DriveGenerator",
      ]),
    .testTarget(
      name: "GodwitTests",
      dependencies: ["godwit", "godwit-lab", "TrackerIO", "TrackerCore", "TrackerLab", "DriveGenerator"]),
    .testTarget(name: "DriveGeneratorTests", dependencies: ["DriveGenerator", "drive-feeder"]),
    .testTarget(
      name: "IntegrationTests",
      dependencies: ["TrackerIO", "TrackerWire", "TrackerCore", "DriveGenerator", "CHost"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// What lives through simulated weeks and days is optimised in debug builds as well, or the tests take three times as
// long; assertions stay (docs/decisions.md). For a debugger leave these lines out.
let fast = SwiftSetting.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
let simulated: Set = ["TrackerCore", "DriveGenerator", "ScheduleOracle"]
for target in package.targets where simulated.contains(target.name) {
  target.swiftSettings = (target.swiftSettings ?? []) + [fast]
}
