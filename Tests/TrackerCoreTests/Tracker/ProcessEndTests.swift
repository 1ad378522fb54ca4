import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Whatever ends a process, the odometer and the trip have afterwards what they had, but for the last commit interval.
@Suite("The way over the end of a process")
struct ProcessEndTests {
  enum End: CaseIterable {
    case kill, terminate, powerCut

    func happen(to day: TrackerTimeline, backAfter_s: Double) {
      switch self {
      case .kill: day.kill(restartAfter: backAfter_s)
      case .terminate:
        day.happen(.stopping)
        day.kill(restartAfter: backAfter_s)
      case .powerCut: day.reboot(after: backAfter_s, isSynchronised: true)
      }
    }
  }

  @Test(
    "a straight stretch that is open counts for a trip that is closed at boot and for the odometer",
    arguments: End.allCases, [70.0, 4000])
  func straight(end: End, off_s: Double) throws {
    var drive = Drive()
    drive.park(120)
    drive.go(70, speed_mps: 15)
    drive.park(5000)
    let day = try TrackerTimeline(drive) {
      $0.motion.gpsOffWhenParked = false
      $0.motion.lostTripTimeout_s = 60
    }
    day.run(to: 210)
    let before_m = day.tracker.status(at: day.now).trip.odometer_m
    #expect(before_m > 900)
    end.happen(to: day, backAfter_s: off_s)
    #expect(abs(day.tracker.status(at: day.now).trip.odometer_m - before_m) < 1)
    day.run(to: day.now_s + 120)
    let trip = try #require(day.trips.first)
    #expect(trip.cause == .processEnded && abs(trip.distance_m - before_m) < 1, "\(trip), was \(before_m)")
    #expect(abs(day.tracker.status(at: day.now).trip.odometer_m - before_m) < 1)
  }

  /// What must not go back, and what of it the last commit has.
  private struct Way {
    var odometer_m: Double
    var trip: Int64?
    var trip_m: Double

    init(_ day: TrackerTimeline) {
      odometer_m = day.tracker.status(at: day.now).trip.odometer_m
      trip = day.tracker.trip?.id
      trip_m = day.tracker.tripDistance_m ?? 0
    }
  }

  /// Driven since the last commit, and what noise within the line's width may be.
  private static func most_m(of day: TrackerTimeline, _ end: End) -> Double {
    if end == .terminate { return 0.01 }
    let since_s = Int(day.now_s) - Int(QueueSettings().commitInterval_s) - 1
    let speeds_mps = (max(0, since_s)...Int(day.now_s)).map { day.drive.sample(at: Double($0)).speed_mps }
    return speeds_mps.reduce(0, +) + 2 * Odometer.maxError_m
  }

  @Test(
    "on random drives that end and end again neither goes back by more than the last commit interval",
    arguments: 1...24 as ClosedRange<UInt64>)
  func random(seed: UInt64) throws {
    let drive = WholeDayTests.randomDay(seed: seed &+ 700)
    var random = SeededRandom(seed &* 31)
    let day = try TrackerTimeline(drive, seed: seed, sigma_m: Double.random(in: 0...6, using: &random)) {
      $0.motion.gpsOffWhenParked = seed % 3 == 0
      $0.motion.lostTripTimeout_s = [60, 1800].randomElement(using: &random)!
      $0.track.sampling = TrackSettings.Sampling.allCases.randomElement(using: &random)!
    }
    while day.now_s < Double(drive.length_s) {
      day.run(to: day.now_s + Double.random(in: 20...900, using: &random))
      let end = End.allCases.randomElement(using: &random)!
      let before = Way(day)
      let most_m = ProcessEndTests.most_m(of: day, end)
      let where_s = day.now_s
      end.happen(to: day, backAfter_s: [1, 30, 100, 2500].randomElement(using: &random)!)
      let after = Way(day)
      #expect(after.odometer_m >= before.odometer_m - most_m, "\(end) at \(where_s)")
      day.run(to: day.now_s + 90)
      #expect(Way(day).odometer_m >= after.odometer_m - Odometer.maxError_m, "\(end) at \(where_s)")
      guard let id = before.trip else { continue }
      let trip_m = day.summaries.first { $0.id == id }?.distance_m ?? Way(day).trip_m
      #expect(trip_m >= before.trip_m - most_m - Odometer.maxError_m, "trip \(id), \(end) at \(where_s)")
    }
    let records = day.disk.committed
    #expect(zip(records, records.dropFirst()).allSatisfy { $0.odometer_m <= $1.odometer_m })
    let length_m = day.trips.reduce(day.tracker.tripDistance_m ?? 0) { $0 + $1.distance_m }
    let odometer_m = day.tracker.status(at: day.now).trip.odometer_m
    #expect(abs(odometer_m - length_m) < 0.1 * Double(day.trips.count + 1))
  }
}
