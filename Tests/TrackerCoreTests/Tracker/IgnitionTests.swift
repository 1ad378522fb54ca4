import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

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

  @Test("the record of the departure is dated by the key, and not by the last look, long before")
  func departure() throws {
    var drive = Drive()
    drive.park(3000)
    drive.go(600, speed_mps: 12)
    drive.park(600)
    let day = try TrackerTimeline(drive) {
      $0.ignition.line = "27"
      $0.motion.parkedHeartbeat_s = 3600
    }
    day.happen(.ignition(on: false))
    day.run(to: 2990)
    day.happen(.ignition(on: true))
    day.run(to: 3100)
    let record = try #require(
      day.records(.motionChange).first { $0.content == .motion(MotionChange(cause: .ignition)) })
    #expect(record.time_ms == epoch_ms + 2_990_000 && record.timeSource != .untrustedWallClock)
    let looked_ms = try #require(record.fix?.time_ms)
    #expect(looked_ms < epoch_ms + 1_000_000, "the last look was long before: \(looked_ms)")
    #expect(day.log.contains { $0.hasSuffix("moving: noticed by the ignition as it left") })
    let status = day.tracker.status(at: day.now).trip
    #expect(status.noticedBy == .ignition && status.noticedWithin_s == 0)
    day.happen(.ignition(on: false))
    day.run(to: 4200)
    let trip = try #require(
      day.records(.trip).compactMap { record in
        if case .trip(let summary) = record.content { summary } else { nil }
      }.first)
    #expect(trip.start_ms == record.time_ms && trip.leftAfter_ms == nil)
  }

  @Test("what a probe notices, journal and status tell with the most that it came late")
  func byProbe() throws {
    var drive = Drive()
    drive.park(3000)
    drive.go(600, speed_mps: 12)
    drive.park(600)
    let day = try TrackerTimeline(drive)
    #expect(day.tracker.status(at: day.now).trip.noticedBy == nil)
    day.run(to: 3400)
    let change = try #require(
      day.records(.motionChange).compactMap { record in
        if case .motion(let change) = record.content, change.cause == .probe { change } else { nil }
      }.first)
    let (after_ms, before_ms) = (try #require(change.leftAfter_ms), try #require(change.leftBefore_ms))
    #expect(after_ms <= epoch_ms + 3_000_000 && epoch_ms + 3_000_000 <= before_ms)
    let late_s = Int(before_ms - after_ms) / 1000
    #expect(late_s > 10)
    #expect(
      day.log.contains { $0.hasSuffix("moving: noticed by a probe, at most \(late_s) s after it left") })
    let status = day.tracker.status(at: day.now).trip
    #expect(status.noticedBy == .probe && status.noticedWithin_s == late_s)
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
