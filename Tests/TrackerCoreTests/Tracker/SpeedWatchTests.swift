import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Speed limit")
struct SpeedWatchTests {
  static func reported(_ speeds_mps: [Double?], limit_mps: Double = 25) -> [String] {
    var watch = SpeedWatch(limit_mps: limit_mps)
    return speeds_mps.enumerated().compactMap { s, speed_mps in
      switch watch.add(.at(Double(s), speed_mps: speed_mps)) {
      case .over(let fix): "over \(Int(fix.at_s))"
      case .under(let fix, _, let top_mps, let duration_s):
        "under \(fix.map { Int($0.at_s) } ?? -1) \(top_mps) \(duration_s)"
      case nil: nil
      }
    }
  }

  @Test("the first of two fixes over the limit dates it, the first of two under it the end")
  func exact() {
    #expect(SpeedWatchTests.reported([20, 25, 26, 30, 29, 23, 22, 20]) == ["over 2", "under 5 30.0 3.0"])
  }

  @Test("one garbled speed is no offence, and no end of one")
  func garbled() {
    #expect(SpeedWatchTests.reported([20, 90, 20, 26, nil, 27, 3, 28, 28]) == ["over 3"])
  }

  @Test("a vehicle at the limit reports once")
  func edge() {
    #expect(SpeedWatchTests.reported([26, 26, 24.9, 24.9, 26, 24, 24, 26]) == ["over 0"])
  }

  @Test("without a limit nothing is reported")
  func off() { #expect(SpeedWatchTests.reported([90, 90, 90], limit_mps: 0).isEmpty) }

  @Test("in the tracker: two events of the trip, sent at once, and the trip's end ends it")
  func tracker() throws {
    var drive = Drive()
    drive.park(100)
    drive.go(300, speed_mps: 30)
    drive.park(900)
    let day = try TrackerTimeline(drive) {
      $0.track.speedLimit_mps = 25
      $0.motion.gpsOffWhenParked = false
    }
    day.run(to: 1000)
    let events = day.records(.speed)
    try #require(events.count == 2)
    #expect(events[0].content == .speed(.over(limit_mps: 25)))
    guard case .speed(.under(top_mps: 30, _)) = events[1].content else {
      Issue.record("\(events[1])")
      return
    }
    #expect(
      events.allSatisfy { $0.fix != nil && $0.tripID == 1 && $0.isMoving && day.received[$0.sequence] == $0 })
    #expect(events[0].fix!.speed_mps! > 25 && drive.sample(at: events[0].fix!.at_s - 1).speed_mps <= 25)
  }

  private static func fast() throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(100)
    drive.go(300, speed_mps: 30)
    drive.park(20_000)
    return try TrackerTimeline(drive) {
      $0.track.speedLimit_mps = 25
      $0.motion.gpsOffWhenParked = false
    }
  }

  @Test("killed while too fast, it reports once, and the whole of it when it slows down")
  func resumed() throws {
    let day = try SpeedWatchTests.fast()
    day.run(to: 250)
    day.kill()
    day.run(to: 1000)
    let events = day.records(.speed)
    try #require(events.count == 2)
    guard case .speed(.under(_, let duration_s)) = events[1].content else {
      Issue.record("\(events[1])")
      return
    }
    #expect(abs(duration_s - Double(events[1].time_ms - events[0].time_ms) / 1000) < 0.1)
    #expect(duration_s > 200)
  }

  @Test("off for hours, it ended when that trip was seen last, at a place that nobody knows")
  func closedAtBoot() throws {
    let day = try SpeedWatchTests.fast()
    day.run(to: 250)
    day.kill(restartAfter: 10_000)
    day.run(to: 11_000)
    let events = day.records(.speed)
    try #require(events.count == 2)
    let under = events[1]
    #expect(under.fix == nil && under.timeSource == .gps)
    #expect((230.0...251.0).contains(Double(under.time_ms - epoch_ms) / 1000))
    let trip = try #require(day.records(.trip).first)
    #expect(day.summaries.first?.endCause == .processEnded && trip.tripID == under.tripID)
  }
}

@Suite("Activity")
struct ActivityTests {
  @Test(
    "parked, idling and driving, surer the farther the speed is from standing",
    arguments: [
      (true, 13.0, "driving 100"), (true, 1.1, "driving 69"), (true, 0.1, "idling 98"),
      (false, 0.0, "parked 99"),
      (false, 1.0, "parked 50"), (true, nil, "driving 90"), (false, nil, "parked 90"),
    ] as [(Bool, Double?, String)])
  func kinds(isMoving: Bool, speed_mps: Double?, expected: String) {
    let activity = Activity(isMoving: isMoving, fix: .at(0, speed_mps: speed_mps))
    #expect("\(activity.kind.rawValue) \(activity.confidence)" == expected)
  }

  @Test("a receiver that knows its speed badly is believed less")
  func accuracy() {
    var fix = Fix.at(0, speed_mps: 3)
    fix.speedAccuracy_mps = 8
    #expect(Activity(isMoving: true, fix: fix).confidence == 72)
  }

  @Test("a trip reports how long it stood at lights, and not how long after it arrived")
  func idle() throws {
    var drive = Drive()
    drive.park(100)
    drive.go(120, speed_mps: 12)
    drive.stand(60)
    drive.go(120, speed_mps: 12)
    drive.park(900)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 300)
    day.kill()
    day.run(to: 1200)
    let idle_s = try #require(day.summaries.first).idle_s
    #expect(abs(idle_s - 60) <= 5, "\(idle_s)")
  }
}
