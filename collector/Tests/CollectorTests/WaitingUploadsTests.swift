import Foundation
import Testing

@testable import Collector

@Suite("Uploads that come at once")
struct WaitingUploadsTests {
  @Test(
    "share a commit up to so many records, and one goes alone however large it is",
    arguments: [
      ([5, 5, 5], 3), ([2000, 1], 1), ([1999, 1, 1], 2), ([10_000, 1], 1), ([0, 0], 2), ([1, 10_000], 1),
    ])
  func count(records: [Int], count: Int) {
    #expect(WaitingUploads.count(records) == count)
  }

  private func upload(_ device: String, _ sequence: UInt64) throws -> Upload {
    try Upload(device: device, schema: nil, batch: nil, body: Array(body([record(uuid(sequence))]).utf8))
  }

  @Test("are all stored, each answered with its own")
  func all() async throws {
    try await withCollector { _, store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 as Range<UInt64> {
          group.addTask {
            let receipt = try await store.store(try upload("van-\(number % 7)", number), at: now_ms)
            #expect(receipt == Receipt(ack: [uuid(number)], stored: 1, duplicates: 0, toTell: 0))
          }
        }
        try await group.waitForAll()
      }
      #expect(try await store.devices().map(\.records).reduce(0, +) == 200)
    }
  }

  private static var refusing13: [String] {
    guard TestDatabase.isPostgres else {
      return [
        """
        CREATE TRIGGER refuse BEFORE INSERT ON record WHEN NEW.sequence = 13
        BEGIN SELECT raise(ABORT, 'refused'); END
        """
      ]
    }
    return [
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END'",
      """
      CREATE TRIGGER refuse BEFORE INSERT ON record FOR EACH ROW WHEN (NEW.sequence = 13)
      EXECUTE FUNCTION refuse()
      """,
    ]
  }

  @Test("one that cannot be stored takes none of the others along")
  func oneFails() async throws {
    try await withCollector { _, store in
      try await store.connection.write { db in
        for sql in Self.refusing13 { try db.execute(sql) }
      }
      let failed = await withTaskGroup(of: UInt64?.self) { group in
        for number in 0..<50 as Range<UInt64> {
          group.addTask {
            do {
              _ = try await store.store(try upload("van-\(number % 3)", number), at: now_ms)
              return nil
            } catch {
              return number
            }
          }
        }
        return await group.reduce(into: [UInt64]()) { failed, number in number.map { failed.append($0) } }
      }
      #expect(failed == [13])
      #expect(try await store.devices().map(\.records).reduce(0, +) == 49)
    }
  }
}
