import TrackerAgent
import TrackerCore
import TrackerIO

/// The queues of all servers, as the agent's storage port.
final class Storage: StoragePort {
  private let queues: Queues
  private let each: [ServerQueue]

  /// - Parameter lock: keeps a second instance off all of them. It lies beside the first server's queue.
  init(queues: Queues, settings: QueueSettings, log: Log, lock: ProcessLock? = nil) {
    self.queues = queues
    let first = ServerQueue(
      server: 0, name: "", queue: queues.first, settings: settings, log: log, lock: lock)
    each =
      [first]
      + queues.others.enumerated().map { index, other in
        ServerQueue(
          server: index + 1, name: other.name, queue: other.queue, settings: settings, log: log, lock: nil)
      }
  }

  func apply(_ settings: QueueSettings, log: Log) {
    for queue in each { queue.apply(settings, log: log) }
  }

  /// All or none of them have it, as far as the tracker knows: after a failure the same commit comes again, and
  /// whoever has it passes it over.
  func commit(_ commit: Commit) -> [Event] {
    // Storage that stalls for 10 s must not look like a loop that hangs; files that are opened anew are read whole.
    if queues.all.contains(where: \.isClosed) { Supervisor.working(most_s: 60) } else { Supervisor.alive() }
    do {
      if let restored = try queues.readAtLast() {
        // Nothing is committed yet: the tracker did not know which numbers were given.
        return each.flatMap { $0.news() } + [.queueRead(restored)]
      }
      try queues.catchUp()
    } catch {
      letGo()
      return each.flatMap { $0.news() } + [.commitFailed("\(error)")]
    }
    var news: [Event] = []
    for (server, queue) in each.enumerated() {
      if server > 0 { Supervisor.alive() }
      let result = queue.commit(server == 0 ? commit : commit.forFurtherServer)
      news += result.news
      if let failure = result.failure {
        letGo()
        return news + [.commitFailed(failure)]
      }
    }
    for queue in each { queue.othersHaveIt() }
    return news + [.committed(queued: queues.all.map(\.count))]
  }

  /// As long as a file or the lock is open, nobody can mount the file system anew.
  private func letGo() {
    guard let closed = queues.all.first(where: \.isClosed) else { return }
    for queue in each { queue.letGo(like: closed) }
  }

  func remove(_ sequences: [Int64], server: Int = 0) -> [Event] {
    Supervisor.alive()
    return each[server].remove(sequences)
  }

  func quarantine(_ sequence: Int64, reason: String, server: Int = 0) -> [Event] {
    Supervisor.alive()
    return each[server].quarantine(sequence, reason: reason)
  }
}
