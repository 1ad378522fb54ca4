import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Odometer on drives")
struct OdometerDriveTests {
  @Test("a vehicle that stands drives nothing, however long and noisily")
  func standing() {
    var odometer = Odometer()
    odometer.begin(at: .at(0))
    var receiver = Receiver(seed: 3, sigma_m: 8)
    let sample = Drive.Sample(east_m: 0, north_m: 0, speed_mps: 0)
    for s in 1...7200 { _ = odometer.add(receiver.see(sample, at: Double(s)), halted: true) }
    #expect(odometer.total_m == 0)
  }

  @Test("zigzag within 10 m of a straight line counts as the line", arguments: [(9.0, true), (30, false)])
  func zigzag(side_m: Double, isNoise: Bool) {
    var odometer = Odometer()
    odometer.begin(at: .at(0))
    for s in 1...100 {
      let north_m = s % 2 == 0 ? 0 : side_m
      _ = odometer.add(.at(Double(s), east_m: Double(s) * 10, north_m: north_m), halted: false)
    }
    _ = odometer.end(at: .at(101, east_m: 1010))
    #expect((odometer.total_m < 1020) == isNoise, "\(odometer.total_m)")
    #expect(odometer.total_m >= 1009)
  }

  @Test("what is not certain yet is reported apart, and is counted when the trip ends")
  func open() {
    var odometer = Odometer()
    odometer.begin(at: .at(0))
    for s in 1...20 { _ = odometer.add(.at(Double(s), east_m: Double(s) * 10), halted: false) }
    #expect(odometer.total_m == 0 && abs(odometer.open_m - 200) < 0.1)
    _ = odometer.end(at: .at(21, east_m: 210))
    #expect(abs(odometer.total_m - 210) < 0.1 && odometer.open_m == 0)
  }

  @Test("the last step of a trip counts whole")
  func end() {
    var odometer = Odometer(total_m: 1000)
    odometer.begin(at: .at(0))
    let added_m = odometer.end(at: .at(1, east_m: 20, accuracy_m: 80))
    #expect(abs(added_m - 20) < 0.01 && abs(odometer.total_m - 1020) < 0.01)
    #expect(odometer.end(at: .at(2, east_m: 40)) == 0, "no trip, no metres")
  }

  @Test(
    "noisy drives: never backwards, and within 1 % of the truth", arguments: 1...20 as ClosedRange<UInt64>)
  func noisyDrives(seed: UInt64) {
    var random = SeededRandom(seed)
    var drive = Drive()
    drive.wander(legs: 12, random: &random)
    drive.park(300)
    var receiver = Receiver(seed: seed &* 13, sigma_m: 4)
    var motion = Motion(settings: MotionSettings())
    var odometer = Odometer()
    for s in 0..<drive.length_s {
      let fix = receiver.see(drive.sample(at: Double(s)), at: Double(s))
      _ = motion.fixArrived(fix, at: milliseconds(Double(s)))
      let before_m = odometer.total_m
      _ = odometer.add(fix, halted: motion.isHalted)
      #expect(odometer.total_m >= before_m)
    }
    _ = odometer.end(at: nil)
    let share = odometer.total_m / drive.trips[0].distance_m - 1
    #expect(abs(share) < 0.01, "\(share)")
  }
}
