import TrackerBase

/// How long after their own time fixes come: a slow line or a buffer holds them back. On the boot clock.
package struct FixDelay: Equatable, Sendable {
  static let late_ms: Int64 = 5000
  /// All fixes are late for so long: that is to be reported.
  static let patience_ms: Int64 = 10_000

  /// Of the last fix; nil: no clock says it.
  private(set) var last_ms: Int64?
  private var lateSince_ms: Int64?
  /// They are late, and that was reported.
  package private(set) var isLate = false

  /// - Returns: whether it is to be reported that they are late: once, until one is not.
  mutating func add(_ delay_ms: Int64?, at now_ms: Int64) -> Bool {
    last_ms = delay_ms.map { max(0, $0) }
    guard let delay_ms, delay_ms >= Self.late_ms else {
      (lateSince_ms, isLate) = (nil, false)
      return false
    }
    let since_ms = lateSince_ms ?? now_ms
    lateSince_ms = since_ms
    guard !isLate, now_ms - since_ms >= Self.patience_ms else { return false }
    isLate = true
    return true
  }
}
