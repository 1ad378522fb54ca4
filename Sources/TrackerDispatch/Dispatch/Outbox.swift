import TrackerBase

/// Records on their way to storage: committed in groups. While storage fails they are kept in memory, and sent from there.
package struct Outbox: Equatable, Sendable {
  package private(set) var lastSequence: Int64
  /// So many numbers were given to records.
  private(set) var made = 0
  /// In sequence.
  package private(set) var pending: [Record] = []
  /// nil: storage takes what it is given.
  private(set) var failure: Failure?
  /// Of `pending`, while they are being written.
  private var writing: Int?
  /// When the oldest thing came that is neither on storage nor being written.
  private var dirtySince_ms: Int64?
  private var writingSince_ms: Int64?
  private var isUrgent = false
  private(set) var droppedFromMemory = 0
  /// The first record of this boot with a date that is not trusted, and how many there are; nil: none has.
  private(set) var undated: Undated?
  /// The time is known: what storage has is to get its true dates with the next commit.
  private(set) var redating: Redating?
  private var commitRecords: Int
  private var commitInterval_ms: Int64

  /// Storage fails. What is made from here on is sent under a queue id of its own, and stored under it later: a process that
  /// ends meanwhile leaves no number to the next one that a server knows already.
  struct Failure: Equatable, Sendable {
    var queueID: UInt64
    /// Records up to this number were on their way when it began, and may be on storage: they are sent from there alone.
    let after: Int64
    /// The next attempt.
    var notBefore_ms: Int64
    var failures = 1
    /// What servers have of the others, by server.
    var delivered: [Int: Set<Int64>] = [:]
    var refused: [Int: [Int64: String]] = [:]
    /// What no longer fitted, for the ledger.
    var dropped = 0
    /// Where positions of trips were dropped: gaps of the track that no record says yet.
    var lostTrack: [TrackGap] = []

    func isSettled(_ sequence: Int64, for server: Int) -> Bool {
      delivered[server]?.contains(sequence) ?? false || refused[server]?[sequence] != nil
    }
  }

  /// While storage fails, so many records are held in memory; then the oldest positions go, and are counted.
  static let capacity = 5000
  /// After a first failure; after each further one twice as long, up to `longestRetry_ms`.
  static let retryAfterFailure_ms: Int64 = 10_000
  /// Storage that works again is to be used within a minute.
  static let longestRetry_ms: Int64 = 40_000

  init(settings: QueueSettings, lastSequence: Int64) {
    self.lastSequence = lastSequence
    commitRecords = settings.commitRecords
    commitInterval_ms = milliseconds(settings.commitInterval_s)
  }

  mutating func adopt(_ settings: QueueSettings) {
    commitRecords = settings.commitRecords
    commitInterval_ms = milliseconds(settings.commitInterval_s)
  }

  // MARK: In

  /// It gets its number here.
  mutating func add(_ record: Record, at now_ms: Int64) {
    var record = record.atResolution
    lastSequence += 1
    made += 1
    (record.sequence, record.queueID) = (lastSequence, failure?.queueID ?? 0)
    if record.isUndated {
      undated = Undated(from: undated?.from ?? record.sequence, records: (undated?.records ?? 0) + 1)
    }
    pending.append(record)
    changed(at: now_ms)
    if record.kind.isUrgent { isUrgent = true }
    dropOverflow()
  }

  /// The state or the newest fix differs from what storage holds.
  mutating func changed(at now_ms: Int64) {
    if dirtySince_ms == nil { dirtySince_ms = now_ms }
  }

  mutating func hurry() { isUrgent = true }

  /// There is no later: not even a failure a moment ago is waited for. Or somebody has perhaps mended what failed.
  mutating func retryNow() {
    guard failure != nil else { return }
    failure?.notBefore_ms = 0
    isUrgent = true
  }

  // MARK: Out

  var deadline_ms: Int64? {
    if writing != nil { return nil }
    let isDue = isUrgent || pending.count >= commitRecords
    let due_ms = dirtySince_ms.map { isDue ? $0 : $0 + commitInterval_ms }
    guard let failure else { return due_ms }
    return due_ms.map { max($0, failure.notBefore_ms) }
  }

  /// - Returns: the records to write now, nil if it is not time. An empty list writes the state alone.
  mutating func take(at now_ms: Int64) -> [Record]? {
    guard let deadline_ms, now_ms >= deadline_ms else { return nil }
    (writing, writingSince_ms) = (pending.count, dirtySince_ms)
    (dirtySince_ms, isUrgent) = (nil, false)
    return pending
  }

  /// All that was taken is on storage.
  ///
  /// - Returns: whether an event was among it, and what had failed before: what became of its records is to be done there.
  mutating func written() -> (hadEvent: Bool, failure: Failure?) {
    let (written, failure) = (writing ?? 0, failure)
    let hadEvent = pending.prefix(written).contains { $0.kind.isUrgent }
    pending.removeFirst(written)
    (writing, redating, self.failure) = (nil, nil, nil)
    return (hadEvent, failure)
  }

  /// Nothing of it is, as far as is known.
  ///
  /// - Parameter chance: evenly distributed in 0..<1.
  mutating func failed(at now_ms: Int64, chance: Double) {
    var failure =
      failure
      ?? Failure(queueID: 1 + UInt64(chance * 0x1p53), after: lastSequence, notBefore_ms: now_ms, failures: 0)
    let wait_ms = Outbox.retryAfterFailure_ms << min(failure.failures, 10)
    failure.notBefore_ms = now_ms + min(wait_ms, Outbox.longestRetry_ms)
    failure.failures += 1
    dirtySince_ms = writingSince_ms ?? dirtySince_ms ?? now_ms
    (writing, isUrgent, self.failure) = (nil, true, failure)
  }

  // MARK: From memory

  /// What the server may have from memory, in sequence.
  func unstored(for server: Int) -> [Record] {
    guard let failure else { return [] }
    return pending[index(after: failure.after)...].filter { !failure.isSettled($0.sequence, for: server) }
  }

  /// What is not on storage yet and the server does not have, in sequence.
  package func held(for server: Int) -> [Record] {
    pending.filter { failure?.isSettled($0.sequence, for: server) != true }
  }

  private func index(after sequence: Int64) -> Int { pending.partitioningIndex { $0.sequence > sequence } }

  private func isPending(_ sequence: Int64) -> Bool {
    let index = index(after: sequence - 1)
    return index < pending.count && pending[index].sequence == sequence
  }

  /// - Parameter servers: each of them must have a record before it leaves memory.
  /// - Returns: those that are on storage.
  mutating func delivered(_ sequences: [Int64], to server: Int, of servers: [Int]) -> [Int64] {
    guard var failure else { return sequences }
    let known = Set(sequences.filter(isPending))
    failure.delivered[server, default: []].formUnion(known)
    let everywhere = known.filter { sequence in
      servers.allSatisfy { failure.delivered[$0]?.contains(sequence) ?? false }
    }
    if let writing {
      self.writing = writing - pending.prefix(writing).count { everywhere.contains($0.sequence) }
    }
    pending.removeAll { everywhere.contains($0.sequence) }
    for server in failure.delivered.keys { failure.delivered[server]?.subtract(everywhere) }
    self.failure = failure
    // Those that were on their way are in both places.
    return sequences.filter { !known.contains($0) || $0 <= failure.after }
  }

  /// - Returns: false for a record that is on storage.
  mutating func refused(_ sequence: Int64, by server: Int, reason: String) -> Bool {
    guard failure != nil, isPending(sequence) else { return false }
    failure?.refused[server, default: [:]][sequence] = reason
    return true
  }

  /// The server has other records under the identities of these: those in memory get another queue id.
  ///
  /// - Returns: those that are on storage.
  mutating func renumber(_ sequences: [Int64], chance: Double) -> [Int64] {
    guard failure != nil else { return sequences }
    let queueID = 1 + UInt64(chance * 0x1p53)
    failure?.queueID = queueID
    for sequence in sequences where isPending(sequence) {
      pending[index(after: sequence - 1)].queueID = queueID
    }
    return sequences.filter { !isPending($0) }
  }

  private mutating func dropOverflow() {
    guard pending.count > Outbox.capacity, var failure, writing == nil else { return }
    let index = pending.firstIndex { !$0.kind.isEvent } ?? 0
    failure.noteLostTrack(from: pending[index], to: pending[(index + 1)...].first(where: \.isOfTrack))
    let victim = pending.remove(at: index).sequence
    for server in failure.delivered.keys { failure.delivered[server]?.remove(victim) }
    for server in failure.refused.keys { failure.refused[server]?[victim] = nil }
    failure.dropped += 1
    droppedFromMemory += 1
    self.failure = failure
  }

  // MARK: Dates

  /// What this boot left undated before this process began.
  mutating func goOn(with undated: Undated) {
    self.undated = Undated(
      from: min(undated.from, self.undated?.from ?? .max),
      records: undated.records + (self.undated?.records ?? 0))
  }

  /// The time is known. - Parameter offset_ms: Unix time at which the boot clock began.
  mutating func redate(offset_ms: Int64, at now_ms: Int64) {
    guard let undated else { return }
    let redating = Redating(from: min(undated.from, redating?.from ?? .max), offset_ms: offset_ms)
    for index in pending.indices { pending[index] = redating.applied(to: pending[index]) ?? pending[index] }
    (self.redating, self.undated) = (redating, nil)
    changed(at: now_ms)
    isUrgent = true
  }
}

extension Outbox.Failure {
  /// - Parameter next: what the track goes on with, or the gap in which it does not.
  fileprivate mutating func noteLostTrack(from lost: Record, to next: Record?) {
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
}

extension Record {
  /// It says where the track is, or is not.
  fileprivate var isOfTrack: Bool { kind == .gap || kind == .position && tripID != nil }
}

extension Outbox {
  /// The last commit has failed.
  var lost: [Want] {
    if pending.isEmpty { return [] }
    let words = counted(
      pending.count, "record in memory is not on storage, and ends",
      "records in memory are not on storage, and end")
    return [.log(.error, "\(words) with the process")]
  }
}

extension Outbox.Failure {
  /// Storage works again: what servers have of what was in memory leaves it as well.
  var over: [Want] {
    var wants: [Want] = []
    if dropped > 0 {
      let words = "\(counted(dropped, "record")) did not fit into memory while storage failed"
      wants.append(.warnUnreported(.dropped, words, times: dropped))
    }
    wants.append(.log(.notice, "storage works again"))
    // Those of a minute and more are recorded.
    wants += lostTrack.filter { $0.end_ms - $0.begin_ms >= TrackGap.least_ms }.map { .tell(.lostTrack($0)) }
    for (server, sequences) in delivered.sorted(by: { $0.key < $1.key }) where !sequences.isEmpty {
      wants.append(.perform(.remove(sequences.sorted(), server: server)))
    }
    for (server, reasons) in refused.sorted(by: { $0.key < $1.key }) {
      for (sequence, reason) in reasons.sorted(by: { $0.key < $1.key }) {
        wants.append(.perform(.quarantine(sequence, reason: reason, server: server)))
      }
    }
    return wants
  }
}
