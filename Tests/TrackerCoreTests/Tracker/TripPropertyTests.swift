import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// What holds on any drive, with any settings, whatever is lost on the way.
@Suite("Properties of trips and track")
struct TripPropertyTests {
  /// A random day under random settings; on odd seeds the process is killed now and then.
  static func day(_ seed: UInt64) throws -> TrackerTimeline {
    var random = SeededRandom(seed &* 977)
    let drive = WholeDayTests.randomDay(seed: seed &+ 500)
    let sigma_m = Double.random(in: 0...6, using: &random)
    let isAlwaysOn = Bool.random(using: &random)
    let day = try TrackerTimeline(drive, seed: seed, sigma_m: sigma_m) {
      $0.motion.gpsOffWhenParked = !isAlwaysOn
      $0.motion.stopTimeout_s = Double.random(in: 120...600, using: &random)
      $0.motion.probeInterval_s = Double.random(in: 30...300, using: &random)
      $0.track.sampling = TrackSettings.Sampling.allCases.randomElement(using: &random)!
      $0.track.courseStep_deg = Bool.random(using: &random) ? 25 : 0
    }
    while day.now_s < Double(drive.length_s) {
      day.run(to: day.now_s + Double.random(in: 300...2000, using: &random))
      if seed % 2 == 1 { day.kill(restartAfter: Double.random(in: 1...60, using: &random)) }
    }
    return day
  }

  @Test(
    "trips follow each other, the odometer never goes back, positions lie within their trip and in order",
    arguments: 1...24 as ClosedRange<UInt64>)
  func order(seed: UInt64) throws {
    let day = try TripPropertyTests.day(seed)
    #expect(day.trips.count >= 1)
    for trip in day.trips { #expect(trip.start_s <= trip.end_s && trip.distance_m >= 0) }
    for (trip, next) in zip(day.trips, day.trips.dropFirst()) {
      #expect(trip.end_s <= next.start_s, "trips overlap: \(trip) \(next)")
    }
    let records = day.disk.committed
    #expect(zip(records, records.dropFirst()).allSatisfy { $0.sequence < $1.sequence }, "one order for all")
    #expect(zip(records, records.dropFirst()).allSatisfy { $0.odometer_m <= $1.odometer_m })
    let length_m = day.trips.reduce(0) { $0 + $1.distance_m }
    #expect(abs((records.last?.odometer_m ?? 0) - length_m) < 1 || day.tracker.trip != nil)
    for (id, positions) in Dictionary(grouping: day.records(.position), by: \.tripID) {
      try checkTrack(of: id, positions, in: day)
    }
    #expect(day.nothingIsLost())
  }

  @Test(
    "a trip's positions are those of a moving vehicle, whenever they are reported",
    arguments: 1...6 as ClosedRange<UInt64>)
  func moving(seed: UInt64) throws {
    let day = try TripPropertyTests.day(seed &* 2)
    let parked = day.records(.position).filter { $0.tripID != nil && !$0.isMoving }
    #expect(parked.isEmpty, "\(parked.compactMap { $0.fix?.speed_mps })")
  }

  private func checkTrack(of id: Int64?, _ positions: [Record], in day: TrackerTimeline) throws {
    let id = try #require(id, "a position without a trip")
    let times_ms = positions.map { $0.fix!.time_ms }
    #expect(zip(times_ms, times_ms.dropFirst()).allSatisfy { $0 < $1 }, "trip \(id) out of order")
    guard let summary = day.summaries.first(where: { $0.id == id }) else { return }
    let outside = positions.filter {
      $0.fix!.time_ms < summary.start_ms || $0.fix!.time_ms > summary.end_ms
    }
    let seconds = outside.map { ($0.fix!.at_s, $0.boot_ms / 1000) }
    #expect(outside.isEmpty, "\(seconds) outside of \(summary)")
  }

  @Test(
    "with every fix at hand, each one of a trip lies within the bound of the kept line",
    arguments: 1...12 as ClosedRange<UInt64>)
  func bound(seed: UInt64) throws {
    let drive = WholeDayTests.randomDay(seed: seed &+ 900, trips: 2)
    let settings = { (settings: inout Settings) in settings.motion.gpsOffWhenParked = false }
    let bounded = try TrackerTimeline(drive, seed: seed, sigma_m: 5, settings)
    let all = try TrackerTimeline(drive, seed: seed, sigma_m: 5) {
      settings(&$0)
      $0.track.sampling = .all
    }
    for day in [bounded, all] { day.run(to: Double(drive.length_s)) }
    let ids = Set(all.records(.position).compactMap(\.tripID))
    #expect(ids.count == bounded.trips.count && !ids.isEmpty)
    for id in ids {
      let received = all.records(.position).filter { $0.tripID == id }.map { $0.fix! }
      let kept = bounded.records(.position).filter { $0.tripID == id }.map { $0.fix! }
      #expect(BoundedSamplerTests.worst_m(received, kept: kept) <= 10.001)
      #expect(received.first == kept.first && received.last == kept.last)
    }
  }
}
