// swift-tools-version: 6.0
import PackageDescription

// The map is docs/decisions.md and CONTRIBUTING.md. Two rules hold everywhere:
// TrackerBase depends on libm alone, and no target but `godwit` sees both TrackerAgent and TrackerIO.

// Values that every decision is made of, and the five groups of parts that make decisions: these know TrackerBase alone.
let decisionTargets = [
  "TrackerBase", "TrackerReceiver", "TrackerJourney", "TrackerDispatch", "TrackerRemote", "TrackerBoard",
  "TrackerCore",
]
let decisions = decisionTargets.map { Target.Dependency(stringLiteral: $0) }

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
    .target(name: "TrackerBase", dependencies: ["CMath"]),
    .target(name: "TrackerReceiver", dependencies: ["TrackerBase"]),
    .target(name: "TrackerJourney", dependencies: ["TrackerBase"]),
    .target(name: "TrackerDispatch", dependencies: ["TrackerBase"]),
    .target(name: "TrackerRemote", dependencies: ["TrackerBase"]),
    .target(name: "TrackerBoard", dependencies: ["TrackerBase"]),
    .target(
      name: "TrackerCore",
      dependencies: Array(decisions.dropLast())),
    .target(name: "TrackerWire", dependencies: ["TrackerBase", "CZlib"]),
    .target(name: "TrackerAgent", dependencies: decisions),

    // The same tracker in virtual time, over a recorded track.
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .target(
      name: "TrackerLab", dependencies: decisions + ["TrackerWire", "TrackerAgent", "CExpat"],
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
        "TrackerBase", "TrackerWire", "CGPS", "CGPIO", "CSQLite", "CCurl", "CCares", "CZlib", "CSystemd",
        "CTOML", "CHost",
      ]),

    // The command, where decisions and effects meet.
    .executableTarget(
      name: "godwit",
      dependencies: decisions + [
        "TrackerWire", "TrackerAgent", "TrackerIO",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // The laboratory: recorded drives, on a desk.
    .executableTarget(
      name: "godwit-lab",
      dependencies: decisions + [
        "TrackerIO", "TrackerLab",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Drives that the project makes itself, and the GPS module that plays them.
    .target(
      name: "DriveGenerator", dependencies: decisions + ["TrackerLab"],
      path: "Tests/Drives/DriveGenerator"),
    .executableTarget(
      name: "drive-feeder",
      dependencies: [
        "DriveGenerator", "CFeeder", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Rig/drive-feeder"),
    .target(name: "CFeeder", path: "Tests/Rig/CFeeder"),
    .executableTarget(
      name: "core-cost", dependencies: decisions + ["DriveGenerator"], path: "Benchmarks/CoreCost"),

    // What the power-cut rig (Tests/Rig/power-cuts) cuts the power of.
    .executableTarget(
      name: "queue-writer", dependencies: decisions + ["TrackerIO"], path: "Tests/Rig/QueueWriter"),
    .executableTarget(
      name: "QueueBenchmark",
      dependencies: decisions + [
        "DriveGenerator", "TrackerLab", "TrackerAgent", "TrackerIO", "TrackerWire",
        "CSQLite",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/QueueBenchmark"),

    // What a fleet of sync machines does to its server (Benchmarks/fleet).
    .executableTarget(
      name: "FleetBenchmark",
      dependencies: decisions + [
        "TrackerLab", "TrackerIO", "TrackerWire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Benchmarks/FleetBenchmark"),
    .testTarget(
      name: "FleetBenchmarkTests",
      dependencies: decisions + ["FleetBenchmark", "TrackerLab", "TrackerWire"]),

    // The schedule read the naive way.
    .target(name: "ScheduleOracle", dependencies: ["DriveGenerator"], path: "Tests/ScheduleOracle"),
    .testTarget(name: "TrackerCoreTests", dependencies: decisions + ["DriveGenerator", "ScheduleOracle"]),
    .testTarget(
      name: "TrackerWireTests", dependencies: decisions + ["TrackerWire"],
      exclude: ["Golden", "read-compact"]),
    .testTarget(
      name: "TrackerIOTests",
      dependencies: decisions + [
        "TrackerIO", "TrackerWire", "CHost", "CCurl", "DriveGenerator", "ScheduleOracle",
      ]),
    .testTarget(name: "TrackerAgentTests", dependencies: decisions + ["TrackerAgent"]),
    .testTarget(
      name: "TrackerLabTests",
      dependencies: decisions + ["TrackerLab", "TrackerWire", "DriveGenerator"]),
    .testTarget(
      name: "SimulationTests",
      dependencies: decisions + [
        "godwit", "TrackerLab", "TrackerAgent", "TrackerIO", "DriveGenerator",
      ]),
    .testTarget(
      name: "GodwitTests",
      dependencies: decisions + ["godwit", "godwit-lab", "TrackerIO", "TrackerLab", "DriveGenerator"]),
    .testTarget(name: "DriveGeneratorTests", dependencies: ["DriveGenerator", "drive-feeder"]),
    .testTarget(
      name: "IntegrationTests",
      dependencies: decisions + ["TrackerIO", "TrackerWire", "DriveGenerator", "CHost"]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// What lives through simulated weeks and days is optimised in debug builds as well, or the tests take three times as
// long; assertions stay (docs/decisions.md). For a debugger leave these lines out.
let fast = SwiftSetting.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
let simulated = Set(decisionTargets + ["DriveGenerator", "ScheduleOracle"])
for target in package.targets where simulated.contains(target.name) {
  target.swiftSettings = (target.swiftSettings ?? []) + [fast]
}
