/// What outlives the process.
extension Trips {
  /// `odometer_m`, and during a trip `odometer_anchor`: `time_ms latitude longitude accuracy_m`, `trip`: `id start_ms
  /// last_fix_ms distance_m top_speed_mps [left_after_ms]` and `idle_s`. `speeding`: `since_ms top_mps` while the vehicle
  /// drives faster than the limit. Empty where there is none. Numbers to the millimetre: each digit is written with each
  /// commit.
  var saved: [String: String] {
    let counted = odometer.closed
    return [
      "odometer_m": Trips.text(counted.total_m),
      "odometer_anchor": counted.anchor.map {
        "\($0.time_ms) \(Trips.text($0.position)) \($0.accuracy_m)"
      } ?? "",
      "last_trip": "\(lastID)",
      "trip": current.map {
        "\($0.id) \($0.start_ms) \($0.lastFix_ms) \(Trips.text($0.distance_m + odometer.open_m)) "
          + Trips.text($0.topSpeed_mps) + ($0.leftAfter_ms.map { " \($0)" } ?? "")
      } ?? "",
      "idle_s": current.flatMap { $0.idle_s > 0 ? "\($0.idle_s)" : nil } ?? "",
      "speeding": speedWatch.over.map { "\($0.since_ms) \($0.top_mps)" } ?? "",
    ]
  }

  private static func text(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }

  private static func text(_ position: Position) -> String {
    let (latitude_deg, longitude_deg) = (position.latitude_deg, position.longitude_deg)
    let parts = Resolution.position.rawValue
    return "\((latitude_deg * parts).rounded() / parts) \((longitude_deg * parts).rounded() / parts)"
  }

  static func unreadable(in state: SavedState) -> [String] {
    state.keys(where: [
      "odometer_m": state.metres("odometer_m") == nil,
      "odometer_anchor": anchor(state) == nil,
      "last_trip": state.whole("last_trip") == nil, "trip": Trip(state) == nil,
      "idle_s": state.metres("idle_s") == nil, "speeding": offence(state) == nil,
    ])
  }

  static func lastID(_ saved: SavedState) -> Int64 {
    max(saved.whole("last_trip") ?? 0, Trip(saved)?.id ?? 0)
  }

  static func anchor(_ saved: SavedState) -> Fix? {
    let words = saved.words("odometer_anchor")
    guard words.count == 4, let time_ms = SavedState.whole(words[0]),
      let position = Position(words[1], words[2]), let accuracy_m = SavedState.metres(words[3])
    else { return nil }
    return Fix(time_ms: time_ms, position: position, accuracy_m: accuracy_m)
  }

  static func offence(_ saved: SavedState) -> SpeedWatch.Offence? {
    let words = saved.words("speeding")
    guard words.count == 2, let since_ms = SavedState.whole(words[0]),
      let top_mps = SavedState.metres(words[1])
    else { return nil }
    return SpeedWatch.Offence(since_ms: since_ms, top_mps: top_mps)
  }
}

extension Trip {
  init?(_ saved: SavedState) {
    let words = saved.words("trip")
    guard words.count >= 5, let id = SavedState.whole(words[0]), let start_ms = SavedState.whole(words[1]),
      let lastFix_ms = SavedState.whole(words[2]), let distance_m = SavedState.metres(words[3]),
      let topSpeed_mps = SavedState.metres(words[4])
    else { return nil }
    self.init(
      id: id, start_ms: start_ms, leftAfter_ms: words.count > 5 ? SavedState.whole(words[5]) : nil)
    (self.lastFix_ms, self.distance_m, self.topSpeed_mps) = (lastFix_ms, distance_m, topSpeed_mps)
    idle_s = saved.metres("idle_s") ?? 0
  }
}
