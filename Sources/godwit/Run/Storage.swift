import TrackerAgent
import TrackerCore
import TrackerIO

/// The queues of all servers, as the agent's storage port.
final class Storage: StoragePort {
  private let queues: [ServerQueue]

  /// - Parameters:
  ///   - lock: keeps a second instance off all of them. It lies beside the first server's queue.
  ///   - others: queues of the servers of `sync.also`, by name.
  init(
    queue: QueueStore, settings: QueueSettings, log: Log, lock: ProcessLock? = nil,
    others: [(name: String, queue: QueueStore)] = []
  ) {
    let first = ServerQueue(server: 0, name: "", queue: queue, settings: settings, log: log, lock: lock)
    queues =
      [first]
      + others.enumerated().map { index, other in
        ServerQueue(
          server: index + 1, name: other.name, queue: other.queue, settings: settings, log: log, lock: nil)
      }
  }

  func apply(_ settings: QueueSettings, log: Log) {
    for queue in queues { queue.apply(settings, log: log) }
  }

  /// All or none of them have it, as far as the tracker knows: after a failure the same commit comes again, and
  /// whoever has it leaves it as it is.
  func commit(_ commit: Commit) -> [Event] {
    var news: [Event] = []
    for (server, queue) in queues.enumerated() {
      let result = queue.commit(server == 0 ? commit : commit.withRecordsOnly)
      news += result.news
      if let failure = result.failure { return news + [.commitFailed(failure)] }
    }
    return news + [.committed(queued: queues.map(\.count))]
  }

  func remove(_ sequences: [Int64], server: Int = 0) -> [Event] { queues[server].remove(sequences) }

  func quarantine(_ sequence: Int64, reason: String, server: Int = 0) -> [Event] {
    queues[server].quarantine(sequence, reason: reason)
  }
}

extension Commit {
  /// A start reads state and newest fixes from the first queue.
  fileprivate var withRecordsOnly: Commit { Commit(records: records, dropped: dropped) }
}
