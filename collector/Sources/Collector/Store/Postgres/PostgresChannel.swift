import Clibpq
import Foundation
import Glibc

/// Tells the other collectors of a database of which vehicles something is new, and hears it from them (`NOTIFY`), on a
/// connection and a thread of its own. What gets lost while there is no connection is not said again: a page that watches
/// shows it with the vehicle's next record.
///
/// Names are gathered for a quarter of a second and sent in a transaction of their own: the server lets one transaction
/// with a notification commit at a time, which uploads must not wait for.
final class PostgresChannel: @unchecked Sendable {
  private static let beat_ms: Int32 = 250
  /// A payload of the server's has less than 8000 bytes.
  private static let longest_bytes = 7000
  /// So many wait at most, when there is no connection.
  private static let mostNames = 20_000

  private let address: PostgresAddress
  private let heard: @Sendable (String) -> Void
  /// A pipe: what is written at its end has the thread look whether it is to end.
  private let wake: (reading: Int32, writing: Int32)
  private let condition = NSCondition()
  // Protected by `condition`.
  private var names: Set<ExactName> = []
  private var isEnded = false
  private var isRunning = true

  /// - Parameter heard: called with a vehicle's name, on the channel's thread.
  init(_ address: PostgresAddress, heard: @escaping @Sendable (String) -> Void) {
    (self.address, self.heard) = (address, heard)
    var ends: [Int32] = [-1, -1]
    // Without one the end comes a beat later.
    if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
    wake = (ends[0], ends[1])
    let thread = Thread { [self] in work() }
    thread.name = "postgresql-notify"
    thread.start()
  }

  func tell(_ device: String) {
    condition.withLock { if names.count < Self.mostNames { names.insert(ExactName(device)) } }
  }

  func close() {
    condition.withLock { isEnded = true }
    var byte: UInt8 = 1
    _ = write(wake.writing, &byte, 1)
    condition.withLock { while isRunning { condition.wait() } }
    for end in [wake.reading, wake.writing] where end >= 0 { _ = Glibc.close(end) }
  }

  private func work() {
    while !condition.withLock({ isEnded }) {
      // Why there is none the requests say that need the database too.
      guard let session = try? PostgresSession(address) else {
        wait(for: -1, 1000)
        continue
      }
      try? serve(session)
    }
    condition.withLock {
      isRunning = false
      condition.broadcast()
    }
  }

  private func serve(_ session: PostgresSession) throws {
    let channel = try session.text("SELECT 'godwit_' || substr(md5(current_schema()), 1, 16)")
    try session.run("LISTEN \(channel)")
    while !condition.withLock({ isEnded }) {
      wait(for: session.socket, Self.beat_ms)
      guard let found = session.notifications() else { return }
      for one in found where one.backend != session.backend {
        for name in JSONValue(text: one.words)?.elements ?? [] { name.string.map(heard) }
      }
      for words in taken() {
        _ = try session.rows("SELECT pg_notify(?, ?)", PostgresArguments([channel, words]))
      }
    }
  }

  /// JSON arrays of the names that wait.
  private func taken() -> [String] {
    let all = condition.withLock {
      defer { names = [] }
      return names
    }
    var payloads: [[JSONValue]] = []
    var room = 0
    for name in all {
      let value = JSONValue.string(name.text)
      let size = value.text.utf8.count + 1
      if size > room {
        payloads.append([])
        room = Self.longest_bytes
      }
      payloads[payloads.count - 1].append(value)
      room -= size
    }
    return payloads.map { JSONValue.array($0).text }
  }

  private func wait(for socket: Int32, _ time_ms: Int32) {
    var descriptors = [
      pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
    ]
    poll(&descriptors, nfds_t(descriptors.count), time_ms)
  }
}
