import TrackerAgent
import TrackerBase

/// The queue, in memory. Keeps everything that ever came in, which is what a replay is judged by.
final class MemoryQueue: StoragePort {
  /// Every record in the order of commit.
  private(set) var history: [Record] = []
  private(set) var commits = 0
  /// The records before this index have left.
  private var head = 0
  private var leftEarly: Set<Int64> = []

  var count: Int { history.count - head - leftEarly.count }

  func commit(_ commit: Commit) -> [Event] {
    commits += 1
    if let redating = commit.redating {
      for index in history.indices.dropFirst(head) {
        history[index] = redating.applied(to: history[index]) ?? history[index]
      }
    }
    history += commit.records
    return [.committed(queued: [count])]
  }

  func remove(_ sequences: [Int64], server: Int) -> [Event] {
    leftEarly.formUnion(sequences)
    while head < history.count, leftEarly.remove(history[head].sequence) != nil { head += 1 }
    return [.queueShrank(queued: count)]
  }

  func quarantine(_ sequence: Int64, reason: String, server: Int) -> [Event] {
    remove([sequence], server: server)
  }

  /// Records that wait, in the order of their making.
  func records(for order: UploadOrder, limit: Int) -> [Record] {
    let waiting = history[head...].lazy.filter { !self.leftEarly.contains($0.sequence) }
    return order.picked(from: waiting, limit: limit)
  }
}
