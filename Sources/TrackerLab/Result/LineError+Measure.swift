import TrackerBase

extension LineError {
  /// - Parameters:
  ///   - fixes: what was recorded, in time order.
  ///   - kept: the kept points, in time order.
  ///   - trips: only fixes within one of these count; in time order.
  init(of fixes: some Sequence<TrackPoint>, against kept: [TrackPoint], within trips: [Span]) {
    self.init()
    var errors: [Double] = []
    var next = 0
    var trip = 0
    for fix in fixes {
      while trip < trips.count, trips[trip].end_ms < fix.time_ms { trip += 1 }
      guard trip < trips.count else { break }
      guard trips[trip].start_ms <= fix.time_ms else { continue }
      while next < kept.count, kept[next].time_ms <= fix.time_ms { next += 1 }
      guard next > 0 else { continue }
      guard
        let error_m = LineError.distance_m(
          of: fix, between: kept[next - 1], next < kept.count ? kept[next] : nil)
      else { continue }
      errors.append(error_m)
      if error_m > worst_m || worstAt == nil { (worst_m, worstAt) = (error_m, fix) }
    }
    errors.sort()
    fill(from: errors)
  }

  private mutating func fill(from sorted: [Double]) {
    self.fixes = sorted.count
    guard let last = sorted.indices.last else { return }
    median_m = sorted[min(last, sorted.count / 2)]
    p95_m = sorted[min(last, sorted.count * 95 / 100)]
  }

  /// Nil behind the last point, unless the fix is that point.
  private static func distance_m(of fix: TrackPoint, between before: TrackPoint, _ after: TrackPoint?)
    -> Double?
  {
    guard let after else {
      return before.time_ms == fix.time_ms ? before.position.distance_m(to: fix.position) : nil
    }
    let share = Double(fix.time_ms - before.time_ms) / Double(after.time_ms - before.time_ms)
    return before.position.interpolated(to: after.position, share: share).distance_m(to: fix.position)
  }
}

extension Position {
  /// The point at `share`, 0...1, of the straight way; right across the antimeridian too.
  func interpolated(to other: Position, share: Double) -> Position {
    Position(
      latitude_deg: latitude_deg + share * (other.latitude_deg - latitude_deg),
      longitude_deg: longitude_deg + share * eastward_deg(to: other))
  }
}
