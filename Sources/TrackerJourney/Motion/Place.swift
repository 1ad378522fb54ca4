import TrackerBase

/// Where the vehicle stays: the mean of the fixes seen there.
public struct Place: Equatable, Sendable {
  public var centre: Position
  /// Fixes in the mean; capped, so that a place follows slow drift of the receiver but not one bad fix.
  public var fixes: Int

  static let maxWeight = 300
  /// Of one that the last process has saved: a receiver's mean under a roof.
  static let savedAccuracy_m = 50.0
  /// GPS time of the last fix that counted.
  private var included_ms: Int64?

  public init(centre: Position, fixes: Int = 1) {
    self.centre = centre
    self.fixes = fixes
  }

  /// From fast receivers one fix a second counts, or the place would follow a vehicle that creeps away.
  mutating func include(_ fix: Fix) {
    if let included_ms, abs(fix.time_ms - included_ms) < Fix.believed_ms { return }
    included_ms = fix.time_ms
    fixes = min(fixes + 1, Place.maxWeight)
    let share = 1 / Double(fixes)
    let eastward_deg = centre.eastward_deg(to: fix.position)
    centre.latitude_deg += (fix.position.latitude_deg - centre.latitude_deg) * share
    centre.longitude_deg = wrapped(centre.longitude_deg + eastward_deg * share)
  }
}

extension Place {
  /// A vehicle at rest here.
  ///
  /// - Parameters:
  ///   - last: the newest fix; nil: this process has seen none.
  ///   - now_ms: Unix milliseconds.
  func parked(after last: Fix?, at now_ms: Int64) -> Fix {
    var fix = last ?? Fix(time_ms: now_ms, position: centre, accuracy_m: Place.savedAccuracy_m)
    (fix.position, fix.speed_mps, fix.course_deg) = (centre, 0, nil)
    return fix
  }
}
