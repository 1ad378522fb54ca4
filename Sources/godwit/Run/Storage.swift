import TrackerAgent
import TrackerCore
import TrackerIO

/// The queue file, as the agent's storage port.
final class Storage: StoragePort {
  private let queue: QueueStore
  private let maxBytes: Int64
  private let log: Log
  private var commitsUntilQuota = 0
  private var isReportTaken = false

  /// The file's size is looked at once in so many commits: it grows by kilobytes between two looks.
  static let commitsBetweenQuotas = 64

  init(queue: QueueStore, settings: QueueSettings, log: Log) {
    self.queue = queue
    maxBytes = Int64(settings.maxSize_mb * 1_000_000)
    self.log = log
  }

  func commit(_ commit: Commit) -> [Event] {
    do {
      let dropped = try queue.commit(commit)
      // The first commit has the warning's record.
      if !isReportTaken { try queue.reportTaken() }
      isReportTaken = true
      return events(dropped) + keepQuota() + [.committed(queued: queue.count)]
    } catch { return [.commitFailed("queue: \(error)")] }
  }

  func remove(_ sequences: [Int64]) -> Event {
    attempt("removing delivered records") { try queue.remove(sequences) }
  }

  func quarantine(_ sequence: Int64, reason: String) -> Event {
    attempt("quarantine") { try queue.quarantine(sequence, reason: reason) }
  }

  // A failure here loses nothing: the records stay, are sent again, and the server notices.
  private func attempt(_ what: String, _ work: () throws -> Void) -> Event {
    do { try work() } catch { log.write(.warning, "queue: \(what): \(error)") }
    return .queueShrank(queued: queue.count)
  }

  // What is committed is committed, whatever becomes of the quota.
  private func keepQuota() -> [Event] {
    commitsUntilQuota -= 1
    guard commitsUntilQuota < 0 else { return [] }
    commitsUntilQuota = Storage.commitsBetweenQuotas
    do {
      return events(try queue.enforceQuota(maxBytes: maxBytes))
    } catch {
      log.write(.warning, "queue: quota: \(error)")
      return []
    }
  }

  private func events(_ dropped: [String: Int]) -> [Event] {
    dropped.sorted { $0.key < $1.key }.map { .dropped(cause: $0.key, records: $0.value) }
  }
}
