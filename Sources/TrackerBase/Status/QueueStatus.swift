public struct QueueStatus: StatusGroup {
  public enum Storage: String, FigureChoice {
    case ok, failed
  }

  @Figure("records", .gauge, "Records on storage that wait for the server.")
  public var records = 0
  @Figure("oldest_ago_s", .gauge, "Age of the oldest record on storage; absent without any.")
  public var oldest_s: Int64? = nil
  @Figure(
    "quarantined", .gauge,
    "Records that the server refuses one by one; absent while the queue cannot be read.")
  public var quarantined: Int? = nil
  @Figure(
    "ledger", .gauge, label: "cause", absent: [:],
    "Records ever dropped, by cause (docs/queue.md); it outlives restarts. other: by a cause that this version does not know."
  )
  public var ledger: [LedgerCause: Int] = [:]
  @Figure("in_memory", .gauge, "Records that are not yet on storage.")
  public var inMemory = 0
  @Figure(
    "dropped_from_memory", .counter, "Records dropped since memory had no room while the storage failed.")
  public var droppedFromMemory = 0
  @Figure("storage", "Whether the queue can be written.")
  public var storage = Storage.ok
  @Figure(
    "id_changes", .counter,
    "How often the queue began another id, so that two boxes from one card stay apart (docs/queue.md#copied-cards)."
  )
  public var idChanges = 0
  @Figure("id_changed", .time, "When it last did; absent where it never has.")
  public var idChanged_ms: Int64? = nil

  public init() {}
}

/// Why records were dropped for ever. The raw values stand in the queue's file.
public enum LedgerCause: String, FigureChoice, Sendable {
  case quotaPositions = "quota_positions"
  case quotaQuarantined = "quota_quarantined"
  case quotaEvents = "quota_events"
  case diskFullPositions = "disk_full_positions"
  case diskFullQuarantined = "disk_full_quarantined"
  case diskFullEvents = "disk_full_events"
  case purged
  case damage
  /// Not records: how often damage has taken nobody knows how many.
  case damageUnknown = "damage_unknown"
  case serverRemoved = "server_removed"
  case memoryFull = "memory_full"
  /// Of a version that is not this one.
  case other
}

/// What the queue of one server holds, as its files know it.
public struct QueueFigures: Equatable, Sendable {
  /// Of the record that waits longest, Unix milliseconds.
  public var oldest_ms: Int64?
  /// nil while that is not known.
  public var quarantined: Int?
  public var ledger: [LedgerCause: Int] = [:]

  public init(oldest_ms: Int64? = nil, quarantined: Int? = nil, ledger: [String: Int] = [:]) {
    (self.oldest_ms, self.quarantined) = (oldest_ms, quarantined)
    for (cause, records) in ledger where records > 0 {
      self.ledger[LedgerCause(rawValue: cause) ?? .other, default: 0] += records
    }
  }
}
