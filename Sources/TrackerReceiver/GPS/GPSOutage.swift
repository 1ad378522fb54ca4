import TrackerBase

/// A time in which the GPS gives nothing although it should, from the report of the failure to the next usable fix.
struct GPSOutage: Equatable, Sendable {
  var cause: NoTrackCause
  /// Boot time.
  var since_ms: Int64
}

/// Positions without a height, one after the other: a receiver with three satellites, or an antenna that sees too little
/// sky. Such positions may be wrong by hundreds of metres, and no accuracy says so.
package struct FlatFixes: Equatable, Sendable {
  private var lasted_ms: Int64 = 0
  private var last_ms: Int64?
  package private(set) var isReported = false

  static let patience_ms: Int64 = 300_000
  static let words =
    "the receiver gives positions without height (2D) for \(patience_ms / 60_000) minutes, which may be far off: look at the antenna and its view of the sky"
  /// Reports farther apart are of different sessions: the time between says nothing.
  static let gap_ms: Int64 = 10_000

  /// - Parameter mode: as gpsd has it: 2 is a position, 3 one with height.
  /// - Returns: whether that is to be reported: once, until there has been a height.
  mutating func add(mode: Int, at now_ms: Int64) -> Bool {
    switch mode {
    case 3...: self = FlatFixes()
    case 2:
      let since_ms = now_ms - (last_ms ?? now_ms)
      if since_ms <= FlatFixes.gap_ms { lasted_ms += since_ms }
      last_ms = now_ms
    default: last_ms = nil
    }
    guard !isReported, lasted_ms >= FlatFixes.patience_ms else { return false }
    isReported = true
    return true
  }
}
