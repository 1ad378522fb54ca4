import TrackerBase

/// One receiver of the records: when it gets them, and how that went.
///
/// The first is that of `[sync]`, the others are those of `sync.also`. Each record goes to each of them, out of a
/// queue of the server's own: none waits for another.
package struct Server: Sendable {
  /// Empty for the first.
  let name: String
  @Shared var settings: SyncSettings
  package var sync: SyncMachine
  /// What happened since the process started. The rest of them is added by `status`.
  package private(set) var figures = DeliveryStatus()
  /// The last reply that acknowledged was too long to be read whole.
  private(set) var isCut = false
  /// The log has that records count though the server has never named one.
  private var isBeliefReported = false
  private var lastDeliveryAt_ms: Int64?
  private var problemSince_ms: Int64 = 0
  /// Records that wait for it on storage.
  package var stored = 0

  /// - Parameter old: the URLs of brokers that spoke 3.1.1 to an earlier process.
  init(name: String, settings: SyncSettings, old: [String]? = nil, at now_ms: Int64) {
    self.name = name
    self.settings = settings
    let isOld = old?.contains(settings.url) ?? false
    sync = SyncMachine(settings: settings, brokerVersion: isOld ? .v3_1_1 : .auto, at: now_ms)
  }

  /// What a server in a running process had said before it got these settings.
  ///
  /// What it wants waited for stays, or each reload would be a request that it has not asked for. With the same settings
  /// all of the sync goes on.
  mutating func goOn(from old: Server, at now_ms: Int64) {
    (figures, isCut, isBeliefReported) = (old.figures, old.isCut, old.isBeliefReported)
    (lastDeliveryAt_ms, problemSince_ms) = (old.lastDeliveryAt_ms, old.problemSince_ms)
    if settings == old.settings {
      sync.goOn(from: old.sync, at: now_ms)
    } else if settings.url == old.settings.url {
      sync.wait(as: old.sync, at: now_ms)
    }
  }

  var label: String { OtherServer.label(name) }

  /// - Returns: whether records have left for the first time though the server has never named one.
  mutating func note(_ reply: UploadReply, at now_ms: Int64) -> Bool {
    figures.requests += 1
    figures.bytesUp += reply.bytesUp
    figures.bytesDown += reply.bytesDown
    figures.lastReply = reply.status == 0 ? (reply.failure?.rawValue ?? "none") : String(reply.status)
    if !reply.interface.isEmpty { figures.interface = reply.interface }
    if reply.mqttVersion != .auto { figures.mqttVersion = reply.mqttVersion }
    let problem = reply.problem(settings.ack)
    if reply.isCut { figures.repliesCut += 1 }
    if problem == nil { isCut = reply.isCut }
    if problem != figures.problem { problemSince_ms = now_ms }
    figures.problem = problem
    guard !reply.sent.isEmpty, let proof = reply.proof(settings.ack) else { return false }
    figures.acknowledgedBy = proof
    let isBelief = proof.beliefWords != nil
    defer { if isBelief { isBeliefReported = true } }
    return isBelief && !isBeliefReported
  }

  /// For operators, the first time.
  func beliefWords(_ reply: UploadReply) -> String {
    let cause = reply.isPlainHTTP ? "since sync.ack is \"any\"" : "because of its certificate"
    return
      "\(label)the server answers \(reply.status) and names no records: it is believed \(cause). See whether they are there; sync.accept or sync.ack = \"strict\" wants proof"
  }

  /// For operators, when it begins.
  var apartWords: String {
    "\(label)three answers in a row named none of the events that were sent: events go alone from now on, and wait until the server names them"
  }

  mutating func delivered(_ records: Int, at now_ms: Int64) {
    figures.delivered += records
    lastDeliveryAt_ms = now_ms
  }

  /// For operators, when replies begin to be too long.
  var cutWords: String {
    "\(label)the reply is longer than sync.max_reply_kb: the records that it names count as delivered, settings and "
      + "commands in it are lost; the server must answer shorter, or max_reply_kb be larger"
  }

  /// For operators.
  func words(for hold: SyncHold) -> String {
    switch hold {
    case .noURL: "sync.url is empty, so nothing is ever sent"
    case .nothingToSend:
      "no record waits, and sync.format \"\(settings.format.rawValue)\" has no place for a status: there is nothing to send"
    case .statusRefused(let wait_s):
      "no record waits, and the server refused the last status; the next one goes in \(wait_s) s"
    case .underWay: "a request is under way already"
    case .budget(let wait_s): "the byte budget is used up; it is renewed in \(wait_s) s"
    case .backingOff(let wait_s):
      "the last reply was \(lastReplyWords), and the next attempt is in \(wait_s) s"
    }
  }

  /// Without a reply the cause is all that there is to say.
  private var lastReplyWords: String {
    let cause = figures.problem?.name ?? "kept"
    return cause == figures.lastReply ? cause : "\(figures.lastReply) (\(cause))"
  }

  /// Why a request delivered nothing, and what to do.
  func words(for reply: UploadReply) -> String {
    let problem = reply.problem(settings.ack)?.name ?? ""
    // Without a reply there is no status.
    let cause =
      reply.status > 0 ? "\(problem) \(reply.status)" : reply.message.isEmpty ? problem : "\(problem):"
    let known = [cause, reply.message].filter { !$0.isEmpty }.joined(separator: " ")
    let advice = reply.advice(settings.ack)
    return advice.isEmpty ? known : "\(known): \(advice)"
  }

  func status(at now_ms: Int64) -> DeliveryStatus {
    var status = figures
    switch sync.state {
    case .idle: status.state = .idle
    case .splaying: status.state = .splaying
    case .pacing: status.state = .pacing
    case .sending: status.state = .sending
    case .backingOff: status.state = .backingOff
    }
    status.failures = sync.pace.failures
    status.nextAttempt_s = sync.nextAttempt_ms.map { max(0, ($0 - now_ms) / 1000) }
    status.problem_s = figures.problem.map { _ in (now_ms - problemSince_ms) / 1000 }
    status.lastDelivery_s = lastDeliveryAt_ms.map { (now_ms - $0) / 1000 }
    return status
  }
}
