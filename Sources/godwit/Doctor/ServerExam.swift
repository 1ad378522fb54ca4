import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

/// Whether the server is reached, takes the credentials, and confirms a record that waits.
struct ServerExam {
  let settings: Settings
  let agent: AgentLink
  let device: String
  let say: (String) -> Void

  func findings() -> [Finding] {
    guard let host = (try? ServerURL(settings.sync.url))?.host, !settings.sync.url.isEmpty else {
      return Self.untried("sync.url is not set")
    }
    say("asking the server \(host)")
    return agent.isThere ? withAgent(host) : alone(host)
  }

  private static func untried(_ words: String) -> [Finding] {
    [.server, .record, .identity].map { .notTried($0, words) }
  }

  private func failed(_ words: String, _ advice: String) -> [Finding] {
    [.fail(.server, words, advice)] + Self.untried("the server takes no request").dropFirst()
  }

  private static func confirmed(_ server: Finding, _ words: String) -> [Finding] {
    [
      server, .pass(.record, words),
      .pass(.identity, "the server has none of another box under this one's name"),
    ]
  }

  private static func conflicting(_ server: Finding) -> [Finding] {
    [
      server, .notTried(.record, "see identity"),
      .fail(
        .identity, "the server has records of another box under this one's name",
        "a card was copied: give each box its own device_id, docs/queue.md says more"),
    ]
  }

  private static let noPlace = "sync.format carries no record without a place, and none waits"

  // MARK: With an agent

  private var patience_ms: Int64 { Int64(settings.sync.requestTimeout_s * 1000) + 5000 }

  private func withAgent(_ host: String) -> [Finding] {
    let before = agent.ask("status")?["sync"]
    let answer = agent.ask("test")
    guard answer?["ok"]?.bool == true else {
      let held = (answer?["held"]?.array ?? []).compactMap(\.string).first ?? "the agent does not answer"
      return failed(held, "godwit sync says what holds it")
    }
    let isMade = answer?["made"]?.bool == true
    let end_ms = HostClock.now().boot_ms + patience_ms
    while HostClock.now().boot_ms < end_ms {
      usleep(300_000)
      guard let status = agent.ask("status"), let sync = status["sync"], sync["state"]?.string != "sending",
        Self.increase("requests", before, sync) > 0,
        // The status may go first, and alone.
        !isMade || sync["problem"] != nil || Self.increase("delivered", before, sync) > 0
      else { continue }
      return judged(host, delivered: Self.increase("delivered", before, sync), status)
    }
    return failed("\(host): no request has ended", "journalctl -u godwit says what it waits for")
  }

  private static func increase(_ key: String, _ before: JSONValue?, _ now: JSONValue) -> Int64 {
    (now[key]?.integer ?? 0) - (before?[key]?.integer ?? 0)
  }

  private func judged(_ host: String, delivered: Int64, _ status: JSONValue) -> [Finding] {
    if let problem = status["sync"]?["problem"]?.string {
      let reply = status["sync"]?["last_reply"]?.string ?? "?"
      return failed("\(host): \(problem), last reply \(reply)", Self.advice(problem))
    }
    let server = Finding.pass(.server, "\(host) has taken a request")
    if status["warnings"]?["identity_conflict"] != nil { return Self.conflicting(server) }
    guard delivered > 0 else {
      return [server, .notTried(.record, Self.noPlace), .notTried(.identity, "no record was confirmed")]
    }
    let words = "\(counted(delivered, "record")) confirmed"
    return Self.confirmed(
      server, [words, StatusReport.belief(status["sync"])].compactMap { $0 }.joined(separator: ": "))
  }

  // MARK: Without an agent

  private func alone(_ host: String) -> [Finding] {
    let path = settings.queue.path
    guard access(path, F_OK) == 0 else {
      return Self.untried("there is no queue yet: after the agent's first start")
    }
    do {
      return try AgentUser.asOwner(ofQueue: path) {
        let queue = try QueueStore(whole: path, servers: settings.servers.map(\.name))
        let identity = StatusDocument.Identity(
          device: device, version: Version.text, settingsHash: SettingsHash.of(settings),
          bootID: HostClock.bootID(), source: .deviceID)
        let uploads = try Uploads(
          queue: queue, settings: settings.sync, identity: identity, log: Log(settings))
        if queue[0].count == 0 {
          if settings.sync.format.traits.needsPosition { return Self.untried(Self.noPlace) }
          try TestRecord.add(to: queue, at: path)
        }
        return judged(host, send(uploads), queue)
      }
    } catch { return failed("\(error)", "godwit queue says more") }
  }

  /// The oldest record: what is not the doctor's stays in the queue, since sent again it counts once.
  private func send(_ uploads: Uploads) -> UploadReply? {
    var events = [uploads.start(UploadOrder(limit: 1), status: nil)].compactMap { $0 }
    let end_ms = HostClock.now().boot_ms + patience_ms
    while events.isEmpty, HostClock.now().boot_ms < end_ms {
      let timeout_ms = min(uploads.timeout_ms ?? 500, 500)
      events = uploads.receive(ready: Poller.wait(uploads.descriptors, timeout_ms: timeout_ms))
    }
    for case .uploadFinished(let reply, _) in events { return reply }
    return nil
  }

  private func judged(_ host: String, _ reply: UploadReply?, _ queue: QueueStore) -> [Finding] {
    guard let reply else { return failed("\(host): no answer in time", Self.advice("timeout")) }
    if let problem = reply.problem(settings.sync.ack) {
      let words = reply.message.isEmpty ? problem.name : "\(problem.name): \(reply.message)"
      return failed("\(host): \(words)", Self.advice(problem.name))
    }
    let server = Finding.pass(.server, "\(host) answers \(reply.status)")
    guard reply.conflicts.isEmpty else { return Self.conflicting(server) }
    let isTest = TestRecord.remove(reply.sent, from: queue)
    let words =
      isTest
      ? "a test record without a place is confirmed"
      : "a record that waits is confirmed; it stays in the queue, and counts once"
    let belief = reply.proof(settings.sync.ack)?.beliefWords
    return Self.confirmed(server, [words, belief].compactMap { $0 }.joined(separator: ": "))
  }

  /// By the problem's name (docs/sync.md).
  static func advice(_ problem: String) -> String {
    switch problem {
    case "resolve": "is there a network, and is the name in sync.url right?"
    case "connect", "timeout", "dropped":
      "is there a network, and does the server run? Does a firewall stand between?"
    case "tls", "tls_clock":
      "the clock of this box, the server's certificate with its intermediates, sync.ca_file, sync.client_cert_file"
    case "no_subscriber": "a subscriber with a lasting session, or sync.no_subscriber (docs/transport.md)"
    case "unauthorised", "no_token": "the token: sync.token_file, and what the server knows of this device"
    case "captive_portal", "redirect":
      "a web page answers instead: another network, or sync.url is not the whole address"
    case "not_echoed":
      "the reply does not say that the records are stored: journalctl -u godwit has why; sync.ack, sync.accept"
    case "not_found": "is the path in sync.url right, and does the server know this device?"
    default: "docs/sync.md has what each reply means; the server's own log says why"
    }
  }
}

/// What the doctor sends where no agent runs and no record waits: a record like any other, with a number of its own, so
/// that a lost answer or another run of the doctor makes no second one.
enum TestRecord {
  static func add(to queue: QueueStore, at path: String) throws {
    let found = queue.restore()
    // On a copied card the next numbers are another box's.
    if let words = queue.noteHost(.read(queuePath: path)) {
      Terminal.error("godwit: \(words)\n")
    }
    let now = HostClock.now()
    let record = Record(
      sequence: found.lastSequence + 1, content: .status(.tested), time_ms: now.wall_ms,
      timeSource: HostClock.isSynchronised() ? .trustedWallClock : .untrustedWallClock, boot_ms: now.boot_ms,
      fix: nil, isMoving: false, tripID: nil, odometer_m: found.state["odometer_m"]?.number ?? 0)
    try queue.commit(Commit(records: [record]))
  }

  /// It is confirmed. What else was sent waits for the agent.
  ///
  /// - Returns: the record was the doctor's.
  static func remove(_ sequences: [Int64], from queue: QueueStore) -> Bool {
    let own = ((try? queue[0].batch(limit: 1)) ?? [])
      .filter { $0.content == .status(.tested) && sequences.contains($0.sequence) }
    // One that stays is sent again, and counts once.
    _ = try? queue[0].remove(own.map(\.sequence))
    return !own.isEmpty
  }
}
