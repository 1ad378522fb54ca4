import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A drive that nobody saw any of")
struct UnseenDriveTests {
  /// Parked for over an hour, a drive of five minutes (3.6 km), parked elsewhere; a probe every 20 minutes.
  private func day(_ drive_s: Int = 300, then: (inout Drive) -> Void = { $0.park(4000) }) throws
    -> TrackerTimeline
  {
    var drive = Drive()
    drive.park(4300)
    drive.go(drive_s, speed_mps: 12)
    then(&drive)
    let day = try TrackerTimeline(drive) {
      $0.motion.probeInterval_s = 1200
      $0.motion.probeWorth = 0
    }
    day.run(to: Double(drive.length_s))
    return day
  }

  @Test("after long unseen hours is no drive of hours, and ends within five minutes before it is found")
  func night() throws {
    let first = Fix.at(0)
    for speed_mps in [0.0, 10] {
      let found = Fix.at(50_000, east_m: 2000, speed_mps: speed_mps)
      let unseen = try #require(
        UnseenStart(
          place: Place(centre: first.position), leftAfter_ms: first.time_ms, seen: [found], radius_m: 25))
      #expect(found.time_ms - unseen.start_ms <= 850_000)
      #expect((unseen.drive == nil) == (speed_mps > 0))
      if let drive = unseen.drive { #expect(found.time_ms - drive.arrived_ms == UnseenStart.mostDriven_ms) }
    }
  }

  private func trips(_ day: TrackerTimeline) -> [TripSummary] {
    day.records(.trip).compactMap { if case .trip(let trip) = $0.content { trip } else { nil } }
  }

  private func departures(_ day: TrackerTimeline) -> [MotionChange] {
    day.records(.motionChange).compactMap {
      if case .motion(let change) = $0.content, change.leftAfter_ms != nil { change } else { nil }
    }
  }

  @Test("is a trip with as much time before it as after it, and half as much again for its detours")
  func middle() throws {
    let day = try day()
    let trip = try #require(trips(day).first)
    #expect(trips(day).count == 1)
    let (after_ms, before_ms) = try bounds(day)
    let before_s = Double(trip.start_ms - after_ms) / 1000
    let later_s = Double(before_ms - trip.end_ms) / 1000
    #expect(abs(before_s - later_s) < 0.1)
    let straight_s = trip.distance_m / UnseenStart.usual_mps
    #expect(abs(Double(trip.end_ms - trip.start_ms) / 1000 - straight_s - before_s) < 5)
    #expect(abs(trip.distance_m - 3600) < 100 && trip.endCause == .stayed)
    #expect(day.nothingIsLost())
  }

  @Test("whose straight way takes longer than the time there was fills it")
  func full() throws {
    let (first, found) = (Fix.at(0), Fix.at(100, east_m: 5000))
    let unseen = try #require(
      UnseenStart(
        place: Place(centre: first.position), leftAfter_ms: first.time_ms, seen: [found], radius_m: 25))
    #expect(unseen.start_ms == first.time_ms && unseen.drive?.arrived_ms == found.time_ms)
  }

  @Test("that is found at a halt and goes on is estimated up to that halt")
  func goesOn() throws {
    let day = try day {
      $0.park(1000)
      $0.go(600, speed_mps: 12)
      $0.park(4000)
    }
    let (_, before_ms) = try bounds(day)
    for trip in trips(day) { #expect(trip.end_ms > trip.start_ms) }
    #expect(try #require(trips(day).last).end_ms > before_ms)
  }

  @Test("with its end seen is estimated back from where it was seen")
  func endSeen() throws {
    let day = try day(1200)
    let trip = try #require(trips(day).first)
    #expect(trip.end_ms > trip.start_ms && trips(day).count == 1)
  }

  /// Between which instants it left.
  private func bounds(_ day: TrackerTimeline) throws -> (after_ms: Int64, before_ms: Int64) {
    let departure = try #require(departures(day).first)
    return (try #require(departure.leftAfter_ms), try #require(departure.leftBefore_ms))
  }
}
