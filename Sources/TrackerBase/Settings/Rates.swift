/// Pauses that a low battery makes longer. What is going on now may end sooner than planned, never later.
extension MotionSettings {
  /// With pauses so many times as long.
  package func paced(by factor: Double) -> MotionSettings {
    var paced = self
    paced.probeInterval_s *= factor
    paced.probeIntervalMax_s *= factor
    paced.parkedHeartbeat_s *= factor
    // Pauses go by their square root.
    paced.probeWorth /= factor * factor
    paced.probeWorthWithCells /= factor * factor
    return paced
  }
}

extension SyncSettings {
  /// Not beyond what the settings themselves may be: whoever has set them hears of the box again (docs/remote.md).
  package func paced(by factor: Double) -> SyncSettings {
    var paced = self
    let most = Int(saturating: (Double(threshold) * factor).rounded())
    paced.threshold = max(threshold, min(most, Self.mostThreshold))
    paced.interval_s = max(interval_s, min(interval_s * factor, Self.longestInterval_s))
    paced.statusInterval_s = max(
      statusInterval_s, min(statusInterval_s * factor, Self.longestStatusInterval_s))
    return paced
  }
}
