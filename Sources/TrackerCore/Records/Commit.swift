/// What is made durable together: all of it, or after a power cut none of it.
public struct Commit: Equatable, Sendable {
  public var records: [Record]
  /// Fixes that are not yet kept, so that a power cut does not lose the end of a straight segment: at most two,
  /// oldest first.
  public var tail: [Record]
  /// Values by key. Keys that are not named here keep their value. An empty value says as little as a missing key.
  public var state: [String: String]
  /// Sums that grow all the time. They are in few commits, and are kept apart from what each commit changes: after a
  /// power cut they may be ten minutes old.
  public static let periodicKeys: Set<String> = [
    "bytes", "energy", "gps_day", "gps_health", "habits", "server_bytes",
  ]
  /// Records that were lost in memory while storage failed, for the ledger, by cause.
  public var dropped: [String: Int]
  /// What is on storage gets its true dates first; nil: it has them.
  public var redating: Redating?
  /// Of `dropped`, how many a server's queue has all the same, by server.
  public var spared: [Int: Int] = [:]
  /// Queues that have failed are to be tried again.
  public var retriesFailed = true

  public init(
    records: [Record] = [], tail: [Record] = [], state: [String: String] = [:], dropped: [String: Int] = [:],
    redating: Redating? = nil
  ) {
    self.dropped = dropped
    self.redating = redating
    self.records = records
    self.tail = tail
    self.state = state
  }
}
