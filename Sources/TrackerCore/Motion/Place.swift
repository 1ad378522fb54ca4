/// Where the vehicle stays: the mean of the fixes seen there.
public struct Place: Equatable, Sendable {
  public var centre: Position
  /// Fixes in the mean; capped, so that a place follows slow drift of the receiver but not one bad fix.
  public var fixes: Int

  static let maxWeight = 300

  public init(centre: Position, fixes: Int = 1) {
    self.centre = centre
    self.fixes = fixes
  }

  mutating func include(_ position: Position) {
    fixes = min(fixes + 1, Place.maxWeight)
    let share = 1 / Double(fixes)
    var eastward_deg = position.longitude_deg - centre.longitude_deg
    if eastward_deg > 180 { eastward_deg -= 360 }
    if eastward_deg < -180 { eastward_deg += 360 }
    centre.latitude_deg += (position.latitude_deg - centre.latitude_deg) * share
    centre.longitude_deg += eastward_deg * share
    if centre.longitude_deg > 180 { centre.longitude_deg -= 360 }
    if centre.longitude_deg < -180 { centre.longitude_deg += 360 }
  }
}

/// A halt in the making: the fixes since the vehicle came into one place.
struct Halt: Equatable, Sendable {
  /// First fix in the place.
  private var first: Fix
  var place: Place
  /// The first slow fix since the last fast one: the arrival, if this halt is the end of the trip.
  var arrival: Fix?
  /// Fixes in a row outside the place.
  var outside = 0

  /// Below this a vehicle stands; a receiver at rest reports up to about half of it.
  static let standing_mps = 1.0
  /// Without a speed, a vehicle stands that has stayed in one place for so long.
  static let standing_ms: Int64 = 30_000
  /// So many fixes in a row outside end the halt; fewer are noise.
  static let fixesToLeave = 2

  init(_ fix: Fix) {
    first = fix
    place = Place(centre: fix.position)
    if fix.speed_mps != nil, Halt.isStanding(fix) { arrival = fix }
  }

  var entered_ms: Int64 { first.time_ms }

  static func isStanding(_ fix: Fix) -> Bool { (fix.speed_mps ?? 0) < standing_mps }

  /// - Returns: false when the vehicle has left the place.
  mutating func include(_ fix: Fix, radius_m: Double) -> Bool {
    if place.centre.distance_m(to: fix.position) > radius_m + fix.accuracy_m {
      outside += 1
      return outside < Halt.fixesToLeave
    }
    outside = 0
    place.include(fix.position)
    if fix.time_ms < entered_ms {
      // The date was wrong until now, and would keep the halt from ever lasting long enough.
      first = fix
      arrival = nil
    }
    if !Halt.isStanding(fix) {
      arrival = nil
    } else if arrival == nil {
      arrival = fix.speed_mps == nil ? arrivalWithoutSpeed(fix) : fix
    }
    return true
  }

  private func arrivalWithoutSpeed(_ fix: Fix) -> Fix? {
    fix.time_ms - entered_ms >= Halt.standing_ms ? first : nil
  }
}
