import Testing

@testable import TrackerWire

/// The packets byte by byte, as MQTT 5.0 and 3.1.1 have them.
@Suite("MQTT's packets")
struct MQTTPacketTests {
  private func expect(
    _ bytes: [UInt8], _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(hex(bytes) == text.filter { $0 != " " && $0 != "\n" }, sourceLocation: sourceLocation)
  }

  @Test("CONNECT with a clean start, no keep alive, the device's name, user and password")
  func connect() {
    let login = MQTTLogin(clientID: "van-7", user: "me", password: "pw")
    expect(
      MQTTPacket.connect(login, .v5),
      "10 1c 0004 4d515454 05 c2 0000 02 17 00 0005 76616e2d37 0002 6d65 0002 7077")
    expect(
      MQTTPacket.connect(login, .v3_1_1), "10 19 0004 4d515454 04 c2 0000 0005 76616e2d37 0002 6d65 0002 7077"
    )
  }

  @Test("CONNECT without user and password does not say that there are some")
  func anonymous() {
    expect(
      MQTTPacket.connect(MQTTLogin(clientID: "a"), .v3_1_1), "10 0d 0004 4d515454 04 02 0000 0001 61")
    expect(
      MQTTPacket.connect(MQTTLogin(clientID: "a", user: "u"), .v3_1_1),
      "10 10 0004 4d515454 04 82 0000 0001 61 0001 75")
  }

  @Test("PUBLISH with QoS 1, not retained, its type and properties in MQTT 5 only")
  func publish() {
    let message = MQTTMessage(
      topic: "a/b", payload: [0x7b, 0x7d], contentType: "x/y", properties: [.init("n", "vv"), .init("m", "")])
    expect(
      MQTTPacket.publish(message, id: 0x1234, .v5),
      "32 1e 0003 612f62 1234 14 03 0003 782f79 26 0001 6e 0002 7676 26 0001 6d 0000 7b7d")
    expect(MQTTPacket.publish(message, id: 1, .v3_1_1), "32 09 0003 612f62 0001 7b7d")
    expect(
      MQTTPacket.publish(MQTTMessage(topic: "t", payload: []), id: 1, .v5), "32 06 0001 74 0001 00")
  }

  @Test(
    "a packet's length has as many bytes as it needs",
    arguments: [
      (122, "327f"), (123, "328001"), (16_378, "32ff7f"), (16_379, "32808001"), (2_097_146, "32ffff7f"),
      (2_097_147, "3280808001"),
    ])
  func length(payload: Int, head: String) {
    let message = MQTTMessage(topic: "t", payload: [UInt8](repeating: 0, count: payload))
    let packet = MQTTPacket.publish(message, id: 1, .v3_1_1)
    #expect(hex(packet).hasPrefix(head + "0001740001"))
    #expect(packet.count == head.count / 2 + 5 + payload)
  }

  @Test("a name that no length can express is cut, and the packet stays whole")
  func absurd() throws {
    let long = String(repeating: "x", count: 70_000)
    let packet = MQTTPacket.connect(MQTTLogin(clientID: long), .v3_1_1)
    #expect(packet.count == 4 + 10 + 2 + 65_535)
  }

  @Test("DISCONNECT is the shortest there is")
  func disconnect() { expect(MQTTPacket.disconnect, "e0 00") }

  // MARK: Replies

  private func read(_ text: String, _ version: MQTTPacket.Version = .v5, most_bytes: Int = 1000) throws
    -> MQTTReply?
  {
    var reader = MQTTReader(most_bytes: most_bytes)
    reader.append(bytes(text))
    return try reader.next(version)
  }

  @Test("CONNACK: what it refuses, and what it allows")
  func connack() throws {
    #expect(try read("20 03 00 00 00") == .connected(code: 0, terms: MQTTTerms()))
    #expect(try read("20 03 00 87 00") == .connected(code: 0x87, terms: MQTTTerms()))
    #expect(try read("20 02 00 01") == .connected(code: 1, terms: nil))
    #expect(try read("20 02 01 00", .v3_1_1) == .connected(code: 0, terms: nil))
    // As mosquitto 2.0 answers.
    let usual = MQTTTerms(keepAlive_s: 65_535)
    #expect(try read("200c00000922000a13ffff210014") == .connected(code: 0, terms: usual))
    let strict = MQTTTerms(mostBytes: 2000, takesQoS1: false, keepAlive_s: 60)
    #expect(
      try read("20 0f 00 00 0c 27 000007d0 24 00 13 003c 25 01") == .connected(code: 0, terms: strict))
  }

  @Test("a keep alive of 0 is none, and no packet is larger than MQTT's largest")
  func limits() throws {
    let reply = try read("20 0b 00 00 08 13 0000 27 ffffffff")
    #expect(reply == .connected(code: 0, terms: MQTTTerms()))
  }

  @Test("every property that CONNACK may have is passed over by its length")
  func properties() throws {
    let all = """
      11 00000001 21 0014 24 01 25 01 27 000007d0 12 0001 61 22 000a 1f 0002 6f6b 26 0001 61 0001 62
      28 01 29 01 2a 01 13 000a 1a 0001 72 1c 0001 73 15 0001 74 16 0002 0102
      """
    let length = bytes(all).count
    let terms = MQTTTerms(mostBytes: 2000, keepAlive_s: 10)
    let packet = "20 \(hex([UInt8(length + 3)])) 00 00 \(hex([UInt8(length)])) \(all)"
    #expect(try read(packet) == .connected(code: 0, terms: terms))
  }

  @Test("PUBACK with and without a reason, with reason and properties")
  func puback() throws {
    #expect(try read("40 02 0001") == .acknowledged(id: 1, code: 0))
    #expect(try read("40 02 fffe", .v3_1_1) == .acknowledged(id: 0xFFFE, code: 0))
    #expect(try read("40 03 0001 10") == .acknowledged(id: 1, code: 0x10))
    #expect(try read("40 04 0001 97 00") == .acknowledged(id: 1, code: 0x97))
    #expect(try read("40 09 0001 97 05 1f 0002 6f6b") == .acknowledged(id: 1, code: 0x97))
  }

  @Test("DISCONNECT with and without a reason")
  func brokerLeaves() throws {
    #expect(try read("e0 00") == .disconnected(code: 0))
    #expect(try read("e0 01 8b") == .disconnected(code: 0x8B))
    #expect(try read("e0 02 8b 00") == .disconnected(code: 0x8B))
  }

  @Test(
    "what no broker may say is refused",
    arguments: [
      // Other packets, other protocols: an empty line, "HTTP/1.1", "220 mail", "SSH-2.0".
      "d000", "f000", "300500016100", "900300010000", "1000", "0d0a", "485454502f312e31", "32323020",
      "5353482d", "2103000000", "4202", "00", "ff",
      // A length of five bytes.
      "20ffffffff01", "2080808080",
    ])
  func strangers(text: String) {
    #expect(throws: MQTTError.self) { try read(text) }
  }

  @Test(
    "a packet that does not keep to its own length is refused",
    arguments: [
      "2000", "2001 00", "2003 02 00 00", "2003 00 00 01", "2004 00 00 00 00", "2004 00 00 05 27",
      "2006 00 00 03 27 0001", "2008 00 00 05 27 00000000", "2005 00 00 02 ff 00", "2006 00 00 03 1f 0005",
      "2008 00 00 05 26 0001 61 00", "2007 00 00 80 80 80 80 00", "4000", "4001 00", "4004 0001 00 01",
      "4005 0001 00 00 00", "e002 00 01", "e003 8b 00 00",
    ])
  func malformed(text: String) {
    #expect(throws: MQTTError.malformed) { try read(text) }
  }

  @Test("3.1.1 has neither reasons nor DISCONNECT")
  func oldForm() {
    #expect(throws: MQTTError.malformed) { try read("40 03 0001 00", .v3_1_1) }
    #expect(throws: MQTTError.malformed) { try read("20 03 00 00 00", .v3_1_1) }
    #expect(throws: MQTTError.unexpected) { try read("e0 00", .v3_1_1) }
  }

  @Test("a long packet is refused by its head, and not collected")
  func tooLong() throws {
    #expect(throws: MQTTError.tooLong) { try read("20 e907", most_bytes: 1000) }
    #expect(try read("20 e807", most_bytes: 1000) == nil)
  }

  @Test("packets come in pieces of any size, and several at a time")
  func pieces() throws {
    let stream = bytes("20 03 00 00 00 40 03 0001 10 40 02 0002 e0 01 8b")
    for size in 1...stream.count {
      var reader = MQTTReader(most_bytes: 100)
      var replies: [MQTTReply] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        reader.append(Array(stream[start..<min(start + size, stream.count)]))
        while let reply = try reader.next(.v5) { replies.append(reply) }
      }
      let wanted: [MQTTReply] = [
        .connected(code: 0, terms: MQTTTerms()), .acknowledged(id: 1, code: 0x10),
        .acknowledged(id: 2, code: 0), .disconnected(code: 0x8B),
      ]
      #expect(replies == wanted)
      #expect(reader.isEmpty)
    }
  }

  @Test("random bytes, and sound packets with a few of them wrong, never crash")
  func noise() {
    var random = SeededBytes(state: 7)
    let sound = [
      "200c00000922000a13ffff210014", "20 0f 00 00 0c 27 000007d0 24 00 13 003c 25 01",
      "400900019705 1f00026f6b",
      "e00b8b09 1f 0002 6f6b 1c 0001 78",
    ].map(bytes)
    for round in 0..<50_000 {
      var packet = sound[round % sound.count]
      if round % 3 == 0 {
        packet = (0..<Int(random.next() % 40)).map { _ in random.next() }
      } else {
        for _ in 0...(round % 4) { packet[Int(random.next()) % packet.count] = random.next() }
      }
      var reader = MQTTReader(most_bytes: 64)
      reader.append(packet)
      while let reply = try? reader.next(round % 2 == 0 ? .v5 : .v3_1_1) { _ = reply }
    }
  }
}

/// xorshift: the same each time.
struct SeededBytes {
  var state: UInt64

  mutating func next() -> UInt8 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return UInt8(truncatingIfNeeded: state >> 24)
  }
}

func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func bytes(_ hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
