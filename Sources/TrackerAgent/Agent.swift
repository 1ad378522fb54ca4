import TrackerBase
import TrackerCore

/// The one loop: waits, stamps each event once, lets the tracker judge, performs what it wants.
public final class Agent {
  public private(set) var tracker: Tracker
  /// SIGTERM has been obeyed.
  public private(set) var isDone = false
  /// `.exit`: this turn is the last one.
  private var isEnding = false
  private var ports: Ports { didSet { sources = Agent.sources(of: ports) } }
  private var sources: [any Source]
  private var events: [Event] = []
  private var publishedAt_ms: Int64?
  private var mustPublish = true
  /// Something has happened since the status was published.
  private var hasNews = false

  /// While the GPS is on the status is written so often, and at once when something notable happened. Who asks for it
  /// (`godwit status`) gets it as it is then.
  static let statusInterval_ms: Int64 = 60_000
  static let busyStatusInterval_ms: Int64 = 1000
  /// A batch of events larger than this is a loop that feeds itself.
  static let maxEventsInOneTurn = 100_000
  /// For so many turns what is due waits for gpsd's socket to be empty: 16 MB.
  static let maxTurnsWithMore = 64
  private var turnsWithMore = 0

  public init(tracker: Tracker, ports: Ports) {
    self.tracker = tracker
    self.ports = ports
    sources = Agent.sources(of: ports)
  }

  /// Runs until SIGTERM or SIGINT has been obeyed.
  public func run() {
    start()
    while !isDone { step() }
    _ = publish(at: ports.host.now())
  }

  /// The first turn.
  public func start() {
    ports.statusPort.started()
    turn(with: [.started])
  }

  /// Waits once, and takes one turn with what that brought.
  public func step() {
    let now = ports.host.now()
    let feed_ms = ports.statusPort.alive(at: now, gpsIsOn: tracker.isGPSOn)
    let publish_ms = publish(at: now)
    ports.shutdown.hold(tracker.trip != nil)
    let upload_ms = ports.servers.compactMap(\.upload.timeout_ms).min().map { now.boot_ms + Int64($0) }
    let until_ms = earliest(tracker.deadline_ms, upload_ms, feed_ms, publish_ms)
    let ready = ports.host.wait(for: descriptors, until: until_ms)
    turn(with: news(ready))
  }

  /// The tracker as it stands, for whoever asks over the control socket.
  public func status() -> TrackerStatus { status(at: ports.host.now()) }

  private func status(at now: Moment) -> TrackerStatus {
    var status = tracker.status(at: now)
    status.add(ports.host.figures(at: now))
    status.add(ports.storage.figures())
    status.update = ports.host.update(at: now)
    return status
  }

  private static func sources(of ports: Ports) -> [any Source] {
    [ports.gps] + ports.servers.flatMap { [$0.upload, $0.token] as [any Source] }
      + [ports.accelerometer, ports.shutdown, ports.board] + ports.others
  }

  private var descriptors: [PollDescriptor] { sources.flatMap { $0.descriptors } }

  /// The timer comes last: after a stall across a window's end the fixes that waited in gpsd's socket belong to the
  /// window. A flood of them is no reason to leave the GPS on.
  private func news(_ ready: [Int32]) -> [Event] {
    var news = sources.flatMap { $0.receive(ready: ready) }
    turnsWithMore = ports.gps.hasMore ? turnsWithMore + 1 : 0
    if (1...Agent.maxTurnsWithMore).contains(turnsWithMore) { return news }
    if let deadline_ms = tracker.deadline_ms, ports.host.now().boot_ms >= deadline_ms { news.append(.timer) }
    return news
  }

  /// Handles events in order, each followed by what performing its actions brings.
  private func turn(with news: [Event]) {
    events = news
    if news.contains(where: { !$0.isLineEdge }) { hasNews = true }
    var handled = 0
    while handled < events.count {
      let event = events[handled]
      handled += 1
      assert(handled < Agent.maxEventsInOneTurn, "events feed themselves")
      let known = events.count
      for action in tracker.handle(event, at: ports.host.now(), chance: ports.host.chance()) {
        perform(action)
      }
      if events.count == known { continue }
      // What an action brought comes before older news: SIGTERM must not meet a commit without its result.
      let brought = Array(events[known...])
      events.removeSubrange(known...)
      events.insert(contentsOf: brought, at: handled)
    }
    events = []
    if isEnding { end() }
  }

  private func end() {
    ports.statusPort.stopping()
    if let problem = ports.power.finish() { ports.statusPort.log(.warning, problem) }
    isDone = true
  }

  private func perform(_ action: Action) {
    switch action {
    case .setPower(let on):
      if on { _ = ports.statusPort.alive(at: ports.host.now(), gpsIsOn: true) }
      report(ports.power.set(on))
    case .connectGPS: report(ports.gps.connect())
    case .disconnectGPS: ports.gps.disconnect()
    case .hearFrames(let on): ports.gps.hearFrames(on)
    case .sendFrames(let frames, let device): ports.gps.send(frames, to: device)
    case .commit(let commit): events += ports.storage.commit(commit)
    case .saveRunState(let value): report(ports.runState.save(value))
    case .upload(let order, let server): upload(order, to: server)
    case .command(let action): perform(action)
    case .acceleration(let order): events += ports.accelerometer.perform(order)
    case .board(let order): events += ports.board.perform(order)
    case .renewToken(let server): report(ports.servers[server].token.renew())
    case .remove(let sequences, let server): events += ports.storage.remove(sequences, server: server)
    case .renumber(let sequences, let renews):
      events += ports.storage.renumber(sequences, renews: renews)
    case .quarantine(let sequence, let reason, let server):
      events += ports.storage.quarantine(sequence, reason: reason, server: server)
    case .log(let level, let text):
      ports.statusPort.log(level, text)
      if level <= .notice { mustPublish = true }
    case .checkOverlay(let overlay): report(ports.overlay.check(overlay))
    case .saveOverlay(let state): report(ports.overlay.save(state))
    case .useOverlay(let overlay): report(ports.overlay.use(overlay))
    case .applySettings: applySettings()
    case .exit: isEnding = true
    }
  }

  // What copies a tracker or a status stands apart: the stack of `perform` lies under all that it calls.

  private func applySettings() {
    guard let (configuration, next) = ports.settings?.applied() else { return }
    tracker.adopt(configuration, at: ports.host.now())
    ports = next
    mustPublish = true
    report(.settingsApplied)
    // What is sent over other connections now is sent anew.
    for server in ports.servers.indices
    where tracker.isSending(to: server) && !ports.servers[server].upload.isUnderWay {
      let lost = UploadReply(status: 0, failure: .dropped, message: "the settings were read anew", sent: [])
      report(.uploadFinished(lost, server: server))
    }
  }

  private func upload(_ order: UploadOrder, to server: Int) {
    report(ports.servers[server].upload.start(order, status: order.withStatus ? status() : nil))
  }

  private func perform(_ action: CommandAction) {
    switch action {
    case .note(let value): events.append(.command(ports.commands.note(value)))
    case .readReport(let id, let lines):
      events.append(.command(ports.commands.readReport(id: id, lines: lines)))
    case .retryQuarantine(let id): events += ports.commands.retryQuarantine(id: id)
    case .answer(let request, let answer): ports.commands.answer(request: request, answer)
    case .confirm: ports.servers.first?.upload.confirm()
    }
  }

  private func report(_ event: Event?) {
    if let event { events.append(event) }
  }

  /// - Returns: when it is to be published at the latest, though nothing else happens; nil: with what happens next.
  private func publish(at now: Moment) -> Int64? {
    let since_ms = publishedAt_ms.map { now.boot_ms - $0 } ?? .max
    // Without the GPS the next turn may be half an hour away: what is published must be true until then. A backlog that
    // is sent request by request is not said each time.
    let mayStayLong = hasNews && ports.gps.descriptors.isEmpty
    if mayStayLong, !mustPublish, !isDone, tracker.isSending, since_ms < Agent.busyStatusInterval_ms {
      return now.boot_ms - since_ms + Agent.busyStatusInterval_ms
    }
    guard mustPublish || mayStayLong || isDone || since_ms >= Agent.statusInterval_ms else { return nil }
    publishedAt_ms = now.boot_ms
    mustPublish = false
    hasNews = false
    ports.statusPort.publish(status(at: now))
    return nil
  }
}
