import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("A receiver that gives no accuracy")
struct UnknownAccuracyTests {
  private func day(
    without: @escaping (Double) -> Bool = { _ in true }, change: (inout Settings) -> Void = { _ in }
  ) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(60)
    drive.go(1200, speed_mps: 12)
    drive.park(600)
    let day = try TrackerTimeline(drive) {
      $0.motion.gpsOffWhenParked = false
      change(&$0)
    }
    day.onTheWay = { report, s in [report.with { if without(s) { ($0.accuracy_m, $0.hdop) = (nil, nil) } }] }
    return day
  }

  private let words =
    "the receiver gives no accuracy: its fixes count as good to 15 m (gps.unknown_accuracy_m)"

  @Test("makes the same trip, with gps.unknown_accuracy_m, and that is said once")
  func tracked() throws {
    let day = try day()
    day.run(to: 1800)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && abs(trip.distance_m - 14_400) < 200, "\(day.trips)")
    #expect(day.records(.position).allSatisfy { $0.fix?.accuracy_m == 15 })
    #expect(day.log.count { $0.hasSuffix(words) } == 1)
    let status = day.tracker.status(at: day.now)
    #expect(status.gps.accuracyAssumed == status.gps.fixes && status.gps.rejected == [:])
    #expect(status.warnings.isEmpty)
  }

  @Test("is refused, and its reason named, where gps.unknown_accuracy_m is above gps.max_accuracy_m")
  func refused() throws {
    let day = try day(change: { $0.gps.unknownAccuracy_m = 200 })
    day.run(to: 700)
    #expect(day.tracker.status(at: day.now).noTrackCause == .accuracy)
    #expect(day.tracker.warnings.entries[.accuracy] != nil && day.tracker.warnings.entries[.noSky] == nil)
  }

  @Test("one that leaves it out in a tunnel is not believed there")
  func nowAndThen() throws {
    let day = try day(without: { (600..<650).contains($0) })
    day.run(to: 1800)
    #expect(day.tracker.receiver.figures.rejected == [.accuracy: 50])
    #expect(day.tracker.receiver.figures.accuracyAssumed == 0 && !day.log.contains { $0.hasSuffix(words) })
  }

  private func believed(_ steps: [(hasAccuracy: Bool, at_ms: Int64)]) -> [Bool] {
    var unknown = UnknownAccuracy()
    return steps.map { unknown.believes(hasAccuracy: $0.hasAccuracy, at: $0.at_ms) }
  }

  @Test(
    "59.9 s after the first without, one that gave an accuracy before is refused, after 60 s it is believed")
  func patience() {
    #expect(
      believed([
        (false, 0), (true, 1000), (false, 2000), (false, 61_900), (false, 62_000), (true, 62_001),
        (false, 63_000),
      ]) == [true, true, false, false, true, true, false])
  }

  @Test("one fix without an accuracy before the first one with is nothing to report")
  func news() {
    var unknown = UnknownAccuracy()
    _ = unknown.believes(hasAccuracy: false, at: 0)
    let news = [9999, 10_000, 20_000].map { unknown.takeNews(at: $0) }
    #expect(news == [false, true, false])
    _ = unknown.believes(hasAccuracy: true, at: 21_000)
    let later = unknown.takeNews(at: 40_000)
    #expect(!later)
  }

  @Test("a receiver that takes over is judged by itself")
  func another() {
    var unknown = UnknownAccuracy()
    _ = unknown.believes(hasAccuracy: true, at: 0)
    unknown.receiverChanged()
    let isBelieved = unknown.believes(hasAccuracy: false, at: 1000)
    #expect(isBelieved)
  }
}
