import Foundation
import Testing

@testable import Collector

/// The program and the real mosquitto, as processes.
@Suite(
  "The program and a broker", .timeLimit(.minutes(10)),
  .enabled(if: Mosquitto.isThere, "mosquitto is missing: deploy/packages test"))
struct MQTTBrokerTests {
  @Test("stores what was published while it was away, and what comes now; kill -9 loses none of it")
  func wholeLife() async throws {
    try await withTemporaryFolder { folder in
      let broker = try Mosquitto(folder)
      try await broker.start()
      let arguments = try broker.arguments(folder)
      let first = try Running(arguments)
      let port = try first.port()
      try await waitUntilSubscribed(port)
      try await broker.publish(1)
      try await wait(port, until: [1])
      kill(first.process.processIdentifier, SIGKILL)
      _ = await first.status()

      // It waits in the session.
      for sequence in 2...4 as ClosedRange<UInt64> { try await broker.publish(sequence) }
      let second = try Running(arguments)
      let other = try second.port()
      try await wait(other, until: [1, 2, 3, 4])
      // The broker goes and comes back, with what was published to it before.
      try await broker.restart()
      try await broker.publish(5)
      try await wait(other, until: [1, 2, 3, 4, 5])
      second.process.terminate()
      #expect(await second.status() == 0)
      #expect(second.errors().contains("MQTT: subscribed at 127.0.0.1:\(broker.port) again, after"))
      await broker.end()
    }
  }

  @Test("a broker that is away stops neither its start nor its end, and /metrics says that it is away")
  func away() async throws {
    try await withTemporaryFolder { folder in
      let broker = try Mosquitto(folder)
      let running = try Running(try broker.arguments(folder))
      let port = try running.port()
      try await waitFor("a failed attempt") {
        try await text("/metrics", port).contains(
          "godwit_collector_mqtt_disconnects_total{reason=\"cannot_connect\"}")
      }
      #expect(try await text("/metrics", port).contains("godwit_collector_mqtt_connected 0\n"))
      #expect(try await text("/v1/health", port) == "{\"status\":\"ok\"}")
      running.process.terminate()
      #expect(await running.status() == 0)
      #expect(
        running.errors().contains(
          "MQTT: 127.0.0.1:\(broker.port): no connection: Connection refused; tried again, and what is published meanwhile waits there"
        ))
    }
  }

  @Test("a password that is wrong is named as that")
  func wrongPassword() async throws {
    try await withTemporaryFolder { folder in
      let broker = try Mosquitto(folder, lines: "allow_anonymous false\npassword_file /dev/null")
      try await broker.start()
      let password = folder.appending(path: "password").path
      try "not-this-one\n".write(toFile: password, atomically: true, encoding: .utf8)
      let running = try Running(
        try broker.arguments(folder, user: "me@") + ["--mqtt-password-file", password])
      let port = try running.port()
      try await waitFor("a refusal") {
        try await text("/metrics", port).contains(
          "godwit_collector_mqtt_disconnects_total{reason=\"refused\"}")
      }
      running.process.terminate()
      #expect(await running.status() == 0)
      let errors = running.errors()
      #expect(errors.contains("the broker refuses: "))
      #expect(errors.contains("--mqtt-password-file"))
      #expect(!errors.contains("not-this-one"))
      await broker.end()
    }
  }

  @Test("of two collectors in a group each message goes to one")
  func shared() async throws {
    try await withTemporaryFolder { folder in
      let broker = try Mosquitto(folder)
      try await broker.start()
      var ports: [Int] = []
      var all: [Running] = []
      for name in ["one", "two"] {
        let own = folder.appending(path: name)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let running = try Running(try broker.arguments(own) + ["--mqtt-group", "collectors"])
        ports.append(try running.port())
        all.append(running)
        try await waitUntilSubscribed(try #require(ports.last))
      }
      for sequence in 1...10 as ClosedRange<UInt64> { try await broker.publish(sequence) }
      let both = ports
      try await waitFor("all of them") {
        var count = 0
        for port in both { count += try await sequences(port).count }
        return count == 10
      }
      let (first, second) = (try await sequences(both[0]), try await sequences(both[1]))
      #expect(Set(first).isDisjoint(with: second))
      #expect(Set(first + second) == Set(1...10))
      #expect(!first.isEmpty && !second.isEmpty)
      for running in all {
        running.process.terminate()
        #expect(await running.status() == 0)
      }
      await broker.end()
    }
  }

  @Test("over TLS a broker is believed by its certificate alone")
  func encrypted() async throws {
    try await withTemporaryFolder { folder in
      let (certificate, key) = (folder.path + "/broker.pem", folder.path + "/broker.key")
      let openssl = try Child([
        "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
        certificate,
      ])
      #expect(await openssl.status() == 0)
      let broker = try Mosquitto(
        folder, lines: "allow_anonymous true", listener: "certfile \(certificate)\nkeyfile \(key)")
      try await broker.start()
      let arguments = try broker.arguments(folder, scheme: "mqtts", host: "localhost")
      let believing = try Running(arguments + ["--mqtt-authority", certificate])
      let port = try believing.port()
      try await waitUntilSubscribed(port)
      try await broker.publish(1, ["--cafile", certificate])
      try await wait(port, until: [1])
      believing.process.terminate()
      #expect(await believing.status() == 0)

      let doubting = try Running(arguments)
      let other = try doubting.port()
      try await waitFor("a refusal") {
        try await text("/metrics", other).contains(
          "godwit_collector_mqtt_disconnects_total{reason=\"broken\"}")
      }
      #expect(try await text("/metrics", other).contains("godwit_collector_mqtt_connected 0\n"))
      doubting.process.terminate()
      #expect(await doubting.status() == 0)
      #expect(doubting.errors().contains("certificate verify failed: self-signed certificate"))
      await broker.end()
    }
  }

  // MARK: What it says

  private func waitUntilSubscribed(_ port: Int) async throws {
    try await waitFor("a subscription") {
      try await text("/metrics", port).contains("godwit_collector_mqtt_connected 1\n")
    }
  }

  private func wait(_ port: Int, until expected: [Int64]) async throws {
    try await waitFor("the records \(expected)") { try await sequences(port) == expected }
  }

  private func sequences(_ port: Int) async throws -> [Int64] {
    struct One: Decodable { var sequence: Int64 }
    let text = try await text("/v1/devices/van-7/records", port)
    return (try? JSONDecoder().decode([One].self, from: Data(text.utf8)))?.map(\.sequence) ?? []
  }

  private func text(_ path: String, _ port: Int) async throws -> String {
    try await TestClient(port: port).get(path).text
  }
}

/// Returns when it holds; the suite's time limit is the end.
func waitFor(_ what: String, _ holds: () async throws -> Bool) async throws {
  while try await !holds() {
    try await Task.sleep(for: .milliseconds(20))
    try Task.checkCancellation()
  }
}

/// One that keeps what it holds over a restart.
private final class Mosquitto {
  static let program = "/usr/sbin/mosquitto"
  static let isThere =
    FileManager.default.isExecutableFile(atPath: program)
    && FileManager.default.isExecutableFile(atPath: "/usr/bin/mosquitto_pub")

  let port: Int
  private let configuration: URL
  private var broker: Child?

  init(_ folder: URL, lines: String = "allow_anonymous true", listener: String = "") throws {
    port = try Self.freePort()
    configuration = folder.appending(path: "mosquitto.conf")
    // As root it would give up root, and with it the folder.
    try """
    user root
    log_type none
    persistence true
    persistence_location \(folder.path)/
    \(lines)
    listener \(port) 127.0.0.1
    \(listener)

    """.write(to: configuration, atomically: true, encoding: .utf8)
  }

  func arguments(
    _ folder: URL, user: String = "", scheme: String = "mqtt", host: String = "127.0.0.1"
  ) throws -> [String] {
    [
      "--database", try TestDatabase.argument(for: folder.appending(path: "fleet.sqlite").path), "--port",
      "0", "--mqtt",
      "\(scheme)://\(user)\(host):\(port)",
    ]
  }

  func start() async throws {
    let broker = try Child([Self.program, "-c", configuration.path])
    self.broker = broker
    let port = port
    try await waitFor("mosquitto listens") {
      try #require(broker.process.isRunning, "mosquitto has ended by itself")
      return Self.accepts(port)
    }
  }

  func restart() async throws {
    await end()
    try await start()
  }

  func end() async {
    broker?.process.terminate()
    _ = await broker?.status()
    broker = nil
  }

  /// A record of van-7; returns when the broker has it.
  func publish(_ sequence: UInt64, _ options: [String] = []) async throws {
    let publisher = try Child(
      [
        "/usr/bin/mosquitto_pub", "-h", "localhost", "-p", "\(port)", "-q", "1", "-t", "fleet/van-7/records",
        "-m", body([record(uuid(sequence))]),
      ] + options)
    #expect(await publisher.status() == 0)
  }

  private static func socketAddress(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return address
  }

  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = socketAddress(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
      }
    }
    try #require(code == 0)
    return Int(in_port_t(bigEndian: address.sin_port))
  }

  private static func accepts(_ port: Int) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = socketAddress(port)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}

/// A program that does not unblock signals by itself, as a test's thread blocks them.
private final class Child {
  let process = Process()
  private let ended: AsyncStream<Int32>

  init(_ command: [String]) throws {
    let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.ended = ended
    let unblock =
      "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", unblock] + command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.terminationHandler = {
      continuation.yield($0.terminationStatus)
      continuation.finish()
    }
    try process.run()
  }

  func status() async -> Int32? { await ended.first { _ in true } }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
