import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Track")
struct TrackTests {
  static func track(_ change: (inout TrackSettings) -> Void = { _ in }) -> Track {
    var settings = TrackSettings()
    change(&settings)
    return Track(settings: settings)
  }

  /// Drives east for 60 s and stands from second 60 to `last`, with 15 m of noise.
  static func driveAndStand(_ track: inout Track, to last: Int, isHalt: Bool = true) -> [Fix] {
    var kept: [Fix] = []
    var arrival: Fix?
    for s in 0...last {
      let noise_m = s > 60 ? Double(s % 3 - 1) * 15 : 0
      let fix = Fix.at(
        Double(s), east_m: Double(min(s, 60)) * 10, north_m: noise_m, speed_mps: s < 60 ? 10 : 0)
      if isHalt, s == 60 { arrival = fix }
      kept += track.add(fix, arrival: arrival)
    }
    return kept
  }

  @Test(
    "the track of a trip ends at the arrival: the noise after it leaves nothing behind",
    arguments: TrackSettings.Sampling.allCases)
  func endsAtArrival(sampling: TrackSettings.Sampling) {
    var track = TrackTests.track { $0.sampling = sampling }
    var kept = TrackTests.driveAndStand(&track, to: 360)
    kept += track.arrived()
    #expect(kept.last?.at_s == 60)
    #expect(Set(kept.map { $0.time_ms }).count == kept.count)
    #expect(track.open.isEmpty && track.arrived().isEmpty)
  }

  @Test(
    "when the halt was a red light, what was held comes after all, in order",
    arguments: TrackSettings.Sampling.allCases)
  func redLight(sampling: TrackSettings.Sampling) {
    func drive(isHalt: Bool) -> (before: Int, kept: [Fix]) {
      var track = TrackTests.track { $0.sampling = sampling }
      var kept = TrackTests.driveAndStand(&track, to: 200, isHalt: isHalt)
      let before = kept.count
      for s in 201...260 {
        kept += track.add(.at(Double(s), east_m: 600 + Double(s - 200) * 10, speed_mps: 10), arrival: nil)
      }
      return (before, kept + track.end())
    }
    let (before, kept) = drive(isHalt: true)
    #expect(kept == drive(isHalt: false).kept)
    #expect(kept.count > before)
    #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.time_ms < $1.time_ms })
    #expect(kept.last?.at_s == 260)
  }

  /// Drives east for a minute, stands, rolls 60 m north slower than a vehicle that drives, and stands there.
  static let rollingOn: [Fix] = (0...500).map { s in
    let (east_m, north_m) = (Double(min(s, 60)) * 10, Double(min(max(s - 100, 0), 60)))
    return .at(Double(s), east_m: east_m, north_m: north_m, speed_mps: s < 60 ? 10 : 0.5)
  }

  @Test(
    "a vehicle that rolls on while it halts ends its track where it stands at last, and each fix lies within 10 m",
    arguments: [0, 1, 30])
  func rollsOn(reportedLate_s: Int) {
    var track = TrackTests.track()
    var kept: [Fix] = []
    for (s, fix) in TrackTests.rollingOn.enumerated() {
      // Each 20 m of the way make another place.
      let places = [60, 120, 140, 160].filter { s >= $0 + ($0 > 60 ? reportedLate_s : 0) }
      kept += track.add(fix, arrival: places.last.map { TrackTests.rollingOn[$0] })
    }
    kept += track.arrived()
    #expect(kept.last?.at_s == 160)
    #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.time_ms < $1.time_ms })
    #expect(BoundedSamplerTests.worst_m(Array(TrackTests.rollingOn[...160]), kept: kept) <= 10.001)
  }

  @Test("the arrival is what a power cut at a halt would lose")
  func open() {
    var track = TrackTests.track()
    _ = TrackTests.driveAndStand(&track, to: 100)
    #expect(track.open.map(\.at_s) == [60])
  }

  @Test("every fix is kept with `all`")
  func all() {
    var track = TrackTests.track { $0.sampling = .all }
    let kept = (0..<50).flatMap { track.add(.at(Double($0), east_m: Double($0)), arrival: nil) }
    #expect(kept.count == 50 && track.open.isEmpty)
  }

  @Test(
    "`distance` keeps one fix each 10 m, and the last", arguments: [(10.1, 3, 3), (9.9, 2, 2), (4, 1, 2)])
  func distance(each_m: Double, driving: Int, afterwards: Int) {
    var track = TrackTests.track { $0.sampling = .distance }
    var kept = (0...2).flatMap { track.add(.at(Double($0), east_m: Double($0) * each_m), arrival: nil) }
    #expect(kept.count == driving)
    kept += track.end()
    #expect(kept.count == afterwards)
  }
}
