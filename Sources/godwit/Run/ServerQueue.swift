import TrackerCore
import TrackerIO

/// The queue of one server: what happens to its files becomes events.
final class ServerQueue {
  /// As in `Event`.
  private let server: Int
  private let label: String
  let queue: QueueStore
  private var maxBytes: Int64
  private var log: Log
  /// Keeps a second instance off the queue. It lies beside the queue file, and is let go with it.
  private var lock: ProcessLock?
  private let lockPath: String?
  private var commitsUntilQuota = 0
  private var isReportTaken = false
  private var reopeningsReported: Int
  private var isFrontProblemReported = false
  /// What it has of commits that another queue did not take: they come again, with more. By then records may have
  /// been delivered, and are not to wait anew.
  private var ahead = (through: Int64(0), dropped: [String: Int]())

  /// The file's size is looked at once in so many commits: it grows by kilobytes between two looks.
  static let commitsBetweenQuotas = 64

  /// - Parameter name: the server's.
  init(
    server: Int, name: String, queue: QueueStore, settings: QueueSettings, log: Log, lock: ProcessLock?
  ) {
    self.server = server
    label = OtherServer.label(name)
    self.queue = queue
    // Nothing may stay open on a file system that is to be repaired.
    self.lock = queue.isClosed ? nil : lock
    lockPath = server == 0 ? settings.path + ".lock" : nil
    maxBytes = Int64(settings.maxSize_mb * 1_000_000)
    self.log = log
    reopeningsReported = queue.reopenings
  }

  /// The path stays what it is.
  func apply(_ settings: QueueSettings, log: Log) {
    maxBytes = Int64(settings.maxSize_mb * 1_000_000)
    self.log = log
  }

  /// - Parameter catchUp: what it lacks of earlier ones comes before it.
  /// - Returns: what else happened, and why it failed, in words; nil: it is on storage.
  func commit(_ commit: Commit, after catchUp: () throws -> Void) -> (news: [Event], failure: String?) {
    do {
      try catchUp()
      let dropped = try queue.commit(commit.lacking(ahead.dropped, through: ahead.through))
      ahead = (max(ahead.through, commit.records.last?.sequence ?? 0), commit.dropped)
      // The first commit has the warning's record; of a file that was opened again, the next one.
      if reopeningsReported == queue.reopenings { takeReport() }
      return (events(dropped) + news() + keepQuota(), nil)
    } catch {
      return (news(), "\(label)\(error)")
    }
  }

  /// What it was given lately does not come again.
  func allQueuesHaveIt() { ahead = (0, [:]) }

  /// See `QueueStore.letGo`.
  func letGo(like closed: QueueStore) {
    queue.letGo(like: closed)
    if queue.isClosed { lock = nil }
  }

  func remove(_ sequences: [Int64]) -> [Event] {
    attempt("removing delivered records") { try queue.remove(sequences) }
  }

  func renumber(_ wanted: Renumbering) -> [Event] {
    let news = attempt("renumbering records") { try queue.renumber(wanted) }
    return [.queueIDChanged(QueueIDChanges(queue.ids), server: server)] + news
  }

  func quarantine(_ sequence: Int64, reason: String) -> [Event] {
    attempt("quarantine") { try queue.quarantine(sequence, reason: reason) }
  }

  // A failure here loses nothing: the records stay, are sent again, and the server notices.
  private func attempt(_ what: String, _ work: () throws -> [String: Int]) -> [Event] {
    do {
      let dropped = events(try work())
      return dropped + news() + [.queueShrank(queued: queue.count, server: server)]
    } catch {
      return news() + [
        .queueFailed("\(label)\(what): \(error)", server: server),
        .queueShrank(queued: queue.count, server: server),
      ]
    }
  }

  // What is committed is committed, whatever becomes of this.
  private func takeReport() {
    if isReportTaken { return }
    do {
      try queue.reportTaken()
      isReportTaken = true
    } catch {
      log.write(
        .warning, "\(label)the report of a damaged queue file is reported again at the next start: \(error)")
    }
  }

  // Whoever has taken it meanwhile could not open the queue file while this process had it, and cannot now.
  private func takeLockAgain() {
    guard let lockPath, lock == nil else { return }
    do { lock = try ProcessLock(path: lockPath) } catch { log.write(.warning, "\(error)") }
  }

  /// What has happened to the files since it was last asked.
  func news() -> [Event] {
    var news: [Event] = []
    if reopeningsReported < queue.reopenings {
      reopeningsReported = queue.reopenings
      isReportTaken = false
      log.write(.notice, "\(label)the queue file was opened again after a failure")
      takeLockAgain()
      news += queue.openReport.damage.map { .queueDamaged(label + $0) }
    }
    if let fault = queue.frontProblem, !isFrontProblemReported {
      isFrontProblemReported = true
      news.append(
        .queueDegraded("\(label)each commit goes into the database, which writes 20 times as much: \(fault)"))
    } else if queue.frontProblem == nil, isFrontProblemReported {
      isFrontProblemReported = false
      log.write(.notice, "\(label)the queue's front takes commits again")
    }
    return news
  }

  // What is committed is committed, whatever becomes of the quota.
  private func keepQuota() -> [Event] {
    commitsUntilQuota -= 1
    guard commitsUntilQuota < 0 else { return [] }
    commitsUntilQuota = ServerQueue.commitsBetweenQuotas
    do {
      return events(try queue.enforceQuota(maxBytes: maxBytes))
    } catch {
      log.write(.warning, "\(label)quota: \(error)")
      return []
    }
  }

  private func events(_ dropped: [String: Int]) -> [Event] {
    dropped.sorted { $0.key < $1.key }.map { .dropped(cause: label + $0.key, records: $0.value) }
  }
}

extension Commit {
  /// Without what a queue has of it.
  fileprivate func lacking(_ counted: [String: Int], through: Int64) -> Commit {
    var rest = self
    if through > 0 { rest.records.removeAll { $0.sequence <= through } }
    for (cause, records) in counted { rest.dropped[cause]? -= records }
    rest.dropped = rest.dropped.filter { $0.value > 0 }
    return rest
  }
}
