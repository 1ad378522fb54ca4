import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Distance sampling")
struct DistanceSamplerTests {
  /// Driving east, one fix a second; the kept ones in seconds.
  static func kept(_ speed_mps: Double, _ seconds: Int, _ change: (inout TrackSettings) -> Void) -> [Double] {
    var settings = TrackSettings()
    settings.sampling = .distance
    change(&settings)
    var sampler = DistanceSampler(settings: settings)
    return (0...seconds).flatMap { s in
      sampler.add(.at(Double(s), east_m: Double(s) * speed_mps, speed_mps: speed_mps)).map(\.at_s)
    }
  }

  @Test("a fix each step")
  func step() {
    #expect(DistanceSamplerTests.kept(5, 10) { $0.distanceFilter_m = 14.9 } == [0, 3, 6, 9])
  }

  @Test("one that creeps is kept after the longest interval all the same")
  func interval() {
    let kept = DistanceSamplerTests.kept(0.1, 60) {
      $0.distanceFilter_m = 100
      $0.maxInterval_s = 20
    }
    #expect(kept == [0, 20, 40, 60])
  }

  @Test(
    "elasticity stretches the step with the speed, in units of 5 m/s, and never shrinks it",
    arguments: [(2.0, 5.0), (10, 2), (20, 2), (31, 6)])
  func elastic(speed_mps: Double, gap_s: Double) {
    let kept = DistanceSamplerTests.kept(speed_mps, 60) {
      $0.distanceFilter_m = speed_mps == 31 ? 29.9 : 9.9
      $0.elasticity = 1
    }
    #expect(kept[1] - kept[0] == gap_s)
  }
}

@Suite("Marks: fixes kept for a turn or a change of speed")
struct MarksTests {
  static func marked(_ fixes: [Fix], _ change: (inout TrackSettings) -> Void) -> [Double] {
    var settings = TrackSettings()
    change(&settings)
    var marks = Marks(settings: settings)
    return fixes.filter { marks.isMark($0) }.map(\.at_s)
  }

  static func turning(_ courses_deg: [Double], speed_mps: Double = 10) -> [Fix] {
    courses_deg.enumerated().map { s, course_deg in
      var fix = Fix.at(Double(s), east_m: Double(s) * 10, speed_mps: speed_mps)
      fix.course_deg = course_deg
      return fix
    }
  }

  @Test("the very fix at which the course has changed by the step, across north too")
  func turn() {
    let fixes = MarksTests.turning([350, 355, 5, 14.9, 20, 21, 40, 50])
    #expect(MarksTests.marked(fixes) { $0.courseStep_deg = 25 } == [4, 7])
    #expect(MarksTests.marked(fixes) { $0.courseStep_deg = 0 }.isEmpty)
  }

  @Test("a vehicle that stands has no course")
  func standing() {
    let fixes = MarksTests.turning([0, 90, 180, 270], speed_mps: 1)
    #expect(MarksTests.marked(fixes) { $0.courseStep_deg = 25 }.isEmpty)
  }

  @Test("the very fix at which the speed has changed by the step, up or down")
  func speed() {
    let fixes = [0.0, 3, 4.9, 5, 9, 4.9, 0].enumerated().map { Fix.at(Double($0), speed_mps: $1) }
    #expect(MarksTests.marked(fixes) { $0.speedStep_mps = 5 } == [3, 6])
  }

  @Test(
    "sampling keeps a marked fix, and the line begins anew there", arguments: TrackSettings.Sampling.allCases)
  func track(sampling: TrackSettings.Sampling) {
    var settings = TrackSettings()
    settings.sampling = sampling
    settings.distanceFilter_m = 1000
    settings.courseStep_deg = 30
    var track = Track(settings: settings)
    let fixes = MarksTests.turning([90, 90, 90, 90, 180, 180, 180])
    let kept = fixes.flatMap { track.add($0, arrival: nil) } + track.end()
    #expect(kept.contains(fixes[4]))
    #expect(Set(kept.map(\.time_ms)).count == kept.count)
    if sampling == .distance { #expect(kept.map(\.at_s) == [0, 4, 6]) }
  }
}
