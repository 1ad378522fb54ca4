/// Records on their way to storage: committed in groups, kept in memory while storage fails.
struct Outbox: Equatable, Sendable {
  /// While storage fails, so many records are held in memory; then the oldest positions go, and are counted.
  static let capacity = 5000
  static let retryAfterFailure_ms: Int64 = 10_000

  private(set) var lastSequence: Int64
  private(set) var pending: [Record] = []
  private(set) var isWriting = false
  private(set) var droppedFromMemory = 0
  /// Of `droppedFromMemory`, what no ledger has yet.
  private(set) var uncounted = 0
  private var countedNow = 0
  private var writingCount = 0
  private var writingSince_ms: Int64?
  /// When the oldest thing came that is neither on storage nor being written.
  private var dirtySince_ms: Int64?
  private var isUrgent = false
  private var notBefore_ms: Int64?
  private var commitRecords: Int
  private var commitInterval_ms: Int64

  init(settings: QueueSettings, lastSequence: Int64) {
    self.lastSequence = lastSequence
    commitRecords = settings.commitRecords
    commitInterval_ms = milliseconds(settings.commitInterval_s)
  }

  /// With other settings, and all that waits.
  init(settings: QueueSettings, continuing old: Outbox) {
    let fresh = Outbox(settings: settings, lastSequence: old.lastSequence)
    self = old
    (commitRecords, commitInterval_ms) = (fresh.commitRecords, fresh.commitInterval_ms)
  }

  mutating func nextSequence() -> Int64 {
    lastSequence += 1
    return lastSequence
  }

  mutating func add(_ record: Record, at now_ms: Int64) {
    pending.append(record)
    changed(at: now_ms)
    if record.kind.isEvent { isUrgent = true }
    dropOverflow()
  }

  /// The state or the newest fix differs from what storage holds.
  mutating func changed(at now_ms: Int64) {
    if dirtySince_ms == nil { dirtySince_ms = now_ms }
  }

  mutating func hurry() { isUrgent = true }

  /// There is no later: not even a failure a moment ago is waited for.
  mutating func lastChance() { (isUrgent, notBefore_ms) = (true, nil) }

  var deadline_ms: Int64? {
    guard !isWriting, let dirtySince_ms else { return nil }
    let due_ms = isDue ? dirtySince_ms : dirtySince_ms + commitInterval_ms
    return max(due_ms, notBefore_ms ?? due_ms)
  }

  private var isDue: Bool { isUrgent || pending.count >= commitRecords }

  /// - Returns: the records to write now, nil if it is not time. An empty list writes the state alone.
  mutating func take(at now_ms: Int64) -> [Record]? {
    guard let deadline_ms, now_ms >= deadline_ms else { return nil }
    isWriting = true
    writingCount = pending.count
    countedNow = uncounted
    writingSince_ms = dirtySince_ms
    dirtySince_ms = nil
    isUrgent = false
    return pending
  }

  /// - Returns: whether an event was among the records written.
  mutating func written() -> Bool {
    let hadEvent = pending.prefix(writingCount).contains { $0.kind.isEvent }
    pending.removeFirst(writingCount)
    uncounted -= countedNow
    isWriting = false
    notBefore_ms = nil
    return hadEvent
  }

  /// Nothing was written, and all of it is to be written anew: what was made since the start had taken numbers and
  /// metres to begin at zero.
  mutating func goOn(from sequence: Int64, trip: Int64, odometer_m: Double) {
    lastSequence += sequence
    for index in pending.indices {
      pending[index].sequence += sequence
      pending[index].tripID = pending[index].tripID.map { $0 + trip }
      pending[index].odometer_m += odometer_m
    }
    writeAgain(notBefore_ms: nil)
  }

  mutating func failed(at now_ms: Int64) {
    writeAgain(notBefore_ms: now_ms + Outbox.retryAfterFailure_ms)
  }

  private mutating func writeAgain(notBefore_ms: Int64?) {
    if isWriting {
      dirtySince_ms = writingSince_ms ?? dirtySince_ms
      isUrgent = true
    }
    isWriting = false
    self.notBefore_ms = notBefore_ms
  }

  private mutating func dropOverflow() {
    guard pending.count > Outbox.capacity, !isWriting else { return }
    let victim = pending.firstIndex { !$0.kind.isEvent } ?? 0
    pending.remove(at: victim)
    droppedFromMemory += 1
    uncounted += 1
  }
}
