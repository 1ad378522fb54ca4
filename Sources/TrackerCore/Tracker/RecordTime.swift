/// What the records of one event are dated by.
struct RecordTime: Equatable, Sendable {
  let boot_ms: Int64
  /// The best that is known of the time, Unix milliseconds.
  let time_ms: Int64
  let source: Record.TimeSource
  /// Where the time of a fix comes from.
  let fixSource: Record.TimeSource

  /// The fix's own date where there is one.
  func date(of fix: Fix?) -> (time_ms: Int64, source: Record.TimeSource) {
    fix.map { ($0.time_ms, fixSource) } ?? (time_ms, source)
  }

  /// Somebody vouches for it.
  var isDated: Bool { source == .gps || source == .trustedWallClock }
}
