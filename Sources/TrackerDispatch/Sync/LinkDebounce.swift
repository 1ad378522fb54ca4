import TrackerBase

/// A link that comes up brings several messages, and a bad one comes and goes: one event for all of them.
public struct LinkDebounce: Equatable, Sendable {
  /// Boot time at which the event is due; nil while nothing waits.
  public private(set) var dueAt_ms: Int64?
  private var reportedAt_ms: Int64?

  /// Addresses, routes and name servers come one after the other.
  public static let settle_ms: Int64 = 3000
  /// However often the link comes and goes.
  public static let rest_ms: Int64 = 30_000

  public init() {}

  public mutating func heard(at now_ms: Int64) {
    guard dueAt_ms == nil else { return }
    dueAt_ms = max(now_ms + LinkDebounce.settle_ms, reportedAt_ms.map { $0 + LinkDebounce.rest_ms } ?? .min)
  }

  /// - Returns: whether the event is due now; then nothing waits any more.
  public mutating func tick(at now_ms: Int64) -> Bool {
    guard let due_ms = dueAt_ms, now_ms >= due_ms else { return false }
    dueAt_ms = nil
    reportedAt_ms = now_ms
    return true
  }
}
