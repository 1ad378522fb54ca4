import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Stores what devices publish, until the collector ends.
struct MQTTIngest: Service {
  fileprivate enum Event: Sendable {
    /// - Parameter connection: its number.
    case link(MQTTLink.Event, connection: Int)
    case settled(Int, MQTTRequest?)
    /// All that was being stored is settled.
    case storedAll
    case timer
    case stop
  }

  let options: MQTTOptions
  let storer: MQTTStorer
  let figures: MQTTFigures
  private let link: MQTTLink
  private let logger = Logger(label: "godwit-collector")

  init(_ options: MQTTOptions, intake: Intake) {
    (self.options, figures) = (options, MQTTFigures())
    storer = MQTTStorer(topic: options.topic, confirms: options.confirms, intake: intake, figures: figures)
    link = MQTTLink(tls: options.tls)
  }

  func run() async throws {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    if let broker = options.brokers.first(where: \.isExposed) {
      logger.warning("MQTT: whoever is on the way to \(broker) can read what comes from there: use mqtts://")
    }
    await withGracefulShutdownHandler {
      await withDiscardingTaskGroup { group in
        var driver = Driver(options, link, figures, logger) { continuation.yield($0) }
        driver.start()
        for await event in events {
          driver.handle(event)
          if driver.isFinished { break }
          let messages = driver.takeMessages()
          guard !messages.isEmpty else { continue }
          group.addTask { [storer] in
            await storer.store(messages) { continuation.yield(.settled($0, $1)) }
            continuation.yield(.storedAll)
          }
        }
        driver.abandon()
        group.cancelAll()
      }
    } onGracefulShutdown: {
      continuation.yield(.stop)
    }
  }
}

/// Carries events to the session and its actions to the connection, one after the other.
private struct Driver {
  private let options: MQTTOptions
  private let link: MQTTLink
  private let figures: MQTTFigures
  private let logger: Logger
  private let happened: @Sendable (MQTTIngest.Event) -> Void
  private var session: MQTTSession
  private var reader = MQTTReader(most_bytes: Routes.maxBody_bytes)
  private var channel: (any Channel)?
  /// What is said of another one is late.
  private var connection = 0
  /// What is to be stored with the next commit.
  private var waiting: [MQTTMessage] = []
  private var isStoring = false
  private var (timer_ms, timer): (Int64, Scheduled<Void>?) = (.max, nil)
  private var said = MQTTWords()
  private(set) var isFinished = false

  init(
    _ options: MQTTOptions, _ link: MQTTLink, _ figures: MQTTFigures, _ logger: Logger,
    happened: @escaping @Sendable (MQTTIngest.Event) -> Void
  ) {
    (self.options, self.link, self.figures, self.logger) = (options, link, figures, logger)
    self.happened = happened
    let user = options.brokers.first?.user
    session = MQTTSession(
      login: MQTTLogin(
        clientID: options.clientID, user: user, password: user == nil ? nil : options.password,
        keepAlive_s: MQTTSession.keepAlive_s),
      filter: options.topic.filter(group: options.group), brokers: options.brokers.count)
  }

  private var moment: MQTTSession.Moment {
    .init(now_ms: Self.now_ms, chance: Double.random(in: 0..<1))
  }

  private static var now_ms: Int64 { Int64(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

  mutating func start() {
    perform(session.start(at: moment))
    wait()
  }

  mutating func handle(_ event: MQTTIngest.Event) {
    switch event {
    case .link(let event, let number): handle(event, of: number)
    case .settled(let ticket, let answer): perform(session.settled(ticket, answer: answer, at: moment))
    case .storedAll: isStoring = false
    case .timer:
      timer_ms = .max
      perform(session.timer(at: moment))
    case .stop: perform(session.stop(at: moment))
    }
    channel?.flush()
    figures.inFlight(session.inFlight)
    if session.wantsToRead { channel?.read() }
    wait()
  }

  /// One commit at a time takes what has come meanwhile.
  mutating func takeMessages() -> [MQTTMessage] {
    guard !isStoring, !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    isStoring = true
    return waiting
  }

  /// Without a word to the broker, where there was none to be said.
  mutating func abandon() {
    timer?.cancel()
    channel?.close(promise: nil)
    channel = nil
  }

  private mutating func handle(_ event: MQTTLink.Event, of number: Int) {
    guard number == connection else {
      if case .connected(let late) = event { late.close(promise: nil) }
      return
    }
    switch event {
    case .connected(let channel):
      self.channel = channel
      perform(session.connected(at: moment))
    case .bytes(let bytes): read(bytes)
    case .ended(let loss): perform(session.broke(loss, at: moment))
    }
  }

  private mutating func read(_ bytes: ByteBuffer) {
    reader.append(bytes)
    do throws(MQTTError) {
      // What ends the connection empties the reader.
      while let reply = try reader.next() { perform(session.received(reply, at: moment)) }
    } catch {
      perform(session.broke(.notMQTT("\(error)"), at: moment))
    }
  }

  private mutating func perform(_ actions: [MQTTSession.Action]) {
    for action in actions {
      switch action {
      case .connect(let broker): connect(options.brokers[broker])
      case .send(let request): channel?.write(ByteBuffer(bytes: request.bytes), promise: nil)
      case .take(let arrival, let ticket): waiting.append(MQTTMessage(arrival: arrival, ticket: ticket))
      case .close: close()
      case .tell(let news): tell(news)
      case .finish: isFinished = true
      }
    }
  }

  private mutating func connect(_ broker: MQTTBroker) {
    close()
    said.broker = "\(broker)"
    link.connect(to: broker) { [happened, connection] in happened(.link($0, connection: connection)) }
  }

  /// What was taken comes again, and would only fill the memory until then.
  private mutating func close() {
    connection += 1
    reader = MQTTReader(most_bytes: Routes.maxBody_bytes)
    waiting = []
    channel?.flush()
    channel?.close(promise: nil)
    channel = nil
  }

  private mutating func tell(_ news: MQTTSession.News) {
    figures.told(news)
    guard let (level, words) = said.words(of: news, at: Self.now_ms) else { return }
    logger.log(level: level, "MQTT: \(words)")
  }

  /// A timer that is too early asks again; none is set for each message.
  private mutating func wait() {
    guard !isFinished, let wanted_ms = session.timer_ms, wanted_ms < timer_ms else { return }
    timer?.cancel()
    timer_ms = wanted_ms
    timer = MultiThreadedEventLoopGroup.singleton.next().scheduleTask(
      in: .milliseconds(max(1, wanted_ms - Self.now_ms))
    ) { [happened] in happened(.timer) }
  }
}

/// What the log says of the broker: once for each trouble, and when it is over.
struct MQTTWords: Equatable {
  /// A trouble that lasts is said again so often.
  static let again_ms: Int64 = 3_600_000

  var broker = ""
  private var trouble: (loss: MQTTLoss, said_ms: Int64)?
  private var began_ms: Int64?
  private var attempts = 0

  static func == (one: MQTTWords, other: MQTTWords) -> Bool {
    one.broker == other.broker && one.trouble?.loss == other.trouble?.loss
      && one.trouble?.said_ms == other.trouble?.said_ms && one.began_ms == other.began_ms
      && one.attempts == other.attempts
  }

  mutating func words(of news: MQTTSession.News, at now_ms: Int64) -> (Logger.Level, String)? {
    switch news {
    case .subscribed(isForgotten: true):
      return (
        .warning,
        "\(broker) has forgotten this collector's session, and with it what it had not passed on: does it keep sessions over a restart?"
      )
    case .subscribed(isForgotten: false): return (.notice, back(at: now_ms))
    case .lost(let loss, _, let wasBrief):
      attempts += 1
      began_ms = began_ms ?? now_ms
      if let trouble, trouble.loss == loss, now_ms - trouble.said_ms < Self.again_ms { return nil }
      trouble = (loss, now_ms)
      let hint = wasBrief && loss == .closed ? "; does another collector have the same --mqtt-client-id?" : ""
      return (
        .warning, "\(broker): \(loss.words)\(hint); tried again, and what is published meanwhile waits there"
      )
    }
  }

  private mutating func back(at now_ms: Int64) -> String {
    defer { (trouble, began_ms, attempts) = (nil, nil, 0) }
    guard let began_ms else { return "subscribed at \(broker)" }
    return "subscribed at \(broker) again, after \((now_ms - began_ms) / 1000) s and \(attempts) attempts"
  }
}
