import Testing

@testable import TrackerCore

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
    for s in 0...last {
      let noise_m = s > 60 ? Double(s % 3 - 1) * 15 : 0
      let fix = Fix.at(
        Double(s), east_m: Double(min(s, 60)) * 10, north_m: noise_m, speed_mps: s < 60 ? 10 : 0)
      kept += track.add(fix, halted: isHalt && s >= 60)
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
        kept += track.add(.at(Double(s), east_m: 600 + Double(s - 200) * 10, speed_mps: 10), halted: false)
      }
      return (before, kept + track.end())
    }
    let (before, kept) = drive(isHalt: true)
    #expect(kept == drive(isHalt: false).kept)
    #expect(kept.count > before)
    #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.time_ms < $1.time_ms })
    #expect(kept.last?.at_s == 260)
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
    let kept = (0..<50).flatMap { track.add(.at(Double($0), east_m: Double($0)), halted: false) }
    #expect(kept.count == 50 && track.open.isEmpty)
  }

  @Test(
    "`distance` keeps one fix each 10 m, and the last", arguments: [(10.1, 3, 3), (9.9, 2, 2), (4, 1, 2)])
  func distance(each_m: Double, driving: Int, afterwards: Int) {
    var track = TrackTests.track { $0.sampling = .distance }
    var kept = (0...2).flatMap { track.add(.at(Double($0), east_m: Double($0) * each_m), halted: false) }
    #expect(kept.count == driving)
    kept += track.end()
    #expect(kept.count == afterwards)
  }
}
