import TrackerBase

/// Brings one message after the other to a broker, over a connection that is kept between them. Whoever owns the
/// connection reports what happens to it, and carries out the actions in their order.
///
/// Each connection is a session of its own, so a message that got no PUBACK is published anew, not with DUP: its
/// records have their identities.
public struct MQTTPublisher: Equatable, Sendable {
  public enum State: Equatable, Sendable {
    /// No connection, and none is wanted.
    case closed
    /// A connection is being made.
    case connecting(Errand)
    /// CONNECT was sent.
    case greeting(Errand)
    /// SUBSCRIBE was sent.
    case subscribing(Errand, Terms)
    /// The broker has accepted the connection; nothing is under way.
    case ready(Terms)
    /// PUBLISH is on its way to the connection: no PUBACK can be for it.
    case sending(Errand, Terms)
    /// PUBLISH was sent whole.
    case publishing(Errand, Terms)
    /// The broker has it; whoever stores it has still to say so.
    case awaiting(Errand, Terms)
  }

  public enum Action: Equatable, Sendable {
    case connect
    case send([UInt8])
    case close
    /// Something came on the topic of commands. - Parameter id: to be confirmed with it, once it is on storage.
    case arrived([UInt8], id: UInt16?)
    /// More was to come there than may: the session and what it holds are given up, and the message goes without it.
    case topicCutOff
    /// The broker lets nobody read that topic (SUBACK); the message goes all the same.
    case commandsRefused(code: UInt8)
    /// Once for each `start`.
    case finish(MQTTOutcome)
  }

  /// A broker that hangs up on MQTT 5, or says nothing to it, so often in turn may know 3.1.1 alone. Once may be the
  /// network's doing, and a message over 3.1.1 to a broker that keeps nothing is lost.
  static let hangUpsUntilTried = 3

  public private(set) var state = State.closed
  /// What the next connection begins with. Once it is 3.1.1 it stays so.
  public private(set) var version: MQTTPacket.Version
  /// What a broker has accepted; auto while none has.
  public private(set) var spoken = SyncSettings.MQTTVersion.auto
  /// MQTT 5 alone, or 3.1.1 where a broker does not know 5.
  private let mayFallBack: Bool
  private let noSubscriber: SyncSettings.NoSubscriber
  /// A message was accepted though no client subscribed.
  public private(set) var hasNoSubscriber = false
  /// The broker knew 3.1.1 alone when it was last heard.
  private var wasOld = false
  private var reader: MQTTReader
  private var packetID: UInt16 = 0
  /// On topics, with the message that is under way or was the last.
  private var allowed_bytes = 0
  /// On CONNECT of MQTT 5, since a broker last answered one.
  private var hangUps = 0

  /// - Parameter mostReply_bytes: a longer packet of the broker is refused.
  public init(
    mostReply_bytes: Int, version: SyncSettings.MQTTVersion = .auto,
    noSubscriber: SyncSettings.NoSubscriber = .wait
  ) {
    self.noSubscriber = noSubscriber
    reader = MQTTReader(most_bytes: mostReply_bytes)
    self.version = version == .v3_1_1 ? .v3_1_1 : .v5
    mayFallBack = version == .auto
  }

  /// The connection may carry the next message.
  public var isReady: Bool { if case .ready = state { true } else { false } }

  /// The broker has the message, and nobody has said yet that it is stored.
  public var isAwaiting: Bool { if case .awaiting = state { true } else { false } }

  /// CONNACK is awaited.
  public var isGreeting: Bool { if case .greeting = state { true } else { false } }

  /// After so much silence the broker will close the connection; nil: it has not said so.
  public var keepAlive_s: Int? {
    switch state {
    case .subscribing(_, let terms), .ready(let terms), .sending(_, let terms), .publishing(_, let terms),
      .awaiting(_, let terms):
      terms.allowed.keepAlive_s
    case .closed, .connecting, .greeting: nil
    }
  }

  // MARK: Events

  /// Only while no message is under way. - Parameters:
  ///   - mayReuse: the connection that is kept is good enough.
  ///   - allowed_bytes: what may come on topics until the next one.
  ///   - lastSpoken: by this broker, perhaps to an earlier process.
  public mutating func start(
    _ message: MQTTMessage, _ login: MQTTLogin, mayReuse: Bool, allowed_bytes: Int? = nil,
    lastSpoken: SyncSettings.MQTTVersion = .auto
  ) -> [Action] {
    wasOld = lastSpoken == .v3_1_1
    self.allowed_bytes = allowed_bytes ?? reader.most_bytes
    reader.allow(self.allowed_bytes)
    var errand = Errand(message: message, login: login, version: version)
    switch state {
    case .ready(let terms) where mayReuse:
      errand.isOnKept = true
      return proceed(errand, terms)
    case .ready: return connect(errand, closing: true)
    case .closed: return connect(errand, closing: false)
    case .connecting, .greeting, .subscribing, .sending, .publishing, .awaiting:
      assertionFailure("one message at a time")
      return connect(errand, closing: true)
    }
  }

  /// The connection is there, TLS included.
  public mutating func connected() -> [Action] {
    guard case .connecting(let errand) = state else { return [] }
    state = .greeting(errand)
    return [.send(MQTTPacket.connect(errand.login, errand.version))]
  }

  /// All that was to be sent has been handed to the connection.
  public mutating func sent() {
    switch state {
    case .sending(let errand, let terms): state = .publishing(errand, terms)
    case .closed, .connecting, .greeting, .subscribing, .ready, .publishing, .awaiting: break
    }
  }

  public mutating func received(_ bytes: [UInt8]) -> [Action] {
    reader.append(bytes)
    var actions: [Action] = []
    while let (version, subscribes) = spokenHere {
      do throws(MQTTError) {
        guard let reply = try reader.next(version, subscribes: subscribes) else { return actions }
        actions += handle(reply)
      } catch {
        return actions + (error == .tooMuch ? tooMuch() : isReady ? closed() : failed(.notMQTT(error)))
      }
    }
    return actions
  }

  /// Of topics, with the message that is under way or was the last.
  public var topicBytes: Int { allowed_bytes - reader.left_bytes }

  /// The head of a packet says that it would be more than may come.
  private mutating func tooMuch() -> [Action] {
    switch state {
    // Nothing more is read until the next message.
    case .closed, .connecting, .ready: return []
    case .greeting(var errand), .subscribing(var errand, _), .sending(var errand, _),
      .publishing(var errand, _), .awaiting(var errand, _):
      guard errand.login.keepsSession else { return failed(.notMQTT(.tooMuch)) }
      (errand.login.keepsSession, errand.message.commandTopic) = (false, "")
      return [.topicCutOff] + again(errand)
    }
  }

  /// The connection has ended.
  public mutating func closed() -> [Action] {
    switch state {
    case .closed, .connecting: return []
    case .ready:
      forget()
      return [.close]
    case .greeting(let errand):
      guard mayFallBack, errand.version == .v5, reader.isEmpty else { return failed(.notAccepted) }
      return hungUp() ? fallBack(errand) : failed(.notAccepted)
    case .subscribing(let errand, _), .sending(let errand, _), .publishing(let errand, _),
      .awaiting(let errand, _):
      return errand.isOnKept ? again(errand) : failed(.dropped)
    }
  }

  /// No CONNACK has come in time. - Returns: what is done about it; nil: nothing, the attempt has failed.
  public mutating func silent() -> [Action]? {
    guard mayFallBack, case .greeting(let errand) = state, errand.version == .v5, reader.isEmpty else {
      return nil
    }
    return hungUp() ? fallBack(errand) : nil
  }

  /// - Returns: whether 3.1.1 is tried now. MQTT 5 comes first also where it was not known: brokers are updated.
  private mutating func hungUp() -> Bool {
    hangUps += 1
    return wasOld || hangUps >= MQTTPublisher.hangUpsUntilTried
  }

  /// The owner has closed the connection, and the message is no longer under way.
  public mutating func forget() {
    state = .closed
    reader = reader.emptied
  }

  // MARK: Replies

  /// nil without a connection that replies come from.
  private var spokenHere: (version: MQTTPacket.Version, subscribes: Bool)? {
    switch state {
    case .closed, .connecting: nil
    case .greeting(let errand): (errand.version, false)
    case .subscribing(_, let terms): (terms.version, true)
    case .ready(let terms), .sending(_, let terms), .publishing(_, let terms), .awaiting(_, let terms):
      (terms.version, !terms.subscribedTo.isEmpty)
    }
  }

  private mutating func handle(_ reply: MQTTReply) -> [Action] {
    switch state {
    case .closed, .connecting: []
    case .greeting(let errand): greeted(reply, errand)
    case .subscribing(let errand, let terms): subscribed(reply, errand, terms)
    case .ready(let terms): arrivedBetween(reply, terms)
    case .sending(let errand, let terms): answered(reply, errand, terms, isSent: false)
    case .publishing(let errand, let terms): answered(reply, errand, terms, isSent: true)
    case .awaiting(let errand, let terms): awaited(reply, errand, terms)
    }
  }

  private mutating func greeted(_ reply: MQTTReply, _ errand: Errand) -> [Action] {
    if errand.version == .v5 { hangUps = 0 }
    switch reply {
    case .acknowledged, .subscribed, .message: return failed(.notMQTT(.unexpected))
    case .disconnected(let code): return failed(.refused(by: .disconnect, code: code))
    case .connected(let code, let allowed):
      let code = MQTTPublisher.reason(code)
      if errand.version == .v5, code == 0x84 || code == 0 && allowed == nil {
        return mayFallBack ? fallBack(errand) : failed(.refused(by: .connack, code: 0x84))
      }
      guard code == 0 else { return failed(.refused(by: .connack, code: code)) }
      return accepted(errand, allowed ?? MQTTTerms())
    }
  }

  private mutating func accepted(_ errand: Errand, _ allowed: MQTTTerms) -> [Action] {
    version = errand.version
    spoken = version == .v5 ? .v5 : .v3_1_1
    guard allowed.takesQoS1 else { return failed(.refused(by: .connack, code: 0x9B)) }
    return proceed(errand, Terms(version: errand.version, allowed: allowed))
  }

  /// 3.9.3.
  private mutating func subscribed(_ reply: MQTTReply, _ errand: Errand, _ terms: Terms) -> [Action] {
    switch reply {
    case .subscribed(let id, let code):
      guard id == packetID else { return failed(.notMQTT(.unasked)) }
      guard code < 0x80 || !errand.awaitsAnswer else {
        return failed(.refused(by: .suback, code: code))
      }
      var terms = terms
      (terms.subscribedTo, terms.bringsCommands) = (errand.topic, !errand.awaitsAnswer)
      return (code < 0x80 ? [] : [.commandsRefused(code: code)]) + publish(errand, terms)
    case .message(let arrival): return passOn(arrival, errand)
    case .disconnected(let code): return failed(.refused(by: .disconnect, code: code))
    case .connected, .acknowledged: return failed(.notMQTT(.unexpected))
    }
  }

  /// The broker has it already.
  private mutating func awaited(_ reply: MQTTReply, _ errand: Errand, _ terms: Terms) -> [Action] {
    switch reply {
    case .message(let arrival):
      guard isAnswer(arrival, terms) else { return passOn(arrival, errand) }
      state = .ready(terms)
      return confirm(arrival) + [.finish(.answered(arrival.payload))]
    case .disconnected(let code): return failed(.refused(by: .disconnect, code: code))
    case .connected, .acknowledged, .subscribed: return failed(.notMQTT(.unexpected))
    }
  }

  /// What is retained was said to somebody else.
  private func isAnswer(_ arrival: MQTTArrival, _ terms: Terms) -> Bool {
    !terms.bringsCommands && arrival.topic == terms.subscribedTo && !arrival.isRetained
  }

  /// Commands; anything else is none of ours. A session that is kept brings them before its topic is subscribed to anew.
  private func passOn(_ arrival: MQTTArrival, _ errand: Errand) -> [Action] {
    let topic = errand.message.commandTopic
    return !topic.isEmpty && arrival.topic == topic
      ? [.arrived(arrival.payload, id: arrival.id)] : confirm(arrival)
  }

  /// Behind the answer to a message, before the next one.
  private mutating func arrivedBetween(_ reply: MQTTReply, _ terms: Terms) -> [Action] {
    guard case .message(let arrival) = reply, terms.bringsCommands else { return closed() }
    return arrival.topic == terms.subscribedTo
      ? [.arrived(arrival.payload, id: arrival.id)] : confirm(arrival)
  }

  /// What has arrived is on storage.
  public func confirmation(of ids: [UInt16]) -> [UInt8] { ids.flatMap { MQTTPacket.puback(id: $0) } }

  private func confirm(_ arrival: MQTTArrival) -> [Action] {
    arrival.id.map { [.send(MQTTPacket.puback(id: $0))] } ?? []
  }

  private mutating func answered(
    _ reply: MQTTReply, _ errand: Errand, _ terms: Terms, isSent: Bool
  ) -> [Action] {
    switch reply {
    case .connected, .subscribed: return failed(.notMQTT(.unexpected))
    case .message(let arrival):
      // What comes before the message was sent whole is no answer to it.
      guard isSent, isAnswer(arrival, terms) else { return passOn(arrival, errand) }
      var errand = errand
      errand.answer = arrival.payload
      state = .publishing(errand, terms)
      return confirm(arrival)
    case .disconnected(let code):
      return errand.isOnKept ? again(errand) : failed(.cutOff(code: code))
    case .acknowledged(let id, let code):
      guard isSent, id == packetID else { return failed(.notMQTT(.unasked)) }
      guard var outcome = MQTTPublisher.outcome(ofPuback: code) else { return failed(.notMQTT(.unexpected)) }
      if outcome == .noSubscriber, noSubscriber == .accept {
        hasNoSubscriber = true
        outcome = .stored
      }
      if outcome == .stored, errand.awaitsAnswer {
        guard let answer = errand.answer else {
          state = .awaiting(errand, terms)
          return []
        }
        state = .ready(terms)
        return [.finish(.answered(answer))]
      }
      state = .ready(terms)
      return [.finish(outcome)]
    }
  }

  // MARK: Steps

  /// The topic of answers comes first, so that none is missed.
  private mutating func proceed(_ errand: Errand, _ terms: Terms) -> [Action] {
    if errand.topic == terms.subscribedTo { return publish(errand, terms) }
    takePacketID()
    state = .subscribing(errand, terms)
    return [.send(MQTTPacket.subscribe(errand.topic, id: packetID, terms.version))]
  }

  /// 0 is none.
  private mutating func takePacketID() { packetID = packetID == .max ? 1 : packetID + 1 }

  private mutating func publish(_ errand: Errand, _ terms: Terms) -> [Action] {
    takePacketID()
    let packet = MQTTPacket.publish(errand.message, id: packetID, terms.version)
    guard packet.count <= terms.allowed.mostBytes else {
      state = .ready(terms)
      return [.finish(.tooLarge(most_bytes: terms.allowed.mostBytes))]
    }
    state = .sending(errand, terms)
    return [.send(packet)]
  }

  private mutating func connect(_ errand: Errand, closing: Bool) -> [Action] {
    reader = reader.emptied
    state = .connecting(errand)
    return (closing ? [.close] : []) + [.connect]
  }

  /// On a connection of its own.
  private mutating func again(_ errand: Errand) -> [Action] {
    var errand = errand
    errand.isOnKept = false
    errand.answer = nil
    return connect(errand, closing: true)
  }

  private mutating func fallBack(_ errand: Errand) -> [Action] {
    var errand = errand
    errand.version = .v3_1_1
    return connect(errand, closing: true)
  }

  private mutating func failed(_ outcome: MQTTOutcome) -> [Action] {
    forget()
    return [.close, .finish(outcome)]
  }
}
