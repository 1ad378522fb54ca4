import Glibc
import TrackerBase

@testable import TrackerIO

extension [Record] {
  /// As they were made: the store has put in the queue id under which they are sent.
  var asMade: [Record] {
    map { record in
      var made = record
      made.queueID = 0
      return made
    }
  }
}

extension QueueStore {
  var database: SQLiteDatabase { get throws { try opened.database } }

  /// All that waits for a server, oldest first, as it was made.
  func waiting(server: Int = 0) throws -> [Record] { try self[server].batch(limit: 1_000_000).asMade }

  func sequences(server: Int = 0) throws -> [Int64] { try waiting(server: server).map(\.sequence) }

  /// A failure as that of a disk that has turned read-only.
  func fail() throws {
    try database.execute("PRAGMA query_only = ON")
    _ = thrown(StoreError.self) { try database.execute("DELETE FROM ledger") }
  }
}

extension QueueFolder {
  /// Another one with what a SIGKILL or a power cut leaves of an open queue.
  func cut() -> QueueFolder {
    let other = QueueFolder()
    copyAsCut(to: other)
    return other
  }

  /// So many bytes of the log are on storage.
  func cut(log: [UInt8], bytes: Int) -> QueueFolder {
    let other = cut()
    other.write(Array(log[..<bytes]), to: "queue.db-wal")
    return other
  }

  /// Bytes of the log up to the last one that was ever written.
  var writtenLog: [UInt8] {
    let log = read("queue.db-wal")
    return Array(log.prefix((log.lastIndex { $0 != 0 } ?? -1) + 1))
  }

  /// Another program takes what is at a place of the database for its own.
  func overwrite(_ byte: UInt8, count: Int = 512, page: Int) {
    let file = open(queue, O_WRONLY | O_CLOEXEC)
    let bytes = [UInt8](repeating: byte, count: count)
    pwrite(file, bytes, count, off_t(page * Int(StoreSchema.pageBytes)))
    close(file)
  }
}
