/// The last fixes in memory, so that a trip can begin where the vehicle began to move.
struct RecentFixes: Equatable, Sendable {
  static let capacity = 6000
  /// Older ones go, while there are as many as a receiver at 1 Hz gives in that time.
  static let span_ms: Int64 = 600_000
  static let least = 600
  private(set) var fixes: [Fix] = []

  mutating func add(_ fix: Fix) {
    if isFull(at: fix.time_ms) { fixes.removeFirst(fixes.count / 4) }
    fixes.append(fix)
  }

  private func isFull(at time_ms: Int64) -> Bool {
    guard fixes.count >= RecentFixes.least else { return false }
    return fixes.count >= RecentFixes.capacity || time_ms - fixes[0].time_ms >= RecentFixes.span_ms
  }

  /// A stop of so long right after moving off, at the gate, at the first light or to let someone in, belongs to
  /// the trip, whether still in the place or beside it.
  static let firstHalt_ms: Int64 = 120_000

  /// The fixes from the last one at rest in the place on, or all if none was.
  func sinceLeaving(_ place: Place, radius_m: Double) -> (track: [Fix], sawDeparture: Bool) {
    let isAtRest = { (fix: Fix) in
      Stay.isStanding(fix) && place.centre.distance_m(to: fix.position) <= radius_m + fix.accuracy_m
    }
    guard var start = fixes.lastIndex(where: isAtRest) else { return (fixes, false) }
    while let drive = lastDrive(before: start),
      fixes[start].time_ms - fixes[drive].time_ms <= RecentFixes.firstHalt_ms,
      let rest = fixes[..<drive].lastIndex(where: Stay.isStanding)
    {
      start = rest
    }
    return (Array(fixes[start...]), true)
  }

  /// Two driving fixes in a row: no noise at rest has that. - Returns: the second one's place.
  private func lastDrive(before end: Int) -> Int? {
    fixes[..<end].indices.dropFirst().last { isDriving(fixes[$0]) && isDriving(fixes[$0 - 1]) }
  }

  private func isDriving(_ fix: Fix) -> Bool { (fix.speed_mps ?? 0) >= Stay.driving_mps }
}
