import Testing
import TrackerBase

@testable import TrackerWire

/// What settings choose: the version, and whether somebody is waited for.
@Suite("MQTT's publisher: a version that is set, an answer that is awaited")
struct MQTTChoiceTests {
  private let message = MQTTMessage(topic: "t", payload: [1, 2, 3], contentType: "a/b")
  private let asking = MQTTMessage(topic: "t", payload: [1], responseTopic: "t/ack")
  private let login = MQTTLogin(clientID: "van")
  private let accepted = bytes("20 03 00 00 00")

  private func new() -> MQTTPublisher { MQTTPublisher(mostReply_bytes: 1000) }

  private func connect(_ version: MQTTPacket.Version) -> MQTTPublisher.Action {
    .send(MQTTPacket.connect(login, version))
  }

  @Test("a version that is set is the only one that is tried")
  func oneVersion() {
    var old = MQTTPublisher(mostReply_bytes: 1000, version: .v3_1_1)
    _ = old.start(message, login, mayReuse: true)
    #expect(old.connected() == [connect(.v3_1_1)] && old.spoken == .auto)
    #expect(
      old.received(bytes("20 02 00 00")) == [.send(MQTTPacket.publish(message, id: 1, .v3_1_1))]
        && old.spoken == .v3_1_1)
    for reply in ["20 02 00 01", "20 03 00 84 00", "20 02 00 00"] {
      var new = MQTTPublisher(mostReply_bytes: 1000, version: .v5)
      _ = new.start(message, login, mayReuse: true)
      #expect(new.connected() == [connect(.v5)])
      #expect(new.received(bytes(reply)) == [.close, .finish(.refused(by: .connack, code: 0x84))])
    }
    var silent = MQTTPublisher(mostReply_bytes: 1000, version: .v5)
    for _ in 1...MQTTPublisher.hangUpsUntilTried {
      _ = silent.start(message, login, mayReuse: true)
      _ = silent.connected()
      #expect(silent.silent() == nil)
      #expect(silent.closed() == [.close, .finish(.notAccepted)])
    }
  }

  @Test("no_subscriber = accept: what is accepted with no subscriber is stored, and this is noted")
  func noSubscriber() {
    for choice in SyncSettings.NoSubscriber.allCases {
      var publisher = MQTTPublisher(mostReply_bytes: 1000, noSubscriber: choice)
      _ = publisher.start(message, login, mayReuse: true)
      _ = publisher.connected()
      _ = publisher.received(accepted)
      publisher.sent()
      #expect(!publisher.hasNoSubscriber)
      let outcome: MQTTOutcome = choice == .accept ? .stored : .noSubscriber
      #expect(publisher.received(bytes("40 03 0001 10")) == [.finish(outcome)])
      #expect(publisher.hasNoSubscriber == (choice == .accept))
    }
  }

  @Test("a broker that knew 3.1.1 alone when it was last heard gets it after one silence or one hang-up")
  func rememberedVersion() {
    for isSilent in [true, false] {
      var publisher = new()
      _ = publisher.start(message, login, mayReuse: true, lastSpoken: .v3_1_1)
      // It may have been updated.
      #expect(publisher.connected() == [connect(.v5)])
      #expect((isSilent ? publisher.silent() : publisher.closed()) == [.close, .connect])
      #expect(publisher.connected() == [connect(.v3_1_1)])
    }
    var other = new()
    _ = other.start(message, login, mayReuse: true, lastSpoken: .v5)
    _ = other.connected()
    #expect(other.silent() == nil)
  }

  private let subscribe = MQTTPublisher.Action.send(bytes("82 0B 0001 00 0005 742F61636B 21"))

  /// On the topic t/ack, with QoS 1 and the packet id 9.
  private func answer(_ text: String, flags: UInt8 = 2) -> [UInt8] {
    let body = bytes("0005 742F61636B") + (flags & 2 == 0 ? [] : [0, 9]) + [0] + Array(text.utf8)
    return [0x30 | flags, UInt8(body.count)] + body
  }

  /// One that has sent `asking` with the packet id 2.
  private func asked() -> MQTTPublisher {
    var publisher = new()
    _ = publisher.start(asking, login, mayReuse: true)
    _ = publisher.connected()
    #expect(publisher.received(accepted) == [subscribe])
    #expect(publisher.received(bytes("90 04 0001 00 01")) == [.send(MQTTPacket.publish(asking, id: 2, .v5))])
    publisher.sent()
    return publisher
  }

  private let puback = MQTTPublisher.Action.send(bytes("40 02 0009"))

  @Test(
    "the topic of answers is subscribed to first; PUBACK alone finishes nothing; the answer may come before it"
  )
  func answered() {
    var publisher = asked()
    #expect(publisher.received(bytes("40 02 0002")) == [] && publisher.isAwaiting)
    #expect(publisher.received(answer("{}")) == [puback, .finish(.answered(Array("{}".utf8)))])
    #expect(publisher.isReady)
    // The same connection needs no further SUBSCRIBE.
    #expect(
      publisher.start(asking, login, mayReuse: true) == [.send(MQTTPacket.publish(asking, id: 3, .v5))])
    publisher.sent()
    #expect(publisher.received(answer("a", flags: 0)) == [] && !publisher.isAwaiting)
    #expect(publisher.received(bytes("40 02 0003")) == [.finish(.answered([0x61]))])
  }

  @Test("no answer: what is retained, on another topic, or there before the message was sent whole")
  func noAnswer() {
    var publisher = asked()
    _ = publisher.received(bytes("40 02 0002"))
    #expect(publisher.received(answer("old", flags: 3)) == [puback])
    #expect(publisher.received(bytes("30 05 0001 78 00 61")) == [] && publisher.isAwaiting)
    _ = publisher.received(answer("{}"))
    _ = publisher.start(asking, login, mayReuse: true)
    #expect(publisher.received(answer("early")) == [puback])
    publisher.sent()
    #expect(publisher.received(bytes("40 02 0003")) == [] && publisher.isAwaiting)
  }

  @Test("a topic of answers that may not be read, nobody who subscribes, and a message that nobody asked for")
  func refusedAnswers() {
    var publisher = new()
    _ = publisher.start(asking, login, mayReuse: true)
    _ = publisher.connected()
    _ = publisher.received(accepted)
    #expect(
      publisher.received(bytes("90 04 0001 00 87")) == [.close, .finish(.refused(by: .suback, code: 0x87))])
    publisher = asked()
    #expect(publisher.received(bytes("40 03 0002 10")) == [.finish(.noSubscriber)])
    publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    _ = publisher.received(accepted)
    #expect(publisher.received(answer("{}")) == [.close, .finish(.notMQTT(.unexpected))])
  }
}
