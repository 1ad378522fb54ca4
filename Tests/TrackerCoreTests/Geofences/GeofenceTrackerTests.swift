import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Geofences in the whole tracker.
@Suite("Geofences on a vehicle")
struct GeofenceTrackerTests {
  /// Parked 200 s, 300 s of driving eastwards to a customer, parked for the rest.
  static func visit() -> (drive: Drive, goal_m: Double) {
    var drive = Drive()
    drive.park(200)
    drive.go(300, speed_mps: 12)
    drive.park(6000)
    return (drive, drive.sample(at: 6000).east_m)
  }

  static func customer(at east_m: Double, delay_s: Double = 900) throws -> Geofence {
    try .circle("customer \"7\"", east_m: east_m, radius_m: 150) {
      $0.notifyOnDwell = true
      $0.loiteringDelay_s = delay_s
      $0.extras = #"{"order":4711}"#
    }
  }

  @Test("home is left, the customer entered, and dwelt at while the GPS is off")
  func wholeVisit() throws {
    let (drive, goal_m) = Self.visit()
    let home = try Geofence.circle("home", radius_m: 100)
    let day = try TrackerTimeline(drive, geofences: [home, try Self.customer(at: goal_m)])
    day.run(to: 850)
    #expect(!day.isPowered && day.geofenceEvents.count == 3)
    let entered = try #require(day.records(.geofence).last)
    let dwell_s = try #require(entered.fix).at_s + 900
    // Probes come and go; the timer reports it to the second.
    day.run(to: dwell_s - 0.001)
    #expect(day.geofenceEvents.count == 3)
    day.run(to: dwell_s + 1)
    #expect(day.geofenceEvents.map { $0.prefix(7) } == ["ENTER h", "EXIT ho", "ENTER c", "DWELL c"])
    let dwell = try #require(day.records(.geofence).last)
    #expect(dwell.time_ms == epoch_ms + milliseconds(dwell_s) && dwell.timeSource == .gps)
    #expect(!dwell.isMoving && dwell.tripID == nil)
    let event = GeofenceEvent(action: .dwell, geofence: #"customer "7""#, extras: #"{"order":4711}"#)
    #expect(dwell.content == .geofence(event))
    #expect(day.received[dwell.sequence] == dwell, "an event is sent at once")
    let left = day.records(.geofence)[1]
    #expect(left.isMoving && left.tripID == 1, "EXIT belongs to the trip that it begins")
    #expect(day.log.contains { $0.hasSuffix("geofence DWELL customer \"7\"") })
    #expect(day.tracker.status(at: day.now).geofences.inside == ["customer \"7\""])
  }

  @Test("on a drive each event is at the server within 2 s of its fix")
  func prompt() throws {
    let (drive, goal_m) = Self.visit()
    let day = try TrackerTimeline(
      drive,
      geofences: [
        try .circle("home", radius_m: 100), try .circle("yard", east_m: goal_m / 2, radius_m: 200),
      ])
    day.latency_s = 0.1
    var late_s: [Double] = []
    for tenth in 2000...5000 {
      day.run(to: Double(tenth) / 10)
      for event in day.records(.geofence).dropFirst(late_s.count + 1)
      where day.received[event.sequence] != nil {
        late_s.append(day.now_s - (try #require(event.fix).at_s))
      }
    }
    #expect(day.geofenceEvents.map { $0.prefix(7) } == ["ENTER h", "EXIT ho", "ENTER y", "EXIT ya"])
    #expect(late_s.count == 3 && late_s.allSatisfy { $0 <= 2 }, "\(late_s)")
  }

  @Test("killed in mid-dwell, the DWELL still comes, and nothing is reported twice")
  func killed() throws {
    let (drive, goal_m) = Self.visit()
    let day = try TrackerTimeline(drive, geofences: [try Self.customer(at: goal_m)])
    day.run(to: 1000)
    day.kill(restartAfter: 30)
    day.run(to: 1300)
    day.kill()
    day.run(to: 3000)
    #expect(day.geofenceEvents.map { $0.prefix(5) } == ["ENTER", "DWELL"])
    let stay_s = Double(day.records(.geofence)[1].time_ms - day.records(.geofence)[0].time_ms) / 1000
    #expect(stay_s >= 900 && stay_s < 990)
    day.kill()
    day.run(to: 5000)
    #expect(day.geofenceEvents.count == 2 && day.nothingIsLost())
  }

  @Test("a vehicle that was away while no process ran is reported to have left")
  func leftUnseen() throws {
    let (drive, _) = Self.visit()
    let day = try TrackerTimeline(drive, geofences: [try .circle("home")])
    day.run(to: 150)
    day.kill(restartAfter: 600)
    // It stands where nobody saw it go: that is believed after five and a half minutes.
    day.run(to: 1200)
    #expect(day.geofenceEvents.map { $0.prefix(10) } == ["ENTER home", "EXIT home "])
  }

  @Test("outside windows nothing dwells; in the next one a fix reports")
  func windows() throws {
    let (drive, goal_m) = Self.visit()
    let rules = ["2025-06-02 06:00-06:15", "2025-06-02 07:00-08:00"]
    let day = try TrackerTimeline(drive, rules: rules, geofences: [try Self.customer(at: goal_m)])
    day.run(to: 3599)
    #expect(day.geofenceEvents.count == 1)
    day.run(to: 4000)
    #expect(day.geofenceEvents.count == 2)
    let dwell_s = Double(day.records(.geofence)[1].time_ms - epoch_ms) / 1000
    #expect(dwell_s >= 3630 && dwell_s < 3700)
  }

  @Test("what is not to be notified is no record, but a state that survives")
  func silent() throws {
    let (drive, goal_m) = Self.visit()
    var fence = try Self.customer(at: goal_m)
    (fence.notifyOnEntry, fence.notifyOnDwell) = (false, false)
    let day = try TrackerTimeline(drive, geofences: [fence])
    day.run(to: 1500)
    #expect(day.geofenceEvents.isEmpty)
    day.kill()
    #expect(day.tracker.status(at: day.now).geofences.inside.count == 1)
  }

  @Test("probes that see the vehicle parked say nothing new")
  func probes() throws {
    let (drive, goal_m) = Self.visit()
    let fence = try Geofence.circle("yard", east_m: goal_m, radius_m: 60)
    let day = try TrackerTimeline(drive, sigma_m: 6, geofences: [fence])
    day.run(to: 6000)
    #expect(day.powerOns > 5)
    #expect(day.geofenceEvents.map { $0.prefix(5) } == ["ENTER"])
  }

  // MARK: hysteresis

  /// Stands for an hour `inside_m` within the edge of a yard, having come from outside, with the GPS on.
  private func edge(_ sigma_m: Double, seed: UInt64, inside_m: Double = 0) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(120)
    drive.go(240, speed_mps: 10)
    drive.park(3600)
    let stand_m = drive.sample(at: 3000).east_m
    let yard = try Geofence.box(
      "yard", east_m: stand_m - inside_m...stand_m + 400, north_m: -200...200)
    let day = try TrackerTimeline(drive, seed: seed, sigma_m: sigma_m, geofences: [yard]) {
      $0.motion.gpsOffWhenParked = false
      $0.track.sampling = .distance
    }
    day.run(to: 3900)
    return day
  }

  @Test("an hour on the edge make one transition at the most", arguments: [4.0, 8, 12, 20], 1...4)
  func jitter(sigma_m: Double, seed: Int) throws {
    let day = try edge(sigma_m, seed: UInt64(seed))
    #expect(day.geofenceEvents.count <= 1, "\(day.geofenceEvents)")
  }

  @Test(
    "parked a little inside, more than half of what a fix can err, is inside", arguments: [4.0, 8, 20], 1...3)
  func justInside(sigma_m: Double, seed: Int) throws {
    let day = try edge(sigma_m, seed: UInt64(seed), inside_m: 3.5 * sigma_m)
    #expect(day.geofenceEvents.map { $0.prefix(10) } == ["ENTER yard"], "\(day.geofenceEvents)")
  }

  @Test("half an hour along the edge is not a dozen visits", arguments: [4.0, 10, 20], 1...4)
  func along(sigma_m: Double, seed: Int) throws {
    var receiver = Receiver(seed: UInt64(seed), sigma_m: sigma_m)
    let field = try Geofence.box("field", east_m: -100...50_000, north_m: 0...5000)
    var timeline = GeofenceTimeline([field])
    for s in 0..<1800 {
      let truth = Drive.Sample(east_m: Double(s) * 20, north_m: 0, speed_mps: 20)
      let fix = receiver.see(truth, at: Double(s))
      let offset = Position.origin.offset_m(to: fix.position)
      timeline.fix(Double(s), east_m: offset.east, north_m: offset.north, accuracy_m: fix.accuracy_m)
    }
    #expect(timeline.log.count <= 2, "\(timeline.log)")
  }
}
