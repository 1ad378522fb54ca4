import Glibc
import Testing
import TrackerBase
import TrackerWire

@testable import TrackerIO

@Suite("The MQTT uploader")
struct MQTTUploaderTests {
  typealias Reply = ScriptedBroker.Reply

  let uploader: MQTTUploader

  init() throws { uploader = try MQTTUploader(device: "van-7", maxReply_bytes: 4096) }

  static let accepted = Reply.bytes([0x20, 3, 0, 0, 0])

  private func puback(_ id: UInt8, _ code: UInt8 = 0) -> Reply { .bytes([0x40, 3, 0, id, code]) }

  private func request(_ broker: ScriptedBroker, body: [UInt8] = [1, 2, 3]) -> UploadRequest {
    UploadRequest(
      url: broker.url, headers: [("Godwit-Batch", "1-3")], body: body, contentType: "a/b",
      requestTimeout_s: 300)
  }

  private func post(_ broker: ScriptedBroker, _ request: UploadRequest) throws -> UploadResult {
    try uploader.start(request)
    return try finish(uploader, with: broker)
  }

  private func published(_ id: UInt16, _ body: [UInt8] = [1, 2, 3]) -> [UInt8] {
    let message = MQTTMessage(
      topic: "fleet/van-7", payload: body, contentType: "a/b", properties: [.init("Godwit-Batch", "1-3")])
    return MQTTPacket.publish(message, id: id, .v5)
  }

  private func opening(_ login: MQTTLogin = MQTTLogin(clientID: "van-7")) -> [UInt8] {
    MQTTPacket.connect(login, .v5)
  }

  @Test("what arrives is CONNECT and PUBLISH, and PUBACK is status 200; both ways are counted")
  func success() throws {
    let broker = ScriptedBroker([Self.accepted, puback(1)])
    let result = try post(broker, request(broker))
    #expect(result.status == 200)
    #expect(result.failure == nil)
    #expect(result.message == "" && result.notice == "")
    #expect(broker.packets == [opening(), published(1)])
    #expect(result.bytesUp == opening().count + published(1).count)
    #expect(result.bytesDown == 10)
  }

  @Test(
    "the connection is kept for the next request, which costs its PUBLISH alone; at rest nothing is wanted")
  func reuse() throws {
    let broker = ScriptedBroker([Self.accepted, puback(1), puback(2), puback(3)])
    for _ in 1...3 { #expect(try post(broker, request(broker)).status == 200) }
    #expect(broker.connectionCount == 1)
    #expect(uploader.descriptors == [] && uploader.timeout_ms == nil)
    #expect(uploader.drive(ready: []) == nil)
  }

  @Test("a large message goes through a narrow socket, byte for byte")
  func large() throws {
    let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let broker = ScriptedBroker([Self.accepted, puback(1)])
    let result = try post(broker, request(broker, body: body))
    #expect(result.status == 200)
    #expect(broker.packets.last == published(1, body))
    #expect(result.bytesUp == opening().count + published(1, body).count)
  }

  @Test("token and user: the password and the user name; a new token makes a new connection")
  func credentials() throws {
    let broker = ScriptedBroker([
      Self.accepted, puback(1), Self.accepted, puback(2), Self.accepted, puback(3),
    ])
    var request = request(broker)
    request.bearerToken = "t1"
    _ = try post(broker, request)
    request.bearerToken = "t2"
    _ = try post(broker, request)
    request.url = "mqtt://me@127.0.0.1:\(broker.port)/fleet/{device}"
    _ = try post(broker, request)
    let logins = [("van-7", "t1"), ("van-7", "t2"), ("me", "t2")]
    let wanted = logins.map { opening(MQTTLogin(clientID: "van-7", user: $0.0, password: $0.1)) }
    #expect(broker.packets.filter { $0[0] == 0x10 } == wanted)
    // The old connections were ended in order.
    #expect(broker.packets.filter { $0 == MQTTPacket.disconnect }.count == 2)
  }

  @Test("at its end it says goodbye")
  func goodbye() throws {
    let broker = ScriptedBroker([Self.accepted, puback(1)])
    var uploader: MQTTUploader? = try MQTTUploader(device: "van-7", maxReply_bytes: 4096)
    try uploader?.start(request(broker))
    _ = try finish(#require(uploader), with: broker)
    uploader = nil
    while broker.packets.last != MQTTPacket.disconnect {
      let ready = waitForDescriptors(broker.descriptors, timeout_ms: 300_000)
      try #require(!ready.isEmpty)
      broker.drive(ready: ready)
    }
  }

  @Test("a kept connection that the broker has closed is made anew")
  func closedBetween() throws {
    let broker = ScriptedBroker([Self.accepted, puback(1), Self.accepted, puback(2)])
    _ = try post(broker, request(broker))
    broker.hangUp()
    #expect(try post(broker, request(broker)).status == 200)
    #expect(broker.connectionCount == 2)
  }

  @Test("a kept connection that ends under the request is made anew, once")
  func closedUnder() throws {
    let broker = ScriptedBroker([Self.accepted, puback(1), .close, Self.accepted, .close])
    _ = try post(broker, request(broker))
    let result = try post(broker, request(broker))
    #expect(result.failure == .dropped)
    #expect(result.message == "the connection ended before the broker's PUBACK")
    #expect(broker.packets == [opening(), published(1), published(2), opening(), published(3)])
    #expect(result.bytesUp == 2 * published(1).count + opening().count)
    #expect(broker.connectionCount == 2)
  }

  @Test("what the broker said unasked is no reply to the next request")
  func unasked() throws {
    let broker = ScriptedBroker([Self.accepted, puback(1), Self.accepted, puback(2, 0x97)])
    _ = try post(broker, request(broker))
    broker.say([0x40, 2, 0, 2])
    let socket = try #require(uploader.connection?.socket)
    try #require(waitForDescriptors([PollDescriptor(descriptor: socket)], timeout_ms: 300_000) == [socket])
    #expect(try post(broker, request(broker)).status == 503)
    #expect(broker.connectionCount == 2)
  }

  @Test(
    "a command that is noted while the next request is under way is confirmed, and none that came after it")
  func confirmedLate() throws {
    func command(_ id: UInt8) -> [UInt8] {
      [0x32, 21, 0, 15] + Array("fleet/van-7/cmd".utf8) + [0, id, 0, 0x7B]
    }
    let broker = ScriptedBroker([
      Self.accepted, .bytes([0x90, 4, 0, 1, 0, 1]), .bytes(command(7) + [0x40, 2, 0, 2]),
      .bytes(command(8) + [0x40, 2, 0, 3]),
    ])
    var request = request(broker)
    request.topicAllowed_bytes = 1000
    #expect(try post(broker, request).documents == [[0x7B]])
    try uploader.start(request)
    uploader.confirm()
    #expect(try finish(uploader, with: broker).documents == [[0x7B]])
    #expect(broker.packets.filter { $0[0] == 0x40 } == [[0x40, 2, 0, 7]])
    uploader.confirm()
    while broker.packets.last != [0x40, 2, 0, 8] {
      let ready = waitForDescriptors(broker.descriptors, timeout_ms: 300_000)
      try #require(!ready.isEmpty)
      broker.drive(ready: ready)
    }
    #expect(broker.connectionCount == 1)
  }

  @Test("more commands than may come: their head is read, and the message goes over a clean session")
  func topicCutOff() throws {
    let command: [UInt8] = [0x32, 19, 0, 13] + Array("fleet/van-7/c".utf8) + [0, 7, 0, 0x7B]
    let mine: [UInt8] = [0x32, 21, 0, 15] + Array("fleet/van-7/cmd".utf8) + [0, 7, 0, 0x7B]
    let large: [UInt8] = [0x32, 0xE8, 7] + [UInt8](repeating: 0, count: 500)
    let broker = ScriptedBroker([
      Self.accepted, .bytes([0x90, 4, 0, 1, 0, 1] + command + mine + large), Self.accepted, puback(3),
      puback(4),
    ])
    var request = request(broker)
    request.topicAllowed_bytes = 1000
    let result = try post(broker, request)
    #expect(result.status == 200 && result.isTopicCutOff && result.documents == [[0x7B]])
    #expect((44...1000).contains(result.topicBytes) && result.bytesDown > 550)
    let connects = broker.packets.filter { $0[0] == 0x10 }
    #expect(connects.count == 2 && connects.last == opening() && connects.first != opening())
    // Nothing is left to confirm, and the connection goes on.
    uploader.confirm()
    request.topicAllowed_bytes = 0
    let next = try post(broker, request)
    #expect(next.status == 200 && !next.isTopicCutOff && next.topicBytes == 0)
    #expect(broker.connectionCount == 2 && !broker.packets.contains { $0[0] == 0x40 })
  }

  @Test(
    "a broker that accepts and then is silent ends in a time-out; the next request has a connection of its own"
  )
  func silence() throws {
    let broker = ScriptedBroker([Self.accepted, .silence, Self.accepted, puback(2)])
    var short = request(broker)
    short.requestTimeout_s = 0.2
    let result = try post(broker, short)
    #expect(result.failure == .timeout && result.status == 0)
    #expect(result.message == "not done within sync.request_timeout_s")
    #expect(result.bytesUp > 0)
    #expect(try post(broker, request(broker)).status == 200)
    #expect(broker.connectionCount == 2)
  }

  @Test("the consumer's word is awaited for as long as request_timeout_s, however silent the broker is")
  func awaiting() throws {
    let broker = ScriptedBroker([Self.accepted, .bytes([0x90, 4, 0, 1, 0, 1]), puback(2)])
    var request = request(broker)
    (request.awaitsAnswer, request.requestTimeout_s) = (true, 3600)
    try uploader.start(request)
    var isQuiet = false
    while broker.packets.count < 3 || !isQuiet {
      let wait_ms = min(1000, uploader.timeout_ms ?? 1000)
      let ready = waitForDescriptors(broker.descriptors + uploader.descriptors, timeout_ms: wait_ms)
      isQuiet = ready.isEmpty
      broker.drive(ready: ready)
      #expect(uploader.drive(ready: ready) == nil)
    }
    let timeout_ms = try #require(uploader.timeout_ms)
    #expect(timeout_ms > 60_000, "\(timeout_ms)")
  }

  @Test("a kept connection whose other end is gone ends in a time-out too, and the next request is well")
  func halfOpen() throws {
    let broker = ScriptedBroker([Self.accepted, puback(1), .silence, Self.accepted, puback(3)])
    _ = try post(broker, request(broker))
    var short = request(broker)
    short.requestTimeout_s = 0.2
    #expect(try post(broker, short).failure == .timeout)
    #expect(try post(broker, request(broker)).status == 200)
    #expect(broker.connectionCount == 2)
  }

  @Test("CONNACK must come within the time for connecting")
  func noConnack() throws {
    let broker = ScriptedBroker([.silence])
    var short = request(broker)
    short.connectTimeout_s = 0.2
    let result = try post(broker, short)
    #expect(result.failure == .timeout)
    #expect(result.message == "no CONNACK within sync.connect_timeout_s")
    #expect(broker.packets == [opening()])
  }

  @Test("a broker of 3.1.1 gets 3.1.1 in the same attempt, and operators are informed once")
  func oldBroker() throws {
    let broker = ScriptedBroker([
      .bytes([0x20, 2, 0, 1]), .bytes([0x20, 2, 0, 0]), .bytes([0x40, 2, 0, 1]), .bytes([0x40, 2, 0, 2]),
    ])
    let first = try post(broker, request(broker))
    #expect(first.status == 200)
    #expect(first.notice.hasPrefix("the broker is used with MQTT 3.1.1: "))
    #expect(try post(broker, request(broker)).notice == "")
    let message = MQTTMessage(topic: "fleet/van-7", payload: [1, 2, 3])
    let old = MQTTPacket.connect(MQTTLogin(clientID: "van-7"), .v3_1_1)
    let publishes = [1, 2].map { MQTTPacket.publish(message, id: $0, .v3_1_1) }
    #expect(broker.packets == [opening(), old] + publishes)
  }

  @Test("a refused login is 401, and nothing was published")
  func refusedLogin() throws {
    let broker = ScriptedBroker([.bytes([0x20, 3, 0, 0x86, 0])])
    let result = try post(broker, request(broker))
    #expect(result.status == 401 && result.failure == nil)
    #expect(
      result.message
        == "CONNACK: bad user name or password (0x86); look at the user in sync.url and at sync.token_file, which holds the password"
    )
    #expect(broker.packets == [opening()])
  }

  @Test("what is too large for the broker is not sent, also on a connection that is kept")
  func tooLarge() throws {
    let most = UInt8(published(1).count)
    let broker = ScriptedBroker([.bytes([0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, most]), puback(1), puback(3)])
    #expect(try post(broker, request(broker)).status == 200)
    let result = try post(broker, request(broker, body: [1, 2, 3, 4]))
    #expect(result.status == 413)
    #expect(result.bytesUp == 0)
    #expect(try post(broker, request(broker)).status == 200)
    #expect(broker.packets == [opening(), published(1), published(3)])
  }

  @Test("what is no broker is reported as such, however it goes on")
  func noBroker() throws {
    let server = ScriptedServer([], greeting: .init("220 mail ESMTP\r\n", after: .flood))
    var request = UploadRequest(url: "mqtt://127.0.0.1:\(server.port)/a", body: [1], contentType: "a/b")
    request.requestTimeout_s = 20
    try uploader.start(request)
    let result = try finish(uploader, with: server)
    #expect(result.failure == .notMQTT)
    #expect(result.message == "what came is not what an MQTT broker answers; is it one, and the port right?")
  }

  @Test("nobody there, no such name, no such interface: as for HTTP")
  func noConnection() throws {
    let port = freePort()
    let causes: [(url: String, interface: String, cause: UploadReply.NoReply)] = [
      ("mqtt://127.0.0.1:\(port)/a", "", .connect), ("mqtts://nowhere.invalid/a", "", .resolve),
      ("mqtt://127.0.0.1:\(port)/a", "wwan77", .interface), ("mqtt://nowhere.invalid/a", "", .setup),
    ]
    for (url, interface, cause) in causes {
      var request = UploadRequest(url: url, body: [1], contentType: "a/b")
      request.interface = interface
      try uploader.start(request)
      let result = try finish(uploader)
      #expect(result.failure == cause, "\(result.message)")
      #expect(result.bytesUp == 0)
    }
  }

  @Test("plaintext leads to this machine only, and the message names the setting")
  func plaintext() throws {
    try uploader.start(UploadRequest(url: "mqtt://10.0.0.1/a", body: [1], contentType: "a/b"))
    let result = try finish(uploader)
    #expect(result.failure == .setup)
    #expect(
      result.message
        == "upload: sync.url is plaintext and leads off this machine; use https:// or mqtts://, or set sync.allow_plaintext"
    )
  }

  @Test("a broker that acknowledges before it has the message is not believed")
  func earlyPuback() throws {
    var lie: [UInt8] = [0x20, 3, 0, 0, 0]
    for id in 1...300 as ClosedRange<UInt16> { lie += [0x40, 2, UInt8(id >> 8), UInt8(id & 0xFF)] }
    let broker = ScriptedBroker([.bytes(lie), Self.accepted, puback(2)])
    let result = try post(broker, request(broker, body: Array(repeating: 7, count: 3_000_000)))
    #expect(result.failure == .notMQTT && result.status == 0)
    #expect(result.message == "the broker acknowledges a message that has not been sent to it")
    #expect(try post(broker, request(broker)).status == 200)
    #expect(broker.connectionCount == 2)
  }

  @Test("one that acknowledges in the middle of a message is not believed either")
  func pubackInTheMiddle() throws {
    let broker = ScriptedBroker([Self.accepted], early: [0x40, 2, 0, 1])
    let result = try post(broker, request(broker, body: Array(repeating: 7, count: 30_000_000)))
    #expect(result.failure == .notMQTT && result.status == 0, "\(result)")
  }

  @Test("a device's name is one level of the topic, whatever is in it, and the client id as it is")
  func deviceName() throws {
    let broker = ScriptedBroker([Self.accepted, puback(1)])
    let named = try MQTTUploader(device: "Müller/7+#", maxReply_bytes: 4096)
    try named.start(request(broker))
    #expect(try finish(named, with: broker).status == 200)
    let message = MQTTMessage(
      topic: "fleet/M%C3%BCller%2F7%2B%23", payload: [1, 2, 3], contentType: "a/b",
      properties: [.init("Godwit-Batch", "1-3")])
    #expect(
      broker.packets
        == [opening(MQTTLogin(clientID: "Müller/7+#")), MQTTPacket.publish(message, id: 1, .v5)])
  }

  @Test("one request at a time, a URL and a name that make a topic")
  func misuse() throws {
    let broker = ScriptedBroker([Self.accepted, puback(1)])
    try uploader.start(request(broker))
    #expect(throws: UploadError.inFlight) { try uploader.start(request(broker)) }
    let other = try MQTTUploader(device: String(repeating: "x", count: 65_530), maxReply_bytes: 4096)
    #expect(throws: UploadError.badTopic) { try other.start(request(broker)) }
    let none = UploadRequest(url: "mqtts://broker.example", body: [], contentType: "a/b")
    let flaw = UploadError.badURL("has no topic: name it behind the host, such as /fleet/{device}/records")
    #expect(throws: flaw) { try other.start(none) }
    #expect(
      "\(UploadError.badTopic)"
        == "upload: the topic in sync.url is too long for MQTT, with device_id in it; change either"
    )
  }
}
