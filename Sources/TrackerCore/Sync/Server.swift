/// One receiver of the records: when it gets them, and how that went.
///
/// The first is that of `[sync]`, the others are those of `sync.also`. Each record goes to each of them, out of a
/// queue of the server's own: none waits for another.
struct Server: Sendable {
  /// Empty for the first.
  let name: String
  let settings: SyncSettings
  var sync: SyncMachine
  var tally = Tally()
  /// Records that wait for it on storage.
  var stored = 0

  /// What happened since the process started.
  struct Tally: Equatable, Sendable {
    var requests = 0
    var delivered = 0
    var bytesUp: Int64 = 0
    var bytesDown: Int64 = 0
    var lastReply = ""
    /// What the broker speaks, once one has answered.
    var mqttVersion = SyncSettings.MQTTVersion.auto
    var lastDeliveryAt_ms: Int64?
    /// Of the last reply; nil if it acknowledged.
    var problem: UploadReply.Problem?
    var problemSince_ms: Int64 = 0
  }

  init(name: String, settings: SyncSettings, at now_ms: Int64) {
    self.name = name
    self.settings = settings
    sync = SyncMachine(settings: settings, at: now_ms)
  }

  /// What a server in a running process had said before it got these settings.
  ///
  /// What it wants waited for stays, or each reload would be a request that it has not asked for. With the same settings
  /// all of the sync goes on.
  mutating func goOn(from old: Server, at now_ms: Int64) {
    tally = old.tally
    if settings == old.settings {
      sync.goOn(from: old.sync, at: now_ms)
    } else if settings.url == old.settings.url {
      sync.wait(as: old.sync)
    }
  }

  static func all(in settings: Settings, at now_ms: Int64) -> [Server] {
    settings.servers.map { Server(name: $0.name, settings: $0.sync, at: now_ms) }
  }

  var label: String { OtherServer.label(name) }

  mutating func note(_ reply: UploadReply, at now_ms: Int64) {
    tally.requests += 1
    tally.bytesUp += reply.bytesUp
    tally.bytesDown += reply.bytesDown
    tally.lastReply = reply.status == 0 ? (reply.failure?.rawValue ?? "none") : String(reply.status)
    if reply.mqttVersion != .auto { tally.mqttVersion = reply.mqttVersion }
    let problem = reply.problem(settings.ack)
    if problem != tally.problem { tally.problemSince_ms = now_ms }
    tally.problem = problem
  }

  /// For operators.
  func words(for hold: SyncMachine.Hold) -> String {
    switch hold {
    case .noURL: "sync.url is empty, so nothing is ever sent"
    case .nothingQueued: "no record waits"
    case .underWay: "a request is under way already"
    case .budget(let wait_s): "the byte budget is used up; it is renewed in \(wait_s) s"
    case .backingOff(let wait_s):
      "the last reply was \(tally.lastReply) (\(tally.problem?.name ?? "kept")), and the next attempt is in \(wait_s) s"
    }
  }
}
