import TrackerAgent
import TrackerBase
import TrackerCore
import TrackerIO

/// The store, as the agent's storage port: what happens to it becomes events.
final class Storage: StoragePort {
  private let queue: QueueStore
  private var maxBytes: Int64
  private var log: Log
  /// Keeps a second instance off the store. It lies beside the file, and is let go with it.
  private var lock: ProcessLock?
  private let lockPath: String
  private var commitsUntilQuota = 0
  private var isReportTaken = false
  private var reopeningsReported: Int

  /// The file's size is looked at once in so many commits: it grows by kilobytes between two looks.
  static let commitsBetweenQuotas = 64

  init(queue: QueueStore, settings: QueueSettings, log: Log, lock: ProcessLock? = nil) {
    self.queue = queue
    // Nothing may stay open on a file system that is to be repaired.
    self.lock = queue.isClosed ? nil : lock
    lockPath = settings.path + ".lock"
    maxBytes = Int64(settings.maxSize_mb * 1_000_000)
    self.log = log
    reopeningsReported = queue.reopenings
  }

  /// The path stays what it is.
  func apply(_ settings: QueueSettings, log: Log) {
    maxBytes = Int64(settings.maxSize_mb * 1_000_000)
    self.log = log
  }

  func commit(_ commit: Commit) -> [Event] {
    Supervisor.alive()
    do {
      try queue.commit(commit)
      // The first commit has the warning's record; of a file that was opened again, the next one.
      if reopeningsReported == queue.reopenings { takeReport() }
      return news() + keepQuota() + [.committed(queued: queue.counts)]
    } catch {
      let news = news()
      if queue.isClosed { lock = nil }
      return news + queue.counts.enumerated().map { .queueShrank(queued: $1, server: $0) }
        + [.commitFailed("\(error)")]
    }
  }

  func remove(_ sequences: [Int64], server: Int = 0) -> [Event] {
    attempt("removing delivered records", server) { try queue[server].remove(sequences) }
  }

  func quarantine(_ sequence: Int64, reason: String, server: Int = 0) -> [Event] {
    attempt("quarantine", server) { try queue[server].quarantine(sequence, reason: reason) }
  }

  func renumber(_ sequences: [Int64], renews: Bool) -> [Event] {
    let news = attempt("renumbering records", 0) { try queue.renumber(sequences, renews: renews) }
    // Each server that wants one of them gets it under the new id.
    let others = queue.counts.enumerated().dropFirst().map { Event.queueShrank(queued: $1, server: $0) }
    return [.queueIDChanged(queue.idChanges)] + news + others
  }

  func figures() -> [QueueFigures] { queue.counts.indices.map { queue[$0].statusFigures() } }

  // A failure here loses nothing: the records stay, are sent again, and the server notices.
  private func attempt(_ what: String, _ server: Int, _ work: () throws -> Void) -> [Event] {
    Supervisor.alive()
    var failed: [Event] = []
    do { try work() } catch { failed = [.queueFailed("\(what): \(error)", server: server)] }
    return news() + failed + [.queueShrank(queued: queue[server].count, server: server)]
  }

  // What is committed is committed, whatever becomes of this.
  private func takeReport() {
    if isReportTaken { return }
    do {
      try queue.reportTaken()
      isReportTaken = true
    } catch {
      log.write(.warning, "the report of a damaged queue file is reported again at the next start: \(error)")
    }
  }

  /// What has happened to the file, and what it dropped, since this was last asked.
  private func news() -> [Event] {
    let dropped = Event.dropped(by: queue)
    guard reopeningsReported < queue.reopenings else { return dropped }
    reopeningsReported = queue.reopenings
    isReportTaken = false
    log.write(.notice, "the queue file was opened again after a failure")
    // Whoever has taken it meanwhile could not open the queue file while this process had it, and cannot now.
    if lock == nil { do { lock = try ProcessLock(path: lockPath) } catch { log.write(.warning, "\(error)") } }
    return dropped + queue.openReport.damage.map { .queueDamaged($0) }
  }

  // What is committed is committed, whatever becomes of the quota.
  private func keepQuota() -> [Event] {
    commitsUntilQuota -= 1
    guard commitsUntilQuota < 0 else { return [] }
    commitsUntilQuota = Storage.commitsBetweenQuotas
    do {
      if try queue.enforceQuota(maxBytes: maxBytes) { commitsUntilQuota = 0 }
    } catch {
      log.write(.warning, "quota: \(error)")
    }
    return news()
  }
}

extension Event {
  /// Since this was last asked.
  static func dropped(by queue: QueueStore) -> [Event] {
    queue.takeDropped().sorted { $0.key < $1.key }.map { .dropped(cause: $0.key, records: $0.value) }
  }
}

extension Tracker.Restored {
  /// What a start goes on from.
  init(_ queue: QueueStore, moved: String?) {
    let (state, tail, lastSequence) = queue.restore()
    self.init(
      state: state, tail: tail,
      lastSequence: queue.isUnread ? Tracker.Restored.unreadSequence() : lastSequence,
      queued: queue.counts, damage: queue.openReport.damage, storageProblem: queue.storageProblem)
    (isUnread, moves, idChanges) = (queue.isUnread, moved.map { [$0] } ?? [], queue.idChanges)
  }

  /// Above what the store may have given, which is not known, and by chance apart from what another such start has given:
  /// without a clock both begin at the same time.
  private static func unreadSequence() -> Int64 {
    max(HostClock.now().wall_ms, Version.released_ms) + .random(in: 0..<1 << 36)
  }
}
