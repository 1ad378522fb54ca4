/// What the agent knows of the time of day.
///
/// The kernel's word (synchronised by chrony) is taken first; else GPS time, once two reports agree with the
/// boot clock. The system clock is never set.
public struct ClockKeeper: Equatable, Sendable {
  public enum Trust: String, Equatable, Sendable {
    case untrusted, gps, synchronised
  }

  public private(set) var isSynchronised: Bool
  /// GPS time minus boot clock, once it is believed.
  private var gpsOffset_ms: Int64?
  private var candidateOffset_ms: Int64?
  private var candidateAt_ms: Int64 = 0

  /// Two reports so far apart …
  static let confirmAfter_ms: Int64 = 2000
  /// … must agree with the boot clock so well.
  static let tolerance_ms: Int64 = 2000

  public init(isSynchronised: Bool) { self.isSynchronised = isSynchronised }

  public mutating func synchronised(_ yes: Bool) { isSynchronised = yes }

  public var trust: Trust {
    if isSynchronised { return .synchronised }
    return gpsOffset_ms == nil ? .untrusted : .gps
  }

  /// - Returns: whether this report made GPS time trusted, or set it right by more than the tolerance.
  public mutating func gpsTime(_ time_ms: Int64, at now: Moment) -> Bool {
    let offset_ms = time_ms - now.boot_ms
    guard let candidate = candidateOffset_ms, abs(offset_ms - candidate) <= ClockKeeper.tolerance_ms else {
      candidateOffset_ms = offset_ms
      candidateAt_ms = now.boot_ms
      return false
    }
    guard now.boot_ms - candidateAt_ms >= ClockKeeper.confirmAfter_ms else { return false }
    let isNews = gpsOffset_ms.map { abs(offset_ms - $0) > ClockKeeper.tolerance_ms } ?? true
    gpsOffset_ms = offset_ms
    return isNews && !isSynchronised
  }

  /// GPS time by the boot clock, once it is believed: right even while the wall clock is wrong.
  public func gps_ms(at now: Moment) -> Int64? { gpsOffset_ms.map { now.boot_ms + $0 } }

  /// Unix milliseconds if the time is trusted.
  public func trusted_ms(at now: Moment) -> Int64? {
    if isSynchronised { return now.wall_ms }
    return gps_ms(at: now)
  }
}
