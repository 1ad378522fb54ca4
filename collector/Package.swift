// swift-tools-version: 6.1
import PackageDescription

// The reference endpoint: a server's package of its own, so that the agent's stays small.
// `Collector` is everything; `godwit-collector` reads the command line and runs it.
let package = Package(
  name: "godwit-collector",
  platforms: [.macOS(.v14)],
  products: [
    .executable(name: "godwit-collector", targets: ["godwit-collector"])
  ],
  dependencies: [
    // Without its traits: one is a reader of configuration files, the other a decoder of forms with all of Foundation.
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    // Hummingbird brings it along; here for the names of our own headers.
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    // Hummingbird brings these along too. Connections are swift-nio's.
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.80.0"),
    // The parts of requests, by which connections are bounded.
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.34.1"),
    // The control socket is a service beside the server, with a log of its own.
    .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
  ],
  targets: [
    .target(name: "CInflate", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),
    // TLS, and the hashes of tokens and passwords.
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    // Webhooks.
    .target(name: "CPost", linkerSettings: [.linkedLibrary("curl")]),
    // PostgreSQL's own client library, Debian's.
    .systemLibrary(name: "Clibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "Collector",
      dependencies: [
        "CInflate", "Clibpq", "COpenSSL", "CPost", "CSimdjson",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      // The page's files, which are read at the start and not linked in.
      resources: [.copy("Pages")]),
    .executableTarget(
      name: "godwit-collector",
      dependencies: [
        "Collector",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "CollectorTests",
      dependencies: [
        "Collector",
        "godwit-collector",
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
