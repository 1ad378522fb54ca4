import Foundation
import Testing

@testable import Collector

@Suite("PostgreSQL: what needs no server")
struct PostgresWordsTests {
  @Test("places of a statement are numbered as PostgreSQL has them")
  func numbered() {
    #expect(PostgresSQL.numbered("a = ? AND b IN (?)") == "a = $1 AND b IN ($2)")
    #expect(PostgresSQL.numbered("a = ?2 OR ?1 < ?2") == "a = $2 OR $1 < $2")
    #expect(PostgresSQL.numbered("SELECT 1") == "SELECT 1")
  }

  @Test("an array is a head, and the length and bytes of each element")
  func array() {
    let head: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 25, 0, 0, 0, 3, 0, 0, 0, 1]
    let elements: [UInt8] = [0, 0, 0, 1, 0x61, 255, 255, 255, 255, 0, 0, 0, 3, 0xef, 0xbf, 0xbd]
    #expect(PostgresArray.texts(["a", nil, "\0"]) == head + elements)
    #expect(PostgresArray.integers([-2]).suffix(12) == [0, 0, 0, 8, 255, 255, 255, 255, 255, 255, 255, 254])
    #expect(PostgresArray.bools([true, nil]).suffix(10) == [0, 0, 0, 2, 0, 1, 255, 255, 255, 255])
  }

  @Test(
    "a month begins and ends in UTC, and times out of a century have none",
    arguments: [
      ("2025-12-31T23:59:59.999Z", "record_2025_12"), ("2026-01-01T00:00:00Z", "record_2026_01"),
      ("2099-12-31T23:59:59Z", "record_2099_12"),
    ])
  func month(time: String, table: String) throws {
    let time_ms = try #require(Timestamp.milliseconds(time))
    let month = try #require(RecordMonth(time_ms))
    #expect(month.table == table)
    #expect((month.begin_ms..<month.end_ms).contains(time_ms))
    #expect(RecordMonth(month.end_ms) != month && RecordMonth(month.begin_ms) == month)
  }

  @Test(
    "times that no clock means get no partition",
    arguments: [.min, 0, 946_684_799_999, 4_102_444_800_000, .max] as [Int64])
  func noMonth(time_ms: Int64) {
    #expect(RecordMonth(time_ms) == nil)
  }

  @Test("an address that cannot be read is refused without a word of it")
  func noAddress() throws {
    #expect(PostgresAddress.isOne("postgresql:///fleet") && PostgresAddress.isOne("postgres://a@b/c"))
    #expect(!PostgresAddress.isOne("/var/lib/fleet.sqlite") && !PostgresAddress.isOne("postgresql.sqlite"))
    let error = #expect(throws: StoreError.self) { try PostgresAddress("postgresql://anna:se%cret@db/fleet") }
    let words = "\(try #require(error))"
    #expect(words.hasPrefix("the address of the database cannot be read: write postgresql://USER@HOST/NAME"))
    #expect(!words.contains("cret") && !words.contains("anna"))
  }

  @Test("a server that is not there is named at the start, and to devices without its name or the password")
  func unreachable() throws {
    let error = #expect(throws: StoreError.self) {
      try Store(database: "postgresql://anna:secret@localhost:1/fleet?connect_timeout=2")
    }
    let words = "\(try #require(error))"
    #expect(words.hasPrefix("cannot use the PostgreSQL database: connection to server at "), "\(words)")
    #expect(!words.contains("secret"))
    let later = StorageError.unreachable("connection to server at db failed")
    #expect(later.words == "there is no connection to the server")
    #expect(later.isTransient && "\(later)".hasSuffix(": connection to server at db failed"))
  }

  @Test("the words of an error about a value do not have the value")
  func values() {
    let error = StorageError(postgres: "22P02", "invalid input syntax for type bigint: \"48.1\"")
    #expect(error.description == "PostgreSQL 22P02, a value does not fit into its column")
    #expect(StorageError(postgres: "40P01", "deadlock detected").isTransient)
    #expect(!StorageError(postgres: "53100", "could not extend file: No space left on device").isTransient)
  }

  @Test(
    "what the operator can do is said",
    arguments: [
      (
        StoreError.postgresNotDurable(fsync: "off", synchronousCommit: "on"),
        "wanted on and on: set both in postgresql.conf"
      ),
      (
        .newerSchema(found: 9, known: 1),
        "its tables have version 9, and this one knows up to 1: update the collector"
      ),
      (.notUTF8("SQL_ASCII"), "the database has the encoding SQL_ASCII, and the collector needs UTF8"),
      (.oldServer(12), "the PostgreSQL is of version 12, and the collector needs 13 or later"),
      (.noSchema, "GRANT USAGE, CREATE ON SCHEMA public"),
    ])
  func words(error: StoreError, part: String) {
    #expect(error.description.contains(part))
  }
}

@Suite(
  "PostgreSQL: several collectors on one database",
  .enabled(if: TestDatabase.isPostgres, "needs a server: collector/Tests/with-postgresql"),
  .timeLimit(.minutes(10)))
struct PostgresTests {
  @Test("both make the partition of a month that is new, and odd times lie together")
  func partitions() async throws {
    try await withTwoStores { one, other, _ in
      let times = ["2026-01-31T23:59:59.999Z", "2026-02-01T00:00:00Z", "1970-01-01T00:00:00Z"]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, store) in [one, other, one, other].enumerated() {
          let upload = try anUpload(
            times.enumerated().map { record(uuid(UInt64($0 + 1)), time: $1) }, of: "van-\(number)")
          group.addTask {
            let stored = try await store.store(upload, at: now_ms).stored
            #expect(stored == 3)
          }
        }
        try await group.waitForAll()
      }
      for table in ["record_2026_01", "record_2026_02", "record_other"] {
        #expect(try await rows(of: table, one) == 4, "\(table)")
      }
      #expect(try await rows(of: "record", other) == 12)
    }
  }

  @Test("the same records by both at once are stored once, and the totals are those of the records")
  func once() async throws {
    try await withTwoStores { one, other, _ in
      let stored = try await withThrowingTaskGroup(of: Int.self) { group in
        for turn in 0..<40 {
          let first = UInt64(turn / 2 * 5)
          let names = turn % 4 < 2 ? ["van-7", "van-8"] : ["van-8", "van-7"]
          for name in names {
            let upload = try anUpload(
              (1...5).map { record(uuid(first + $0), event: $0 == 1 ? "trip" : "") }, of: name)
            let store = turn.isMultiple(of: 2) ? one : other
            group.addTask {
              let receipt = try await store.store(upload, at: now_ms)
              #expect(receipt.ack.count == 5)
              return receipt.stored
            }
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(stored == 200)
      #expect(try await one.devices().map(\.records) == [100, 100])
      #expect(try await rows(of: "record", one) == 200)
      #expect(try await rows(of: "record_key", one) == 200)
    }
  }

  @Test("what is to be told is taken by one of them")
  func claims() async throws {
    try await withTwoStores { one, other, _ in
      _ = try await one.addWebhook("https://a.example", [.trip], secret: "s", at: 0)
      _ = try await one.store(try anUpload((1...9).map { record(uuid($0), event: "trip") }), at: now_ms)
      async let first = one.dueDeliveries(at: now_ms, limit: 6)
      async let second = other.dueDeliveries(at: now_ms, limit: 6)
      let all = try await (first + second).map(\.number)
      #expect(all.count == Set(all).count)
      let rest = try await one.dueDeliveries(at: now_ms, limit: 6).map(\.number)
      #expect(Set(all + rest).count == 9 && all.count + rest.count == 9)
      #expect(try await other.dueDeliveries(at: now_ms + 119_999, limit: 9).isEmpty)
      #expect(
        try await other.dueDeliveries(at: now_ms + 120_000, limit: 9).count == 9, "its collector has ended")
    }
  }

  @Test("silence is told once by both together")
  func silence() async throws {
    try await withTwoStores { one, other, _ in
      _ = try await one.addWebhook("https://a.example", [.silence], secret: "s", at: 0)
      for number in 0..<20 { _ = try await one.store(try anUpload([], of: "van-\(number)"), at: 1000) }
      async let first = one.announceSilence(at: 9000, after: 1000)
      async let second = other.announceSilence(at: 9000, after: 1000)
      #expect(try await [first, second].sorted() == [0, 20])
    }
  }

  @Test("wrong passwords count over both")
  func logins() async throws {
    try await withTwoStores { one, other, _ in
      let olga = LoginAttempt(name: "olga", network: "192.0.2")
      let anna = LoginAttempt(name: "anna", network: "192.0.2")
      for number in 0..<LoginAttempt.mostOfNameInNetwork {
        #expect(try await one.loginWait_s(for: olga, at: now_ms) == nil)
        try await (number.isMultiple(of: 2) ? one : other).loginFailed(olga, at: now_ms)
      }
      #expect(try await other.loginWait_s(for: olga, at: now_ms + 1000) == LoginLimit.span_ms / 1000 - 1)
      #expect(try await other.loginWait_s(for: anna, at: now_ms) == nil)
      #expect(try await other.loginWait_s(for: olga, at: now_ms + LoginLimit.span_ms) == nil)
      try await one.loginSucceeded(olga)
      #expect(try await other.loginWait_s(for: olga, at: now_ms) == nil)
    }
  }

  @Test("a page that is open at one of them is told of what came by the other")
  func live() async throws {
    try await withTwoStores { one, other, _ in
      let (here, there) = (FleetFeed(), FleetFeed())
      here.connect(to: one)
      there.connect(to: other)
      let watch = try #require(there.watch())
      // A notification from before it listens is nobody's, so it is said until it is heard.
      let saying = Task {
        while !Task.isCancelled {
          here.publish("van-7")
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      for await _ in there.changes { break }
      saying.cancel()
      #expect(there.takeNames() == ["van-7"])
      there.end(watch)
    }
  }

  @Test("connections that the server has ended are made anew, and the request is served")
  func broken() async throws {
    try await withTwoStores { one, other, _ in
      _ = try await one.store(try anUpload([record(uuid(1))]), at: now_ms)
      let backends = try await one.connection.read { try $0.values(Int.self, "SELECT pg_backend_pid()") }
      let ended = try await other.connection.read {
        try $0.values(Bool.self, "SELECT pg_terminate_backend(CAST(? AS integer))", [backends[0]])
      }
      #expect(ended == [true])
      #expect(try await one.store(try anUpload([record(uuid(1)), record(uuid(2))]), at: now_ms).stored == 1)
    }
  }

  @Test("tables of a newer collector are refused")
  func newer() async throws {
    try await withTwoStores { one, _, path in
      try await one.connection.write { try $0.execute("INSERT INTO godwit_schema VALUES (9)") }
      let known = PostgresSchema.versions.count
      #expect(throws: StoreError.newerSchema(found: 9, known: known)) { try openStore(path) }
    }
  }

  @Test("a text with U+0000 is stored, and is the same record when it comes again")
  func nul() async throws {
    try await withTwoStores { one, other, _ in
      let odd = record(uuid(1), event: #"a\u0000b"#)
      #expect(try await one.store(try anUpload([odd]), at: now_ms).stored == 1)
      #expect(try await other.store(try anUpload([odd]), at: now_ms).duplicates == 1)
      let found = try await one.records(device: "van-7", after: nil, limit: 9)
      #expect(found?.map(\.event) == ["a\u{FFFD}b"])
    }
  }

  @Test(
    "what a transaction has changed is taken back where it throws, and a savepoint takes back its own part alone"
  )
  func takenBack() async throws {
    try await withTwoStores { one, other, _ in
      try await one.connection.write { db in
        try db.execute("INSERT INTO device (name) VALUES ('a')")
        do {
          try db.inSavepoint {
            try db.execute("INSERT INTO device (name) VALUES ('b')")
            throw Refusal(.conflict, "no")
          }
        } catch is Refusal {}
      }
      await #expect(throws: Refusal(.conflict, "no")) {
        try await other.connection.write { db in
          try db.execute("INSERT INTO device (name) VALUES ('c')")
          throw Refusal(.conflict, "no")
        }
      }
      #expect(try await other.devices().map(\.device) == ["a"])
    }
  }
}
