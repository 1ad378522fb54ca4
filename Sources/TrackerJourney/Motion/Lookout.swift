import TrackerBase

/// What is seen of a vehicle that does not move, as far as is known.
struct Lookout: Equatable, Sendable {
  var recent = RecentFixes()
  var departure = Departure()
  /// Where it seems to stand now, if that is outside the place.
  var elsewhere: Stay?

  /// A fix has come, in the place.
  mutating func isInside(_ fix: Fix) {
    departure.inside(fix)
    elsewhere = nil
  }

  /// A fix has come, outside, and it has not left. - Returns: where it seems to stand.
  mutating func follow(_ fix: Fix, _ settings: MotionSettings) -> Stay {
    let stay = elsewhere?.following(fix) ?? Stay(fix, radius_m: settings.stationaryRadius_m)
    elsewhere = stay
    return stay
  }

  /// That is its place now.
  mutating func settle() { (departure, elsewhere) = (Departure(), nil) }
}

extension MotionSettings {
  /// A first start that stands still is believed sooner than the end of a trip.
  private static let firstStop_s = 60.0

  var firstStop_ms: Int64 { milliseconds(min(MotionSettings.firstStop_s, stopTimeout_s)) }

  /// So far from the centre of a place a fix is in it.
  func reach_m(of fix: Fix) -> Double { stationaryRadius_m + fix.accuracy_m }
}
