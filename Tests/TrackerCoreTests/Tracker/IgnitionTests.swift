import Testing

@testable import TrackerCore

@Suite("A vehicle with an ignition line")
struct IgnitionTests {
  @Test(
    "the trip begins and ends with the key, and its track ends at the arrival",
    arguments: TrackSettings.Sampling.allCases)
  func wholeTrip(sampling: TrackSettings.Sampling) throws {
    var drive = Drive()
    drive.park(600)
    drive.go(600, speed_mps: 12)
    drive.park(1200)
    let day = try TrackerTimeline(drive, sigma_m: 3) { $0.track.sampling = sampling }
    day.run(to: 590)
    day.happen(.ignition(on: true))
    day.run(to: 1230)
    day.happen(.ignition(on: false))
    day.run(to: 2400)
    try #require(day.trips.count == 1)
    #expect(day.trips[0].start_s == 590 && day.trips[0].cause == .ignition)
    #expect(abs(day.trips[0].end_s - 1230) < 0.1)
    let after = day.records(.position).filter { $0.fix!.at_s > 1205 }
    #expect(after.isEmpty, "\(after.count) positions after the arrival")
  }

  @Test("a key turned in an underground garage: the trip without a fix is closed, not left open")
  func garage() throws {
    var drive = Drive()
    drive.park(400)
    drive.go(3, speed_mps: 1, hasSky: false)
    for _ in 0..<100 { drive.go(60, speed_mps: 1, hasSky: false) }
    let day = try TrackerTimeline(drive)
    day.run(to: 450)
    day.happen(.ignition(on: true))
    day.run(to: 6000)
    #expect(day.trips.map { $0.cause } == [.noFix])
    #expect(day.tracker.trip == nil)
  }

  @Test("the first fix dates the trip that began with the key, whatever the clock said")
  func dated() throws {
    var drive = Drive()
    drive.park(600)
    drive.go(600, speed_mps: 12)
    drive.park(1200)
    let day = try TrackerTimeline(drive)
    day.run(to: 590)
    day.wallError_s = 86_400
    day.happen(.ignition(on: true))
    day.run(to: 2400)
    try #require(day.trips.count == 1)
    #expect(day.trips[0].start_s == 590)
  }

  @Test("a trip that never had a fix is dated by GPS time and the boot clock")
  func undated() throws {
    var drive = Drive()
    drive.park(400)
    for _ in 0..<100 { drive.go(60, speed_mps: 1, hasSky: false) }
    let day = try TrackerTimeline(drive)
    day.run(to: 450)
    day.wallError_s = -86_400
    day.happen(.ignition(on: true))
    day.run(to: 6000)
    try #require(day.trips.count == 1)
    #expect(day.trips[0].start_s == 450)
  }
}
