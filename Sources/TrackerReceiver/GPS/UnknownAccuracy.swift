import TrackerBase

/// Fixes whose accuracy the receiver does not give. One that gives none is believed, with `gps.unknown_accuracy_m`.
///
/// One that leaves it out now and then is not believed without: it does so as it starts, and while it reckons its way
/// through a tunnel. On the boot clock.
struct UnknownAccuracy: Equatable, Sendable {
  /// After an accuracy, so long without one: the receiver gives none any more.
  static let patience_ms: Int64 = 60_000
  /// So long without one: that is to be reported.
  static let reportAfter_ms: Int64 = 10_000

  /// The receiver has given an accuracy.
  private var isGiving = false
  /// The first fix without, since one with.
  private var since_ms: Int64?
  private var isReported = false
  /// Fixes that were believed without.
  private(set) var assumed = 0

  /// - Returns: whether a fix with or without an accuracy is believed.
  mutating func believes(hasAccuracy: Bool, at now_ms: Int64) -> Bool {
    guard !hasAccuracy else {
      (isGiving, since_ms, isReported) = (true, nil, false)
      return true
    }
    let since_ms = since_ms ?? now_ms
    self.since_ms = since_ms
    if isGiving, now_ms - since_ms < Self.patience_ms { return false }
    isGiving = false
    assumed += 1
    return true
  }

  static func words(_ settings: GPSSettings) -> String {
    let metres = SettingText.number(settings.unknownAccuracy_m)
    return "the receiver gives no accuracy: its fixes count as good to \(metres) m (gps.unknown_accuracy_m)"
  }

  /// Another receiver is used.
  mutating func receiverChanged() { (isGiving, since_ms, isReported) = (false, nil, false) }

  /// Whether it is to be reported that the receiver gives none: once, until it has given one.
  mutating func takeNews(at now_ms: Int64) -> Bool {
    guard !isGiving, !isReported, let since_ms, now_ms - since_ms >= Self.reportAfter_ms else { return false }
    isReported = true
    return true
  }
}
