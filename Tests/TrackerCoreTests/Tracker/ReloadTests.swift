import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Settings read anew")
struct ReloadTests {
  private func drivingDay(_ change: (inout Settings) -> Void = { _ in }) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(200)
    drive.go(1000, speed_mps: 12)
    drive.park(2000)
    return try TrackerTimeline(drive, change)
  }

  @Test("in mid-trip: the trip, its distance, the GPS session and all records go on")
  func inMidTrip() throws {
    let day = try drivingDay { $0.motion.gpsOffWhenParked = false }
    day.run(to: 600.5)
    let before = day.tracker.status(at: day.now)
    try day.reload { $0.track.maxError_m = 50 }
    let after = day.tracker.status(at: day.now)
    #expect(day.isPowered && day.powerOns == 1)
    #expect(after.trip.id == before.trip.id && after.trip.distance_m == before.trip.distance_m)
    #expect(after.gps.fixes == before.gps.fixes && after.uptime_s == before.uptime_s)
    #expect(after.gps.timeToFirstFix_s == before.gps.timeToFirstFix_s)
    day.run(to: 4000)
    #expect(day.powerOns == 1)
    #expect(day.trips.map { $0.cause } == [.stayed])
    #expect(abs((day.trips.first?.distance_m ?? 0) - day.drive.trips[0].distance_m) < 60)
    #expect(day.nothingIsLost())
    let sequences = day.disk.committed.map { $0.sequence }
    #expect(sequences == Array(1...Int64(sequences.count)))
  }

  @Test("a hundred reloads of a drive cost neither a record nor way")
  func many() throws {
    let day = try drivingDay()
    for s in stride(from: 210, to: 1210, by: 10) {
      day.run(to: Double(s))
      try day.reload()
    }
    day.run(to: 4000)
    #expect(day.trips.count == 1)
    #expect(abs((day.trips.first?.distance_m ?? 0) - day.drive.trips[0].distance_m) < 120)
    #expect(day.nothingIsLost())
  }

  @Test("before it is known whether the vehicle moves: what has been seen of its way still counts")
  func beforeMotionIsKnown() throws {
    func distance_m(reloads: [Double]) throws -> Double {
      var drive = Drive()
      drive.go(60, speed_mps: 12)
      drive.park(1000)
      let day = try TrackerTimeline(drive)
      for s in reloads {
        day.run(to: s)
        try day.reload()
      }
      day.run(to: 900)
      try #require(day.trips.count == 1)
      return day.trips[0].distance_m
    }
    let (plain_m, reloaded_m) = (try distance_m(reloads: []), try distance_m(reloads: [10, 20, 30, 40]))
    #expect(plain_m > 300 && abs(plain_m - reloaded_m) < 20, "\(plain_m) \(reloaded_m)")
  }

  @Test(
    "what a server asked to wait for is waited for, and a refused token is tried once a reload, and no oftener",
    arguments: [503, 429, 401])
  func wait(status: Int) throws {
    let day = try drivingDay()
    day.server = { batch, _ in .of(status, retryAfter_s: 3600, sent: batch.map { $0.sequence }) }
    day.run(to: 400)
    try #require(!day.requests.isEmpty)
    let asked = day.requests.count
    for s in 401...1000 {
      try day.reload { if s % 2 == 0 { $0.sync.splay_s = Double(s) } }
      day.run(to: Double(s))
    }
    #expect(day.requests.count == asked)
  }

  @Test("a reload during each request and each failure does not make more of them than a second allows")
  func storm() throws {
    let day = try drivingDay()
    day.server = { batch, _ in .of(401, sent: batch.map { $0.sequence }) }
    day.run(to: 400)
    let asked = day.requests.count
    for tenth in 0..<600 {
      try day.reload()
      day.run(to: 400 + Double(tenth) / 10)
    }
    #expect((1...61).contains(day.requests.count - asked), "\(day.requests.count - asked)")
  }

  @Test("a reload during each request sends no record twice", arguments: [false, true])
  func underWay(isOther: Bool) throws {
    let day = try drivingDay()
    var sent: [Int64] = []
    day.server = { batch, _ in
      sent += batch.map { $0.sequence }
      return .of(200, sent: batch.map { $0.sequence })
    }
    var requests = 0
    for s in 1...1500 {
      day.run(to: Double(s))
      if day.requests.count > requests {
        requests = day.requests.count
        try day.reload { if isOther { $0.track.maxError_m = Double(10 + s % 2) } }
      }
    }
    day.run(to: 4000)
    #expect(requests > 5 && Set(sent).count == sent.count)
    #expect(day.nothingIsLost())
  }

  @Test("another schedule rules at once")
  func schedule() throws {
    let day = try drivingDay()
    day.run(to: 600)
    try day.reload(rules: ["2025-06-02 08:00-09:00"])
    #expect(!day.isPowered)
    #expect(day.tracker.status(at: day.now).noTrackCause == .windowClosed)
    try day.reload(rules: [])
    day.run(to: 700)
    #expect(day.isPowered)
  }

  @Test("windows are announced as ever: once while one is open, and those that open and close later")
  func windows() throws {
    let day = try drivingDay()
    func reported() -> [String] {
      day.disk.committed.compactMap { record in
        switch record.content {
        case .status(.windowOpened): "open"
        case .status(.windowClosed): "closed"
        default: nil
        }
      }
    }
    day.run(to: 10)
    try day.reload(rules: ["2025-06-02 06:00-06:30", "2025-06-02 08:00-09:00"])
    day.run(to: 700)
    #expect(reported().isEmpty, "it was open, and stays so")
    day.run(to: 2400)
    #expect(reported() == ["closed"])
    day.run(to: 7800)
    #expect(reported() == ["closed", "open"], "that there was a reload long ago changes nothing")
    try day.reload(rules: ["2025-06-03 08:00-09:00"])
    day.run(to: 7900)
    #expect(reported() == ["closed", "open", "closed"], "the new schedule closes it")
  }

  @Test("records that the storage has not taken are not lost")
  func failingStorage() throws {
    let day = try drivingDay()
    day.server = { _, _ in .of(503, sent: []) }
    day.run(to: 300)
    day.storageFails = true
    day.run(to: 900)
    let waiting = day.tracker.status(at: day.now).queue
    #expect(waiting.inMemory > 1)
    try day.reload()
    let after = day.tracker.status(at: day.now).queue
    #expect(after.inMemory >= waiting.inMemory)
    #expect(after.records - after.inMemory == waiting.records - waiting.inMemory, "none of them twice")
    day.storageFails = false
    day.run(to: 4000)
    let sequences = day.disk.committed.map { $0.sequence }
    #expect(sequences == Set(sequences).sorted())
    #expect(sequences.count == day.tracker.dispatch.outbox.made)
  }

  @Test("time learnt from GPS is still known")
  func clock() throws {
    var drive = Drive()
    drive.park(8000)
    let rules = ["2025-06-02 06:40-08:00"]
    let day = try TrackerTimeline(drive, rules: rules, isSynchronised: false)
    day.run(to: 60)
    try day.reload()
    #expect(!day.isPowered)
    #expect(day.tracker.status(at: day.now).clock == .gps)
  }

  @Test("a refused file is a warning and changes nothing")
  func refused() throws {
    let day = try drivingDay()
    day.run(to: 600)
    let before = day.tracker.status(at: day.now)
    day.happen(.settingsRefused("SIGHUP: no"))
    let after = day.tracker.status(at: day.now)
    #expect(after.warnings.contains { $0.name == "settings_refused" && $0.count == 1 })
    #expect(after.trip.id == before.trip.id && day.isPowered)
  }
}
