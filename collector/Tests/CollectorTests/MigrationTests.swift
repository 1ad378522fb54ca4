import Foundation
import Testing

@testable import Collector

@Suite(
  "Migration to PostgreSQL",
  .enabled(if: TestDatabase.isPostgres, "needs a server: collector/Tests/with-postgresql"))
struct MigrationTests {
  /// What is asked before and after.
  private static let questions = [
    "/v1/devices", "/v1/fleet", "/v1/reports/trips?from=2025-12-01T00:00:00Z&to=2026-02-01T00:00:00Z",
    "/v1/reports/events?from=2025-12-01T00:00:00Z&to=2026-02-01T00:00:00Z", "/v1/tokens",
    "/v1/enrolment-codes", "/v1/operators",
    "/v1/audit",
    "/v1/devices/van-7/records", "/v1/devices/van-7/gaps", "/v1/devices/van-7/config",
    "/v1/devices/van-7/config/history",
    "/v1/devices/van-7/commands", "/v1/devices/van-8/records?after=2",
    "/v1/devices/van-7/export.csv?from=1969-01-01T00:00:00Z&to=2026-12-31T00:00:00Z",
  ]

  private func withCollector<Result: Sendable>(
    _ store: Store, _ body: @Sendable (TestClient) async throws -> Result
  ) async throws -> Result {
    var options = CollectorOptions()
    options.operatorTokens = Tokens(text: "boss")
    options.deviceTokens = true
    options.passwordCost = .init(rounds: 16, blockSize: 1, parallelism: 1)
    let found = Locked<Result?>(nil)
    try await makeCollector(store: store, options: options, now_ms: { now_ms }).test { client in
      let result = try await body(client)
      found.with { $0 = result }
    }
    return try #require(found.with { $0 })
  }

  private static let boss = ["Authorization": "Bearer boss"]

  private func answers(_ client: TestClient) async throws -> [String] {
    var all: [String] = []
    for question in Self.questions {
      let answer = try await client.get(question, headers: Self.boss)
      all.append("\(question) \(answer.status) \(answer.text)")
    }
    return all
  }

  private func fill(_ client: TestClient) async throws {
    let gap =
      #","extras":"{\"cause\":\"parked\",\"begin_ms\":1767225000000,\"end_ms\":1767225600000}""#
    let records = [
      record(uuid(1), event: "trip"), record(uuid(2), time: "2025-12-31T23:00:00Z"),
      record("6ba7b810-9dad-41d1-80b4-00c04fd430c8", time: "1970-01-01T00:00:00Z"),
      record(uuid(3), event: "gap").replacingOccurrences(of: #","extras":"""#, with: gap),
      record(uuid(5), event: "warning"),
      record(uuid(6)).replacingOccurrences(of: #","extras":"""#, with: #","extras":"{\"trip\":1}""#),
    ]
    let status = #"{"version":"0.4.0","undervoltage":true}"#
    #expect(
      try await client.post("", path: "/v1/webhooks", headers: Self.boss).status == 400, "the path is right")
    _ = try await client.post(
      #"{"target":"https://a.example","events":["trip"]}"#, path: "/v1/webhooks", headers: Self.boss)
    for device in ["van-7", "van-8"] {
      let answer = try await client.post(body(records, status: status), device: device, headers: Self.boss)
      #expect(answer.status == 200, "\(answer.text)")
    }
    for (path, text) in [
      ("/v1/devices/van-7/config", #"{"settings":{"sync.interval_s":60}}"#),
      ("/v1/devices/van-7/groups", #"{"groups":["north","south"]}"#),
    ] { #expect(try await client.put(path, text, headers: Self.boss).status < 300, "\(path)") }
    for (path, text) in [
      ("/v1/devices/van-7/commands", #"{"command":"sync"}"#), ("/v1/devices/van-9/tokens", ""),
      ("/v1/enrolment-codes", #"{"count":2,"valid_for_s":3600}"#),
      ("/v1/operators", #"{"name":"anna","role":"admin","password":"correct horse staple"}"#),
    ] {
      let answer = try await client.post(text, path: path, headers: Self.boss)
      #expect(answer.status < 300, "\(path) \(answer.text)")
    }
  }

  @Test("the same requests have the same answers before and after, and numbers go on")
  func whole() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "old.sqlite").path
      let old = try Store(path: file)
      let before = try await withCollector(old) { client in
        try await fill(client)
        // A number that was given is not given again.
        _ = try await client.delete("/v1/enrolment-codes/2", headers: Self.boss)
        return try await answers(client)
      }
      try old.close()

      let path = folder.appending(path: "fleet.sqlite").path
      try TestDatabase.make(TestDatabase.schema(path))
      let address = try PostgresAddress(TestDatabase.address(for: path))
      let counts = try Migration.run(from: file, to: address)
      let rows = Dictionary(uniqueKeysWithValues: counts.map { ($0.table, $0.rows) })
      #expect(rows["record"] == 12 && rows["device"] == 3 && rows["enrolment_code"] == 1, "\(rows)")
      #expect(rows["delivery"] == 2 && rows["command"] == 1 && rows["operator"] == 1, "\(rows)")
      #expect(counts.filter { $0.rows == 0 }.map(\.table) == ["session"])

      let new = try openStore(path)
      let (after, codes, again) = try await withCollector(new) { client in
        let after = try await answers(client)
        _ = try await client.post(
          #"{"count":1,"valid_for_s":60}"#, path: "/v1/enrolment-codes", headers: Self.boss)
        let codes = try await client.get("/v1/enrolment-codes", headers: Self.boss)
          .decoded([StoredCode].self).map(\.number)
        let again = try await client.post(
          body([record(uuid(1), event: "trip"), record(uuid(4))]), headers: Self.boss)
        return (after, codes, try again.decoded(Receipt.self))
      }
      #expect(after == before)
      // Whether it was told meanwhile is another matter.
      #expect(try await new.webhooks().map(\.target) == ["https://a.example"])
      #expect(codes.sorted() == [1, 3])
      #expect(again.stored == 1 && again.duplicates == 1)
      try new.close()
    }
  }

  @Test("a target that has something is refused, and nothing is changed")
  func notEmpty() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "old.sqlite").path
      try Store(path: file).close()
      let path = folder.appending(path: "fleet.sqlite").path
      let store = try openStore(path)
      _ = try await store.issueToken(to: "van-7", at: now_ms)
      let address = try PostgresAddress(TestDatabase.address(for: path))
      #expect(throws: MigrationError.notEmpty(table: "device")) { try Migration.run(from: file, to: address) }
      #expect(
        MigrationError.notEmpty(table: "device").description
          == "the PostgreSQL database is not empty: its table device has rows; nothing was changed; name a new database"
      )
      #expect(try await store.devices().map(\.device) == ["van-7"])
      try store.close()
    }
  }
}
