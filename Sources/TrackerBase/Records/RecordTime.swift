/// What the records of one event are dated by.
package struct RecordTime: Equatable, Sendable {
  package let boot_ms: Int64
  /// The best that is known of the time, Unix milliseconds.
  package let time_ms: Int64
  package let source: Record.TimeSource
  /// Where the time of a fix comes from.
  package let fixSource: Record.TimeSource

  package init(boot_ms: Int64, time_ms: Int64, source: Record.TimeSource, fixSource: Record.TimeSource) {
    (self.boot_ms, self.time_ms, self.source, self.fixSource) = (boot_ms, time_ms, source, fixSource)
  }

  /// The fix's own date where there is one.
  package func date(of fix: Fix?) -> (time_ms: Int64, source: Record.TimeSource) {
    fix.map { ($0.time_ms, fixSource) } ?? (time_ms, source)
  }

  /// Reading of the boot clock at a date. Where the receiver's own date is not trusted, that reading dates the fix later.
  package func boot_ms(of date: (time_ms: Int64, source: Record.TimeSource)) -> Int64 {
    date.source == .untrustedWallClock && fixSource == date.source
      ? boot_ms - (time_ms - date.time_ms) : boot_ms
  }

  package var isDated: Bool { source.isTrusted }
}
