/// What the receiver says to those who wait for its fixes.
public struct ReceiverView: Equatable, Sendable {
  /// What the GPS is expected to need from power-on to the first fix; 0: not known yet.
  public var expectedTTFF_ms: Int64 = 0
  /// For so long its first fixes may be withheld, beyond what each look has room for.
  public var lateSettling_ms: Int64 = 0
  /// Whether the module hears any satellite; nil: it does not say, or has just been switched on.
  public var hearsSky: Bool?
  /// From the boot clock to the local time, in seconds since 1970-01-01 on the wall clock; nil: it is not known. The
  /// journey sets it, as the next one.
  public var localOffset_s: Int64?
  /// The ignition's line says so.
  public var ignitionIsOn = false

  static let usualSettling_ms: Int64 = 10_000

  public init() {}

  /// Until a fix counts.
  package var expectedLook_ms: Int64 { expectedTTFF_ms + lateSettling_ms }

  /// What the settings say of it.
  package init(settleTimeout_s: Double) {
    lateSettling_ms = max(0, milliseconds(settleTimeout_s) - ReceiverView.usualSettling_ms)
  }
}
