import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Lines that report no departure")
struct DeadLineTests {
  private static func drive() -> Drive {
    var drive = Drive()
    drive.park(900)
    for _ in 0..<4 {
      drive.go(600, speed_mps: 15)
      drive.park(2400)
    }
    return drive
  }

  /// - Returns: how late each trip's track begins, in seconds.
  private func lateness_s(_ day: TrackerTimeline) -> [Double] {
    day.drive.trips.map { truth in
      let seen = day.records(.position).map { $0.fix!.at_s }.first { $0 > truth.start_s } ?? .infinity
      return seen - truth.start_s
    }
  }

  @Test("a broken wire, a dead sensor: after one missed departure the GPS looks by itself, restarts or not")
  func dead() throws {
    for isIgnition in [true, false] {
      let day = try TrackerTimeline(DeadLineTests.drive()) {
        if !isIgnition { $0.vibration.line = "22" }
      }
      if isIgnition { day.happen(.ignitionEdge(level: false)) }
      day.run(to: 6000)
      day.kill()
      if isIgnition { day.happen(.ignitionEdge(level: false)) }
      day.run(to: Double(day.drive.length_s))
      let late_s = lateness_s(day)
      #expect(late_s.dropFirst(2).allSatisfy { $0 < 200 }, "\(late_s)")
      #expect(day.log.contains { $0.contains("no line reported that the vehicle left") })
    }
  }

  @Test("a line that reports again is relied on again")
  func alive() throws {
    let day = try TrackerTimeline(DeadLineTests.drive())
    day.happen(.ignitionEdge(level: false))
    day.run(to: 6800)
    #expect(!day.tracker.journey.motion.known.hasSentinel)
    day.happen(.ignitionEdge(level: true))
    day.run(to: 7000)
    day.happen(.ignitionEdge(level: false))
    day.run(to: 7010)
    #expect(day.tracker.journey.motion.known.hasSentinel)
  }

  @Test("a vehicle that was shaken before it left has a live sensor")
  func shaken() throws {
    let day = try TrackerTimeline(DeadLineTests.drive()) { $0.vibration.line = "22" }
    day.run(to: 905)
    for knock in 0..<5 {
      day.run(to: 905 + Double(knock))
      day.happen(.vibrationEdge)
    }
    day.run(to: 1200)
    #expect(day.tracker.trip != nil && day.tracker.journey.motion.known.hasSentinel)
  }
}
