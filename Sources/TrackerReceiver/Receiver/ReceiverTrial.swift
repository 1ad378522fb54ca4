import TrackerBase

/// What the agent would make of a receiver's reports, by the same filter: for `godwit doctor`.
public struct ReceiverTrial: Equatable, Sendable {
  private var filter: FixFilter
  private var timeless = TimelessFixes()
  private let settings: GPSSettings
  private var missed = MissedFixes()
  /// A position has come, whatever it is worth.
  public private(set) var hasPosition = false
  /// Of the last fix that was taken.
  private var delay_ms: Int64?

  public init(_ settings: GPSSettings) { (filter, self.settings) = (FixFilter(settings: settings), settings) }

  /// - Parameter trusted_ms: Unix milliseconds by a clock that is kept right; nil: there is none.
  /// - Returns: whether it is a fix that the agent takes.
  public mutating func takes(_ report: GPSReport, trusted_ms: Int64?, at now_ms: Int64) -> Bool {
    var report = report
    if FixFilter.isPlace(report) { hasPosition = true }
    if FixFilter.isPlace(report), !FixFilter.isDated(report), timeless.add(at: now_ms) {
      report.time_ms = trusted_ms
    }
    switch filter.judge(report, at: now_ms) {
    case .fix(let fix), .returned(let fix, _), .moved(let fix):
      delay_ms = trusted_ms.map { $0 - fix.time_ms }
      return true
    case .jump: missed.refused(.elsewhere)
    case .rejected(let reason): missed.refused(reason)
    case .noFix: break
    }
    return false
  }

  /// Why none was taken that came, and what to look at; nil: none came.
  public var refusal: (reason: String, advice: String)? {
    guard case .refused(let reason)? = missed.cause else { return nil }
    let words = reason.words(settings)
    return (words.reason + (reason == .noTime ? timeless.advice : ""), words.advice)
  }

  /// What is to be said of a fix that was taken: nothing, mostly.
  public var remark: String {
    var words = ""
    if filter.unknownAccuracy.assumed > 0 { words += "; " + UnknownAccuracy.words(settings) }
    if timeless.isProven {
      words += "; the receiver gives no time: the system's clock dates it" + timeless.advice
    }
    if let delay_ms, delay_ms >= FixDelay.late_ms {
      words += "; it came \(delay_ms / 1000) s after its own time: something holds fixes back"
    }
    return words
  }
}
