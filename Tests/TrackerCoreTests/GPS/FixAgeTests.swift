import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Old fixes that a daemon or a module hands out once more.
@Suite("A fix that is too old")
struct FixAgeTests {
  /// Where the time is known from; the drive is under way from 60 s to 1260 s, and the GPS is on.
  enum Source: CaseIterable { case gps, kernel }

  private func day(_ source: Source) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(60)
    drive.go(1200, speed_mps: 12)
    drive.park(600)
    return try TrackerTimeline(
      drive, isSynchronised: source == .kernel, wallError_s: source == .kernel ? 0 : -100 * 86_400
    ) { $0.motion.gpsOffWhenParked = false }
  }

  /// At a second it comes in place of the fix of that time.
  private func sayOld(_ day: TrackerTimeline, at old_s: Double, age_s: Double) {
    var said: [Double: GPSReport] = [:]
    day.onTheWay = { report, s in
      said[s] = report
      return [s == old_s ? said[s - age_s] ?? report : report]
    }
  }

  @Test(
    "in mid-trip it is refused and counted, whoever reports the time: nothing is dated by its arrival",
    arguments: Source.allCases, [(5.0, false), (9, false), (11, true), (16, true), (300, true)])
  func midTrip(source: Source, old: (age_s: Double, isStale: Bool)) throws {
    let day = try day(source)
    sayOld(day, at: 700, age_s: old.age_s)
    day.run(to: 1800)
    #expect(day.tracker.receiver.clock.trust(at: day.now) == (source == .gps ? .gps : .synchronised))
    #expect(day.tracker.receiver.figures.rejected == [old.isStale ? .stale : .backwards: 1])
    #expect(ClockMatrixTests.wrongStamps(day) == 0)
    #expect(day.tracker.warnings.entries[.clockJump] == nil)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && abs(trip.distance_m - 14_400) < 200, "\(day.trips)")
  }

  @Test(
    "also after a while without fixes: what comes then was not made before it", arguments: Source.allCases)
  func afterTunnel(source: Source) throws {
    let day = try day(source)
    var said: [Double: GPSReport] = [:]
    day.onTheWay = { report, s in
      said[s] = report
      return [(700..<720).contains(s) ? GPSReport(mode: 1) : s == 720 ? said[704] ?? report : report]
    }
    day.run(to: 1800)
    #expect(day.tracker.receiver.figures.rejected == [.stale: 1])
    #expect(ClockMatrixTests.wrongStamps(day) == 0)
  }

  @Test("fixes that waited in the socket while the agent could not read are as good as prompt ones")
  func stall() throws {
    let day = try day(.gps)
    var waiting: [GPSReport] = []
    day.onTheWay = { report, s in
      waiting.append(report)
      if (700..<717).contains(s) { return [] }
      defer { waiting = [] }
      return waiting
    }
    day.run(to: 1800)
    #expect(day.tracker.receiver.figures.rejected == [:])
    #expect(ClockMatrixTests.wrongStamps(day) == 0 && day.trips.count == 1)
  }

  @Test(
    "a handful of old ones in one go is refused too: they say nothing of the date",
    arguments: Source.allCases)
  func burst(source: Source) throws {
    let day = try day(source)
    var said: [GPSReport] = []
    day.onTheWay = { report, s in
      said.append(report)
      return s == 700 ? said.suffix(61).prefix(8) + [report] : [report]
    }
    day.run(to: 1800)
    #expect(day.tracker.receiver.figures.rejected == [.stale: 8])
    #expect(ClockMatrixTests.wrongStamps(day) == 0)
    #expect(day.tracker.warnings.entries[.clockJump] == nil)
    let trip = try #require(day.trips.first)
    #expect(day.trips.count == 1 && abs(trip.distance_m - 14_400) < 200, "\(day.trips)")
  }

  @Test("what a stall allowed counts no longer once its reports are read")
  func longAfterStall() throws {
    let day = try day(.kernel)
    var said: [Double: GPSReport] = [:]
    day.onTheWay = { report, s in
      said[s] = report
      if (700..<720).contains(s) { return [] }
      if (720..<780).contains(s) { return [GPSReport(mode: 1)] }
      return [s == 780 ? said[764] ?? report : report]
    }
    day.run(to: 1800)
    #expect(day.tracker.receiver.figures.rejected == [.stale: 1])
  }
}
