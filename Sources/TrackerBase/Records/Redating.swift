/// The time has become known: records with a date that was not trusted get their true dates, also those that a server
/// did not acknowledge.
///
/// A reading of the boot clock dates a record of the same boot exactly, and of no other: so records of a boot that
/// ended before the time was known keep the date that they have.
public struct Redating: Equatable, Sendable {
  /// The first record of this boot that may have such a date.
  public var from: Int64
  /// Unix milliseconds at which the boot clock began.
  public var offset_ms: Int64

  public init(from: Int64, offset_ms: Int64) { (self.from, self.offset_ms) = (from, offset_ms) }

  /// - Returns: the record with its true date; nil if it keeps the one that it has. A fix has its own, unless the record
  ///   is dated by it.
  public func applied(to record: Record) -> Record? {
    guard record.sequence >= from, record.isUndated else { return nil }
    var dated = record
    // A damaged row may hold any number.
    dated.time_ms = record.boot_ms &+ offset_ms
    dated.timeSource = .trustedWallClock
    if record.fix?.time_ms == record.time_ms { dated.fix?.time_ms = dated.time_ms }
    let by_ms = dated.time_ms &- record.time_ms
    if case .gap(let gap) = record.content, !gap.isDated { dated.content = .gap(gap.moved(by: by_ms)) }
    if case .trip(var summary) = record.content, !summary.isDated {
      (summary.start_ms, summary.end_ms) = (summary.start_ms &+ by_ms, summary.end_ms &+ by_ms)
      summary.isDated = true
      dated.content = .trip(summary)
    }
    return dated
  }
}

extension Record {
  /// Its date is not trusted, and may still become the true one.
  public var isUndated: Bool { timeSource == .untrustedWallClock }
}
