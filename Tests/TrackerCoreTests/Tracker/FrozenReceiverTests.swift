import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A receiver that repeats one position with new times while the vehicle drives on.
@Suite("A receiver that freezes in a trip")
struct FrozenReceiverTests {
  static let drive: Drive = {
    var drive = Drive()
    drive.park(300)
    drive.go(2200, speed_mps: 14)
    drive.park(900)
    return drive
  }()

  /// - Parameters:
  ///   - speed_mps: what it reports meanwhile; nil: the last speed.
  ///   - atNext: it repeats the place of the first such report, not the one before.
  static func day(length_s: Double, speed_mps: Double?, atNext: Bool = false) throws -> TrackerTimeline {
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    var last: GPSReport?
    day.onTheWay = { report, s in
      guard s >= 1000, s < 1000 + length_s, let before = last else {
        last = report
        return [report]
      }
      if atNext, s == 1000 { last = report }
      return [
        (s == 1000 && atNext ? report : before).with {
          $0.time_ms = report.time_ms
          if let speed_mps { $0.speed_mps = speed_mps }
        }
      ]
    }
    day.run(to: Double(drive.length_s))
    return day
  }

  @Test(
    "what was driven meanwhile is counted when it is back, and said to be an estimate",
    arguments: [20.0, 90, 299, 600], [nil, 0])
  func counted(length_s: Double, speed_mps: Double?) throws {
    let day = try FrozenReceiverTests.day(length_s: length_s, speed_mps: speed_mps)
    let way_m = FrozenReceiverTests.drive.trips[0].distance_m
    let counted_m = day.trips.reduce(0) { $0 + $1.distance_m }
    #expect(abs(counted_m / way_m - 1) < 0.01, "\(day.trips) \(way_m)")
    let estimated_m = day.summaries.reduce(0) { $0 + $1.estimated_m }
    let unseen_m = length_s >= 60 ? length_s * 14 : 0
    #expect(abs(estimated_m - unseen_m) < 150, "\(estimated_m)")
    #expect(day.trips.count == (length_s > 300 && speed_mps == 0 ? 2 : 1))
    #expect(day.records(.position).allSatisfy { $0.content == .position() }, "no jump")
  }

  @Test(
    "a speed that falls to 0 at once, where no vehicle stops so hard, is the frozen receiver's",
    arguments: [20.0, 60, 200])
  func stopsAtOnce(length_s: Double) throws {
    let day = try FrozenReceiverTests.day(length_s: length_s, speed_mps: 0, atNext: true)
    let way_m = FrozenReceiverTests.drive.trips[0].distance_m
    #expect(day.trips.count == 1 && abs(day.trips[0].distance_m / way_m - 1) < 0.01, "\(day.trips) \(way_m)")
  }

  @Test("a vehicle at rest whose receiver holds its position is parked as any other")
  func held() throws {
    let day = try FrozenReceiverTests.day(length_s: 0, speed_mps: nil)
    #expect(day.trips.map(\.cause) == [.stayed] && day.summaries.map(\.estimated_m) == [0])
  }

  @Test("a tunnel of ten minutes is estimated, too, and a restart in a trip keeps that")
  func tunnel() throws {
    var drive = Drive()
    drive.park(300)
    drive.go(600, speed_mps: 14)
    drive.go(600, speed_mps: 14, hasSky: false)
    drive.go(600, speed_mps: 14)
    drive.park(900)
    let day = try TrackerTimeline(drive) { $0.motion.gpsOffWhenParked = false }
    day.run(to: 1700)
    day.kill(restartAfter: 5)
    day.run(to: Double(drive.length_s))
    try #require(day.summaries.count == 1)
    #expect((8100...9300).contains(day.summaries[0].estimated_m), "\(day.summaries)")
  }
}
