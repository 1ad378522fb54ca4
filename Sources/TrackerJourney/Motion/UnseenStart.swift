import TrackerBase

/// A probe found that the vehicle has left: when it did, and the way that it has at least driven.
struct UnseenStart: Equatable, Sendable {
  /// Where it stood, at the estimated time of departure.
  var from: Fix
  /// It was found at rest elsewhere: nobody saw any of this drive.
  var drive: UnseenDrive?
  var start_ms: Int64 { from.time_ms }

  /// A trip's mean pace against the one seen, and where none is seen.
  static let paceShare = 0.8
  static let usual_mps = 8.0
  static let slowest_mps = 3.0
  /// Of the time since it was last seen, less what the straight way takes, so much was driven too: detours, halts. It
  /// is also what a departure and an arrival at any two instants leave between them on the mean. After a night that
  /// nobody watched it would be hours: never more than this.
  static let driven = 1.0 / 3
  static let mostDriven_ms: Int64 = 300_000

  /// It stood before, and, if it is found at rest, as long again afterwards.
  ///
  /// - Parameter radius_m: fixes that stay so near to the first one, beside their accuracy, are of one place.
  /// - Returns: nil if the departure was seen.
  init?(place: Place?, leftAfter_ms: Int64?, seen fixes: [Fix], radius_m: Double) {
    guard let place, let leftAfter_ms, let first = fixes.first, let last = fixes.last else { return nil }
    let straight_s =
      place.centre.distance_m(to: first.position) / UnseenStart.pace_mps(of: fixes, from: place)
    let unseen_ms = max(0, first.time_ms - leftAfter_ms)
    let least_ms = min(unseen_ms, milliseconds(straight_s))
    let part_ms = min(
      UnseenStart.mostDriven_ms, Int64(Double(unseen_ms - least_ms) * UnseenStart.driven))
    let isAtRest = fixes.allSatisfy { fix in
      fix.isStanding && first.position.distance_m(to: fix.position) <= radius_m + fix.accuracy_m
    }
    let arrived_ms = first.time_ms - (isAtRest ? part_ms : 0)
    from = Fix(
      time_ms: arrived_ms - least_ms - part_ms, position: place.centre, accuracy_m: first.accuracy_m)
    drive = isAtRest ? UnseenDrive(arrived_ms: arrived_ms, restedUntil_ms: last.time_ms) : nil
  }

  private static func pace_mps(of fixes: [Fix], from place: Place) -> Double {
    let seen_mps = fixes.compactMap(\.speed_mps).max() ?? 0
    if seen_mps >= slowest_mps { return max(slowest_mps, seen_mps * paceShare) }
    return RecentFixes.slowPace_mps(of: fixes, from: place) ?? usual_mps
  }
}

/// A drive that had ended before a probe found the vehicle at rest elsewhere. GPS times.
struct UnseenDrive: Equatable, Sendable {
  /// Estimated.
  var arrived_ms: Int64
  /// At least.
  var restedUntil_ms: Int64
}
