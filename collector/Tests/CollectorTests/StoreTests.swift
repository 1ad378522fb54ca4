import Foundation
import GRDB
import Testing

@testable import Collector

@Suite("Store")
struct StoreTests {
  @Test(
    "commits are on the disk when they return: WAL, synchronous FULL, on the connection that writes",
    .enabled(if: !TestDatabase.isPostgres, "of SQLite alone"))
  func durable() async throws {
    try await withCollector { _, store in
      let (journal, synchronous) = try await store.connection.read { db in
        (try db.value(String.self, "PRAGMA journal_mode"), try db.value(Int.self, "PRAGMA synchronous"))
      }
      #expect(journal == "wal")
      #expect(synchronous == 2)
    }
  }

  @Test("GRDB's own WAL mode would not do, and is refused")
  func notDurable() async throws {
    try await withTemporaryFolder { folder in
      var configuration = Configuration()
      configuration.journalMode = .wal
      let path = folder.appending(path: "fleet.sqlite").path
      let connection = try DatabaseQueue(path: path, configuration: configuration)
      #expect(throws: StoreError.notDurable(journal: "wal", synchronous: 1)) {
        try connection.writeWithoutTransaction { try SQLiteConnection.requireDurability($0) }
      }
      try connection.close()
    }
  }

  @Test("what was acknowledged is there after a restart, and is a duplicate then")
  func restart() async throws {
    try await withTemporaryFolder { folder in
      let path = folder.appending(path: "fleet.sqlite").path
      let upload = try Upload(
        device: "van-7", schema: nil, batch: nil, body: Array(body([record(uuid(1))]).utf8))
      let first = try openStore(path)
      #expect(try await first.store(upload, at: now_ms).stored == 1)
      try first.close()

      let second = try openStore(path)
      #expect(try await second.store(upload, at: now_ms).duplicates == 1)
      #expect(try await second.devices().map(\.records) == [1])
      try second.close()
    }
  }

  @Test("a device's totals are those of its records")
  func totals() async throws {
    try await withCollector { client, store in
      for sequences in [[1, 2, 3], [2, 3, 4], [9]] as [[UInt64]] {
        let records = sequences.map { record(uuid($0), time: "2026-01-0\($0)T00:00:00Z") }
        _ = try await client.post(body(records))
      }
      let sums = "SELECT count(*) AS records, min(time_ms) AS first, max(time_ms) AS last FROM record"
      let totals = "SELECT records, first_time_ms AS first, last_time_ms AS last FROM device"
      let (counted, kept) = try await store.connection.read { db in
        (try db.row(sums)?.values, try db.row(totals)?.values)
      }
      #expect(counted?.first == .integer(5))
      #expect(kept == counted)
    }
  }

  @Test("a file that cannot be opened is named with what to look at")
  func cannotOpen() {
    let path = "/nonexistent/fleet.sqlite"
    let error = StoreError.cannotOpen(path: path, code: 14, words: "unable to open database file")
    #expect(throws: error) { try Store(path: path) }
    #expect(
      error.description == """
        cannot open the database /nonexistent/fleet.sqlite: SQLite 14, unable to open database file; \
        does its folder exist, and may this user write there?
        """)
  }

  @Test("a setting that loses records is named")
  func wording() {
    #expect(
      StoreError.notDurable(journal: "delete", synchronous: 1).description == """
        the database would lose acknowledged records at a power cut: journal_mode=delete and \
        synchronous=1, wanted wal and 2; is it on a local file system?
        """)
  }
}
