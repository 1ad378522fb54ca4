import Testing

@testable import TrackerBase
@testable import TrackerJourney

@Suite("Slow machines")
struct SlowMachineTests {
  private static func creeping(at speed_mps: Double) -> Drive {
    var drive = Drive()
    drive.park(1200)
    drive.go(Int(3000 / speed_mps), speed_mps: speed_mps)
    drive.park(1200)
    return drive
  }

  @Test(
    "one that creeps off has left after 300 m or ten minutes", arguments: [0.3, 0.5, 0.8, 1.2, 2.0, 2.6])
  func noticed(speed_mps: Double) throws {
    var timeline = MotionTimeline()
    var receiver = Receiver(seed: 3, sigma_m: 3)
    timeline.follow(SlowMachineTests.creeping(at: speed_mps), receiver: &receiver)
    #expect(timeline.trips.count == 1, "\(timeline.log)")
    let line = try #require(timeline.lines(with: "departed").first)
    let after_s = try #require(Double(line.prefix { $0 != " " })) - 1200
    #expect(after_s <= 600 || after_s * speed_mps <= 300, "\(line)")
  }

  @Test(
    "its trip begins when it began to creep, and is as long as its way",
    arguments: [0.3, 0.5, 0.8, 1.2, 2.0],
    [true, false])
  func trip(speed_mps: Double, isAlwaysOn: Bool) throws {
    let drive = SlowMachineTests.creeping(at: speed_mps)
    let day = try TrackerTimeline(drive, sigma_m: 3) { $0.motion.gpsOffWhenParked = !isAlwaysOn }
    day.run(to: Double(drive.length_s))
    try #require(day.trips.count == 1, "\(day.trips)")
    #expect(abs(day.trips[0].start_s - 1200) <= 60, "\(day.trips)")
    #expect(abs(day.trips[0].distance_m / drive.trips[0].distance_m - 1) < 0.04, "\(day.trips)")
  }

  @Test("rows are as long as they are driven, with their turns", arguments: [0.7, 1.0, 1.5])
  func rows(speed_mps: Double) throws {
    var drive = Drive()
    drive.park(600)
    for row in 0..<12 {
      drive.go(Int(300 / speed_mps), speed_mps: speed_mps)
      // Half a circle of 3 m, this way and that.
      drive.go(14, speed_mps: 0.7, turn: (row % 2 == 0 ? 1 : -1) * .pi / 14)
    }
    drive.park(600)
    let day = try TrackerTimeline(drive, sigma_m: 2.5) { $0.motion.gpsOffWhenParked = false }
    day.run(to: Double(drive.length_s))
    try #require(day.trips.count == 1, "\(day.trips)")
    // This receiver's speeds are 0.08 m/s too high on the mean, 11 % at the slowest.
    #expect(abs(day.trips[0].distance_m / drive.trips[0].distance_m - 1) < 0.05, "\(day.trips)")
  }

  @Test(
    "a receiver that wanders far and reports speeds that are not its positions' makes no trip",
    arguments: 1...8)
  func wanders(seed: UInt64) {
    var timeline = MotionTimeline { $0.gpsOffWhenParked = false }
    timeline.stand(0, 300)
    // To and fro by some 60 m, as under a roof, at 0.2 m/s, with speeds of 0.5 m/s.
    var receiver = Receiver(seed: seed, sigma_m: 60, tau_s: 300, accuracy_m: 20)
    for s in 301..<20_000 {
      var fix = receiver.see(Drive.Sample(east_m: 0, north_m: 0, speed_mps: 0), at: Double(s))
      fix.speed_mps = s % 3 == 0 ? 0.8 : 0.3
      timeline.run(to: Double(s))
      timeline.fix(fix)
    }
    #expect(timeline.trips.isEmpty, "\(timeline.log)")
  }
}
