/// The receiver against its own best time; docs/status.md.
public struct GPSHealthStatus: StatusGroup {
  @Figure(
    "cn0_dbhz", .gauge, decimals: 1,
    "C/N0 of the best four, in dB-Hz, as it is under an open sky in these weeks."
  )
  public var level_dBHz: Double? = nil
  @Figure(
    "loss_db", .gauge, decimals: 1,
    "So many dB less than in its best time: 0 is as good as ever, from 3 on it is the warning gps_weak; absent in the first week."
  )
  public var loss_dB: Double? = nil
  @Figure(
    "start_ratio", .gauge, decimals: 2,
    "How many times as long as in its best time the time to first fix is; absent in the first week.")
  public var startRatio: Double? = nil

  public init() {}

  public init(level_dBHz: Double, loss_dB: Double?, startRatio: Double?) {
    (self.level_dBHz, self.loss_dB, self.startRatio) = (level_dBHz, loss_dB, startRatio)
  }
}
