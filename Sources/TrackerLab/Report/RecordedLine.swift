import TrackerBase
import TrackerReceiver

extension RecordedTrack {
  /// In a longer pause the way is not known.
  private static let longestStep_ms: Int64 = 300_000

  /// The fixes that the agent would take, in lines without a long pause between their points.
  func lines(gps: GPSSettings) -> [[TrackPoint]] {
    var filter = FixFilter(settings: gps)
    var lines: [[TrackPoint]] = []
    var last_ms = Int64.min
    for entry in entries {
      let report = entry.report
      guard case .fix(let fix) = filter.judge(report, at: report.time_ms ?? 0) else { continue }
      if last_ms == .min || entry.at_ms - last_ms > RecordedTrack.longestStep_ms { lines.append([]) }
      let point = TrackPoint(time_ms: entry.at_ms, position: fix.position, speed_mps: report.speed_mps)
      lines[lines.count - 1].append(point)
      last_ms = entry.at_ms
    }
    return lines
  }
}

extension [[TrackPoint]] {
  /// Each line without the points that lie within a metre of the straight way between their neighbours, each at its
  /// time, and whose speed is within 1 m/s of the one between theirs; wider if more than `most` points are left.
  func thinned(most: Int) -> [[TrackPoint]] {
    var tolerance_m = 1.0
    while true {
      let thin = map { $0.thinned(tolerance_m: tolerance_m) }
      if tolerance_m > 10_000 || thin.reduce(0, { $0 + $1.count }) <= most { return thin }
      tolerance_m *= 2
    }
  }
}

extension [TrackPoint] {
  /// The swing filter of Elmeleegy and others, 2009 (doi:10.14778/1687627.1687645), for north, east and speed,
  /// with the line's own points as ends.
  fileprivate func thinned(tolerance_m: Double) -> [TrackPoint] {
    guard var anchor = first, count > 2 else { return self }
    var beside = anchor.position
    beside.longitude_deg += 0.01
    // Metres in a degree of latitude and of longitude.
    let scale = SIMD3(111_195, anchor.position.distance_m(to: beside) * 100, 1)
    func slope(to point: TrackPoint) -> SIMD3<Double> {
      let north_deg = point.position.latitude_deg - anchor.position.latitude_deg
      let east_deg = anchor.position.eastward_deg(to: point.position)
      let change = SIMD3(north_deg, east_deg, (point.speed_mps ?? 0) - (anchor.speed_mps ?? 0))
      return change * scale / Double(point.time_ms - anchor.time_ms)
    }
    var (kept, last) = ([anchor], anchor)
    // The slopes that pass all points since the anchor near enough.
    var least = SIMD3(repeating: -Double.infinity)
    var most = -least
    for point in dropFirst() where point.time_ms > last.time_ms {
      if any(slope(to: point) .< least) || any(slope(to: point) .> most) {
        kept.append(last)
        anchor = last
        (least, most) = (SIMD3(repeating: -.infinity), SIMD3(repeating: .infinity))
      }
      let room = tolerance_m / Double(point.time_ms - anchor.time_ms)
      least = pointwiseMax(least, slope(to: point) - room)
      most = pointwiseMin(most, slope(to: point) + room)
      last = point
    }
    return kept + [last]
  }
}
