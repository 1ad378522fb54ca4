import NIOCore
import Testing

@testable import Collector

@Suite("MQTT packets")
struct MQTTReaderTests {
  // MARK: What goes out

  @Test(
    "are written as MQTT 3.1.1 has them",
    arguments: [
      (
        MQTTRequest.connect(MQTTLogin(clientID: "c1", keepAlive_s: 60)),
        [0x10, 14, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 0, 0, 60, 0, 2, 0x63, 0x31]
      ),
      (
        .connect(MQTTLogin(clientID: "c", user: "u", password: [0xFF, 1], keepAlive_s: 300)),
        [0x10, 20, 0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 0xC0, 1, 44, 0, 1, 0x63, 0, 1, 0x75, 0, 2, 0xFF, 1]
      ),
      (.subscribe(id: 258, filter: "a/+"), [0x82, 8, 1, 2, 0, 3, 0x61, 0x2F, 0x2B, 1]),
      (.puback(id: 0xABCD), [0x40, 2, 0xAB, 0xCD]),
      (.publish(topic: "t", payload: [7, 8]), [0x30, 5, 0, 1, 0x74, 7, 8]),
      (.pingreq, [0xC0, 0]), (.disconnect, [0xE0, 0]),
    ] as [(MQTTRequest, [UInt8])])
  func written(request: MQTTRequest, bytes: [UInt8]) {
    #expect(request.bytes == bytes)
  }

  @Test("a user without a password sends no password")
  func noPassword() {
    let login = MQTTLogin(clientID: "c", user: "u", keepAlive_s: 0)
    #expect(MQTTRequest.connect(login).bytes[9] == 0x80)
  }

  @Test(
    "lengths are those of the specification's table (2.2.3)",
    arguments: [
      (0, [0]), (127, [0x7F]), (128, [0x80, 1]), (16_383, [0xFF, 0x7F]), (16_384, [0x80, 0x80, 1]),
      (2_097_151, [0xFF, 0xFF, 0x7F]), (2_097_152, [0x80, 0x80, 0x80, 1]),
      (268_435_455, [0xFF, 0xFF, 0xFF, 0x7F]),
    ] as [(Int, [UInt8])])
  func lengths(count: Int, bytes: [UInt8]) {
    #expect(MQTTRequest.length(count) == bytes)
  }

  // MARK: What comes in

  /// One of each kind, and what they mean.
  private static let conversation: [(bytes: [UInt8], reply: MQTTReply)] = [
    ([0x20, 2, 1, 0], .connack(isKept: true, code: 0)),
    ([0x20, 2, 0, 5], .connack(isKept: false, code: 5)),
    ([0x90, 3, 0, 1, 1], .suback(id: 1, code: 1)),
    ([0x90, 3, 1, 2, 0x80], .suback(id: 258, code: 0x80)),
    ([0x32, 7, 0, 1, 0x74, 0, 9, 1, 2], .publish(MQTTArrival(topic: "t", payload: [1, 2], id: 9))),
    // Again (DUP), and retained.
    ([0x3B, 6, 0, 1, 0x74, 0, 9, 3], .publish(MQTTArrival(topic: "t", payload: [3], id: 9))),
    ([0x30, 4, 0, 1, 0x74, 5], .publish(MQTTArrival(topic: "t", payload: [5]))),
    ([0x32, 5, 0, 1, 0x74, 0, 9], .publish(MQTTArrival(topic: "t", payload: [], id: 9))),
    ([0xD0, 0], .pingresp),
    // 12 bytes, of which 10 are taken.
    (
      [0x32, 17, 0, 1, 0x74, 0, 8] + [UInt8](repeating: 7, count: 12),
      .publish(MQTTArrival(topic: "t", payload: [], id: 8, tooLarge_bytes: 12))
    ),
    // A length that takes two bytes; of its payload all is taken.
    (
      [0x32, 0x8C, 1, 0, 128] + [UInt8](repeating: 0x61, count: 128) + [0, 3]
        + [UInt8](repeating: 1, count: 8),
      .publish(
        MQTTArrival(
          topic: String(repeating: "a", count: 128), payload: [UInt8](repeating: 1, count: 8), id: 3))
    ),
    ([0xD0, 0], .pingresp),
  ]

  private func read(_ pieces: [ArraySlice<UInt8>], most_bytes: Int = 10) throws -> [MQTTReply] {
    var reader = MQTTReader(most_bytes: most_bytes)
    var replies: [MQTTReply] = []
    for piece in pieces {
      reader.append(ByteBuffer(bytes: piece))
      while let reply = try reader.next() { replies.append(reply) }
    }
    return replies
  }

  @Test("are read whole, however they were cut on their way")
  func everySplit() throws {
    let bytes = Self.conversation.flatMap(\.bytes)
    let replies = Self.conversation.map(\.reply)
    #expect(try read([bytes[...]]) == replies)
    #expect(try read(bytes.map { [$0] }) == replies)
    for one in bytes.indices {
      for two in one..<min(bytes.count, one + 6) {
        #expect(
          try read([bytes[..<one], bytes[one..<two], bytes[two...]]) == replies, "cut at \(one), \(two)")
      }
    }
  }

  @Test("a packet without its end is none")
  func truncated() throws {
    for (bytes, _) in Self.conversation {
      for count in bytes.indices { #expect(try read([bytes[..<count]]).isEmpty) }
    }
  }

  @Test(
    "what no broker may say is an error with its reason",
    arguments: [
      ([0x20, 3, 0, 0, 0], .malformed("CONNACK")), ([0x20, 1, 0], .malformed("CONNACK")),
      ([0x20, 2, 2, 0], .malformed("CONNACK")), ([0x90, 2, 0, 1], .malformed("SUBACK")),
      ([0x90, 3, 0, 1, 3], .malformed("SUBACK")), ([0x90, 4, 0, 1, 1, 1], .malformed("SUBACK")),
      ([0xD0, 1, 0], .malformed("PINGRESP")), ([0x20, 5], .tooLong("CONNACK", bytes: 5)),
      ([0xD0, 0xFF, 0xFF, 0xFF, 0x7F], .tooLong("PINGRESP", bytes: 268_435_455)),
      ([0x90, 0x80, 1], .tooLong("SUBACK", bytes: 128)),
      // No topic, one that ends behind the packet, with a wildcard, that is no text.
      ([0x32, 1, 0], .malformed("PUBLISH")), ([0x32, 4, 0, 0, 0, 1], .malformed("PUBLISH")),
      ([0x32, 4, 0, 9, 0x74, 0], .malformed("PUBLISH")),
      ([0x32, 5, 0, 1, 0x2B, 0, 1], .malformed("PUBLISH")),
      ([0x32, 5, 0, 1, 0xFF, 0, 1], .malformed("PUBLISH")),
      ([0x32, 5, 0, 1, 0, 0, 1], .malformed("PUBLISH")),
      // Without an id, or with none.
      ([0x32, 3, 0, 1, 0x74], .malformed("PUBLISH")), ([0x32, 5, 0, 1, 0x74, 0, 0], .malformed("PUBLISH")),
      ([0x34, 5, 0, 1, 0x74, 0, 1], .qos2), ([0x36, 5, 0, 1, 0x74, 0, 1], .malformed("PUBLISH")),
      // Too large, and its topic would be longer still.
      ([0x32, 20, 0, 30], .malformed("PUBLISH")),
      ([0x32, 0x80, 0x80, 0x80, 0x80], .badLength), ([0x20, 0xFF, 0xFF, 0xFF, 0xFF, 1], .badLength),
      ([0x40, 2, 0, 1], .unexpected(first: 0x40)), ([0x10, 0], .unexpected(first: 0x10)),
      ([0x00], .unexpected(first: 0)), ([0xF0], .unexpected(first: 0xF0)), ([0x21], .unexpected(first: 0x21)),
      (Array("HTTP/1.1 400".utf8), .unexpected(first: 0x48)),
    ] as [([UInt8], MQTTError)])
  func wrong(bytes: [UInt8], error: MQTTError) {
    #expect(throws: error) { try read([bytes[...]]) }
    #expect(throws: error) { try read(bytes.map { [$0] }) }
  }

  @Test("errors say what came, and nothing of what was in it")
  func words() {
    #expect(MQTTError.tooLong("SUBACK", bytes: 128).description == "a SUBACK of 128 bytes came")
    #expect(MQTTError.malformed("PUBLISH").description == "a malformed PUBLISH came")
    #expect(MQTTError.qos2.description == "a message with QoS 2 came, and QoS 1 was subscribed to")
    #expect(MQTTError.badLength.description == "a packet's length has more than four bytes")
    #expect(
      MQTTError.unexpected(first: 72).description
        == "a packet that begins with 72 came where none of that kind may come")
  }

  @Test(
    "bytes of chance, and packets with a changed byte, give packets or an error, the same however they are cut"
  )
  func anything() {
    var chance = Chance(state: 20_260_302)
    var (read, refused) = (0, 0)
    for _ in 0..<1500 {
      var bytes: [UInt8]
      if chance.next() % 2 == 0 {
        bytes = (0..<chance.next() % 60).map { _ in UInt8(chance.next() % 256) }
      } else {
        bytes = (0..<3).flatMap { _ in Self.conversation[Int(chance.next() % 12)].bytes }
        bytes[Int(chance.next() % UInt64(bytes.count))] = UInt8(chance.next() % 256)
      }
      let cut = Int(chance.next() % UInt64(bytes.count + 1))
      let whole = Result { try self.read([bytes[...]]) }.mapError { $0 as? MQTTError ?? .badLength }
      let parts = Result { try self.read([bytes[..<cut], bytes[cut...]]) }.mapError {
        $0 as? MQTTError ?? .badLength
      }
      #expect(whole == parts)
      if case .success = whole { read += 1 } else { refused += 1 }
    }
    // Both have been tried.
    #expect(read > 200 && refused > 200)
  }
}

/// The same numbers each time (Steele, Lea, Flood: SplitMix64).
struct Chance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
