/// The last fixes in memory, so that a trip can begin where the vehicle began to move.
struct RecentFixes: Equatable, Sendable {
  static let capacity = 600
  private(set) var fixes: [Fix] = []

  mutating func add(_ fix: Fix) {
    if fixes.count >= RecentFixes.capacity { fixes.removeFirst(RecentFixes.capacity / 4) }
    fixes.append(fix)
  }

  /// The fixes from the last one at rest in the place on, or all if none was.
  func sinceLeaving(_ place: Place, radius_m: Double) -> (track: [Fix], sawDeparture: Bool) {
    // Close to the middle first: a vehicle may roll a little and wait before it goes.
    let lastAtRest =
      lastAtRest(in: place) { max(RecentFixes.close_m, $0.accuracy_m) }
      ?? lastAtRest(in: place) { radius_m + $0.accuracy_m }
    guard let lastAtRest else { return (fixes, false) }
    return (Array(fixes[lastAtRest...]), true)
  }

  /// The middle of a place is a mean; of the fixes there with 4 m of noise one in a thousand lies farther off.
  static let close_m = 15.0

  private func lastAtRest(in place: Place, reach_m: (Fix) -> Double) -> Int? {
    fixes.lastIndex { fix in
      Stay.isStanding(fix) && place.centre.distance_m(to: fix.position) <= reach_m(fix)
    }
  }
}
