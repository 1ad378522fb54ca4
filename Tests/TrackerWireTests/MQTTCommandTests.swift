import Testing
import TrackerBase

@testable import TrackerWire

/// Commands that a broker has kept.
@Suite("MQTT's topic of commands")
struct MQTTCommandTests {
  /// PUBLISH with QoS 1 and id 7: `{`.
  private static let command = "32 0B 0005 742F636D64 0007 00 7B"
  private static let arrived = MQTTPublisher.Action.arrived([0x7B], id: 7)

  private var message: MQTTMessage {
    var message = MQTTMessage(topic: "t", payload: [1])
    message.commandTopic = "t/cmd"
    return message
  }

  private var login: MQTTLogin {
    var login = MQTTLogin(clientID: "van")
    login.keepsSession = true
    return login
  }

  private func publish(_ id: UInt16) -> MQTTPublisher.Action {
    .send(MQTTPacket.publish(message, id: id, .v5))
  }

  /// SUBSCRIBE is under way.
  private func subscribing() -> MQTTPublisher {
    var publisher = MQTTPublisher(mostReply_bytes: 1000)
    #expect(publisher.start(message, login, mayReuse: true) == [.connect])
    #expect(publisher.connected() == [.send(MQTTPacket.connect(login, .v5))])
    #expect(
      publisher.received(bytes("20 03 01 00 00")) == [.send(MQTTPacket.subscribe("t/cmd", id: 1, .v5))])
    return publisher
  }

  @Test("the session is kept: no clean start, and for MQTT 5 also how long, and how much may come")
  func session() {
    #expect(
      MQTTPacket.connect(login, .v5)
        == bytes("10 1F 0004 4D515454 05 00 0000 0F 17 00 11 00278D00 21 0001 27 00020000 0003 76616E"))
    var wider = login
    (wider.mostArriving_bytes, wider.mostUnconfirmed_bytes) = (65_536, 262_144)
    #expect(
      MQTTPacket.connect(wider, .v5)
        == bytes("10 1F 0004 4D515454 05 00 0000 0F 17 00 11 00278D00 21 0002 27 00010000 0003 76616E"))
    #expect(MQTTPacket.connect(login, .v3_1_1) == bytes("10 0F 0004 4D515454 04 00 0000 0003 76616E"))
  }

  @Test("what waits comes before SUBACK, before PUBACK or behind it; it is not confirmed by itself")
  func arrival() {
    var early = subscribing()
    #expect(early.received(bytes(Self.command)) == [Self.arrived])
    #expect(early.received(bytes("90 04 0001 00 01")) == [publish(2)])

    var publisher = subscribing()
    #expect(publisher.received(bytes("90 04 0001 00 01")) == [publish(2)])
    #expect(publisher.received(bytes(Self.command)) == [Self.arrived])
    publisher.sent()
    #expect(publisher.received(bytes("40 02 0002" + Self.command)) == [.finish(.stored), Self.arrived])
    #expect(publisher.isReady)
    #expect(publisher.start(message, login, mayReuse: true) == [publish(3)])
    #expect(publisher.received(bytes(Self.command)) == [Self.arrived])
    #expect(publisher.confirmation(of: [7, 258]) == bytes("40 02 0007 40 02 0102"))
  }

  @Test("a broker that refuses the topic gets the records all the same")
  func refused() {
    var publisher = subscribing()
    #expect(
      publisher.received(bytes("90 04 0001 00 87")) == [.commandsRefused(code: 0x87), publish(2)])
    publisher.sent()
    #expect(publisher.received(bytes("40 02 0002")) == [.finish(.stored)])
  }

  @Test(
    "more than may come: the head is all that is read of it, and the message goes without the session",
    arguments: ["32 E807", "30 E807"])
  func tooMuch(head: String) {
    var publisher = MQTTPublisher(mostReply_bytes: 10_000)
    #expect(publisher.start(message, login, mayReuse: true, allowed_bytes: 1000) == [.connect])
    _ = publisher.connected()
    _ = publisher.received(bytes("20 03 01 00 00"))
    #expect(publisher.received(bytes(Self.command)) == [Self.arrived])
    #expect(publisher.topicBytes == 13)
    // 1000 bytes, where 987 are left.
    #expect(publisher.received(bytes(head)) == [.topicCutOff, .close, .connect])
    let clean = MQTTLogin(clientID: "van")
    #expect(publisher.connected() == [.send(MQTTPacket.connect(clean, .v5))])
    #expect(publisher.received(bytes("20 03 00 00 00")) == [publish(2)])
    publisher.sent()
    #expect(publisher.received(bytes("40 02 0002")) == [.finish(.stored)])
    #expect(publisher.topicBytes < 20)
  }

  @Test("what exceeds it behind the PUBACK waits for the next message")
  func behind() {
    var publisher = subscribing()
    _ = publisher.received(bytes("90 04 0001 00 01"))
    publisher.sent()
    // 13 bytes and 993, of which 1000 may come.
    #expect(
      publisher.received(bytes(Self.command + "40 02 0002 30 DE07")) == [Self.arrived, .finish(.stored)])
    #expect(publisher.isReady)
    #expect(publisher.start(message, login, mayReuse: true, allowed_bytes: 2000) == [publish(3)])
    publisher.sent()
    let payload = [UInt8](repeating: 0x7B, count: 982)
    #expect(
      publisher.received([0, 5] + Array("t/cmd".utf8) + [0] + payload + bytes("40 02 0003"))
        == [.arrived(payload, id: nil), .finish(.stored)])
    #expect(publisher.topicBytes == 993)
  }

  @Test("what was not whole when the connection ended has come all the same")
  func partly() {
    var publisher = subscribing()
    _ = publisher.received(bytes("32 6400" + String(repeating: "61", count: 50)))
    #expect(publisher.topicBytes == 0)
    #expect(publisher.closed() == [.close, .finish(.dropped)])
    #expect(publisher.topicBytes == 53)
  }

  @Test("what comes on another topic is confirmed, and no command")
  func otherTopic() {
    var publisher = subscribing()
    let other = bytes("32 0B 0005 742F616263 0007 00 7B")
    #expect(publisher.received(other) == [.send(MQTTPacket.puback(id: 7))])
  }
}
