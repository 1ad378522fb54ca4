import Foundation

/// Threads and connections, as many of the one as of the other: libpq's calls wait, and nothing that waits may stand on
/// the threads that serve requests. A connection is made when all others are busy, and anew when one has broken.
final class PostgresPool: @unchecked Sendable {
  typealias Job = @Sendable (inout PostgresSession?) -> Void

  private let condition = NSCondition()
  // Protected by `condition`, as what a connection is used by one thread at a time is by being in nobody else's hands.
  private var jobs: [Job] = []
  private var first = 0
  private var isClosed = false
  private var running: Int
  private var idle: [PostgresSession]

  init(connections: Int, first session: PostgresSession) {
    running = connections
    idle = [session]
    for number in 0..<connections {
      let thread = Thread { [self] in work() }
      thread.name = "postgresql-\(number)"
      thread.start()
    }
  }

  /// - Returns: false once it is closed.
  func add(_ job: @escaping Job) -> Bool {
    condition.withLock {
      if isClosed { return false }
      jobs.append(job)
      condition.signal()
      return true
    }
  }

  /// What waits is done first.
  func close() {
    condition.withLock {
      isClosed = true
      condition.broadcast()
      while running > 0 { condition.wait() }
      idle = []
    }
  }

  private func work() {
    while let (job, found) = next() {
      var session = found
      job(&session)
      condition.withLock { if let session { idle.append(session) } }
    }
    condition.withLock {
      running -= 1
      condition.broadcast()
    }
  }

  /// With a connection that is idle, the one that was used last.
  private func next() -> (Job, PostgresSession?)? {
    condition.withLock {
      while first == jobs.count {
        if isClosed { return nil }
        condition.wait()
      }
      defer {
        first += 1
        if first == jobs.count { (jobs, first) = ([], 0) }
      }
      return (jobs[first], idle.popLast())
    }
  }
}
