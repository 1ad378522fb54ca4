import TrackerBase

/// What requests have cost, and what may still be spent, with all servers together.
struct Spending: Equatable, Sendable {
  /// By cause, whether or not there is a budget.
  private var bytes: DayAndMonth<ByteCounts>
  private var byServer: DayAndMonth<ByteCounts>
  private(set) var budget: ByteBudget
  /// For what is spent while roaming, beside `budget`.
  private(set) var roaming: ByteBudget
  /// Of the first server, where it is a broker.
  private(set) var topic: TopicBytes
  var isRoaming = false

  init(settings: SyncSettings, saved: SavedState, at now_ms: Int64) {
    bytes = DayAndMonth(saved.value("bytes"), at: now_ms)
    byServer = DayAndMonth(saved.value("server_bytes"), at: now_ms)
    budget = ByteBudget(
      day_kb: settings.budgetDay_kb, month_mb: settings.budgetMonth_mb, saved: saved.value("budget"),
      at: now_ms)
    roaming = ByteBudget(
      day_kb: settings.roaming.budgetDay_kb, month_mb: settings.roaming.budgetMonth_mb,
      saved: saved.value("roaming_budget"), at: now_ms)
    topic = TopicBytes(settings: settings, saved: saved.value("topic"), at: now_ms)
  }

  mutating func adopt(_ settings: SyncSettings, at now_ms: Int64) {
    var saved = Commit()
    save(to: &saved)
    let wasRoaming = isRoaming
    self = Spending(settings: settings, saved: SavedState(saved.state), at: now_ms)
    isRoaming = wasRoaming
  }

  var isLimited: Bool { budget.isLimited || roaming.isLimited }

  /// - Parameter trusted_ms: Unix milliseconds; nil while the time is not trusted.
  mutating func turn(trusted_ms: Int64?, at now_ms: Int64) {
    bytes.turn(trusted_ms: trusted_ms, at: now_ms)
    byServer.turn(trusted_ms: trusted_ms, at: now_ms)
    budget.turn(trusted_ms: trusted_ms, at: now_ms)
    roaming.turn(trusted_ms: trusted_ms, at: now_ms)
    topic.turn(trusted_ms: trusted_ms, at: now_ms)
  }

  /// What a broker may bring with the next request.
  var topicAllowed_bytes: Int64 {
    let left = [budget.left_bytes, isRoaming ? roaming.left_bytes : nil].compactMap { $0 }
    return topic.allowed(left: left.min())
  }

  /// - Parameter trusted_ms: as for `turn`, which comes first.
  func allowance(trusted_ms: Int64?, at now_ms: Int64) -> Allowance {
    let home = budget.allowance(trusted_ms: trusted_ms, at: now_ms)
    guard isRoaming else { return home }
    return home.tighter(roaming.allowance(trusted_ms: trusted_ms, at: now_ms))
  }

  /// - Parameters:
  ///   - server: its name, empty for the first.
  ///   - withStatus: the request had the status.
  ///   - isTaken: the server has what it brought.
  /// - Returns: what operators should know.
  mutating func spend(_ reply: UploadReply, of server: String, withStatus: Bool, isTaken: Bool) -> String? {
    byServer.add(ByteCounts(reply, of: server))
    bytes.add(ByteCounts(reply, withStatus: withStatus, isTaken: isTaken))
    budget.spend(reply.bytesUp + reply.bytesDown)
    if isRoaming { roaming.spend(reply.bytesUp + reply.bytesDown) }
    return topic.spend(reply)
  }

  func save(to state: inout Commit) {
    state.set("bytes", bytes)
    state.set("server_bytes", byServer)
    state.set("budget", budget.saved)
    state.set("roaming_budget", roaming.saved)
    state.set("topic", topic.saved)
  }

  func describe(_ status: inout TrackerStatus, level: Allowance.Level) {
    status.traffic = TrafficStatus(bytes)
    status.sync.add(byServer, of: "")
    for index in status.others.indices {
      status.others[index].sync.add(byServer, of: status.others[index].name)
    }
    status.sync.budget = BudgetStatus(budget, level: level)
    status.sync.roamingBudget = BudgetStatus(roaming, level: level)
    guard topic.today > 0 || topic.rests else { return }
    status.commands = status.commands ?? CommandStatus()
    status.commands?.topicToday_bytes = topic.today
    status.commands?.topicRests = topic.rests
  }
}
