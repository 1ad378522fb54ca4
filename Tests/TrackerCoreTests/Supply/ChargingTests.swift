import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A battery that is charged")
struct ChargingTests {
  private func watch(above_v: Double = 13.4) -> ChargingWatch {
    var settings = BatterySettings()
    (settings.voltageFile, settings.chargingAbove_v) = ("/v", above_v)
    return ChargingWatch(settings: settings)
  }

  @Test(
    "a rise over the threshold is a charge, once, and only hysteresis_v below it that is over",
    arguments: [
      (volts: [12.6, 13.4, 13.41, 14.4], begins: [false, false, true, false]),
      ([12.6, 14.2, 13.01, 14.2], [false, true, false, false]),
      ([12.6, 14.2, 13.0, 14.2], [false, true, false, true]),
      // It was so when the agent began.
      ([14.2, 14.3, 12.9, 14.2], [false, false, false, true]),
    ])
  func rises(volts: [Double], begins: [Bool]) {
    var watch = watch()
    #expect(volts.map { watch.read($0) } == begins)
  }

  @Test("0 watches nothing, and after a failure the first voltage is no rise")
  func unwatched() {
    var none = watch(above_v: 0)
    #expect([12.6, 14.4].map { none.read($0) } == [false, false])
    #expect(none.isCharging == nil)
    var failed = watch()
    _ = failed.read(12.6)
    failed.failed()
    let isRise = failed.read(14.4)
    #expect(!isRise)
  }

  private func day() throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(7300)
    drive.go(300, speed_mps: 12)
    drive.park(1200)
    let day = try TrackerTimeline(drive) {
      $0.battery.voltageFile = "/v"
      $0.battery.chargingAbove_v = 13.4
    }
    day.run(to: 7100)
    day.happen(.batteryRead(volts: 12.6))
    return day
  }

  private func causes(_ day: TrackerTimeline) -> [MotionChange.Cause] {
    day.records(.motionChange).compactMap {
      if case .motion(let change) = $0.content { change.cause } else { nil }
    }
  }

  @Test("the engine starts, a minute later the vehicle leaves: the trip has its cause and begins with it")
  func departure() throws {
    let day = try day()
    day.run(to: 7240)
    day.happen(.batteryRead(volts: 14.3))
    day.run(to: 7241)
    #expect(day.isPowered)
    #expect(day.log.contains("7240 the battery is being charged"))
    day.run(to: 8800)
    #expect(causes(day) == [.foundParked, .voltage, .stayed])
    let trip = try #require(day.trips.first)
    #expect(abs(trip.start_s - 7300) < 20 && abs(trip.distance_m - 3600) < 150, "\(trip)")
  }

  @Test("without it the same drive begins when the next probe is due")
  func without() throws {
    let day = try day()
    day.run(to: 8800)
    #expect(causes(day).contains(.probe) && !causes(day).contains(.voltage))
  }

  @Test("a reload while it is charged, and an unreadable voltage, make no sign of what was one before")
  func reload() throws {
    let day = try day()
    day.happen(.batteryRead(volts: 14.3))
    day.run(to: 7150)
    try day.reload { $0.sync.interval_s += 1 }
    let before = day.tracker.journey.motion
    day.happen(.batteryRead(volts: 14.3))
    day.happen(.batteryFailed("unplugged"))
    day.happen(.batteryRead(volts: 14.3))
    #expect(day.tracker.journey.motion == before)
  }
}
