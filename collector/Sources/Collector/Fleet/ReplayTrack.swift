/// A stored track as a receiver would have seen it, for `godwit simulate`.
///
/// The device keeps the fewest fixes such that each that it saw lies near the straight line between kept ones, at its own
/// time (docs/motion.md, Track): so that line, second by second, is what it saw, to that bound. Between trips nothing is
/// said: the simulation holds a vehicle that is found where it was (docs/simulate.md).
enum ReplayTrack {
  /// Longer than any `track.max_interval_s` that makes sense of a trip: beyond it nobody knows the way.
  static let longest_ms: Int64 = 15 * 60_000
  /// Of a second each; a day has 86,400.
  static let most = 8 * 86_400

  /// CSV as docs/simulate.md has it; nil for fewer than two points.
  static func csv(_ points: [Day.Point]) -> String? {
    guard points.count > 1 else { return nil }
    var text = "time_unix_ms,lat,lon,speed_mps,mode\n"
    var rows = 0
    for (point, next) in zip(points, points.dropFirst()) {
      text += row(point.time_ms, point, point, 0)
      rows += 1
      let span_ms = next.time_ms - point.time_ms
      guard point.trip != nil, point.trip == next.trip, span_ms <= longest_ms else { continue }
      for time_ms in stride(from: point.time_ms + 1000, to: next.time_ms, by: 1000) where rows < most {
        text += row(time_ms, point, next, Double(time_ms - point.time_ms) / Double(span_ms))
        rows += 1
      }
    }
    if let last = points.last { text += row(last.time_ms, last, last, 0) }
    return text
  }

  private static func row(_ time_ms: Int64, _ one: Day.Point, _ other: Day.Point, _ share: Double) -> String {
    func between(_ one: Double, _ other: Double) -> Double { one + (other - one) * share }
    let latitude = Fixed.text(between(one.latitude, other.latitude), decimals: 7) ?? ""
    let longitude = Fixed.text(between(one.longitude, other.longitude), decimals: 7) ?? ""
    let speed = one.speed.flatMap { first in
      Fixed.text(max(0, between(first, other.speed ?? first)), decimals: 2)
    }
    return "\(time_ms),\(latitude),\(longitude),\(speed ?? ""),3\n"
  }
}
