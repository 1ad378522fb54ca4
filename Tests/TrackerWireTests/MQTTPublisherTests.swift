import Testing
import TrackerBase

@testable import TrackerWire

/// What a publisher does, event by event.
@Suite("MQTT's publisher")
struct MQTTPublisherTests {
  typealias Action = MQTTPublisher.Action

  let message = MQTTMessage(topic: "t", payload: [1, 2, 3], contentType: "a/b")
  let login = MQTTLogin(clientID: "van")
  let accepted = bytes("20 03 00 00 00")

  private func connect(_ version: MQTTPacket.Version = .v5) -> Action {
    .send(MQTTPacket.connect(login, version))
  }

  private func publish(_ id: UInt16, _ version: MQTTPacket.Version = .v5) -> Action {
    .send(MQTTPacket.publish(message, id: id, version))
  }

  private func new() -> MQTTPublisher { MQTTPublisher(mostReply_bytes: 1000) }

  /// One whose first message is under way, on a connection of its own.
  private func publishing(_ connack: String = "20 03 00 00 00") -> MQTTPublisher {
    var publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    _ = publisher.received(bytes(connack))
    publisher.sent()
    return publisher
  }

  /// One with a connection that is kept.
  private func ready() -> MQTTPublisher {
    var publisher = publishing()
    _ = publisher.received(bytes("40 02 0001"))
    return publisher
  }

  @Test("a message: connection, CONNECT, CONNACK, PUBLISH, PUBACK; and the next on the same connection")
  func sunshine() {
    var publisher = new()
    #expect(publisher.start(message, login, mayReuse: true) == [.connect])
    #expect(publisher.connected() == [connect()])
    #expect(publisher.isGreeting)
    #expect(publisher.received(accepted) == [publish(1)])
    #expect(!publisher.isGreeting && !publisher.isReady)
    publisher.sent()
    #expect(publisher.received(bytes("40 02 0001")) == [.finish(.stored)])
    #expect(publisher.isReady)
    #expect(publisher.start(message, login, mayReuse: true) == [publish(2)])
    publisher.sent()
    #expect(publisher.received(bytes("40 04 0002 00 00")) == [.finish(.stored)])
    #expect(publisher.version == .v5)
  }

  @Test("a kept connection that is not good enough is closed, and another made")
  func anew() {
    var publisher = ready()
    #expect(publisher.start(message, login, mayReuse: false) == [.close, .connect])
    #expect(publisher.connected() == [connect()])
    #expect(publisher.received(accepted) == [publish(2)])
  }

  @Test("packet ids begin again at 1, since 0 is none")
  func ids() {
    var publisher = ready()
    for id in 2...65_535 {
      let packet = bytes("40 02") + [UInt8(id >> 8), UInt8(id & 0xFF)]
      _ = publisher.start(message, login, mayReuse: true)
      publisher.sent()
      #expect(publisher.received(packet) == [.finish(.stored)])
    }
    #expect(publisher.start(message, login, mayReuse: true) == [publish(1)])
  }

  // MARK: What the broker answers

  @Test(
    "only a PUBACK of reason 0 acknowledges; the connection is kept with any",
    arguments: [
      (0x00, MQTTOutcome.stored), (0x10, .noSubscriber), (0x87, .refused(by: .puback, code: 0x87)),
      (0x97, .refused(by: .puback, code: 0x97)), (0x99, .refused(by: .puback, code: 0x99)),
    ] as [(UInt8, MQTTOutcome)])
  func puback(code: UInt8, outcome: MQTTOutcome) {
    var publisher = publishing()
    #expect(publisher.received(bytes("40 03 0001") + [code]) == [.finish(outcome)])
    #expect(publisher.isReady)
  }

  @Test(
    "a PUBACK for another message, or of a reason that there is not, is no MQTT",
    arguments: [
      ("40 02 0002", .unasked), ("40 02 0000", .unasked), ("40 03 0001 11", .unexpected),
      ("20 03 00 00 00", .unexpected),
    ] as [(String, MQTTError)])
  func wrongPuback(text: String, flaw: MQTTError) {
    var publisher = publishing()
    #expect(publisher.received(bytes(text)) == [.close, .finish(.notMQTT(flaw))])
    #expect(publisher.state == .closed)
  }

  @Test(
    "a PUBACK for a message that is not yet sent whole is a lie: with CONNACK, behind it, on a kept connection"
  )
  func early() {
    let lie = Action.finish(.notMQTT(.unasked))
    var publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    #expect(publisher.received(accepted + bytes("40 02 0001")) == [publish(1), .close, lie])
    #expect(publisher.state == .closed)
    publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    _ = publisher.received(accepted)
    #expect(publisher.received(bytes("40 02 0001")) == [.close, lie])
    publisher = ready()
    _ = publisher.start(message, login, mayReuse: true)
    #expect(publisher.received(bytes("40 02 0002")) == [.close, lie])
    #expect(
      MQTTOutcome.notMQTT(.unasked).words == "the broker acknowledges a message that has not been sent to it")
  }

  @Test(
    "a CONNACK that refuses ends the attempt; nothing was published",
    arguments: [0x86, 0x88, 0x97] as [UInt8])
  func refused(code: UInt8) {
    var publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    let refusal = Action.finish(.refused(by: .connack, code: code))
    #expect(publisher.received([0x20, 3, 0, code, 0]) == [.close, refusal])
  }

  @Test(
    "the return codes of 3.1.1 are those of 5",
    arguments: [(2, 0x85), (3, 0x88), (4, 0x86), (5, 0x87)] as [(UInt8, UInt8)])
  func oldCodes(old: UInt8, code: UInt8) {
    var publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    let refusal = Action.finish(.refused(by: .connack, code: code))
    #expect(publisher.received([0x20, 2, 0, old]) == [.close, refusal])
  }

  @Test("a broker that takes QoS 0 only is refused, since it would acknowledge nothing")
  func noQoS1() {
    var publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    let refusal = MQTTOutcome.refused(by: .connack, code: 0x9B)
    #expect(publisher.received(bytes("20 05 00 00 02 24 00")) == [.close, .finish(refusal)])
    #expect(
      refusal.words
        == "CONNACK: QoS not supported (0x9B); QoS 1 is needed, since QoS 0 acknowledges nothing")
  }

  @Test(
    "what the broker will not take is not sent, by one byte; the connection is kept", arguments: [16, 17])
  func tooLarge(most: UInt8) {
    var publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    let size = MQTTPacket.publish(message, id: 1, .v5).count
    let actions = publisher.received(bytes("20 08 00 00 05 27 000000") + [most])
    #expect(size == 17)
    #expect(actions == (most < size ? [.finish(.tooLarge(most_bytes: 16))] : [publish(1)]))
    #expect(publisher.isReady == (most < size))
  }

  @Test(
    "what a refusal means in HTTP's words: nothing is quarantined for a code",
    arguments: [
      (0x80, 500), (0x83, 500), (0x85, 500), (0x86, 401), (0x87, 401), (0x88, 503), (0x89, 503), (0x8A, 401),
      (0x8B, 503), (0x8C, 401), (0x90, 500), (0x91, 500), (0x93, 503), (0x95, 413), (0x97, 503), (0x99, 500),
      (0x9C, 302), (0x9D, 302), (0x9F, 503), (0xFF, 500),
    ] as [(UInt8, Int)])
  func statuses(code: UInt8, status: Int) {
    #expect(MQTTOutcome.refused(by: .puback, code: code).status == status)
    #expect(MQTTOutcome.refused(by: .puback, code: code).failure == nil)
    // The packet that CONNACK finds too large is CONNECT.
    #expect(MQTTOutcome.refused(by: .connack, code: code).status == (code == 0x95 ? 500 : status))
  }

  @Test("what has no answer has a failure and no status, and only `stored` acknowledges")
  func failures() {
    let outcomes: [(MQTTOutcome, UploadReply.NoReply)] = [
      (.noSubscriber, .noSubscriber), (.notAccepted, .connect), (.dropped, .dropped),
      (.notMQTT(.malformed), .notMQTT),
    ]
    for (outcome, failure) in outcomes { #expect(outcome.failure == failure && outcome.status == 0) }
    #expect(MQTTOutcome.stored.status == 200 && MQTTOutcome.stored.failure == nil)
    #expect(MQTTOutcome.tooLarge(most_bytes: 1).status == 413)
  }

  @Test("DISCONNECT instead of PUBACK says why")
  func disconnect() {
    var publisher = publishing()
    #expect(publisher.received(bytes("e0 01 95")) == [.close, .finish(.cutOff(code: 0x95))])
    #expect(MQTTOutcome.cutOff(code: 0x95).status == 413 && MQTTOutcome.cutOff(code: 0x97).status == 503)
    // Before PUBLISH it says nothing of the message.
    publisher = MQTTPublisher(mostReply_bytes: 1000)
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    #expect(
      publisher.received(bytes("e0 01 97")) == [.close, .finish(.refused(by: .disconnect, code: 0x97))])
  }

  @Test("what follows a PUBACK unasked closes the connection and finishes nothing twice")
  func leftovers() {
    for more in ["e0 01 8b", "48545450", "40 02 0001"] {
      var publisher = publishing()
      #expect(publisher.received(bytes("40 02 0001" + more)) == [.finish(.stored), .close])
      #expect(publisher.state == .closed)
    }
  }

  // MARK: Connections that end

  @Test("a kept connection that ends is made anew once; what ends again is reported")
  func kept() {
    for end in ["", "e0 01 8b"] {
      var publisher = ready()
      #expect(publisher.start(message, login, mayReuse: true) == [publish(2)])
      #expect((end.isEmpty ? publisher.closed() : publisher.received(bytes(end))) == [.close, .connect])
      #expect(publisher.connected() == [connect()])
      #expect(publisher.received(accepted) == [publish(3)])
      #expect(publisher.closed() == [.close, .finish(.dropped)])
    }
  }

  @Test("half a PUBACK is none")
  func cut() {
    var publisher = publishing()
    #expect(publisher.received(bytes("40 03 0001")) == [])
    #expect(publisher.closed() == [.close, .finish(.dropped)])
  }

  @Test("a connection that ends at rest costs nothing")
  func atRest() {
    var publisher = ready()
    #expect(publisher.closed() == [.close])
    #expect(publisher.start(message, login, mayReuse: true) == [.connect])
  }

  @Test("whoever has given up begins anew, and what came by halves is forgotten")
  func gaveUp() {
    var publisher = publishing()
    _ = publisher.received(bytes("40 03"))
    publisher.forget()
    #expect(publisher.start(message, login, mayReuse: true) == [.connect])
    _ = publisher.connected()
    #expect(publisher.received(accepted) == [publish(2)])
  }

  // MARK: 3.1.1

  @Test(
    "a broker that knows 3.1.1 only is spoken to in 3.1.1 at once, and from then on",
    arguments: ["20 02 00 01", "20 03 00 84 00", "20 02 00 00"])
  func fallBack(refusal: String) {
    var publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    #expect(publisher.connected() == [connect()])
    #expect(publisher.received(bytes(refusal)) == [.close, .connect])
    #expect(publisher.connected() == [connect(.v3_1_1)])
    #expect(publisher.received(bytes("20 02 00 00")) == [publish(1, .v3_1_1)])
    publisher.sent()
    #expect(publisher.received(bytes("40 02 0001")) == [.finish(.stored)])
    #expect(publisher.version == .v3_1_1)
    _ = publisher.closed()
    _ = publisher.start(message, login, mayReuse: true)
    #expect(publisher.connected() == [connect(.v3_1_1)])
  }

  /// The broker hangs up on CONNECT.
  private func hangUp(_ publisher: inout MQTTPublisher) -> [MQTTPublisher.Action] {
    #expect(publisher.start(message, login, mayReuse: false) == [.connect])
    #expect(publisher.connected() == [connect()])
    return publisher.closed()
  }

  @Test("a broker that hangs up on MQTT 5 three times in turn gets 3.1.1: once may be the network's doing")
  func hangsUp() {
    var publisher = new()
    for _ in 1...2 { #expect(hangUp(&publisher) == [.close, .finish(.notAccepted)]) }
    #expect(hangUp(&publisher) == [.close, .connect])
    #expect(publisher.connected() == [connect(.v3_1_1)])
    #expect(publisher.received(bytes("20 02 00 00")) == [publish(1, .v3_1_1)])
    publisher.sent()
    #expect(publisher.received(bytes("40 02 0001")) == [.finish(.stored)])
    #expect(publisher.version == .v3_1_1)
  }

  @Test("a broker that is silent to MQTT 5 gets 3.1.1 just so")
  func silent() {
    var publisher = new()
    for round in 1...3 {
      _ = (publisher.start(message, login, mayReuse: false), publisher.connected())
      #expect(publisher.silent() == (round < 3 ? nil : [.close, .connect]))
      if round < 3 { publisher.forget() }
    }
    #expect(publisher.connected() == [connect(.v3_1_1)])
  }

  @Test("one answer to MQTT 5 in between, and hanging up counts anew")
  func hangsUpAtTimes() {
    var publisher = new()
    for _ in 1...2 { _ = hangUp(&publisher) }
    _ = publisher.start(message, login, mayReuse: false)
    _ = publisher.connected()
    _ = publisher.received(accepted)
    _ = publisher.closed()
    for _ in 1...2 { #expect(hangUp(&publisher) == [.close, .finish(.notAccepted)]) }
  }

  @Test("a broker that hangs up on both is a failure, and proves nothing")
  func hangsUpAlways() {
    var publisher = new()
    for round in 1...5 {
      let actions = hangUp(&publisher)
      if round > 2 {
        #expect(actions == [.close, .connect])
        #expect(publisher.connected() == [connect(.v3_1_1)])
        #expect(publisher.closed() == [.close, .finish(.notAccepted)])
      }
      #expect(publisher.version == .v5)
    }
  }

  @Test("a CONNACK that breaks off is no reason for 3.1.1")
  func halfConnack() {
    var publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    #expect(publisher.received(bytes("20 03")) == [])
    #expect(publisher.closed() == [.close, .finish(.notAccepted)])
  }

  @Test(
    "what is no broker is reported at its first byte", arguments: ["HTTP/1.1 400", "220 mail", "SSH-2.0"])
  func stranger(text: String) {
    var publisher = new()
    _ = publisher.start(message, login, mayReuse: true)
    _ = publisher.connected()
    #expect(publisher.received([text.utf8.first!]) == [.close, .finish(.notMQTT(.unexpected))])
  }

  @Test("the broker's keep alive is known as long as the connection")
  func keepAlive() {
    var publisher = publishing("20 06 00 00 03 13 003c")
    #expect(publisher.keepAlive_s == 60)
    _ = publisher.received(bytes("40 02 0001"))
    #expect(publisher.keepAlive_s == 60)
    _ = publisher.closed()
    #expect(publisher.keepAlive_s == nil)
  }

  @Test("random events never crash, and each start is finished at most once")
  func noise() {
    var random = SeededBytes(state: 11)
    var publisher = new()
    var open = 0
    for _ in 0..<20_000 {
      var actions: [Action] = []
      switch random.next() % 6 {
      case 0 where open == 0:
        open = 1
        actions = publisher.start(message, login, mayReuse: random.next() % 2 == 0)
      case 1: actions = publisher.connected()
      case 2: actions = publisher.received(accepted)
      case 3: actions = publisher.received(bytes("40 02 0001"))
      case 4: actions = publisher.received([random.next(), random.next() % 4, random.next()])
      case 5: actions = publisher.closed()
      default: break
      }
      open -= actions.count { if case .finish = $0 { true } else { false } }
      #expect(open >= 0)
    }
  }
}
