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

  /// Reading of the boot clock at a date. Where the receiver's own date is not trusted, that reading dates the fix later.
  func boot_ms(of date: (time_ms: Int64, source: Record.TimeSource)) -> Int64 {
    date.source == .untrustedWallClock && fixSource == date.source
      ? boot_ms - (time_ms - date.time_ms) : boot_ms
  }

  var isDated: Bool { source.isTrusted }
}
