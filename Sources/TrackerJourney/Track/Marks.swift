import TrackerBase

/// The fixes that are kept for what they show, whatever sampling makes of them: a turn, a change of speed.
struct Marks: Equatable, Sendable {
  private let courseStep_deg: Double
  private let speedStep_mps: Double
  private var course_deg: Double?
  private var speed_mps: Double?

  /// Slower, a receiver's course is noise.
  static let courseSpeed_mps = 2.0

  init(settings: TrackSettings) {
    courseStep_deg = settings.courseStep_deg
    speedStep_mps = settings.speedStep_mps
  }

  /// Of each fix of a trip, in order. The changes are counted from one mark to the next.
  mutating func isMark(_ fix: Fix) -> Bool {
    let turned = hasTurned(fix)
    let changed = hasChangedSpeed(fix)
    return turned || changed
  }

  private mutating func hasTurned(_ fix: Fix) -> Bool {
    guard courseStep_deg > 0, let now_deg = fix.course_deg,
      (fix.speed_mps ?? 0) >= Marks.courseSpeed_mps
    else { return false }
    guard let before_deg = course_deg else {
      course_deg = now_deg
      return false
    }
    let turn_deg = abs(now_deg - before_deg).truncatingRemainder(dividingBy: 360)
    guard min(turn_deg, 360 - turn_deg) >= courseStep_deg else { return false }
    course_deg = now_deg
    return true
  }

  private mutating func hasChangedSpeed(_ fix: Fix) -> Bool {
    guard speedStep_mps > 0, let now_mps = fix.speed_mps else { return false }
    guard let before_mps = speed_mps else {
      speed_mps = now_mps
      return false
    }
    guard abs(now_mps - before_mps) >= speedStep_mps else { return false }
    speed_mps = now_mps
    return true
  }
}
