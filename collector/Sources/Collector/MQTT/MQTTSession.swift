/// A lasting subscription at a broker: what happens to its connection goes in, what is to be done comes out, to be carried
/// out in that order. No clock, no chance, no socket.
///
/// A message is confirmed (PUBACK) only when it is settled: stored, or found to be nothing that can ever be. What was not
/// confirmed the broker brings again with the next connection, and the records' identities make it harmless.
struct MQTTSession: Equatable, Sendable {
  enum State: Equatable, Sendable {
    /// Not begun, or ended.
    case idle
    /// Until the next attempt.
    case pausing(until_ms: Int64)
    /// A connection is being made.
    case connecting(until_ms: Int64)
    /// CONNECT was sent.
    case greeting(until_ms: Int64)
    /// SUBSCRIBE was sent. A session that the broker has kept brings messages already.
    case subscribing(Open, until_ms: Int64)
    /// Messages come.
    case ready(Open, since_ms: Int64)
    /// Nothing more is taken. What is being stored is confirmed, and then it ends.
    case ending(Open, until_ms: Int64)
  }

  enum Action: Equatable, Sendable {
    /// - Parameter broker: which of those that there are, from 0.
    case connect(broker: Int)
    case send(MQTTRequest)
    /// To be stored, and then reported with ``MQTTSession/settled(_:answer:at:)``.
    case take(MQTTArrival, ticket: Int)
    /// What was taken over the connection and is not settled comes again: it may be forgotten.
    case close
    case tell(News)
    /// Nothing more will be done.
    case finish
  }

  /// For the log and the figures.
  enum News: Equatable, Sendable {
    /// - Parameter isForgotten: the broker had a session for us, and has it no longer.
    case subscribed(isForgotten: Bool)
    /// - Parameter wasBrief: messages came, and not for long.
    case lost(MQTTLoss, pause_ms: Int64, wasBrief: Bool)
  }

  /// Of a connection that the broker has accepted.
  struct Open: Equatable, Sendable {
    fileprivate(set) var inFlight: [Taken] = []
    fileprivate(set) var lastSent_ms: Int64
    fileprivate(set) var lastHeard_ms: Int64
    /// PINGREQ that is not answered.
    fileprivate(set) var asked_ms: Int64?

    var bytes: Int { inFlight.reduce(0) { $0 + $1.bytes } }
  }

  /// A message that is not confirmed.
  struct Taken: Equatable, Sendable {
    var ticket: Int
    /// Nil with QoS 0.
    var id: UInt16?
    var bytes: Int
    /// Of topic and payload: by it another message under the same id is known.
    var hash: Int
    var isSettled = false
  }

  /// When something happens, and a number from 0 up to 1.
  struct Moment: Equatable, Sendable {
    var now_ms: Int64
    var chance: Double
  }

  /// Messages that are not confirmed: with so many nothing is read, and the broker waits.
  static let mostInFlight = 200
  static let mostInFlight_bytes = 32 << 20
  static let keepAlive_s: UInt16 = 60
  /// Silence, until the broker is asked for a sign of life; and how long that may take, as may any other answer.
  static let ping_ms: Int64 = 30_000
  static let answer_ms: Int64 = 15_000
  static let firstPause_ms = 1000.0
  static let longestPause_ms = 30_000.0
  /// Who is subscribed for so long was no failure.
  static let proven_ms: Int64 = 10_000
  /// At the end, for what is being stored.
  static let ending_ms: Int64 = 5000
  private static let subscription: UInt16 = 1

  let login: MQTTLogin
  /// With `$share/` before it where there is a group.
  let filter: String
  /// How many there are to choose from: the next one after each failure.
  let brokers: Int
  private(set) var state = State.idle
  private var broker = 0
  /// In turn.
  private var failures = 0
  private var ticket = 0
  /// A broker has accepted our subscription before.
  private var wasSubscribed = false

  init(login: MQTTLogin, filter: String, brokers: Int) {
    (self.login, self.filter, self.brokers) = (login, filter, brokers)
  }

  /// Whether the connection is to be read.
  var wantsToRead: Bool {
    switch state {
    case .idle, .pausing, .connecting, .ending: false
    case .greeting: true
    case .subscribing(let open, _), .ready(let open, _): open.hasRoom
    }
  }

  var inFlight: Int { open?.inFlight.count ?? 0 }

  private var open: Open? {
    switch state {
    case .idle, .pausing, .connecting, .greeting: nil
    case .subscribing(let open, _), .ready(let open, _), .ending(let open, _): open
    }
  }

  /// When ``timer(at:)`` wants to be called next.
  var timer_ms: Int64? {
    switch state {
    case .idle: nil
    case .pausing(let until_ms), .connecting(let until_ms), .greeting(let until_ms),
      .subscribing(_, let until_ms), .ending(_, let until_ms):
      until_ms
    case .ready(let open, _): open.timer_ms
    }
  }

  // MARK: Events

  mutating func start(at moment: Moment) -> [Action] {
    guard state == .idle else { return [] }
    return connect(at: moment)
  }

  /// The connection is there. TLS may still be agreed upon.
  mutating func connected(at moment: Moment) -> [Action] {
    guard case .connecting = state else { return [] }
    state = .greeting(until_ms: moment.now_ms + Self.answer_ms)
    return [.send(.connect(login))]
  }

  mutating func received(_ reply: MQTTReply, at moment: Moment) -> [Action] {
    switch state {
    case .idle, .pausing, .connecting: return []
    case .greeting: return greeted(reply, at: moment)
    case .subscribing(var open, let until_ms):
      open.heard(at: moment.now_ms)
      state = .subscribing(open, until_ms: until_ms)
      return subscribed(reply, open, at: moment)
    case .ready(var open, let since_ms):
      open.heard(at: moment.now_ms)
      state = .ready(open, since_ms: since_ms)
      return arrived(reply, at: moment)
    // It comes again with the next start.
    case .ending: return []
    }
  }

  /// The connection has ended, or is good for nothing.
  mutating func broke(_ loss: MQTTLoss, at moment: Moment) -> [Action] {
    switch state {
    case .idle, .pausing: return []
    case .connecting, .greeting, .subscribing, .ready: return lose(loss, at: moment)
    case .ending: return end()
    }
  }

  /// A message is stored, or can never be.
  ///
  /// - Parameter answer: for the device, before the broker is told: whoever dies in between says it twice.
  mutating func settled(_ ticket: Int, answer: MQTTRequest?, at moment: Moment) -> [Action] {
    guard var open, let place = open.inFlight.firstIndex(where: { $0.ticket == ticket }) else { return [] }
    open.inFlight[place].isSettled = true
    let sent = (answer.map { [$0] } ?? []) + open.confirm()
    if !sent.isEmpty { open.lastSent_ms = moment.now_ms }
    let actions = sent.map { Action.send($0) }
    switch state {
    case .idle, .pausing, .connecting, .greeting: return []
    case .subscribing(_, let until_ms): state = .subscribing(open, until_ms: until_ms)
    case .ready(_, let since_ms): state = .ready(open, since_ms: since_ms)
    case .ending(_, let until_ms):
      state = .ending(open, until_ms: until_ms)
      return actions + (open.inFlight.isEmpty ? end() : [])
    }
    return actions
  }

  mutating func timer(at moment: Moment) -> [Action] {
    guard let timer_ms, timer_ms <= moment.now_ms else { return [] }
    switch state {
    case .idle: return []
    case .pausing: return connect(at: moment)
    case .connecting: return lose(.noAnswer("connection"), at: moment)
    case .greeting: return lose(.noAnswer("CONNACK"), at: moment)
    case .subscribing: return lose(.noAnswer("SUBACK"), at: moment)
    case .ready(var open, let since_ms):
      // While nothing is read, no answer can be.
      if open.asked_ms != nil, open.hasRoom { return lose(.silent, at: moment) }
      open.asked_ms = open.hasRoom ? moment.now_ms : nil
      open.lastSent_ms = moment.now_ms
      state = .ready(open, since_ms: since_ms)
      return [.send(.pingreq)]
    case .ending: return end()
    }
  }

  /// The collector ends.
  mutating func stop(at moment: Moment) -> [Action] {
    switch state {
    case .subscribing(let open, _) where !open.inFlight.isEmpty,
      .ready(let open, _) where !open.inFlight.isEmpty:
      state = .ending(open, until_ms: moment.now_ms + Self.ending_ms)
      return []
    case .idle, .pausing, .connecting, .greeting, .subscribing, .ready, .ending: return end()
    }
  }

  // MARK: Replies

  private mutating func greeted(_ reply: MQTTReply, at moment: Moment) -> [Action] {
    switch reply {
    case .connack(let isKept, code: 0):
      let open = Open(lastSent_ms: moment.now_ms, lastHeard_ms: moment.now_ms)
      state = .subscribing(open, until_ms: moment.now_ms + Self.answer_ms)
      // With a session that was kept too: the filter may be another one since the last start.
      let subscribe = Action.send(.subscribe(id: Self.subscription, filter: filter))
      return wasSubscribed && !isKept ? [.tell(.subscribed(isForgotten: true)), subscribe] : [subscribe]
    case .connack(_, let code): return lose(.refused(code: code), at: moment)
    case .suback, .publish, .pingresp: return lose(.notMQTT("no CONNACK came first"), at: moment)
    }
  }

  private mutating func subscribed(_ reply: MQTTReply, _ open: Open, at moment: Moment) -> [Action] {
    switch reply {
    case .suback(Self.subscription, let code):
      guard code == 1 else { return lose(code == 0 ? .onlyQoS0 : .notSubscribed, at: moment) }
      wasSubscribed = true
      state = .ready(open, since_ms: moment.now_ms)
      return [.tell(.subscribed(isForgotten: false))]
    case .publish(let arrival): return take(arrival)
    case .pingresp: return []
    case .connack, .suback: return lose(.notMQTT("an answer came that nothing had asked for"), at: moment)
    }
  }

  private mutating func arrived(_ reply: MQTTReply, at moment: Moment) -> [Action] {
    switch reply {
    case .publish(let arrival): return take(arrival)
    case .pingresp: return []
    case .connack, .suback: return lose(.notMQTT("an answer came that nothing had asked for"), at: moment)
    }
  }

  /// A broker that grew impatient (JetStream, after its `ack_wait`) brings one again that is being stored. Another message
  /// under the same id, which no broker should bring, is taken: the id is confirmed once both are stored.
  private mutating func take(_ arrival: MQTTArrival) -> [Action] {
    guard var open else { return [] }
    let taken = Taken(
      ticket: ticket + 1, id: arrival.id, bytes: arrival.payload.count,
      hash: [Array(arrival.topic.utf8), arrival.payload].hashValue)
    let isKnown = open.inFlight.contains { $0.id != nil && $0.id == taken.id && $0.hash == taken.hash }
    guard !isKnown else { return [] }
    ticket += 1
    open.inFlight.append(taken)
    switch state {
    case .subscribing(_, let until_ms): state = .subscribing(open, until_ms: until_ms)
    case .ready(_, let since_ms): state = .ready(open, since_ms: since_ms)
    case .idle, .pausing, .connecting, .greeting, .ending: return []
    }
    return [.take(arrival, ticket: ticket)]
  }

  // MARK: Steps

  private mutating func connect(at moment: Moment) -> [Action] {
    state = .connecting(until_ms: moment.now_ms + Self.answer_ms)
    return [.connect(broker: broker)]
  }

  private mutating func lose(_ loss: MQTTLoss, at moment: Moment) -> [Action] {
    var wasBrief = false
    if case .ready(_, let since_ms) = state {
      wasBrief = moment.now_ms - since_ms < Self.proven_ms
      if !wasBrief { failures = 0 }
    }
    failures += 1
    broker = (broker + 1) % max(1, brokers)
    let pause_ms = Self.pause_ms(after: failures, chance: moment.chance)
    state = .pausing(until_ms: moment.now_ms + pause_ms)
    return [.close, .tell(.lost(loss, pause_ms: pause_ms, wasBrief: wasBrief))]
  }

  /// 1 s, 2 s, 4 s, … up to 30 s, from the half to the whole of it: a fleet of collectors does not come back at once.
  static func pause_ms(after failures: Int, chance: Double) -> Int64 {
    let doubled = (1..<max(1, min(failures, 20))).reduce(firstPause_ms) { pause_ms, _ in pause_ms * 2 }
    return Int64(min(doubled, longestPause_ms) * (0.5 + chance / 2))
  }

  private mutating func end() -> [Action] {
    let goodbye: [Action] = open == nil ? [] : [.send(.disconnect)]
    state = .idle
    return goodbye + [.close, .finish]
  }
}

extension MQTTSession.Open {
  var hasRoom: Bool {
    inFlight.count < MQTTSession.mostInFlight && bytes < MQTTSession.mostInFlight_bytes
  }

  fileprivate var timer_ms: Int64 {
    guard hasRoom else { return lastSent_ms + MQTTSession.ping_ms }
    return asked_ms.map { $0 + MQTTSession.answer_ms } ?? min(lastSent_ms, lastHeard_ms) + MQTTSession.ping_ms
  }

  fileprivate mutating func heard(at now_ms: Int64) { (lastHeard_ms, asked_ms) = (now_ms, nil) }

  /// In the order in which they came (4.6): one that takes longer holds up those behind it.
  fileprivate mutating func confirm() -> [MQTTRequest] {
    let settled = inFlight.prefix(while: \.isSettled)
    inFlight.removeFirst(settled.count)
    let open = Set(inFlight.compactMap(\.id))
    return settled.compactMap(\.id).filter { !open.contains($0) }.map { .puback(id: $0) }
  }
}
