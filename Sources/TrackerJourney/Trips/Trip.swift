import TrackerBase

/// A trip that is going on.
public struct Trip: Equatable, Sendable {
  public var id: Int64
  /// GPS time of the first fix, or wall time when only the ignition reported the start.
  public var start_ms: Int64
  /// The vehicle left after this, when nobody saw it leave.
  public var leftAfter_ms: Int64?
  public var lastFix_ms: Int64
  /// It was found at rest elsewhere, and is a trip all the same.
  var unseen: UnseenDrive?
  public var distance_m = 0.0
  /// The part that was not seen: stretches of a minute or more without a fix, straight.
  var estimated_m = 0.0
  public var topSpeed_mps = 0.0
  /// Stood at lights and in jams, in halts from which the trip went on.
  public var idle_s = 0.0
  /// GPS time since which the vehicle halts.
  private var haltedSince_ms: Int64?
  /// Boot time of the start while only a clock dates it; the first fix will report the true date.
  var undatedSince_ms: Int64?

  public init(id: Int64, start_ms: Int64, leftAfter_ms: Int64? = nil) {
    self.id = id
    self.start_ms = start_ms
    self.leftAfter_ms = leftAfter_ms
    self.lastFix_ms = start_ms
  }

  /// The first fix of a trip that began without one. - Parameter now_ms: boot time.
  mutating func date(by fix: Fix, at now_ms: Int64) {
    guard let since_ms = undatedSince_ms else { return }
    undatedSince_ms = nil
    start_ms = fix.time_ms - max(0, now_ms - since_ms)
    lastFix_ms = fix.time_ms
  }

  /// It ends without one. - Parameter time: by which it is dated if somebody vouches for it.
  mutating func date(by time: RecordTime) {
    guard let since_ms = undatedSince_ms, time.isDated else { return }
    undatedSince_ms = nil
    start_ms = time.time_ms - max(0, time.boot_ms - since_ms)
    lastFix_ms = start_ms
  }

  mutating func include(_ fix: Fix, distance_m: Double, halted: Bool = false) {
    self.distance_m += distance_m
    if halted {
      haltedSince_ms = haltedSince_ms ?? fix.time_ms
    } else if let since_ms = haltedSince_ms {
      idle_s += Double(max(0, fix.time_ms - since_ms)) / 1000
      haltedSince_ms = nil
    }
    lastFix_ms = max(lastFix_ms, fix.time_ms)
    if let speed_mps = fix.speed_mps { topSpeed_mps = max(topSpeed_mps, speed_mps) }
  }

  /// When it ended, if it ended at this fix. - Returns: nil without one.
  func arrival_ms(at fix: Fix?) -> Int64? {
    guard let fix else { return nil }
    // It has not moved since it was found.
    if let unseen, fix.time_ms <= unseen.restedUntil_ms { return unseen.arrived_ms }
    return fix.time_ms
  }

  /// - Parameter isDated: false while nothing vouches for the clock that dated its start.
  func summary(
    end_ms: Int64, cause: TripSummary.EndCause, towed: Bool = false, isDated: Bool = true
  ) -> TripSummary {
    var summary = TripSummary(
      id: id, start_ms: start_ms, end_ms: end_ms, idle_s: Int64(saturating: idle_s),
      distance_m: Resolution.tenths(distance_m), topSpeed_mps: Resolution.tenths(topSpeed_mps),
      endCause: cause)
    summary.estimated_m = Resolution.tenths(min(estimated_m, distance_m))
    summary.leftAfter_ms = leftAfter_ms
    (summary.isTowed, summary.isDated) = (towed, isDated)
    return summary
  }
}
