/// The time has become known: records that a clock nobody vouched for has dated get their true dates.
///
/// A reading of the boot clock dates a record of the same boot exactly, and of no other: so records of a boot that
/// ended before the time was known keep the date that they have.
public struct Redating: Equatable, Sendable {
  /// The first record of this boot that may have such a date.
  public var from: Int64
  /// Unix milliseconds at which the boot clock began.
  public var offset_ms: Int64

  public init(from: Int64, offset_ms: Int64) { (self.from, self.offset_ms) = (from, offset_ms) }

  /// - Returns: the record with its true date; nil if it keeps the one that it has. The fix has its own.
  public func applied(to record: Record) -> Record? {
    guard record.sequence >= from, record.isUndated else { return nil }
    var dated = record
    // A damaged row may hold any number.
    dated.time_ms = record.boot_ms &+ offset_ms
    dated.timeSource = .trustedWallClock
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

/// Records of this boot that nobody has dated yet.
struct Undated: Equatable, Sendable {
  /// The first of them.
  var from: Int64
  var records: Int
}

extension Undated {
  /// `from records boot`, for a process that goes on after this one.
  func saved(bootID: String) -> String { "\(from) \(records) \(bootID)" }

  /// - Parameter saved: as above, or anything.
  /// - Returns: nil if there are none. Only in the boot in which they were made can they be dated.
  static func read(_ saved: String, bootID: String) -> (undated: Undated, isOfThisBoot: Bool)? {
    let words = saved.split(separator: " ")
    guard words.count >= 2, let from = Int64(words[0]), (1...most).contains(from),
      let records = Int64(words[1]), (1...most).contains(records)
    else { return nil }
    let isOfThisBoot = !bootID.isEmpty && words.count == 3 && words[2] == bootID
    return (Undated(from: from, records: Int(records)), isOfThisBoot)
  }

  /// Sums of such numbers do not overflow.
  private static let most: Int64 = 1 << 60
}

extension Record {
  /// Its date is one that nobody vouches for, and may still become the true one.
  public var isUndated: Bool { timeSource == .untrustedWallClock }

  /// As a server has it from now on: a date that nobody vouches for stays what it is, or the record would differ when
  /// it is sent again.
  public var asSent: Record {
    var sent = self
    if isUndated { sent.timeSource = .untrustedAndSent }
    return sent
  }
}
