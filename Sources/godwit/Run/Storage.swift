import TrackerAgent
import TrackerCore
import TrackerIO

/// The queue file, as the agent's storage port.
final class Storage: StoragePort {
  private let queue: QueueStore
  private var maxBytes: Int64
  private var log: Log
  /// Keeps a second instance off the queue. It lies beside the queue file, and is let go with it.
  private var lock: ProcessLock?
  private let lockPath: String
  private var commitsUntilQuota = 0
  private var isReportTaken = false
  private var reopeningsTold: Int
  private var isFrontFaultTold = false

  /// The file's size is looked at once in so many commits: it grows by kilobytes between two looks.
  static let commitsBetweenQuotas = 64

  init(queue: QueueStore, settings: QueueSettings, log: Log, lock: ProcessLock? = nil) {
    self.queue = queue
    // Nothing may stay open on a file system that is to be repaired.
    self.lock = queue.isClosed ? nil : lock
    lockPath = settings.path + ".lock"
    maxBytes = Int64(settings.maxSize_mb * 1_000_000)
    self.log = log
    reopeningsTold = queue.reopenings
  }

  /// The path stays what it is.
  func apply(_ settings: QueueSettings, log: Log) {
    maxBytes = Int64(settings.maxSize_mb * 1_000_000)
    self.log = log
  }

  func commit(_ commit: Commit) -> [Event] {
    do {
      if queue.isUnread { return try readAtLast() }
      let dropped = try queue.commit(commit)
      // The first commit has the warning's record; of a file that was opened again, the next one.
      if reopeningsTold == queue.reopenings { takeReport() }
      return events(dropped) + news() + keepQuota() + [.committed(queued: queue.count)]
    } catch {
      if queue.isClosed { lock = nil }
      return news() + [.commitFailed("\(error)")]
    }
  }

  /// Nothing is committed yet: the tracker did not know which numbers were given.
  private func readAtLast() throws -> [Event] {
    try queue.readAtLast()
    let restored = try queue.restore()
    let found = Tracker.Restored(
      state: restored.state, tail: restored.tail, lastSequence: restored.lastSequence, queued: queue.count)
    return news() + [.queueRead(found)]
  }

  func remove(_ sequences: [Int64]) -> [Event] {
    attempt("removing delivered records") { try queue.remove(sequences) }
  }

  func quarantine(_ sequence: Int64, reason: String) -> [Event] {
    attempt("quarantine") { try queue.quarantine(sequence, reason: reason) }
  }

  // A failure here loses nothing: the records stay, are sent again, and the server notices.
  private func attempt(_ what: String, _ work: () throws -> [String: Int]) -> [Event] {
    do {
      let dropped = events(try work())
      return dropped + news() + [.queueShrank(queued: queue.count)]
    } catch {
      return news() + [.queueFailed("\(what): \(error)"), .queueShrank(queued: queue.count)]
    }
  }

  // What is committed is committed, whatever becomes of this.
  private func takeReport() {
    if isReportTaken { return }
    do {
      try queue.reportTaken()
      isReportTaken = true
    } catch {
      log.write(.warning, "the report of a damaged queue file is told again at the next start: \(error)")
    }
  }

  // Whoever has taken it meanwhile could not open the queue file while this process had it, and cannot now.
  private func takeLockAgain() {
    if lock != nil { return }
    do { lock = try ProcessLock(path: lockPath) } catch { log.write(.warning, "\(error)") }
  }

  /// What has happened to the files since it was last asked.
  private func news() -> [Event] {
    var news: [Event] = []
    if reopeningsTold < queue.reopenings {
      reopeningsTold = queue.reopenings
      isReportTaken = false
      log.write(.notice, "the queue file was opened again after a failure")
      takeLockAgain()
      news += QueueReport.damage(queue.openReport).map { .queueDamaged($0) }
    }
    if let fault = queue.frontFault, !isFrontFaultTold {
      isFrontFaultTold = true
      news.append(
        .queueDegraded("each commit goes into the database, which writes 20 times as much: \(fault)"))
    } else if queue.frontFault == nil, isFrontFaultTold {
      isFrontFaultTold = false
      log.write(.notice, "the queue's front takes commits again")
    }
    return news
  }

  // What is committed is committed, whatever becomes of the quota.
  private func keepQuota() -> [Event] {
    commitsUntilQuota -= 1
    guard commitsUntilQuota < 0 else { return [] }
    commitsUntilQuota = Storage.commitsBetweenQuotas
    do {
      return events(try queue.enforceQuota(maxBytes: maxBytes))
    } catch {
      log.write(.warning, "quota: \(error)")
      return []
    }
  }

  private func events(_ dropped: [String: Int]) -> [Event] {
    dropped.sorted { $0.key < $1.key }.map { .dropped(cause: $0.key, records: $0.value) }
  }
}
