/// A probe found that the vehicle has left: when it did, and the way that it has at least driven.
struct UnseenStart: Equatable, Sendable {
  /// Where it stood, at the estimated time of departure.
  var from: Fix
  /// Estimated: the straight way to the first fix, a little longer as roads are, at the pace that was then seen.
  var start_ms: Int64 { from.time_ms }

  /// Roads are longer than the straight line by about this (Ballou, Rahardja, Sakai: "Selected country circuity
  /// factors for road travel distance estimation", 2002: 1.2 in the USA, up to 1.5 elsewhere).
  static let circuity = 1.3
  /// A trip's mean pace against the one seen, and where none is seen.
  static let paceShare = 0.8
  static let usual_mps = 8.0
  static let slowest_mps = 3.0

  /// - Returns: nil if the departure was seen.
  init?(place: Place?, leftAfter_ms: Int64?, seen fixes: [Fix]) {
    guard let place, let leftAfter_ms, let first = fixes.first else { return nil }
    let seen_mps = fixes.compactMap(\.speed_mps).max() ?? 0
    let pace_mps =
      seen_mps < UnseenStart.slowest_mps ? UnseenStart.usual_mps : seen_mps * UnseenStart.paceShare
    let way_m = place.centre.distance_m(to: first.position) * UnseenStart.circuity
    let start_ms = first.time_ms - milliseconds(way_m / max(pace_mps, UnseenStart.slowest_mps))
    from = Fix(
      time_ms: min(first.time_ms, max(start_ms, leftAfter_ms)), position: place.centre,
      accuracy_m: first.accuracy_m)
  }
}
