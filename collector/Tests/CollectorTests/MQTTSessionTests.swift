import Testing

@testable import Collector

/// What happens stands with its millisecond, and beside it what is done about it.
@Suite("The session at a broker")
struct MQTTSessionTests {
  private static let login = MQTTLogin(clientID: "c", keepAlive_s: 60)
  private var session = MQTTSession(login: login, filter: "fleet/+/records", brokers: 1)
  private let subscribe = MQTTSession.Action.send(.subscribe(id: 1, filter: "fleet/+/records"))

  private func at(_ now_ms: Int64, chance: Double = 0) -> MQTTSession.Moment {
    .init(now_ms: now_ms, chance: chance)
  }

  private func message(_ id: UInt16?, _ payload: [UInt8] = [1]) -> MQTTArrival {
    MQTTArrival(topic: "fleet/van-7/records", payload: payload, id: id)
  }

  private mutating func subscribe(at now_ms: Int64 = 0, isKept: Bool = false) {
    _ = session.state == .idle ? session.start(at: at(now_ms)) : session.timer(at: at(now_ms))
    _ = session.connected(at: at(now_ms))
    _ = session.received(.connack(isKept: isKept, code: 0), at: at(now_ms))
    _ = session.received(.suback(id: 1, code: 1), at: at(now_ms))
  }

  private func lost(
    _ loss: MQTTLoss, _ pause_ms: Int64 = 500, wasBrief: Bool = false
  ) -> [MQTTSession.Action] {
    [.close, .tell(.lost(loss, pause_ms: pause_ms, wasBrief: wasBrief))]
  }

  @Test("connects, subscribes, takes what comes, and confirms it when it is stored")
  mutating func usual() {
    #expect(session.start(at: at(0)) == [.connect(broker: 0)])
    #expect(!session.wantsToRead)
    #expect(session.connected(at: at(10)) == [.send(.connect(Self.login))])
    #expect(session.wantsToRead)
    #expect(session.received(.connack(isKept: false, code: 0), at: at(20)) == [subscribe])
    #expect(
      session.received(.suback(id: 1, code: 1), at: at(30)) == [.tell(.subscribed(isForgotten: false))])
    #expect(session.received(.publish(message(7)), at: at(40)) == [.take(message(7), ticket: 1)])
    #expect(session.inFlight == 1)
    #expect(session.settled(1, answer: nil, at: at(50)) == [.send(.puback(id: 7))])
    #expect(session.inFlight == 0)
  }

  @Test("a session that was kept brings messages before SUBACK")
  mutating func early() {
    _ = session.start(at: at(0))
    _ = session.connected(at: at(0))
    #expect(session.received(.connack(isKept: true, code: 0), at: at(0)) == [subscribe])
    #expect(session.received(.publish(message(7)), at: at(0)) == [.take(message(7), ticket: 1)])
    #expect(session.settled(1, answer: nil, at: at(0)) == [.send(.puback(id: 7))])
    #expect(
      session.received(.suback(id: 1, code: 1), at: at(0)) == [.tell(.subscribed(isForgotten: false))])
  }

  @Test("messages are confirmed in the order in which they came, and an answer goes before")
  mutating func order() {
    subscribe()
    for id in 1...3 as ClosedRange<UInt16> { _ = session.received(.publish(message(id)), at: at(1)) }
    #expect(session.settled(2, answer: nil, at: at(2)) == [])
    let answer = MQTTRequest.publish(topic: "fleet/van-7/records/ack", payload: [9])
    #expect(session.settled(3, answer: answer, at: at(3)) == [.send(answer)])
    #expect(
      session.settled(1, answer: nil, at: at(4))
        == [.send(.puback(id: 1)), .send(.puback(id: 2)), .send(.puback(id: 3))])
    #expect(session.settled(1, answer: nil, at: at(5)) == [])
  }

  @Test("QoS 0 is stored, and there is nothing to confirm")
  mutating func qos0() {
    subscribe()
    #expect(session.received(.publish(message(nil)), at: at(1)) == [.take(message(nil), ticket: 1)])
    #expect(session.settled(1, answer: nil, at: at(2)) == [])
    #expect(session.inFlight == 0)
  }

  @Test("what comes again while it is being stored is not taken twice, and afterwards it is")
  mutating func again() {
    subscribe()
    _ = session.received(.publish(message(7)), at: at(1))
    #expect(session.received(.publish(message(7)), at: at(2)) == [])
    #expect(session.settled(1, answer: nil, at: at(3)) == [.send(.puback(id: 7))])
    #expect(session.received(.publish(message(7)), at: at(4)) == [.take(message(7), ticket: 2)])
  }

  @Test(
    "another message under an id that is not confirmed is taken, and the id confirmed once both are stored")
  mutating func sameID() {
    subscribe()
    _ = session.received(.publish(message(7)), at: at(1))
    let other = message(7, [2])
    #expect(session.received(.publish(other), at: at(2)) == [.take(other, ticket: 2)])
    #expect(session.settled(1, answer: nil, at: at(3)) == [])
    #expect(session.settled(2, answer: nil, at: at(4)) == [.send(.puback(id: 7))])
    #expect(session.inFlight == 0)
  }

  @Test("what was being stored when the connection ended is not confirmed over the next one")
  mutating func lateSettling() {
    subscribe()
    _ = session.received(.publish(message(7)), at: at(1))
    #expect(session.broke(.closed, at: at(2)) == lost(.closed, wasBrief: true))
    subscribe(at: 502, isKept: true)
    #expect(session.received(.publish(message(7)), at: at(503)) == [.take(message(7), ticket: 2)])
    #expect(session.settled(1, answer: nil, at: at(504)) == [])
    #expect(session.settled(2, answer: nil, at: at(505)) == [.send(.puback(id: 7))])
  }

  @Test("with too many that are not confirmed it reads no more, until there is room")
  mutating func bounded() {
    subscribe()
    let most = MQTTSession.mostInFlight
    for id in 1...most {
      #expect(session.wantsToRead)
      _ = session.received(.publish(message(UInt16(id))), at: at(1))
    }
    #expect(!session.wantsToRead)
    _ = session.settled(1, answer: nil, at: at(2))
    #expect(session.wantsToRead)
  }

  @Test("with too many bytes that are not confirmed it reads no more")
  mutating func boundedBytes() {
    subscribe()
    let payload = [UInt8](repeating: 0, count: 8 << 20)
    for id in 1...4 as ClosedRange<UInt16> {
      #expect(session.wantsToRead)
      _ = session.received(.publish(message(id, payload)), at: at(1))
    }
    #expect(!session.wantsToRead)
  }

  // MARK: Signs of life

  @Test("after 30 s of silence it asks, and after 15 s more it gives up")
  mutating func silent() {
    subscribe()
    #expect(session.timer_ms == 30_000)
    #expect(session.timer(at: at(29_999)) == [])
    #expect(session.timer(at: at(30_000)) == [.send(.pingreq)])
    #expect(session.timer_ms == 45_000)
    #expect(session.timer(at: at(45_000)) == lost(.silent))
  }

  @Test("anything that comes is a sign of life")
  mutating func alive() {
    subscribe()
    _ = session.timer(at: at(30_000))
    #expect(session.received(.pingresp, at: at(31_000)) == [])
    #expect(session.timer_ms == 60_000)
    #expect(session.timer(at: at(60_000)) == [.send(.pingreq)])
    _ = session.received(.publish(message(1)), at: at(61_000))
    #expect(session.timer_ms == 90_000)
  }

  @Test("while it reads nothing it asks all the same, and takes no silence amiss")
  mutating func pausedReading() {
    subscribe()
    for id in 1...MQTTSession.mostInFlight { _ = session.received(.publish(message(UInt16(id))), at: at(0)) }
    for now_ms in stride(from: Int64(30_000), through: 600_000, by: 30_000) {
      #expect(session.timer(at: at(now_ms)) == [.send(.pingreq)])
    }
    _ = session.settled(1, answer: nil, at: at(600_000))
    // Now it is heard of: at once.
    #expect(session.timer(at: at(600_001)) == [.send(.pingreq)])
    #expect(session.timer(at: at(615_001)) == lost(.silent))
  }

  // MARK: Losses

  @Test("each answer has 15 s")
  mutating func noAnswer() {
    _ = session.start(at: at(0))
    #expect(session.timer(at: at(15_000)) == lost(.noAnswer("connection")))
    _ = session.timer(at: at(15_500))
    _ = session.connected(at: at(15_500))
    #expect(session.timer(at: at(30_500)) == lost(.noAnswer("CONNACK"), 1000))
    _ = session.timer(at: at(31_500))
    _ = session.connected(at: at(31_500))
    _ = session.received(.connack(isKept: false, code: 0), at: at(31_500))
    #expect(session.timer(at: at(46_500)) == lost(.noAnswer("SUBACK"), 2000))
  }

  @Test("what a broker may not say there ends the connection, with a reason")
  mutating func unasked() {
    _ = session.start(at: at(0))
    _ = session.connected(at: at(0))
    #expect(session.received(.pingresp, at: at(1)) == lost(.notMQTT("no CONNACK came first")))
    subscribe(at: 501)
    let reason = MQTTLoss.notMQTT("an answer came that nothing had asked for")
    #expect(session.received(.suback(id: 1, code: 1), at: at(502)) == lost(reason, 1000, wasBrief: true))
    subscribe(at: 1502)
    #expect(
      session.received(.connack(isKept: true, code: 0), at: at(1503)) == lost(reason, 2000, wasBrief: true))
  }

  @Test("a subscription that is refused, or lowered to QoS 0, is a loss")
  mutating func notSubscribed() {
    for (code, loss, pause_ms) in [(0x80, .notSubscribed, 500), (0, .onlyQoS0, 1000)]
      as [(UInt8, MQTTLoss, Int64)]
    {
      let now_ms = session.timer_ms ?? 0
      _ = session.state == .idle ? session.start(at: at(0)) : session.timer(at: at(now_ms))
      _ = session.connected(at: at(now_ms))
      _ = session.received(.connack(isKept: false, code: 0), at: at(now_ms))
      #expect(session.received(.suback(id: 1, code: code), at: at(now_ms)) == lost(loss, pause_ms))
    }
  }

  @Test(
    "pauses double from 1 s to 30 s, and chance takes half of each at most",
    arguments: [
      (1, 0, 500), (1, 0.5, 750), (2, 0, 1000), (3, 0, 2000), (5, 0, 8000), (6, 0, 15_000), (6, 1, 30_000),
      (400, 0, 15_000),
    ] as [(Int, Double, Int64)])
  func pauses(failures: Int, chance: Double, pause_ms: Int64) {
    #expect(MQTTSession.pause_ms(after: failures, chance: chance) == pause_ms)
  }

  @Test("who was subscribed for 10 s begins anew with the shortest pause, and who was not does not")
  mutating func proven() {
    subscribe()
    #expect(session.broke(.closed, at: at(9999)) == lost(.closed, wasBrief: true))
    subscribe(at: 10_499)
    #expect(session.broke(.closed, at: at(20_498)) == lost(.closed, 1000, wasBrief: true))
    subscribe(at: 21_498)
    #expect(session.broke(.closed, at: at(31_498)) == lost(.closed))
  }

  @Test("the next broker of a cluster is tried after each failure, and the first one again after the last")
  mutating func cluster() {
    session = MQTTSession(login: Self.login, filter: "f", brokers: 3)
    var tried: [MQTTSession.Action] = session.start(at: at(0))
    for _ in 0..<3 {
      _ = session.broke(.closed, at: at(session.timer_ms ?? 0))
      tried += session.timer(at: at(session.timer_ms ?? 0))
    }
    #expect(tried == [0, 1, 2, 0].map { .connect(broker: $0) })
  }

  @Test("a broker that no longer knows the session is told of, a first one is not")
  mutating func forgotten() {
    subscribe()
    _ = session.broke(.closed, at: at(1))
    _ = session.timer(at: at(501))
    _ = session.connected(at: at(501))
    #expect(
      session.received(.connack(isKept: false, code: 0), at: at(501))
        == [.tell(.subscribed(isForgotten: true)), subscribe])
  }

  // MARK: The end

  @Test("at the end it waits for what is being stored, confirms it and says goodbye")
  mutating func ends() {
    subscribe()
    _ = session.received(.publish(message(7)), at: at(1))
    #expect(session.stop(at: at(2)) == [])
    #expect(!session.wantsToRead)
    #expect(session.received(.publish(message(8)), at: at(3)) == [])
    #expect(
      session.settled(1, answer: nil, at: at(4))
        == [.send(.puback(id: 7)), .send(.disconnect), .close, .finish])
    #expect(session.state == .idle)
  }

  @Test("at the end it waits for 5 s at most")
  mutating func endsInTime() {
    subscribe()
    _ = session.received(.publish(message(7)), at: at(1))
    _ = session.stop(at: at(2))
    #expect(session.timer(at: at(5001)) == [])
    #expect(session.timer(at: at(5002)) == [.send(.disconnect), .close, .finish])
  }

  @Test("at the end without anything to wait for it ends at once, in any state")
  mutating func endsAtOnce() {
    #expect(session.stop(at: at(0)) == [.close, .finish])
    _ = session.start(at: at(0))
    #expect(session.stop(at: at(0)) == [.close, .finish])
    subscribe()
    #expect(session.stop(at: at(1)) == [.send(.disconnect), .close, .finish])
    subscribe()
    _ = session.broke(.closed, at: at(1))
    #expect(session.stop(at: at(2)) == [.close, .finish])
  }

  // MARK: Words

  @Test(
    "a loss says what is wrong and what to do",
    arguments: [
      (MQTTLoss.cannotConnect("Connection refused"), "no connection: Connection refused"),
      (.broken("Connection reset by peer"), "the connection broke: Connection reset by peer"),
      (.closed, "the broker closed the connection"), (.noAnswer("CONNACK"), "no CONNACK within 15 s"),
      (.silent, "the broker did not answer PINGREQ within 15 s"),
      (.refused(code: 1), "the broker refuses: it does not speak MQTT 3.1.1"),
      (.refused(code: 2), "the broker refuses: it does not take the client id; see --mqtt-client-id"),
      (.refused(code: 3), "the broker refuses: it is not available at the moment"),
      (
        .refused(code: 4),
        "the broker refuses: the user or the password is wrong; see --mqtt and --mqtt-password-file"
      ),
      (
        .refused(code: 5),
        "the broker refuses: this user may not connect; see --mqtt, --mqtt-password-file and the broker's rules"
      ),
      (.refused(code: 9), "the broker refuses: CONNACK 9"),
      (
        .notSubscribed, "the broker refuses the subscription: its rules must let this user read the topic"
      ),
      (
        .onlyQoS0, "the broker grants QoS 0 alone, with which messages are lost: it must allow QoS 1"
      ),
      (
        .notMQTT("a malformed PUBLISH came"), "what came is not MQTT 3.1.1: a malformed PUBLISH came"
      ),
    ])
  func words(loss: MQTTLoss, words: String) {
    #expect(loss.words == words)
  }

  @Test("the log names a trouble once, another one again, an old one each hour, and its end")
  func log() {
    var log = MQTTWords()
    log.broker = "b:1883"
    func lost(_ loss: MQTTLoss, wasBrief: Bool = false) -> MQTTSession.News {
      .lost(loss, pause_ms: 1, wasBrief: wasBrief)
    }
    let waits = "; tried again, and what is published meanwhile waits there"
    #expect(log.words(of: .subscribed(isForgotten: false), at: 0)?.1 == "subscribed at b:1883")
    #expect(
      log.words(of: lost(.closed, wasBrief: true), at: 0)?.1
        == "b:1883: the broker closed the connection; does another collector have the same --mqtt-client-id?\(waits)"
    )
    #expect(log.words(of: lost(.closed), at: 1000) == nil)
    #expect(log.words(of: lost(.cannotConnect("no")), at: 2000)?.1 == "b:1883: no connection: no\(waits)")
    #expect(log.words(of: lost(.cannotConnect("no")), at: 3_601_999) == nil)
    #expect(log.words(of: lost(.cannotConnect("no")), at: 3_602_000) != nil)
    #expect(
      log.words(of: .subscribed(isForgotten: false), at: 3_700_000)?.1
        == "subscribed at b:1883 again, after 3700 s and 5 attempts")
    #expect(
      log.words(of: .subscribed(isForgotten: true), at: 0)?.1
        == "b:1883 has forgotten this collector's session, and with it what it had not passed on: does it keep sessions over a restart?"
    )
  }
}
