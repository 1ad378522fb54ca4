/// What changes while the modem is registered as roaming; docs/sync.md.
public struct RoamingSettings: SettingGroup {
  @Setting(
    "interval_s", in: 0...604800,
    """
    In place of sync_interval_s; the status rides no more often than this, and the number of records that wait
    (sync_threshold) starts no sync. Events still start one at once. 0: as at home.
    """)
  public var interval_s = 0.0
  @Setting(
    "budget_day_kb", in: 0...100_000_000,
    """
    What may be spent while roaming, a day (UTC), beside the budgets of [sync], which go on. The last fifth is
    for events and the status. 0: no limit of its own.
    """)
  public var budgetDay_kb = 0.0
  @Setting("budget_month_mb", in: 0...1_000_000, "The same for a calendar month. 0: no limit of its own.")
  public var budgetMonth_mb = 0.0
}

extension SyncSettings {
  /// As they are while the modem is roaming, or at home.
  package func abroad(_ isRoaming: Bool) -> SyncSettings {
    guard isRoaming, roaming.interval_s > 0 else { return self }
    var abroad = self
    abroad.interval_s = roaming.interval_s
    abroad.statusInterval_s = max(statusInterval_s, roaming.interval_s)
    abroad.threshold = .max
    return abroad
  }
}
