/// Records on their way to storage: committed in groups, kept in memory while storage fails.
struct Outbox: Equatable, Sendable {
  /// While storage fails, so many records are held in memory; then the oldest positions go, and are counted.
  static let capacity = 5000
  static let retryAfterFailure_ms: Int64 = 10_000
  /// Where that reads and writes whole files, it is tried half as often after each failure: in the end once an hour.
  static let longestRetry_ms: Int64 = 3_600_000

  private(set) var lastSequence: Int64
  private(set) var pending: [Record] = []
  private(set) var isWriting = false
  private(set) var droppedFromMemory = 0
  /// Of `droppedFromMemory`, what no ledger has yet.
  private(set) var uncounted = 0
  /// Of `uncounted`, what a server's queue has all the same, by server.
  private(set) var spared: [Int: Int] = [:]
  /// Where positions of trips were dropped: gaps of the track that no record says yet.
  private(set) var lostTrack: [TrackGap] = []
  private var countedNow = 0
  private var writingCount = 0
  private var writingSince_ms: Int64?
  /// When the oldest thing came that is neither on storage nor being written.
  private var dirtySince_ms: Int64?
  private var isUrgent = false
  /// What has failed is not tried again before.
  private var notBefore_ms: Int64?
  private var costlyFailures = 0
  /// Some queue has taken the last commit, and another one has not: up to this number.
  private var takenThrough: Int64?
  /// The same by server, over all commits since one has failed.
  private var storedThrough: [Int: Int64] = [:]
  /// Numbers up to this may be given again by the next process, which knows what storage holds and no more: such
  /// a record is sent from storage alone. nil while storage works.
  private var unstoredAfter: Int64?
  /// Where numbers were last drawn.
  private var drawnAt: Int64 = 0
  /// So many numbers were given to records.
  private(set) var made = 0
  /// What servers have of records that are not on storage, by server.
  private var delivered: [Int: Set<Int64>] = [:]
  private var refused: [Int: [Int64: String]] = [:]
  /// The first record of this boot with a date that is not trusted, and how many there are; nil: none has.
  private(set) var undated: Undated?
  /// The time is known: what storage has is to get its true dates with the next commit.
  private(set) var redating: Redating?
  private var isRedating = false
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
    made += 1
    return lastSequence
  }

  mutating func add(_ record: Record, at now_ms: Int64) {
    if record.isUndated {
      undated = Undated(from: undated?.from ?? record.sequence, records: (undated?.records ?? 0) + 1)
    }
    pending.append(record.atResolution)
    changed(at: now_ms)
    if record.kind.isUrgent { isUrgent = true }
    dropOverflow()
  }

  /// The state or the newest fix differs from what storage holds.
  mutating func changed(at now_ms: Int64) {
    if dirtySince_ms == nil { dirtySince_ms = now_ms }
  }

  mutating func hurry() { isUrgent = true }

  /// There is no later: not even a failure a moment ago is waited for.
  mutating func lastChance() { (isUrgent, notBefore_ms) = (true, nil) }

  /// Somebody has perhaps mended what failed.
  mutating func retryNow() {
    if notBefore_ms != nil { (isUrgent, notBefore_ms) = (true, 0) }
  }

  @inline(__always) var deadline_ms: Int64? {
    if isWriting { return nil }
    let due_ms = dirtySince_ms.map { isDue ? $0 : $0 + commitInterval_ms }
    guard let notBefore_ms else { return due_ms }
    // As long as one queue works, it gets what comes in time.
    if takenThrough != nil { return min(due_ms ?? notBefore_ms, notBefore_ms) }
    return due_ms.map { max($0, notBefore_ms) }
  }

  private var isDue: Bool {
    if isUrgent { return true }
    return pending.count >= commitRecords
      && pending[pending.count - commitRecords].sequence > takenThrough ?? 0
  }

  func retriesFailed(at now_ms: Int64) -> Bool { notBefore_ms.map { now_ms >= $0 } ?? true }

  /// - Returns: the records to write now, nil if it is not time. An empty list writes the state alone.
  mutating func take(at now_ms: Int64) -> [Record]? {
    guard let deadline_ms, now_ms >= deadline_ms else { return nil }
    isWriting = true
    writingCount = pending.count
    isRedating = redating != nil
    countedNow = uncounted
    writingSince_ms = dirtySince_ms
    dirtySince_ms = nil
    isUrgent = false
    return pending
  }

  /// - Returns: whether an event was among the records written.
  mutating func written() -> Bool {
    let hadEvent = pending.prefix(writingCount).contains { $0.kind.isUrgent }
    pending.removeFirst(writingCount)
    uncounted -= countedNow
    if isRedating { redating = nil }
    isWriting = false
    (notBefore_ms, takenThrough, costlyFailures, spared) = (nil, nil, 0, [:])
    return hadEvent
  }

  /// Nothing was written, and all of it is to be written anew: what was made since the start had taken numbers and
  /// metres to begin at zero.
  mutating func goOn(from sequence: Int64, trip: Int64, odometer_m: Double) {
    lastSequence += sequence
    unstoredAfter = unstoredAfter.map { $0 + sequence }
    drawnAt += sequence
    undated?.from += sequence
    redating?.from += sequence
    delivered = delivered.mapValues { Set($0.map { $0 + sequence }) }
    refused = refused.mapValues { Dictionary(uniqueKeysWithValues: $0.map { ($0.key + sequence, $0.value) }) }
    for index in pending.indices {
      pending[index].sequence += sequence
      pending[index].tripID = pending[index].tripID.map { $0 + trip }
      pending[index].odometer_m += odometer_m
      pending[index] = pending[index].atResolution
    }
    writeAgain(notBefore_ms: nil)
  }

  /// Storage goes on failing: from here on records are sent from memory. Their numbers are drawn far ahead, so that
  /// a process that ends before they are on storage does not leave them to the next one.
  ///
  /// - Parameter chance: evenly distributed in 0..<1.
  mutating func sendFromMemory(chance: Double) {
    // A commit that failed may be on storage all the same, and then the next process goes on behind its numbers: they
    // are drawn anew once some of them were given.
    guard unstoredAfter == nil || lastSequence > drawnAt else { return }
    lastSequence += 1 + Int64(chance * Outbox.numbersAhead)
    drawnAt = lastSequence
    if unstoredAfter == nil { unstoredAfter = lastSequence }
  }

  /// So rarely do two of a million draws meet, and so often may it be drawn before a double no longer distinguishes two
  /// numbers apart: 100,000 times.
  static let numbersAhead = 68_719_476_736.0

  /// Numbers of records that servers may have though no storage has them; nil while it works.
  var mayHaveBeenSent: ClosedRange<Int64>? {
    unstoredAfter.flatMap { $0 < lastSequence ? ($0 + 1)...lastSequence : nil }
  }

  /// What the server may have from memory, in sequence.
  func unstored(for server: Int) -> [Record] {
    guard let after = unstoredAfter(for: server) else { return [] }
    return held(for: server, from: index(of: after + 1))
  }

  /// How many those are.
  func unstoredCount(for server: Int) -> Int {
    guard let after = unstoredAfter(for: server) else { return 0 }
    let settled =
      (delivered[server]?.count { $0 > after } ?? 0) + (refused[server]?.count { $0.key > after } ?? 0)
    return pending.count - index(of: after + 1) - settled
  }

  private func unstoredAfter(for server: Int) -> Int64? {
    unstoredAfter.map { max($0, storedThrough[server] ?? 0) }
  }

  /// What is not on its storage yet and the server does not have, in sequence.
  func held(for server: Int) -> [Record] {
    held(for: server, from: index(of: (storedThrough[server] ?? 0) + 1))
  }

  private func held(for server: Int, from index: Int) -> [Record] {
    let (delivered, refused) = (delivered[server] ?? [], refused[server] ?? [:])
    return pending[index...].filter {
      !delivered.contains($0.sequence) && refused[$0.sequence] == nil
    }
  }

  /// Where the record of that number is in `pending`, or would be.
  private func index(of sequence: Int64) -> Int {
    pending.partitioningIndex { $0.sequence >= sequence }
  }

  private func isPending(_ sequence: Int64) -> Bool {
    let index = index(of: sequence)
    return index < pending.count && pending[index].sequence == sequence
  }

  /// What this boot left undated before this process began.
  mutating func goOn(with undated: Undated?) {
    guard let undated else { return }
    self.undated = Undated(
      from: min(undated.from, self.undated?.from ?? .max),
      records: undated.records + (self.undated?.records ?? 0))
  }

  /// The time is known. - Parameter offset_ms: Unix time at which the boot clock began.
  mutating func redate(offset_ms: Int64, at now_ms: Int64) {
    guard let undated else { return }
    let redating = Redating(from: min(undated.from, redating?.from ?? .max), offset_ms: offset_ms)
    for index in pending.indices { pending[index] = redating.applied(to: pending[index]) ?? pending[index] }
    self.redating = redating
    self.undated = nil
    // One that is being written already does not have it.
    isRedating = false
    changed(at: now_ms)
    isUrgent = true
  }

  /// - Parameter servers: so many must have a record before it leaves memory.
  /// - Returns: those that are on storage.
  mutating func delivered(_ sequences: [Int64], to server: Int, of servers: [Int]) -> [Int64] {
    let known = Set(sequences.filter(isPending))
    if known.isEmpty { return sequences }
    delivered[server, default: []].formUnion(known)
    let everywhere = known.filter { sequence in
      servers.allSatisfy { delivered[$0]?.contains(sequence) ?? false }
    }
    if isWriting { writingCount -= pending.prefix(writingCount).count { everywhere.contains($0.sequence) } }
    pending.removeAll { everywhere.contains($0.sequence) }
    for server in delivered.keys { delivered[server]?.subtract(everywhere) }
    return sequences.filter { !known.contains($0) || isStored($0, for: server) }
  }

  /// In the server's queue, though another one has not taken it.
  private func isStored(_ sequence: Int64, for server: Int) -> Bool {
    sequence <= storedThrough[server] ?? 0
  }

  /// - Returns: false for a record that is on storage.
  mutating func refused(_ sequence: Int64, by server: Int, reason: String) -> Bool {
    guard isPending(sequence), !isStored(sequence, for: server) else { return false }
    refused[server, default: [:]][sequence] = reason
    return true
  }

  /// All of it is on storage now: what became of it meanwhile is to be done there.
  mutating func takeOutcomes() -> (delivered: [Int: Set<Int64>], refused: [Int: [Int64: String]]) {
    defer { (delivered, refused, unstoredAfter, storedThrough) = ([:], [:], nil, [:]) }
    for server in delivered.keys {
      delivered[server] = delivered[server]?.filter { !isStored($0, for: server) }
    }
    return (delivered, refused)
  }

  /// - Parameters:
  ///   - isTried: something was tried and failed; otherwise what had failed before was left alone.
  ///   - isCostly: trying it reads and writes whole files.
  ///   - servers: their queues have taken what was to be written.
  /// - Returns: whether an event was new to them.
  @discardableResult
  mutating func failed(
    isTried: Bool = true, isCostly: Bool = false, storedBy servers: [Int] = [], at now_ms: Int64
  ) -> Bool {
    let written = pending.prefix(writingCount)
    let hadEvent = written.contains { $0.kind.isUrgent && $0.sequence > takenThrough ?? 0 }
    let through = max(written.last?.sequence ?? 0, takenThrough ?? 0)
    for server in servers { storedThrough[server] = through }
    takenThrough = servers.isEmpty ? nil : through
    let next_ms = isTried ? now_ms + retryAfter_ms(isCostly: isCostly) : notBefore_ms
    if servers.isEmpty {
      writeAgain(notBefore_ms: next_ms)
    } else {
      (isWriting, notBefore_ms) = (false, next_ms)
    }
    return hadEvent && !servers.isEmpty
  }

  private mutating func retryAfter_ms(isCostly: Bool) -> Int64 {
    guard isCostly else { return Outbox.retryAfterFailure_ms }
    defer { costlyFailures += 1 }
    return min(Outbox.longestRetry_ms, Outbox.retryAfterFailure_ms << min(costlyFailures, 20))
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
    let index = pending.firstIndex { !$0.kind.isEvent } ?? 0
    noteLostTrack(from: pending[index], to: pending[(index + 1)...].first(where: \.isOfTrack))
    let victim = pending.remove(at: index).sequence
    for (server, through) in storedThrough where victim <= through { spared[server, default: 0] += 1 }
    for server in delivered.keys { delivered[server]?.remove(victim) }
    for server in refused.keys { refused[server]?[victim] = nil }
    droppedFromMemory += 1
    uncounted += 1
  }

  /// - Parameter next: what the track goes on with, or the gap in which it does not.
  private mutating func noteLostTrack(from lost: Record, to next: Record?) {
    guard lost.kind == .position, lost.tripID != nil else { return }
    let begin_ms = lost.time_ms
    var end_ms = begin_ms
    switch next?.content {
    case .gap(let gap): end_ms = max(begin_ms, gap.begin_ms)
    case .some: end_ms = max(begin_ms, next?.time_ms ?? begin_ms)
    case nil: break
    }
    if let last = lostTrack.indices.last, lostTrack[last].end_ms == begin_ms {
      lostTrack[last].end_ms = end_ms
    } else {
      lostTrack.append(TrackGap(cause: .storageFailed, begin_ms: begin_ms, end_ms: end_ms))
    }
  }

  /// Those of a minute and more, to be recorded.
  mutating func takeLostTrack() -> [TrackGap] {
    defer { lostTrack = [] }
    return lostTrack.filter { $0.end_ms - $0.begin_ms >= TrackGaps.least_ms }
  }
}

extension Record {
  /// It says where the track is, or is not.
  fileprivate var isOfTrack: Bool { kind == .gap || kind == .position && tripID != nil }
}
