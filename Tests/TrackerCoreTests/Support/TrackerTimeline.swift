import Testing

@testable import TrackerBase
@testable import TrackerCore
@testable import TrackerRemote

/// A whole tracker in virtual time: a vehicle on a drive, a GPS module that needs power and time to start, storage that can
/// fail, a server by script, and a process that can be killed. Asserted with each event: power goes on and off in turn and
/// only when wanted, one request at a time, sequences rise, what is sent again is the same, and deadlines move.
final class TrackerTimeline {
  typealias Server = (_ batch: [Record], _ s: Double) -> UploadReply

  /// What survives a kill.
  struct Disk {
    var state: [String: JSONValue] = [:]
    var tail: [Record] = []
    var queue: [Record] = []
    var lastSequence: Int64 = 0
    var quarantined: [Int64] = []
    var ledger: [String: Int] = [:]
    /// Each record that was ever committed.
    var committed: [Record] = []
    var commits = 0
    /// As saved last.
    var runState: JSONValue?
    var overlay = OverlayState()
    var commands: JSONValue?
  }

  private(set) var settings: Settings
  private var schedule: Schedule
  /// Read on SIGHUP.
  private var newSettings: Settings?
  /// What the settings are with an overlay.
  var overlaid: (Overlay?) -> Settings = { _ in .with() }
  private var usedOverlay: Overlay?
  let drive: Drive
  private var receiver: Receiver
  private var random: SeededRandom
  var coldStart_s = 30.0
  var storageFails = false
  /// What is on it is still sent; otherwise memory alone is.
  var storageStillReads = false
  /// The next process can read nothing of the disk until storage no longer fails.
  var storageIsUnread = false
  /// Changes with a reboot; the timeline's boot clock runs on all the same, unless it is told not to.
  private var boot = 1
  private var bootedAt_ms: Int64 = 0
  /// The power line does not go off.
  var powerIsStuck = false
  /// gpsd refuses connections.
  var gpsdIsGone = false
  var server: Server = { batch, _ in .of(200, sent: batch.map { $0.sequence }) }
  var latency_s = 1.0
  /// The wall clock is ahead by so much, from the next event on.
  var wallError_s = 0.0
  /// What the receiver's date is ahead by, at a second and so long after power-on.
  var dateError_s: (_ s: Double, _ sincePowerOn_s: Double) -> Double = { _, _ in 0 }
  private(set) var isSynchronised: Bool
  /// Milliseconds between two reports.
  var interval_ms: Int64 = 1000
  /// What reaches the agent of a report that the module gives at a second.
  var onTheWay: (_ report: GPSReport, _ s: Double) -> [GPSReport] = { report, _ in [report] }
  /// Instead of the drive's receiver: what a module with power gives at a time of the timeline.
  var source: ((_ now_ms: Int64) -> GPSReport)?
  /// What the next process finds in its file.
  var geofences: [Geofence]

  private(set) var tracker: Tracker
  private(set) var disk = Disk()
  /// What the server has, by sequence.
  private(set) var identities: [Identity: Record] = [:]

  /// How a receiver knows a record.
  struct Identity: Hashable {
    var queueID: UInt64
    var sequence: Int64

    init(_ record: Record) { (queueID, sequence) = (record.queueID, record.sequence) }
  }

  var received: [Int64: Record] {
    Dictionary(identities.map { ($0.key.sequence, $0.value) }, uniquingKeysWith: { $1 })
  }
  private(set) var orders: [UploadOrder] = []
  private(set) var requests: [(s: Double, records: Int, withStatus: Bool)] = []
  private(set) var picks: [UploadOrder.Pick] = []
  /// How often `auth_command` was asked for.
  private(set) var renewals = 0
  private(set) var log: [String] = []
  /// Power and what is to outlive the process, in order.
  private(set) var deeds: [String] = []
  private(set) var gpsOn_s = 0.0
  private(set) var hasExited = false
  /// What commands of the server made of the ports, and what operators were answered.
  private(set) var commandDeeds: [String] = []
  var now_ms: Int64 = 0
  private var poweredSince_ms: Int64?
  private var isConnected = false
  private(set) var hearsFrames = false
  /// What a receiver answers to frames of its own protocol.
  var module: (_ bytes: [UInt8], _ device: String) -> [[UInt8]] = { _, _ in [] }
  /// What an accelerometer says to what it is told, at a second.
  var accelerometer: (_ order: AccelerationOrder, _ s: Double) -> [AccelerationNews] = { _, _ in [] }
  private(set) var accelerationOrders: [AccelerationOrder] = []
  let boardPower = TimelineBoard()
  private var reply: (at_ms: Int64, reply: UploadReply)?
  private var lastReport_ms: Int64 = -1

  init(
    _ drive: Drive, rules: [String] = [], seed: UInt64 = 1, sigma_m: Double = 0, isSynchronised: Bool = true,
    wallError_s: Double = 0, geofences: [Geofence] = [], _ change: (inout Settings) -> Void = { _ in }
  ) throws {
    self.drive = drive
    self.isSynchronised = isSynchronised
    self.geofences = geofences
    self.wallError_s = wallError_s
    settings = .with(change)
    schedule = try Schedule(rules: rules)
    receiver = Receiver(seed: seed, sigma_m: sigma_m)
    random = SeededRandom(seed)
    var start = Moment.at(0)
    start.wall_ms += milliseconds(wallError_s)
    tracker = TrackerTimeline.tracker(settings, schedule, .init(), isSynchronised, geofences, at: start)
    happen(.started)
  }

  private static func tracker(
    _ settings: Settings, _ schedule: Schedule, _ restored: Tracker.Restored, _ isSynchronised: Bool,
    _ geofences: [Geofence], at now: Moment
  ) -> Tracker {
    Tracker(
      Configuration(settings: settings, schedule: schedule, zone: FixedZone.utc, geofences: geofences),
      restored: restored, notBefore_ms: epoch_ms - 86_400_000, isSynchronised: isSynchronised, at: now)
  }

  var now_s: Double { Double(now_ms) / 1000 }
  var isPowered: Bool { poweredSince_ms != nil }
  var now: Moment {
    var now = Moment.at(now_s)
    now.wall_ms += milliseconds(wallError_s)
    now.boot_ms -= bootedAt_ms
    return now
  }

  // MARK: time

  func run(to s: Double) {
    let until_ms = milliseconds(s)
    var turns = 0
    while let next_ms = [nextReport_ms, deadline_ms, reply?.at_ms].compactMap({ $0 }).min(),
      next_ms <= until_ms
    {
      turns = next_ms > now_ms ? 0 : turns + 1
      if turns > 200 {
        Issue.record("busy at \(now_s): deadline \(tracker.deadline_ms ?? -1)")
        return
      }
      now_ms = max(now_ms, next_ms)
      if let (at_ms, words) = reply, at_ms <= now_ms {
        reply = nil
        happen(.uploadFinished(words))
      }
      if let at_ms = nextReport_ms, at_ms <= now_ms { sendReport() }
      if let at_ms = deadline_ms, at_ms <= now_ms { happen(.timer) }
    }
    now_ms = until_ms
  }

  func happen(_ first: Event) {
    var events = [first]
    var handled = 0
    while handled < events.count {
      let actions = tracker.handle(events[handled], at: now, chance: random.unit())
      handled += 1
      let brought = actions.flatMap { perform($0) }
      events.insert(contentsOf: brought, at: handled)
    }
    #expect(!isPowered || tracker.wantsGPS || powerIsStuck, "power without a wish at \(now_s)")
  }

  /// kill -9, then a new process `after_s` later, on what the disk holds. The GPS is switched off between.
  ///
  /// - Parameters:
  ///   - isCrash: the new process knows that the one before did not end in order.
  ///   - aliveFor_s: so long before its end it last gave a sign of life; nil: what it stored is all there is.
  func kill(restartAfter after_s: Double = 1, isCrash: Bool = false, aliveFor_s: Double? = nil) {
    switchOff()
    reply = nil
    let alive_ms = aliveFor_s.map { now.boot_ms - milliseconds($0) }
    now_ms += milliseconds(after_s)
    var runState = RunState(disk.runState, bootID: "boot-\(boot)", at: now.boot_ms)
    if isCrash { runState.runBegan(at: now.boot_ms) }
    disk.runState = runState.saved(trusted_ms: isSynchronised ? now.wall_ms : nil, at: now.boot_ms)
    hasExited = false
    var restored = storageIsUnread ? Tracker.Restored() : restored
    restored.commands = CommandInbox(disk.commands, time_ms: now.wall_ms, at: now.boot_ms)
    restored.isUnread = storageIsUnread
    if storageIsUnread { restored.lastSequence = now.wall_ms }
    if storageFails { restored.storageProblem = "I/O error" }
    restored.runState = runState
    restored.alive_ms = alive_ms
    restored.board = boardPower.start
    tracker = TrackerTimeline.tracker(settings, schedule, restored, isSynchronised, geofences, at: now)
    happen(.started)
  }

  private var restored: Tracker.Restored {
    Tracker.Restored(
      state: disk.state, tail: disk.tail, lastSequence: disk.lastSequence, queued: [disk.queue.count])
  }

  /// What the next process finds, as a command without an agent leaves it.
  func leave(_ runState: JSONValue) { disk.runState = runState }

  /// What the next process finds under a key of the saved state.
  func leave(_ key: String, _ value: JSONValue) { disk.state[key] = value }

  /// A power cut. The clock is right afterwards, and trusted or not.
  ///
  /// - Parameter bootClock_s: what the new boot clock says when the process starts; nil: the old one runs on.
  func reboot(after after_s: Double, isSynchronised: Bool, bootClock_s: Double? = nil) {
    boot += 1
    if let bootClock_s { bootedAt_ms = now_ms + milliseconds(after_s - bootClock_s) }
    self.isSynchronised = isSynchronised
    kill(restartAfter: after_s, isCrash: true)
  }

  /// The tracker's, in the timeline.
  private var deadline_ms: Int64? { tracker.deadline_ms.map { $0 + bootedAt_ms } }

  // MARK: the world

  private var nextReport_ms: Int64? {
    guard isPowered, isConnected else { return nil }
    return max((now_ms + interval_ms - 1) / interval_ms * interval_ms, lastReport_ms + interval_ms)
  }

  private func sendReport() {
    lastReport_ms = now_ms
    let isWarm = poweredSince_ms.map { now_ms - $0 >= milliseconds(coldStart_s) } ?? false
    var report = source?(now_ms) ?? receiver.report(drive.sample(at: now_s), at: now_s)
    guard isWarm else { return happen(.gpsReport(GPSReport(mode: 1))) }
    let since_s = Double(now_ms - (poweredSince_ms ?? now_ms)) / 1000
    report.time_ms? += milliseconds(dateError_s(now_s, since_s))
    for report in onTheWay(report, now_s) { happen(.gpsReport(report)) }
  }

  private func switchOff() {
    if let since_ms = poweredSince_ms { gpsOn_s += Double(now_ms - since_ms) / 1000 }
    poweredSince_ms = nil
    isConnected = false
  }

  private func perform(_ action: Action) -> [Event] {
    switch action {
    case .setPower(let on):
      #expect(on != isPowered, "power \(on ? "on" : "off") twice at \(now_s)")
      if powerIsStuck, !on { return [.powerFailed("it is stuck")] }
      deeds.append("\(Int(now_s)) power \(on ? "on" : "off")")
      if on { poweredSince_ms = now_ms } else { switchOff() }
    case .connectGPS:
      #expect(isPowered, "connected without power")
      if gpsdIsGone { return [.gpsLost("refused")] }
      isConnected = true
      hearsFrames = false
    case .disconnectGPS: isConnected = false
    case .hearFrames(let on): hearsFrames = on
    case .sendFrames(let bytes, let device):
      #expect(isConnected && hearsFrames, "sent, and nobody listens")
      return module(bytes, device).map { .gpsFrame($0) }
    case .commit(let commit): return [write(commit)]
    case .saveRunState(let value):
      if storageFails { return [.runStateNotSaved("disk full")] }
      disk.runState = value
      deeds.append("\(Int(now_s)) saved")
    case .upload(let order, _): return send(order)
    case .command(let action): return perform(action)
    case .acceleration(let order):
      accelerationOrders.append(order)
      return accelerometer(order, now_s).map { .acceleration($0) }
    case .board(let order): return boardPower.perform(order, at: now_s)
    case .renewToken: renewals += 1
    case .remove(let sequences, _):
      if storageFails { return [.queueFailed("I/O error"), .queueShrank(queued: disk.queue.count)] }
      let gone = Set(sequences)
      disk.queue.removeAll { gone.contains($0.sequence) }
      return [.queueShrank(queued: disk.queue.count)]
    case .renumber: return []
    case .quarantine(let sequence, _, _):
      disk.quarantined.append(sequence)
      disk.queue.removeAll { $0.sequence == sequence }
      return [.queueShrank(queued: disk.queue.count)]
    case .log(_, let text): log.append("\(Int(now_s)) \(text)")
    case .checkOverlay: return [.overlay(.checked(problem: nil))]
    case .saveOverlay(let state):
      disk.overlay = state
      return [.overlay(.saved(problem: nil))]
    case .useOverlay(let overlay):
      (usedOverlay, newSettings) = (overlay, overlaid(overlay))
      return [.settingsRead]
    case .applySettings:
      applySettings()
      return [.settingsApplied]
    case .exit: hasExited = true
    }
    return []
  }

  private func perform(_ action: CommandAction) -> [Event] {
    switch action {
    case .note(let value):
      if storageFails { return [.command(.noted(problem: "disk full"))] }
      disk.commands = value
      commandDeeds.append("noted")
      return [.command(.noted(problem: nil))]
    case .readReport(let id, let lines):
      commandDeeds.append("report of \(lines)")
      return [.command(.reportRead(id: id, lines: Array(repeating: "a line", count: lines)))]
    case .retryQuarantine(let id):
      commandDeeds.append("retry")
      return [.command(.quarantineRetried(id: id, records: 2, problem: nil))]
    case .answer(let request, let answer): commandDeeds.append("answer \(request): \(answer.words)")
    case .confirm: commandDeeds.append("confirmed")
    }
    return []
  }

  /// SIGHUP, with the settings changed.
  func reload(rules: [String]? = nil, _ change: (inout Settings) -> Void = { _ in }) throws {
    var new = settings
    change(&new)
    newSettings = new
    if let rules { schedule = try Schedule(rules: rules) }
    happen(.settingsRead)
  }

  private func applySettings() {
    guard let newSettings else { return }
    settings = newSettings
    tracker.adopt(
      Configuration(
        settings: settings, schedule: schedule, zone: FixedZone.utc, geofences: geofences,
        overlay: OverlayUse(version: usedOverlay?.version)), at: now)
  }

  private func write(_ commit: Commit) -> Event {
    if storageFails { return .commitFailed("disk full") }
    storageIsUnread = false
    disk.commits += 1
    if let redating = commit.redating {
      disk.queue = disk.queue.map { redating.applied(to: $0) ?? $0 }
    }
    for record in commit.records {
      #expect(record.sequence > disk.lastSequence, "sequence \(record.sequence) again")
      disk.lastSequence = max(disk.lastSequence, record.sequence)
    }
    disk.committed += commit.records
    disk.queue += commit.records
    disk.ledger.merge(commit.dropped, uniquingKeysWith: +)
    if commit.hasState { disk.tail = commit.tail }
    disk.state.merge(commit.state) { $1 }
    return .committed(queued: [disk.queue.count])
  }

  private func send(_ order: UploadOrder) -> [Event] {
    #expect(reply == nil, "two requests at once at \(now_s)")
    let batch = order.ready(pick(order))
    guard !batch.isEmpty || order.withStatus else {
      return [.uploadFinished(UploadReply(status: 0, failure: .nothingToSend, sent: []))]
    }
    requests.append((now_s, batch.count, order.withStatus))
    picks.append(order.pick)
    orders.append(order)
    var answer = server(batch, now_s)
    answer.sent = batch.map { $0.sequence }
    if answer.verdict == .acknowledged {
      for record in batch {
        #expect(
          identities[Identity(record)].map { $0 == record || $0.isUndated && !record.isUndated } ?? true,
          "a record differs when sent again")
        identities[Identity(record)] = record
      }
    }
    reply = (now_ms + milliseconds(latency_s), answer)
    return []
  }

  private func pick(_ order: UploadOrder) -> [Record] {
    if storageFails, !storageStillReads { return order.picked() }
    return switch order.pick {
    case .oldest: Array(disk.queue.prefix(order.limit))
    case .newest: Array(disk.queue.suffix(order.limit))
    case .later: Array(disk.queue.dropFirst(order.skip).prefix(order.limit))
    case .events: Array(disk.queue.filter(\.kind.isEvent).prefix(order.limit))
    case .positions: Array(disk.queue.filter { !$0.kind.isEvent }.prefix(order.limit))
    }
  }
}
