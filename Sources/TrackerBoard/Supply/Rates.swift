import TrackerBase

/// Pauses that a low battery makes longer. What is going on now may end sooner than planned, never later.
extension Settings {
  /// With pauses so many times as long.
  package func paced(by factor: Double) -> Settings {
    var paced = self
    paced.motion.probeInterval_s *= factor
    paced.motion.probeIntervalMax_s *= factor
    paced.motion.parkedHeartbeat_s *= factor
    // Pauses go by their square root.
    paced.motion.probeWorth /= factor * factor
    paced.motion.probeWorthWithCells /= factor * factor
    paced.sync.pace(by: factor)
    for index in paced.others.indices { paced.others[index].sync.pace(by: factor) }
    return paced
  }
}

extension SyncSettings {
  /// Not beyond what the settings themselves may be: whoever has set them hears of the box again (docs/remote.md).
  fileprivate mutating func pace(by factor: Double) {
    let most = Int(saturating: (Double(threshold) * factor).rounded())
    threshold = max(threshold, min(most, Self.mostThreshold))
    interval_s = max(interval_s, min(interval_s * factor, Self.longestInterval_s))
    statusInterval_s = max(statusInterval_s, min(statusInterval_s * factor, Self.longestStatusInterval_s))
  }
}
