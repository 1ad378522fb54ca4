/// What outlives the process.
extension Trips {
  /// `odometer_m`, and during a trip `odometer_anchor`: `time_ms latitude longitude accuracy_m`, `trip`: `id start_ms
  /// last_fix_ms distance_m top_speed_mps [left_after_ms]`, `idle_s`: `idle_s [estimated_m]`. `speeding`: `since_ms
  /// top_mps` while the vehicle drives faster than the limit. Empty where there is none. Numbers to the millimetre:
  /// each digit is written with each commit.
  func save(to state: inout StateDraft) {
    let counted = odometer.closed
    state.write("odometer_m") { $0.add(counted.total_m, decimals: 3) }
    state.write("odometer_anchor") { words in
      guard let anchor = counted.anchor else { return }
      words.add(anchor.time_ms)
      words.add(anchor.position)
      words.add(anchor.accuracy_m, decimals: 3)
    }
    state.write("last_trip") { $0.add(lastID) }
    state.write("trip") { words in
      guard let current else { return }
      words.add(current.id)
      words.add(current.start_ms)
      words.add(current.lastFix_ms)
      words.add(current.distance_m + odometer.open_m, decimals: 3)
      words.add(current.topSpeed_mps, decimals: 3)
      if let leftAfter_ms = current.leftAfter_ms { words.add(leftAfter_ms) }
    }
    state.write("idle_s") { words in
      guard let current, current.idle_s > 0 || current.estimated_m > 0 else { return }
      words.add(current.idle_s, decimals: 3)
      if current.estimated_m > 0 { words.add(current.estimated_m, decimals: 1) }
    }
    state.write("speeding") { words in
      guard let over = speedWatch.over else { return }
      words.add(over.since_ms)
      words.add(over.top_mps, decimals: 3)
    }
  }

  static func unreadable(in state: SavedState) -> [String] {
    state.keys(where: [
      "odometer_m": state.metres("odometer_m") == nil,
      "odometer_anchor": anchor(state) == nil,
      "last_trip": state.whole("last_trip") == nil, "trip": Trip(state) == nil,
      "idle_s": idle(state) == nil,
      "speeding": offence(state) == nil,
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

  static func idle(_ saved: SavedState) -> (idle_s: Double, estimated_m: Double)? {
    let words = saved.words("idle_s")
    guard (1...2).contains(words.count), let idle_s = SavedState.metres(words[0]),
      let estimated_m = words.count == 1 ? 0 : SavedState.metres(words[1])
    else { return nil }
    return (idle_s, estimated_m)
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
    (idle_s, estimated_m) = Trips.idle(saved) ?? (0, 0)
  }
}
