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
    let lastAtRest = fixes.lastIndex { fix in
      Stay.isStanding(fix) && place.centre.distance_m(to: fix.position) <= radius_m + fix.accuracy_m
    }
    guard let lastAtRest else { return (fixes, false) }
    return (Array(fixes[lastAtRest...]), true)
  }
}
