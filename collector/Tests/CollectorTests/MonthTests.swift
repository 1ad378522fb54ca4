import Foundation
import Testing

@testable import Collector

private let day_ms: Int64 = 86_400_000
/// 2026-01-01T00:00:00Z, and so many days later.
private func day(_ number: Int64) -> Int64 { 1_767_225_600_000 + number * day_ms }

private func sweep(_ store: Store, days: Int?, byMonth: Bool = false, at now_ms: Int64) async {
  let keeper = Keeper(store: store, law: KeepLaw(usualDays: days, byMonth: byMonth), now_ms: { now_ms })
  await keeper.sweepInTurn()
}

/// Records `numbers` of a device, each of the day of its number from 2026-01-01 on, which came on that day.
private func fill(
  _ store: Store, _ numbers: Range<Int64> = 0..<40, of device: String = "van-7", event: String = ""
) async throws {
  for number in numbers {
    let upload = try anUpload([aRecord(number, event: event)], of: device)
    _ = try await store.store(upload, at: day(number) + 1000)
  }
}

private func aRecord(_ number: Int64, latitude: String = "59.3293", event: String = "") -> String {
  record(uuid(UInt64(number + 1)), time: Timestamp.text(day(number)), latitude: latitude, event: event)
}

/// What is counted of each device is what is there, and nothing is known without its record.
private func expectWhole(_ store: Store, _ location: SourceLocation = #_sourceLocation) async throws {
  let devices = try await store.connection.read {
    try $0.rows(
      """
      SELECT records - deleted AS counted, (SELECT count(*) FROM record WHERE device_id = device.id) AS found,
        first_time_ms, (SELECT min(time_ms) FROM record WHERE device_id = device.id) AS first_ms FROM device
      """)
  }
  for row in devices {
    let (counted, found): (Int64, Int64) = (row["counted"], row["found"])
    let (told_ms, first_ms): (Int64?, Int64?) = (row["first_time_ms"], row["first_ms"])
    #expect(counted == found && told_ms == first_ms, sourceLocation: location)
  }
  guard TestDatabase.isPostgres else { return }
  let keyed = try await rows(of: "keyed_record", store)
  #expect(try await rows(of: "record", store) == keyed, sourceLocation: location)
  #expect(try await rows(of: "record_key", store) == keyed, sourceLocation: location)
}

/// Whether a month has a table; nil where months have none.
private func hasTable(_ month: String, _ store: Store) async throws -> Bool? {
  guard let tables = store.connection.monthTables else { return nil }
  let all = try await tables.attachedMonths() + tables.expiredMonths()
  return all.contains { "\($0)" == month }
}

@Suite("Months that are past, the same on both databases")
struct MonthTests {
  @Test("a month that is past goes as a whole, the next one record by record, and both are counted")
  func whole() async throws {
    try await withCollector { _, store in
      try await fill(store)
      try await fill(store, 0..<20, of: "van-8")
      await sweep(store, days: 10, at: day(45))
      let devices = try await store.devices()
      #expect(devices.map(\.records) == [5, 0] && devices.map(\.deleted) == [35, 20])
      #expect(devices.map(\.first_time) == [Timestamp.text(day(35)), nil])
      #expect(devices.map(\.last_position?.timestamp) == [Timestamp.text(day(39)), nil])
      #expect(try await hasTable("2026-01", store) != true)
      #expect(try await hasTable("2026-02", store) != false)
      try await expectWhole(store)
    }
  }

  @Test("what comes again after that is new, also with another content")
  func again() async throws {
    try await withCollector { _, store in
      try await fill(store)
      await sweep(store, days: 10, at: day(45))
      let resent = try anUpload([aRecord(3), aRecord(4, latitude: "10"), aRecord(36), aRecord(36)])
      let receipt = try await store.store(resent, at: day(45))
      #expect(receipt.stored == 2 && receipt.duplicates == 2 && receipt.refused == nil)
      try await expectWhole(store)
      await sweep(store, days: 10, at: day(55) + 1)
      #expect(try await store.devices().map(\.records) == [0])
      try await expectWhole(store)
    }
  }

  @Test("by months, no record goes before all of its month may")
  func byMonth() async throws {
    try await withCollector { _, store in
      try await fill(store)
      await sweep(store, days: 10, byMonth: true, at: day(40))
      #expect(try await store.devices().map(\.records) == [40])
      await sweep(store, days: 10, byMonth: true, at: day(41))
      #expect(try await store.devices().map(\.records) == [9])
      await sweep(store, days: 10, byMonth: true, at: day(68))
      #expect(try await store.devices().map(\.records) == [9])
      await sweep(store, days: 10, byMonth: true, at: day(69))
      #expect(try await store.devices().map(\.deleted) == [40])
      #expect(try await hasTable("2026-02", store) != true)
      try await expectWhole(store)
    }
  }

  @Test("a record that came late stays as long as any other, though its month goes")
  func late() async throws {
    try await withCollector { _, store in
      let early = (0..<200).map {
        record(uuid(UInt64($0 + 1000)), time: Timestamp.text(day(2) + $0 * 1000))
      }
      _ = try await store.store(try anUpload(early), at: day(2))
      _ = try await store.store(try anUpload([aRecord(3)]), at: day(40))
      await sweep(store, days: 10, at: day(45))
      #expect(try await hasTable("2026-01", store) != true)
      #expect(
        try await store.records(device: "van-7", after: nil, limit: 999)?.map(\.timestamp) == [
          Timestamp.text(day(3))
        ])
      #expect(try await store.devices().first?.deleted == 200)
      let again = try await store.store(
        try anUpload([aRecord(3), aRecord(3, latitude: "10")]), at: day(45))
      #expect(again.duplicates == 1 && again.refused?.count == 1)
      try await expectWhole(store)
      await sweep(store, days: 10, at: day(50) + 1)
      #expect(try await store.devices().first?.deleted == 201)
    }
  }

  @Test("a vehicle that is kept longer keeps its month, and those of the others go")
  func longer() async throws {
    try await withCollector { _, store in
      try await fill(store)
      try await fill(store, of: "van-8")
      #expect(try await store.setKeepDays(400, of: "van-8"))
      await sweep(store, days: 10, at: day(45))
      #expect(try await store.devices().map(\.records) == [5, 40])
      #expect(try await hasTable("2026-01", store) != false)
      // For ever, where the collector has no span.
      #expect(try await store.setKeepDays(1, of: "van-8"))
      await sweep(store, days: nil, at: day(90))
      #expect(try await store.devices().map(\.records) == [5, 0])
      try await expectWhole(store)
    }
  }

  @Test("what a webhook waits to tell of a month goes with it")
  func deliveries() async throws {
    try await withCollector { _, store in
      _ = try await store.addWebhook("https://a.example", [.trip], secret: "s", at: 0)
      try await fill(store, 30..<33, event: "trip")
      await sweep(store, days: 2, byMonth: true, at: day(35))
      #expect(
        try await store.dueDeliveries(at: day(400), limit: 10).map(\.eventID) == [uuid(32), uuid(33)])
    }
  }
}

@Suite(
  "PostgreSQL: months as tables",
  .enabled(if: TestDatabase.isPostgres, "needs a server: collector/Tests/with-postgresql"))
struct MonthTableTests {
  /// Somebody reads all records in one transaction, as a backup does.
  private func withReader(of path: String, _ body: () async throws -> Void) async throws {
    let session = try PostgresSession(PostgresAddress(TestDatabase.address(for: path)))
    try session.run("SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT count(*) FROM record")
    try await body()
    try session.run("COMMIT")
  }

  private func tables(_ store: Store) throws -> any MonthTables { try #require(store.connection.monthTables) }

  private let january = RecordMonth(day(0))!
  private let february = RecordMonth(day(31))!

  @Test("tables are there before their months begin")
  func ahead() async throws {
    try await withTwoStores { one, other, _ in
      for store in [one, other, one] { await sweep(store, days: nil, at: day(0)) }
      let months = try await tables(one).attachedMonths()
      #expect(months == [january, february])
    }
  }

  @Test("a new month does not wait for a backup: its records lie among the others, and go from there")
  func backup() async throws {
    try await withTwoStores { one, other, path in
      try await withReader(of: path) { try await fill(one, 3..<5) }
      #expect(try await rows(of: "record_other", other) == 2)
      try await fill(other, 5..<6)
      #expect(try await rows(of: "record_other", other) == 3, "a table of the month cannot be made any more")
      await sweep(other, days: 1, at: day(9))
      #expect(try await one.devices().map(\.deleted) == [3])
      try await expectWhole(one)
    }
  }

  @Test(
    "a month that somebody is at work with goes record by record; uploads come between; its table goes next time"
  )
  func busy() async throws {
    try await withTwoStores { one, other, path in
      try await fill(one)
      try await withReader(of: path) {
        async let sweeping: Void = sweep(one, days: 10, at: day(45))
        try await fill(other, 40..<45)
        await sweeping
      }
      #expect(try await hasTable("2026-01", one) == true)
      #expect(try await rows(of: "record_2026_01", one) == 0)
      #expect(try await one.devices().map(\.deleted) == [35])
      await sweep(other, days: 10, at: day(45))
      #expect(try await hasTable("2026-01", one) == false)
      try await expectWhole(one)
    }
  }

  @Test("one collector at a time drops months")
  func alone() async throws {
    try await withTwoStores { one, other, _ in
      try await fill(one)
      let keeper = Keeper(store: other, law: KeepLaw(usualDays: 10), now_ms: { day(45) })
      let isAlone = try await tables(one).alone { #expect(await !keeper.sweep()) }
      #expect(isAlone)
      #expect(try await one.devices().map(\.records) == [40])
      await sweep(other, days: 10, at: day(45))
      #expect(try await one.devices().map(\.records) == [5])
    }
  }

  @Test(
    "where a collector has ended in the middle the next one goes on, and nothing is lost or counted twice")
  func resumed() async throws {
    try await withTwoStores { one, other, _ in
      let months = try tables(one)
      try await fill(one)
      try await fill(one, of: "van-8")
      #expect(try await months.takeOut(january))
      // Meanwhile records of that month come again: they are new, whatever they hold.
      let again = try anUpload([aRecord(3), aRecord(4, latitude: "10"), aRecord(3), aRecord(36)])
      let receipt = try await other.store(again, at: day(45))
      #expect(receipt.stored == 2 && receipt.duplicates == 2 && receipt.ack.count == 4)
      // One of them is kept longer from now on, for what has not lost its identity.
      #expect(try await other.setKeepDays(400, of: "van-8"))
      for store in [one, other] { await sweep(store, days: 10, at: day(45)) }
      #expect(try await one.devices().map(\.records) == [7, 40])
      #expect(try await one.devices().map(\.deleted) == [35, nil])
      #expect(try await months.expiredMonths().isEmpty)
      try await expectWhole(one)
    }
  }

  @Test("what is deleted on request while its month is being dropped is not put back")
  func requested() async throws {
    try await withTwoStores { one, other, _ in
      try await fill(one)
      let isOut = try await tables(one).takeOut(january)
      #expect(isOut)
      let some = Doomed(device: "van-7", before_ms: day(20), receivedBefore_ms: .max)
      #expect(try await other.deleteHistory(some, at: day(45)) == 20)
      await sweep(other, days: 400, at: day(45))
      #expect(try await one.devices().map(\.records) == [20])
      #expect(try await one.devices().map(\.deleted) == [20])
      try await expectWhole(one)
    }
  }

  @Test("a record from no queue that comes again in the middle is new too")
  func resumedByUUID() async throws {
    try await withTwoStores { one, other, _ in
      let plain = record("3f2504e0-4f89-41d3-9a0c-0305e82c3301", time: Timestamp.text(day(3)))
      _ = try await one.store(try anUpload([plain]), at: day(3))
      let isOut = try await tables(one).takeOut(january)
      #expect(isOut)
      #expect(try await other.store(try anUpload([plain, plain]), at: day(45)).stored == 1)
      await sweep(other, days: 10, at: day(45))
      let device = try #require(try await one.devices().first)
      #expect(device.deleted == 1 && device.records == 1)
      try await expectWhole(one)
    }
  }

  @Test("uploads of all months beside sweeps of two collectors: each is stored once, and counted")
  func beside() async throws {
    try await withTwoStores { one, other, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, store) in [one, other, one, other].enumerated() {
          group.addTask {
            for turn in 0..<12 {
              let first = Int64(turn * 9)
              let upload = try anUpload((first..<first + 30).map { aRecord($0) }, of: "van-\(number % 3)")
              // Each came long ago, or a sweep would take none.
              let receipt = try await store.store(upload, at: day(0))
              #expect(receipt.ack.count == 30)
            }
          }
        }
        for store in [one, other] {
          group.addTask { for turn in 2..<8 { await sweep(store, days: 1, at: day(Int64(turn * 20))) } }
        }
        try await group.waitForAll()
      }
      try await expectWhole(one)
      await sweep(one, days: 1, at: day(400))
      #expect(try await rows(of: "record", one) == 0)
      let rest = try await tables(one).expiredMonths()
      #expect(rest.isEmpty)
      try await expectWhole(one)
    }
  }
}
