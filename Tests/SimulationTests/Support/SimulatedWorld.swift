import DriveGenerator
import TrackerAgent
import TrackerBase
import TrackerIO
import TrackerLab

/// Everything around the device, through all lives of its process.
final class SimulatedWorld {
  /// Midnight (UTC) half a year after this program was built: earlier dates are week rollovers.
  static let start_ms: Int64 = (Version.released_ms / FaultPlan.day_ms + 180) * FaultPlan.day_ms

  let seed: UInt64
  let clock: VirtualClock
  let plan: FaultPlan
  let receiver: VirtualReceiver
  /// The first, and on some days that of `sync.also`.
  let servers: [SimulatedServer]
  let violations = Violations()
  var random: SeededRandom
  var settings: Settings
  var isSynchronised = true
  /// Of this boot.
  private(set) var bootID = 1
  /// The file of `RunState`.
  var runState: JSONValue?
  var wishes = Wishes()
  /// So many lives are still to end soon after their start.
  var crashesLeft = 0
  /// The world's time of starts after a crash, since the last end in order or boot.
  var crashStarts_ms: [Int64] = []
  /// Boot time of the last sign of life of the process before; nil after a reboot.
  var alive_ms: Int64?
  /// All that was ever on storage, with its last date.
  var recorded: [Int64: Record] = [:]
  /// Sequences whose commit was confirmed, and may have been reported to the agent.
  var committed: Set<Int64> = []
  /// Records that a server got while no storage had them: those of a life that ended before it did are in no file.
  private var sentFromMemory: [Int64: Set<UInt64>] = [:]
  /// Good fixes of a driving vehicle that were handed over since something was kept.
  var goodFixes = 0
  /// Good fixes, also of a parked vehicle, that were handed over since one was taken.
  var offeredFixes = 0
  private(set) var log: [String] = []
  /// How often each fault and each blow took effect.
  private(set) var met: [String: Int] = [:]
  /// What one of the queue's files is to lose before the next start.
  var emptied: SimulationFolder.File?
  /// The queue may have lost records, and has not been looked at since.
  var mayHaveLost = false
  let remote = RemoteServer()
  /// The card is in this one.
  var board = 1
  var sabotage: Sabotage?
  /// The board is going off, or is off.
  var sleep: WorldSleep?
  /// The clock with the alarm, ahead of the time.
  var rtcAhead_ms: Int64 = 0
  /// When it went, in the world's time.
  var sleeps_ms: [Int64] = []
  /// The state that storage has.
  var saved: [String: JSONValue] = [:]
  /// Of a board that sleeps. Drawn aside, so that the seeds keep their days.
  var boardLuck: SeededRandom
  /// What the vehicle has driven in the whole day.
  let driven_m: Double
  private let drives: [Range<Int64>]

  /// - Parameter special: for a day that is not drawn.
  init(seed: UInt64, special: SpecialDay? = nil, hasRightRecords: Bool = false) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    boardLuck = SeededRandom(seed: seed ^ 0x5ee9)
    var drawn = FaultPlan(random: &random)
    if hasRightRecords { drawn = drawn.withRightRecords() }
    let acts = RemoteAct.day(seed: seed, until_ms: drawn.quietFrom_ms)
    plan = special.map { FaultPlan(only: $0.faults, hours: $0.hours) } ?? drawn.with(acts)
    servers = (0...(seed % 5 == 2 ? 1 : 0)).map { SimulatedServer(seed: seed + $0) }
    settings = SimulatedWorld.settings(&random, servers: servers.count)
    special?.change(&settings)
    clock = VirtualClock(wall_ms: SimulatedWorld.start_ms)
    let day = SimulatedDrive.day(&random, start_ms: SimulatedWorld.start_ms)
    (drives, driven_m) = (day.drives, day.driven_m)
    receiver = VirtualReceiver(
      track: day.track, assumptions: Assumptions(), clock: clock, offset_ms: SimulatedWorld.start_ms)
  }

  /// GPS time.
  var track_ms: Int64 { clock.now_ms + SimulatedWorld.start_ms }

  /// Whether this goes wrong now. To be asked only where it then does.
  func meets(_ fault: Fault) -> Bool {
    guard plan.isActive(fault, at: clock.now_ms) else { return false }
    noteMet(fault.rawValue)
    return true
  }

  /// Version of the server's settings in force.
  var versionInForce: Int64?
  /// They keep the box from the network.
  var isCutOff: Bool { versionInForce.map(remote.cutting.contains) ?? false }

  /// A command of the server is performed now.
  func wasBegun(_ id: String) {
    let (command, problem) = remote.wasBegun(id, at: clock.now_ms)
    if let problem { violations.note("commands", problem) }
    guard case .intent(let request)? = command else { return }
    switch request {
    case .pause(let length_ms): wishes.pause(until_ms: length_ms.map { clock.now_ms + $0 } ?? .max)
    case .track(let length_ms): wishes.track(until_ms: clock.now_ms + length_ms)
    case .resume: wishes.resume()
    }
  }

  /// A power cut.
  func reboot() {
    clock.reboot()
    bootID += 1
    alive_ms = nil
    crashStarts_ms = []
    wishes.rebooted()
  }

  func stored(_ key: String) -> JSONValue? { saved[key] }

  func noteSentFromMemory(_ records: [Record]) {
    for record in records { sentFromMemory[record.sequence, default: []].insert(record.queueID) }
  }

  /// A server got it from memory, and no life has stored it.
  func isOfServersAlone(_ record: Record) -> Bool {
    guard sentFromMemory[record.sequence]?.contains(record.queueID) == true else { return false }
    return !committed.contains(record.sequence) || recorded[record.sequence]?.isSame(as: record) != true
  }

  func noteMet(_ what: String) { met[what, default: 0] += 1 }

  /// The drive that is going on, in the world's time.
  var drive: Range<Int64>? {
    drives.first { $0.contains(track_ms) }.map {
      $0.lowerBound - SimulatedWorld.start_ms..<$0.upperBound - SimulatedWorld.start_ms
    }
  }

  func noteLog(_ line: String) {
    log.append("\(clock.now_ms / 1000) s: \(line)")
    if log.count > 400 { log.removeFirst(200) }
  }

  /// Settings that an operator may choose.
  static func settings(_ random: inout SeededRandom, servers: Int) -> Settings {
    func pick<Value>(_ values: [Value], _ random: inout SeededRandom) -> Value {
      values[Int(random.uniform() * Double(values.count))]
    }
    var settings = Settings()
    settings.sync.url = "https://fleet.example.com/"
    settings.gps.power.mode = .level
    settings.schedule = pick(
      [[], ["06:00-20:00"], ["cron */30 * * * * for 20m"], ["08:00-12:00", "13:00-18:30"], ["22:00-10:00"]]
        .map { $0.map { $0.hasPrefix("cron") ? $0 : "sun-sat " + $0 } }, &random)
    settings.sync.threshold = pick([1, 5, 20], &random)
    settings.sync.maxBatchSize = pick([1, 7, 100], &random)
    settings.sync.interval_s = pick([60, 300, 1800], &random)
    settings.sync.splay_s = pick([0, 60], &random)
    settings.queue.commitRecords = pick([1, 10, 50], &random)
    settings.queue.commitInterval_s = pick([1, 10, 60], &random)
    settings.motion.gpsOffWhenParked = random.uniform() < 0.8
    settings.motion.stopTimeout_s = pick([60, 300], &random)
    settings.motion.probeIntervalMax_s = pick([300, 1800], &random)
    settings.track.sampling = pick([.bounded, .bounded, .distance, .all], &random)
    settings.clock.whenUnknown = pick([.acquire, .open, .closed], &random)
    // Drawn aside, so that the seeds keep their days.
    var aside = random
    settings.sync.ack = pick([.auto, .strict], &aside)
    settings.sync.order = pick([.sequence, .liveFirst], &aside)
    settings.sync.budgetDay_kb = pick([0, 0, 0, 100], &aside)
    settings.sync.budgetMonth_mb = pick([0, 0, 0, 0.2], &aside)
    var later = aside
    settings.gps.locateOutsideWindows = pick([false, false, true], &later)
    settings.host.sleep.mode = pick([.off, .rtc], &later)
    settings.host.sleep.min_s = pick([300, 1800], &later)
    settings.host.sleep.minAwake_s = pick([60, 300], &later)
    settings.host.sleep.wakeEvery_s = pick([0, 3600], &later)
    guard servers > 1 else { return settings }
    var second = settings.sync
    second.url = "https://second.example.com/"
    second.order = pick([.sequence, .liveFirst], &aside)
    second.maxBatchSize = pick([1, 7, 100], &aside)
    settings.others = [OtherServer(name: "second", sync: second)]
    return settings
  }
}

/// What the operator wants, by the world's time: in the process that lives, and as it was last saved.
struct Wishes: Equatable {
  struct Ends: Equatable {
    /// nil for no such wish, `.max` for no end.
    var pause_ms: Int64?
    var track_ms: Int64?
    /// Lengths go by the wall clock after a reboot, which the plan makes wrong.
    var areSure = true
  }

  private(set) var current = Ends()
  private var saved = Ends()

  mutating func pause(until_ms: Int64) {
    current.pause_ms = until_ms
    if current.track_ms == nil { current.areSure = true }
  }

  mutating func track(until_ms: Int64) { current.track_ms = until_ms }
  mutating func resume() { current = Ends() }
  mutating func wereSaved() { saved = current }
  mutating func processBegan() { current = saved }
  mutating func rebooted() { saved.areSure = false }
}

/// A day on which one thing goes wrong, and what settings it needs to show.
struct SpecialDay {
  var faults: [Fault]
  var hours: Range<Double>
  var change: (inout Settings) -> Void
}

/// The first things found wrong.
final class Violations {
  private(set) var found: [String] = []

  func note(_ invariant: String, _ words: String) {
    if found.count < 20 { found.append("\(invariant): \(words)") }
  }
}

/// A vehicle's day: trips in the night, before noon and in the afternoon, parked between.
enum SimulatedDrive {
  static func day(_ random: inout SeededRandom, start_ms: Int64) -> (
    track: RecordedTrack, drives: [Range<Int64>], driven_m: Double
  ) {
    var day: [Drive] = []
    for earliest_h in [0.0, 7, 14] {
      let begin_ms = start_ms + Int64((earliest_h + 3 * random.uniform()) * 3_600_000)
      var plan = DrivePlan.random(trips: 1 + Int(random.uniform() * 3), seed: random.next())
      plan.noise.sigma_m = 1 + 4 * random.uniform()
      if let before = day.last?.epochs.last {
        // It leaves from where it came to stand.
        (plan.startLatitude_deg, plan.startLongitude_deg) = (
          before.trueLatitude_deg, before.trueLongitude_deg
        )
      }
      day.append(Drive(plan: plan, seed: random.next(), start_ms: begin_ms))
    }
    var reports = day.flatMap { $0.epochs.map(report) }
    // Before and after, the vehicle stands; so does the recording.
    var (first, last) = (reports[0], reports[reports.count - 1])
    first.time_ms = start_ms
    last.time_ms = start_ms + 2 * FaultPlan.day_ms
    reports = [first] + reports + [last]
    guard let track = RecordedTrack(name: "day", reports: reports) else {
      preconditionFailure("a drive has times")
    }
    let driven_m = day.reduce(0) { $0 + $1.trips.reduce(0) { $0 + $1.distance_m } }
    return (track, day.flatMap { $0.trips.map { $0.start_ms..<$0.end_ms } }, driven_m)
  }

  private static func report(_ epoch: DriveEpoch) -> GPSReport {
    guard epoch.hasFix else { return GPSReport(mode: 1, time_ms: epoch.time_ms) }
    return GPSReport(
      mode: 3, time_ms: epoch.time_ms, latitude_deg: epoch.latitude_deg, longitude_deg: epoch.longitude_deg,
      altitude_m: epoch.altitude_m, speed_mps: epoch.speed_mps, course_deg: epoch.course_deg,
      accuracy_m: 19 * epoch.hdop, hdop: epoch.hdop, satellites: epoch.satellites)
  }
}
