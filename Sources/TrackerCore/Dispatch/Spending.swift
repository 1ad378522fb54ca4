/// What requests have cost, and what may still be spent, with all servers together.
struct Spending: Equatable, Sendable {
  private(set) var bytes: ByteLedger
  private(set) var budget: ByteBudget
  /// For what is spent while roaming, beside `budget`.
  private(set) var roaming: ByteBudget
  var isRoaming = false

  init(settings: SyncSettings, state: [String: String], at now_ms: Int64) {
    bytes = ByteLedger(saved: state["bytes"] ?? "", at: now_ms)
    budget = ByteBudget(settings: settings, saved: state["budget"] ?? "", at: now_ms)
    roaming = ByteBudget(
      day_kb: settings.roaming.budgetDay_kb, month_mb: settings.roaming.budgetMonth_mb,
      saved: state["roaming_budget"] ?? "", at: now_ms)
  }

  var isLimited: Bool { budget.isLimited || roaming.isLimited }

  /// - Parameter trusted_ms: Unix milliseconds; nil while the time is not trusted.
  mutating func turn(trusted_ms: Int64?, at now_ms: Int64) {
    bytes.turn(trusted_ms: trusted_ms, at: now_ms)
    budget.turn(trusted_ms: trusted_ms, at: now_ms)
    roaming.turn(trusted_ms: trusted_ms, at: now_ms)
  }

  /// - Parameter trusted_ms: as for `turn`, which comes first.
  func allowance(trusted_ms: Int64?, at now_ms: Int64) -> Allowance {
    let home = budget.allowance(trusted_ms: trusted_ms, at: now_ms)
    guard isRoaming else { return home }
    return home.tighter(roaming.allowance(trusted_ms: trusted_ms, at: now_ms))
  }

  /// - Parameters:
  ///   - withStatus: the request had the status.
  ///   - isTaken: the server has what it brought.
  mutating func spend(_ reply: UploadReply, withStatus: Bool, isTaken: Bool) {
    bytes.spend(reply, withStatus: withStatus, isTaken: isTaken)
    budget.spend(reply.bytesUp + reply.bytesDown)
    if isRoaming { roaming.spend(reply.bytesUp + reply.bytesDown) }
  }

  /// What had been spent before this began with nothing.
  mutating func add(_ before: Spending) {
    bytes.add(before.bytes)
    budget.add(before.budget)
    roaming.add(before.roaming)
  }

  /// With a limit, `budget` and `roaming_budget`. `bytes` is saved more rarely.
  var saved: [String: String] {
    var saved: [String: String] = [:]
    if budget.isLimited { saved["budget"] = budget.saved }
    if roaming.isLimited { saved["roaming_budget"] = roaming.saved }
    return saved
  }

  static func unreadable(in state: SavedState) -> [String] {
    state.keys(where: [
      "budget": ByteBudget.numbers(state["budget"]) == nil,
      "roaming_budget": ByteBudget.numbers(state["roaming_budget"]) == nil,
      "bytes": ByteLedger.isUnreadable(state["bytes"]),
    ])
  }

  func describe(_ status: inout TrackerStatus, level: Allowance.Level) {
    status.traffic = TrafficStatus(day: bytes.day, month: bytes.month)
    status.sync.budget = BudgetStatus(budget, level: level)
    status.sync.roamingBudget = BudgetStatus(roaming, level: level)
  }
}
