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

  /// Each queue that works has it. After a failure of one the same commit comes again, and whoever has it passes it
  /// over.
  func commit(_ commit: Commit) -> [Event] {
    // Storage that stalls for 10 s must not look like a loop that hangs; files that are opened anew are read whole.
    let opensFiles = commit.retriesFailed && queues.all.contains(where: \.isClosed)
    if opensFiles { Supervisor.working(most_s: 60) } else { Supervisor.alive() }
    let rewritten = queues.rewrittenLogs
    do {
      if let restored = try queues.readAtLast() {
        // Nothing is committed yet: the tracker did not know which numbers were given.
        return each.flatMap { $0.news() } + [.queueRead(restored)]
      }
    } catch {
      letGo()
      let isCostly = queues.rewrittenLogs > rewritten
      return each.flatMap { $0.news() } + [.commitFailed("\(error)", isCostly: isCostly)]
    }
    var news: [Event] = []
    var failures: [String] = []
    var stored: [Int: Int] = [:]
    for (server, queue) in each.enumerated() where commit.retriesFailed || !queue.queue.isClosed {
      if server > 0 { Supervisor.alive() }
      let (events, failure) = queue.commit(commit.share(of: server)) { try queues.catchUp(server) }
      news += events
      if let failure { failures.append(failure) } else { stored[server] = queue.queue.count }
    }
    if stored.count == each.count {
      for queue in each { queue.allQueuesHaveIt() }
      return news + [.committed(queued: queues.all.map(\.count))]
    }
    if failures.isEmpty { return news + [.commitFailed(nil, stored: stored)] }
    letGo()
    let isCostly = queues.rewrittenLogs > rewritten
    return news + [.commitFailed(failures.joined(separator: "; "), stored: stored, isCostly: isCostly)]
  }

  /// As long as a file or the lock is open on a file system that fails, nobody can mount it anew.
  private func letGo() {
    for closed in queues.all where closed.isClosed {
      for queue in each { queue.letGo(like: closed) }
    }
  }

  func figures() -> [QueueFigures] { each.map { $0.queue.figures } }

  func remove(_ sequences: [Int64], server: Int = 0) -> [Event] {
    Supervisor.alive()
    return each[server].remove(sequences)
  }

  func renumber(_ wanted: Renumbering, server: Int = 0) -> [Event] {
    Supervisor.alive()
    return each[server].renumber(wanted)
  }

  func quarantine(_ sequence: Int64, reason: String, server: Int = 0) -> [Event] {
    Supervisor.alive()
    return each[server].quarantine(sequence, reason: reason)
  }
}
