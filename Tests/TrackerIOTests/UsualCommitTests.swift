import DriveGenerator
import Testing
import TrackerBase
import TrackerCore
import TrackerRemote

@testable import TrackerIO

/// What a day of driving writes into the log of a real queue.
@Suite("A usual commit")
struct UsualCommitTests {
  @Test("writes a few pages, and the queue goes on from where a cut stops it")
  func pages() throws {
    let plan = DrivePlan.random(trips: 4, seed: 11)
    let day = try DrivenQueue(Drive(plan: plan, seed: 11, start_ms: DrivenQueue.start_ms))
    try day.run()
    #expect(day.pages.count >= 150)
    let sizes = day.pages.sorted()
    let (middle, most) = (sizes[sizes.count / 2], sizes[sizes.count * 9 / 10])
    #expect(
      middle <= 8 && most <= 16, "the middle one writes \(middle) pages, nine of ten write \(most) at most")
    try day.check()
  }
}

/// The tracker on a drive, with a server that takes everything at once, and a queue that is measured.
private final class DrivenQueue {
  static let start_ms: Int64 = 1_772_434_800_000

  /// Into the log, by commit.
  private(set) var pages: [Int] = []
  private let folder = QueueFolder()
  private let store: QueueStore
  private let reports: [GPSReport]
  private var tracker: Tracker
  private var now_ms: Int64 = 0

  init(_ drive: Drive) throws {
    store = try QueueStore(path: folder.queue)
    reports = drive.epochs.map { epoch in
      GPSReport(
        mode: epoch.hasFix ? 3 : 1, time_ms: epoch.time_ms, latitude_deg: epoch.latitude_deg,
        longitude_deg: epoch.longitude_deg, altitude_m: epoch.altitude_m, speed_mps: epoch.speed_mps,
        course_deg: epoch.course_deg, hdop: epoch.hdop, satellites: epoch.satellites)
    }
    var settings = Settings()
    settings.sync.url = "https://fleet.example/positions"
    settings.energy.gps_ma = 40
    settings.motion.gpsOffWhenParked = false
    let start = Moment(boot_ms: 0, wall_ms: DrivenQueue.start_ms)
    let runState = RunState(bootID: "3a2f9c64-5d0e-4b7a-9c1e-8f6d2b40a517")
    tracker = Tracker(
      Configuration(settings: settings, schedule: try Schedule(rules: []), zone: FixedZone.utc),
      restored: Tracker.Restored(runState: runState), notBefore_ms: 0, isSynchronised: true, at: start)
  }

  func run() throws {
    try happen(.started)
    for report in reports {
      let next_ms = (report.time_ms ?? 0) - DrivenQueue.start_ms
      while let deadline_ms = tracker.deadline_ms, deadline_ms <= next_ms {
        now_ms = max(now_ms, deadline_ms)
        try happen(.timer)
      }
      now_ms = next_ms
      try happen(.gpsReport(report))
    }
  }

  private func happen(_ event: Event) throws {
    let now = Moment(boot_ms: now_ms, wall_ms: DrivenQueue.start_ms + now_ms)
    for action in tracker.handle(event, at: now, chance: 0.5) {
      switch action {
      case .commit(let commit):
        try write(commit)
        try happen(.committed(queued: store.counts))
      case .upload(let order, _):
        let sent = try store[0].batch(limit: order.limit).map(\.sequence)
        var reply = UploadReply(status: 200, contentType: "application/json", sent: sent)
        (reply.bytesUp, reply.bytesDown) = (900 + 60 * Int64(sent.count), 400)
        try happen(.uploadFinished(reply))
      case .remove(let sequences, _):
        try store[0].remove(sequences)
        try happen(.queueShrank(queued: store[0].count))
      default: break
      }
    }
  }

  private func write(_ commit: Commit) throws {
    let before = try store.database.pagesWritten
    try store.commit(commit)
    pages.append(try store.database.pagesWritten - before)
  }

  func check() throws {
    let after = folder.cut()
    let again = try QueueStore(path: after.queue)
    let (now, found) = (store.restore(), again.restore())
    #expect(found.state == now.state.filter { $0.value != .null })
    #expect(found.tail == now.tail && found.lastSequence == now.lastSequence)
    #expect(try again.waiting() == store.waiting() && again.openReport == QueueOpenReport())
  }
}
