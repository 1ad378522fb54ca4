import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Creeping, jumping, and receivers that are fast or report no speed")
struct CreepTests {
  private static func stay(_ fixes: [Fix]) -> [Stay] {
    var stays = [Stay(fixes[0], radius_m: 25)]
    for fix in fixes.dropFirst() { stays.append(stays[stays.count - 1].following(fix)) }
    return stays
  }

  @Test("half an hour at 0.8 m/s is way: distance and track have it", arguments: [0.6, 0.8, 1.2])
  func creep(speed_mps: Double) throws {
    var drive = Drive()
    drive.park(200)
    drive.go(200, speed_mps: 15)
    drive.go(1800, speed_mps: speed_mps, turn: 0.004)
    drive.park(900)
    let day = try TrackerTimeline(drive, sigma_m: 3) { $0.motion.gpsOffWhenParked = false }
    day.run(to: Double(drive.length_s))
    try #require(day.trips.count == 1)
    #expect(abs(day.trips[0].distance_m / drive.trips[0].distance_m - 1) < 0.03, "\(day.trips)")
    let seconds = day.records(.position).map { $0.fix!.at_s }
    let gaps_s = zip(seconds, seconds.dropFirst()).map { $1 - $0 }
    #expect(gaps_s.max()! <= 121)
  }

  @Test("a receiver whose speed is always 0 halts where it stands and not where it drives")
  func speedZero() {
    let driving = CreepTests.stay((0..<60).map { .at(Double($0), east_m: Double($0) * 15) })
    #expect(driving.contains { !$0.isHalted })
    #expect(driving.dropFirst(10).count { !$0.isHalted } >= 5)
  }

  @Test("a jump of 50 m while the vehicle halts is no way")
  func jumpAtHalt() {
    var fixes = (0..<60).map { Fix.at(Double($0)) }
    fixes += (60..<120).map { Fix.at(Double($0), east_m: 50) }
    fixes += (120..<180).map { Fix.at(Double($0)) }
    let moving = CreepTests.stay(fixes).dropFirst().filter { !$0.isHalted }
    #expect(moving.isEmpty)
  }

  @Test("a trip at 0.8 m/s goes on whatever the receiver's rate", arguments: [1, 5, 10])
  func rate(perSecond: Int) {
    var timeline = MotionTimeline { $0.gpsOffWhenParked = false }
    timeline.roll(0, 60)
    for n in 0..<900 * perSecond {
      let s = Double(n) / Double(perSecond)
      timeline.fix(.at(61 + s, east_m: 610 + 0.8 * s, speed_mps: 0.8))
    }
    #expect(timeline.motion.isMoving && timeline.trips.count == 1, "\(timeline.log)")
  }

  @Test(
    "parked, a receiver that jumps 300 m away at rest begins a trip only if it stays for longer than jammers last",
    arguments: [329, 331])
  func jump(length_s: Int) {
    var timeline = ProbeTests.parked { $0.gpsOffWhenParked = false }
    timeline.stand(62, 62 + length_s, east_m: 300)
    timeline.stand(63 + length_s, 500)
    #expect(timeline.trips.count == (length_s > 330 ? 1 : 0), "\(timeline.log)")
  }

  @Test("seen at rest 300 m away until the sky is gone: it has left")
  func skyLost() {
    var timeline = ProbeTests.parked()
    timeline.run(to: 160)
    timeline.stand(160, 170, east_m: 300)
    #expect(!timeline.motion.isMoving)
    timeline.run(to: 230)
    #expect(timeline.trips.map(\.start_s) == [160], "\(timeline.log)")
  }

  @Test("found standing far away, it has left, whatever the stop time-out", arguments: [10.0, 300])
  func foundElsewhere(stopTimeout_s: Double) {
    var timeline = ProbeTests.parked {
      $0.gpsOffWhenParked = false
      $0.stopTimeout_s = stopTimeout_s
    }
    timeline.stand(500, 831, east_m: 600)
    #expect(timeline.trips.count == 1 && timeline.lines(with: "shifted").isEmpty, "\(timeline.log)")
  }

  @Test("the fixes of ten minutes are kept while parked, at 10 Hz too, and no more")
  func recent() {
    var recent = RecentFixes()
    for n in 0..<20_000 { recent.add(.at(Double(n) / 10)) }
    #expect(recent.fixes.count <= RecentFixes.capacity)
    #expect(recent.fixes.last!.at_s - recent.fixes[0].at_s >= 400)
    for n in 0..<50_000 { recent.add(.at(3000 + Double(n) / 100)) }
    #expect(recent.fixes.count <= RecentFixes.capacity)
  }

  /// Parked, then the position walks off eastwards for an hour, and stays there.
  private static func walk(
    pace_mps: Double, speed_mps: Double?, probes: Bool, rest_s: Int = 0
  ) -> MotionTimeline {
    var timeline = MotionTimeline { $0.gpsOffWhenParked = probes }
    timeline.stand(0, 600)
    for s in 601...4200 + rest_s {
      timeline.run(to: Double(s))
      guard timeline.motion.wantsGPS else { continue }
      let east_m = Double(min(s, 4200) - 600) * pace_mps
      timeline.fix(.at(Double(s), east_m: east_m, speed_mps: speed_mps))
    }
    return timeline
  }

  @Test(
    "a receiver that walks off while its speed says 0 is on no trip, wherever it ends",
    arguments: [0.3, 0.7, 1, 2], [0.0, 0.12])
  func drift(pace_mps: Double, speed_mps: Double) {
    for probes in [false, true] {
      let timeline = CreepTests.walk(
        pace_mps: pace_mps, speed_mps: speed_mps, probes: probes, rest_s: 800)
      #expect(timeline.trips.isEmpty && timeline.motion.name == .stationary, "\(timeline.log)")
    }
  }

  @Test("a slow machine that reports its speed, or none, is on a trip", arguments: [1.0, 2], [true, false])
  func slowMachine(pace_mps: Double, isReported: Bool) {
    let timeline = CreepTests.walk(
      pace_mps: pace_mps, speed_mps: isReported ? pace_mps : nil, probes: false)
    #expect(timeline.trips.count == 1, "\(timeline.log)")
  }

  @Test("a receiver whose speed is always 0 is on a trip when it drives")
  func driveWithoutSpeed() {
    let timeline = CreepTests.walk(pace_mps: 10, speed_mps: 0, probes: false)
    #expect(timeline.trips.count == 1, "\(timeline.log)")
  }
}
