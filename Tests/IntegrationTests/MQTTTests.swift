import Foundation
import Testing

/// The whole agent with Debian's mosquitto.
@Suite(
  "MQTT", .serialized,
  .disabled(if: Broker.missing() != nil, "gpsd, mosquitto or a product is missing: Tests/run has them all"))
struct MQTTTests {
  static let quick = """
    sync_retry_max_s = 1
    unauthorised_retry_s = 1
    connect_timeout_s = 1
    request_timeout_s = 2
    max_batch_size = 20

    """

  /// A vehicle that drives; neither agent nor broker are there yet.
  private func drivingRig() async throws -> Rig {
    let rig = try Rig()
    rig.syncSettings = Self.quick
    try await rig.startFeeder(["--speed", "15", "--to-and-fro"])
    try await rig.startGPSD()
    return rig
  }

  private func sync(_ rig: Rig) -> [String: Any] { rig.status()?["sync"] as? [String: Any] ?? [:] }
  private func delivered(_ rig: Rig) -> Int { sync(rig)["delivered"] as? Int ?? 0 }
  private func problem(_ rig: Rig) -> String { sync(rig)["problem"] as? String ?? "" }
  private func refusals(_ rig: Rig) -> Any? {
    (rig.status()?["warnings"] as? [String: Any])?["records_refused"]
  }

  /// N1 and N2: each record that was made has arrived, and how often none counts twice by its identity.
  private func expectAll(_ rig: Rig, _ broker: Broker, once: Bool = true) async throws {
    try await rig.end("feeder", with: SIGKILL)
    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    #expect(refusals(rig) == nil)
    try await rig.end("agent")
    try await rig.wait(until: "no record is missing at the subscriber") {
      let found = Set(broker.sequences())
      return !found.isEmpty && found == Set(1...(found.max() ?? 1)) && found.count >= delivered(logged: rig)
    }
    let sequences = broker.sequences()
    if once { #expect(Set(sequences).count == sequences.count) }
  }

  /// What the agents of this rig have written that was delivered: other records each time.
  private func delivered(logged rig: Rig) -> Int {
    rig.text("agent.log").components(separatedBy: "delivered ").dropFirst()
      .reduce(0) { $0 + (Int($1.prefix { $0.isNumber }) ?? 0) }
  }

  @Test("every record arrives once, over one connection, with its format and batch reported beside it")
  func sunshine() async throws {
    let rig = try await drivingRig()
    let broker = try Broker(rig)
    try await broker.start()
    try broker.subscribe()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "much has arrived") { broker.sequences().count > 100 }
    #expect(broker.connections() == 1)
    let messages = broker.messages()
    #expect(messages.allSatisfy { $0.topic == Broker.topic && $0.contentType == "application/json" })
    #expect(messages.allSatisfy { $0.properties.contains("Godwit-Schema:geomony/1") })
    let first = try #require(messages.first { !$0.sequences.isEmpty })
    let ends = "\(first.sequences[0])-\(first.sequences[first.sequences.count - 1])"
    #expect(first.properties.contains("Godwit-Batch:\(ends)"))
    #expect(messages.contains { $0.payload.contains(#""status":{"#) })
    #expect(sync(rig)["last_reply"] as? String == "200")
    try await expectAll(rig, broker)
    #expect(rig.text("mosquitto.log").contains("Received DISCONNECT from rig"))
  }

  @Test("what nobody subscribes to stays in the queue; a subscriber that was away gets what came meanwhile")
  func noSubscriber() async throws {
    let rig = try await drivingRig()
    let broker = try Broker(rig)
    try await broker.start()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the status says why") { problem(rig) == "no_subscriber" }
    #expect(delivered(rig) == 0)
    try broker.subscribe()
    try await rig.wait(until: "it drains") { delivered(rig) > 50 }
    try await rig.end("subscriber")
    let before = delivered(rig)
    try await rig.wait(until: "more is delivered") { delivered(rig) > before + 50 }
    try await rig.end("mosquitto")
    try await broker.start()
    try broker.subscribe()
    try await expectAll(rig, broker)
  }

  @Test(
    "a version that is set is spoken; of 3.1.1 each status says so, since nobody knows whether anyone subscribes",
    arguments: [("3.1.1", "p2"), ("5", "p5")])
  func version(version: String, logged: String) async throws {
    let rig = try await drivingRig()
    let broker = try Broker(rig)
    rig.syncSettings += "mqtt_version = \"\(version)\"\n"
    try await broker.start()
    if version == "5" { try broker.subscribe() }
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "something is called delivered") { delivered(rig) > 0 }
    #expect(sync(rig)["mqtt_version"] as? String == version)
    #expect(rig.text("mosquitto.log").contains(" as rig (\(logged),"))
    let words = String(
      decoding: rig.output(Rig.product("godwit"), ["status", "--config", rig.file("godwit.toml").path]),
      as: UTF8.self)
    #expect(words.contains("the broker cannot say that nobody subscribes") == (version == "3.1.1"))
  }

  @Test(
    "with ack = strict records leave the queue when the consumer has confirmed them, not when the broker has them"
  )
  func confirmed() async throws {
    let rig = try await drivingRig()
    let broker = try Broker(rig)
    rig.syncSettings += "ack = \"strict\"\n"
    try await broker.start()
    try broker.subscribe()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the status says what is missing") { problem(rig) == "not_echoed" }
    #expect(!broker.sequences().isEmpty && delivered(rig) == 0)
    #expect(
      rig.text("agent.log").contains(
        "not_echoed 200 the broker has them, and nobody has said on its topic with /ack behind it that they are stored: "
          + "does the consumer run and confirm, and may this device read that topic (the broker's ACL)?; again in"
      ))
    try broker.startConsumer()
    try await rig.wait(until: "it drains") { delivered(rig) > 50 }
    try await expectAll(rig, broker, once: false)
  }

  @Test("the same over MQTT 3.1.1, by the uuids of the records: docs/transport.md has the consumer")
  func confirmedByUUID() async throws {
    let rig = try await drivingRig()
    let broker = try Broker(rig)
    rig.syncSettings += "ack = \"strict\"\nmqtt_version = \"3.1.1\"\n"
    try await broker.start()
    try broker.subscribe()
    try broker.startDocumentedConsumer()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "it drains") { delivered(rig) > 50 }
    #expect(sync(rig)["mqtt_version"] as? String == "3.1.1")
    try await expectAll(rig, broker, once: false)
  }

  @Test("a device that may not read its topic with /ack is reported to look at the broker's ACL")
  func unreadable() async throws {
    let rig = try await drivingRig()
    try "topic write fleet/#\n".write(
      to: rig.file("acl"), atomically: true, encoding: .utf8)
    let broker = try Broker(rig, lines: "allow_anonymous true\nacl_file \(rig.file("acl").path)")
    // mosquitto takes the subscription and passes nothing on; in MQTT 5 it would say that nobody reads the records.
    rig.syncSettings += "ack = \"strict\"\nmqtt_version = \"3.1.1\"\n"
    try await broker.start()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "it is reported") {
      rig.text("agent.log").contains("may this device read")
    }
    #expect(delivered(rig) == 0)
  }

  @Test("the broker is killed and started again in mid-drain: nothing is lost")
  func restarts() async throws {
    let rig = try await drivingRig()
    let broker = try Broker(rig)
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "a backlog is there") { rig.waiting() > 300 }
    for signal in [SIGKILL, SIGTERM, SIGKILL] {
      try await broker.start()
      if !rig.isRunning("subscriber") { try broker.subscribe() }
      let before = broker.sequences().count
      // What mosquitto holds for a subscriber that is away is gone with a kill: it writes every half an hour.
      try await rig.wait(until: "the subscriber has what was delivered, and more than before") {
        let found = Set(broker.sequences()).count
        return found > before && found >= delivered(logged: rig)
      }
      try await rig.end("mosquitto", with: signal)
    }
    try await broker.start()
    try await expectAll(rig, broker, once: false)
  }

  @Test("a broker that stops under a kept connection costs a time-out; then everything arrives")
  func halfOpen() async throws {
    let rig = try await drivingRig()
    let broker = try Broker(rig)
    try await broker.start()
    try broker.subscribe()
    try await rig.startAgent(Rig.everyFix)
    for ends in [SIGCONT, SIGKILL] {
      let before = delivered(rig)
      try await rig.wait(until: "the connection works") { delivered(rig) > before + 20 }
      rig.signal("mosquitto", SIGSTOP)
      try await rig.wait(until: "it is felt, also by a new connection") {
        sync(rig)["failures"] as? Int ?? 0 > 1 && problem(rig) == "timeout"
      }
      rig.signal("mosquitto", ends)
      if ends == SIGKILL {
        try await rig.end("mosquitto", with: SIGKILL)
        try await broker.start()
      }
    }
    try await expectAll(rig, broker, once: false)
  }

  @Test(
    "a wrong password, and a topic that is not allowed, take the slow lane; a new token and a new rule cure it"
  )
  func credentials() async throws {
    let rig = try await drivingRig()
    let lines = """
      allow_anonymous false
      password_file \(rig.file("passwords").path)
      acl_file \(rig.file("acl").path)
      """
    let broker = try Broker(rig, lines: lines)
    for (index, user) in ["rig", "reader"].enumerated() {
      let words = ["-b"] + (index == 0 ? ["-c"] : []) + [rig.file("passwords").path, user, "pass-1"]
      _ = rig.output(URL(fileURLWithPath: "/usr/bin/mosquitto_passwd"), words)
    }
    func rules(_ topic: String) throws {
      try "user reader\ntopic read fleet/#\n\nuser rig\ntopic write \(topic)\n"
        .write(to: rig.file("acl"), atomically: true, encoding: .utf8)
    }
    try rules("elsewhere/#")
    try token("pass-0", in: rig)
    rig.syncSettings += "token_file = \"\(rig.file("token").path)\""
    try await broker.start()
    try broker.subscribe(["-u", "reader", "-P", "pass-1"])
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the password is refused") { problem(rig) == "unauthorised" }
    #expect(rig.text("agent.log").contains("look at the user in sync.url and at sync.token_file"))
    try token("pass-1", in: rig)
    try await rig.wait(until: "the topic is refused") {
      rig.text("agent.log").contains("may this device publish to the topic in sync.url?")
    }
    #expect(delivered(rig) == 0)
    try rules(Broker.topic)
    rig.signal("mosquitto", SIGHUP)
    try await expectAll(rig, broker)
    #expect(!rig.text("agent.log").contains("pass-"))
  }

  private func token(_ text: String, in rig: Rig) throws {
    let file = rig.file("token")
    try text.write(to: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
  }

  @Test("TLS with an authority of its own; another one is refused, and nothing is sent")
  func tls() async throws {
    let rig = try await drivingRig()
    for name in ["own", "other"] {
      let words = """
        req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=\(name) \
        -addext subjectAltName=IP:127.0.0.1 -keyout \(rig.file("\(name).key").path) -out \(rig.file("\(name).pem").path)
        """
      _ = rig.output(URL(fileURLWithPath: "/usr/bin/openssl"), words.split(separator: " ").map(String.init))
    }
    let listener = "certfile \(rig.file("own.pem").path)\nkeyfile \(rig.file("own.key").path)"
    let broker = try Broker(rig, listener: listener)
    rig.url = broker.url("mqtts")
    try await broker.start()
    try broker.subscribe(["--cafile", rig.file("own.pem").path])
    rig.syncSettings = Self.quick + "ca_file = \"\(rig.file("other.pem").path)\""
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "it is refused") { problem(rig) == "tls" }
    #expect(broker.connections() == 0)
    try await rig.end("agent")
    rig.syncSettings = Self.quick + "ca_file = \"\(rig.file("own.pem").path)\""
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "much has arrived") { broker.sequences().count > 50 }
    #expect(broker.connections() == 1)
    try await expectAll(rig, broker)
  }

  @Test("a broker that takes small packets gets smaller batches")
  func smallPackets() async throws {
    let rig = try await drivingRig()
    let broker = try Broker(rig, lines: "allow_anonymous true\nmax_packet_size 6000")
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "a backlog is there") { rig.waiting() > 100 }
    try await broker.start()
    try broker.subscribe()
    try await rig.wait(until: "something has arrived") { delivered(rig) > 50 }
    #expect(rig.text("agent.log").contains("larger than the 6000 bytes that the broker takes in a packet"))
    try await expectAll(rig, broker)
    #expect(broker.messages().allSatisfy { $0.payload.utf8.count < 6000 })
  }

  @Test("kill -9 of the agent between PUBLISH and PUBACK loses nothing")
  func killed() async throws {
    let rig = try await drivingRig()
    let broker = try Broker(rig)
    rig.syncSettings = Self.quick.replacingOccurrences(
      of: "request_timeout_s = 2", with: "request_timeout_s = 60")
    try await broker.start()
    try broker.subscribe()
    try await rig.startAgent(Rig.everyFix)
    try await rig.wait(until: "the connection works") { delivered(rig) > 20 }
    rig.signal("mosquitto", SIGSTOP)
    try await rig.wait(until: "a message is under way") { sync(rig)["state"] as? String == "sending" }
    try await rig.end("agent", with: SIGKILL)
    rig.signal("mosquitto", SIGCONT)
    try await rig.startAgent(Rig.everyFix)
    try await expectAll(rig, broker, once: false)
  }
}
