import Glibc
import TrackerCore
import TrackerIO
import TrackerWire

/// Whether the server is reached, takes the credentials, and confirms a record that waits.
struct ServerExam {
  private let settings: Settings
  private let agent: AgentLink
  private let device: String
  private let say: (String) -> Void

  init(_ settings: Settings, _ agent: AgentLink, device: String, say: @escaping (String) -> Void) {
    (self.settings, self.agent, self.device, self.say) = (settings, agent, device, say)
  }

  func findings() -> [Finding] {
    guard let host = (try? ServerURL(settings.sync.url))?.host, !settings.sync.url.isEmpty else {
      return [.notTried(.server, "sync.url is not set"), .notTried(.record, "sync.url is not set")]
    }
    say("asking the server \(host)")
    return agent.isThere ? withAgent(host) : alone(host)
  }

  private func failed(_ words: String, _ advice: String) -> [Finding] {
    [.fail(.server, words, advice), .notTried(.record, "the server takes no request")]
  }

  // MARK: With an agent

  private var patience_ms: Int64 { Int64(settings.sync.requestTimeout_s * 1000) + 5000 }

  private func withAgent(_ host: String) -> [Finding] {
    let before = agent.fresh()?["sync"]
    let answer = agent.ask("sync")
    guard answer?["ok"]?.bool == true else {
      let held = (answer?["held"]?.array ?? []).compactMap(\.string).first ?? "the agent does not answer"
      return failed(held, "godwit sync says what holds it")
    }
    let end_ms = HostClock.now().boot_ms + patience_ms
    while HostClock.now().boot_ms < end_ms {
      usleep(300_000)
      guard let sync = agent.fresh()?["sync"],
        (sync["requests"]?.integer ?? 0) > (before?["requests"]?.integer ?? 0),
        sync["state"]?.string != "sending"
      else { continue }
      return judged(host, before, sync)
    }
    return failed("\(host): no request has ended", "journalctl -u godwit says what it waits for")
  }

  private func judged(_ host: String, _ before: JSONValue?, _ sync: JSONValue) -> [Finding] {
    if let problem = sync["problem"]?.string {
      let reply = sync["last_reply"]?.string ?? "?"
      return failed("\(host): \(problem), last reply \(reply)", Self.advice(problem))
    }
    let delivered = (sync["delivered"]?.integer ?? 0) - (before?["delivered"]?.integer ?? 0)
    return [
      .pass(.server, "\(host) has taken a request"),
      delivered > 0
        ? .pass(.record, "\(counted(delivered, "record")) confirmed")
        : .notTried(.record, "none waited: the status went alone, and was taken"),
    ]
  }

  // MARK: Without an agent

  private func alone(_ host: String) -> [Finding] {
    let path = settings.queue.path
    guard access(path, F_OK) == 0 else {
      return failed("not tried before the agent's first start", "start godwit, and ask again")
        .map { .notTried($0.subject, "there is no queue yet: after the agent's first start") }
    }
    do {
      return try QueueAccess.asOwner(of: path) {
        let queue = try QueueStore(whole: path)
        let identity = StatusDocument.Identity(
          device: device, version: Version.text, settingsHash: SettingsHash.of(settings),
          bootID: HostClock.bootID(), source: .deviceID)
        let uploads = try Uploads(
          queue: queue, settings: settings.sync, identity: identity, log: Log(settings))
        guard queue.count > 0 else {
          return [
            .notTried(.server, "no record waits, and a status would say what no agent knows: start godwit"),
            .notTried(.record, "no record waits"),
          ]
        }
        return judged(host, send(uploads))
      }
    } catch { return failed("\(error)", "godwit queue says more") }
  }

  /// The oldest record, which stays in the queue: sent again it counts once.
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

  private func judged(_ host: String, _ reply: UploadReply?) -> [Finding] {
    guard let reply else { return failed("\(host): no answer in time", Self.advice("timeout")) }
    if let problem = reply.problem(settings.sync.ack) {
      let words = reply.message.isEmpty ? problem.name : "\(problem.name): \(reply.message)"
      return failed("\(host): \(words)", Self.advice(problem.name))
    }
    return [
      .pass(.server, "\(host) answers \(reply.status)"),
      reply.conflicts.isEmpty
        ? .pass(.record, "a record that waits is confirmed; it stays in the queue, and counts once")
        : .fail(
          .record, "the server has another record under this one's identity",
          "a card was copied: docs/queue.md says what to do"),
    ]
  }

  /// By the problem's name (docs/sync.md).
  static func advice(_ problem: String) -> String {
    switch problem {
    case "resolve": "is there a network, and is the name in sync.url right?"
    case "connect", "timeout", "dropped":
      "is there a network, and does the server run? Does a firewall stand between?"
    case "tls", "tls_clock": "the clock of this box, the server's certificate, sync.ca_file"
    case "unauthorised", "no_token": "the token: sync.token_file, and what the server knows of this device"
    case "captive_portal", "redirect":
      "a web page answers instead: another network, or sync.url is not the whole address"
    case "not_echoed": "the server does not name what it stored: https://, or sync.ack (docs/sync.md)"
    default: "docs/sync.md has what each reply means; the server's own log says why"
    }
  }
}
