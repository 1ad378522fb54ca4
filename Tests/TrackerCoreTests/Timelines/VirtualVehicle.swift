@testable import TrackerCore

/// A tracker in virtual time with a module that obeys its power, a queue in memory, and a server.
///
/// One tick is one second. A kill loses what a real one loses: everything that was not committed.
struct VirtualVehicle {
  struct Server {
    var isUp = true
    var received: [Int64: Record] = [:]
    var requests = 0
  }

  private(set) var tracker: Tracker
  private(set) var second = 0
  var isPowered = false
  private(set) var stored: [Record] = []
  private(set) var state: [String: String] = [:]
  private(set) var tail: Record?
  private(set) var lastSequence: Int64 = 0
  private(set) var powerSeconds = 0
  private(set) var log: [String] = []
  var server = Server()
  var storageFails = false
  var coldStart_s = 5
  private var isConnected = false
  private var poweredSince = 0
  private var hasExited = false
  private let settings: Settings
  private let schedule: Schedule

  init(rules: [String] = [], _ change: (inout Settings) -> Void = { _ in }) throws {
    var settings = Settings()
    settings.sync.url = "https://fleet.example.com/"
    settings.sync.splay_s = 0
    settings.gps.power.mode = .level
    change(&settings)
    self.settings = settings
    schedule = try Schedule(rules: rules)
    tracker = VirtualVehicle.tracker(
      settings, schedule, Tracker.Restored(), at: Moment(boot_ms: 0, wall_ms: On.start_ms))
    perform(tracker.handle(.started, at: now, chance: 0.5))
  }

  private static func tracker(
    _ settings: Settings, _ schedule: Schedule, _ restored: Tracker.Restored, at now: Moment
  ) -> Tracker {
    Tracker(
      settings: settings, schedule: schedule, zone: FixedZone.utc, restored: restored,
      notBefore_ms: 1_700_000_000_000,
      isSynchronised: true, at: now)
  }

  var now: Moment { Moment(boot_ms: Int64(second) * 1000, wall_ms: On.start_ms + Int64(second) * 1000) }
  var status: TrackerStatus { tracker.status(at: now) }
  /// Everything that will reach a person: delivered, queued, in order.
  var records: [Record] {
    (server.received.values + stored.filter { server.received[$0.sequence] == nil }).sorted {
      $0.sequence < $1.sequence
    }
  }
  var trips: [Record] { records.filter { $0.kind == .trip } }

  /// Lets seconds pass; `report` says what the module would see, nil for no sky.
  mutating func run(_ seconds: Int, _ report: (Int) -> GPSReport?) {
    for _ in 0..<seconds where !hasExited {
      second += 1
      if isPowered { powerSeconds += 1 }
      if let deadline_ms = tracker.deadline_ms, deadline_ms <= now.boot_ms { handle(.timer) }
      guard isPowered, isConnected else { continue }
      let seen = second - poweredSince > coldStart_s ? report(second) : nil
      handle(.gpsReport(seen ?? GPSReport(mode: 1)))
    }
  }

  mutating func handle(_ event: Event) { perform(tracker.handle(event, at: now, chance: 0.5)) }

  mutating func kill() {
    (isPowered, isConnected) = (false, false)
    let restored = Tracker.Restored(
      state: state, tail: tail, lastSequence: lastSequence, queued: stored.count)
    tracker = VirtualVehicle.tracker(settings, schedule, restored, at: now)
    perform(tracker.handle(.started, at: now, chance: 0.5))
  }

  private mutating func perform(_ actions: [Action]) {
    for action in actions {
      switch action {
      case .setPower(let on):
        if on && !isPowered { poweredSince = second }
        isPowered = on
      case .connectGPS: isConnected = true
      case .disconnectGPS: isConnected = false
      case .commit(let commit): store(commit)
      case .upload(let limit, _): upload(limit: limit)
      case .remove(let sequences):
        stored.removeAll { sequences.contains($0.sequence) }
        handle(.queueShrank(queued: stored.count))
      case .quarantine(let sequence, _): stored.removeAll { $0.sequence == sequence }
      case .log(_, let text): log.append(text)
      case .exit: hasExited = true
      }
    }
  }

  private mutating func store(_ commit: Commit) {
    guard !storageFails else { return handle(.commitFailed("disk full")) }
    stored += commit.records
    lastSequence = max(lastSequence, commit.records.last?.sequence ?? 0)
    tail = commit.tail
    state.merge(commit.state) { $1 }
    handle(.committed(queued: stored.count))
  }

  private mutating func upload(limit: Int) {
    server.requests += 1
    let batch = stored.prefix(limit)
    let sequences = batch.map(\.sequence)
    guard server.isUp else {
      return handle(.uploadFinished(UploadReply(status: 0, failure: .connect, sent: sequences)))
    }
    for record in batch {
      // Sent again, a record must not differ.
      if let before = server.received[record.sequence] { precondition(before == record) }
      server.received[record.sequence] = record
    }
    handle(.uploadFinished(UploadReply(status: 200, contentType: "application/json", sent: sequences)))
  }
}
