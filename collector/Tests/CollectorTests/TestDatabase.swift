import Foundation

@testable import Collector

/// The database that tests take: SQLite, or the PostgreSQL that `GODWIT_TEST_DATABASE` names (Tests/with-postgresql).
enum TestDatabase {
  static let address = ProcessInfo.processInfo.environment["GODWIT_TEST_DATABASE"]
  static var isPostgres: Bool { address != nil }

  /// - Parameter path: of a file in a test's own folder; a schema stands for it.
  static func address(for path: String) -> String {
    guard let address else { return path }
    return address + (address.contains("?") ? "&" : "?") + "options=-csearch_path%3D" + schema(path)
  }

  static func schema(_ path: String) -> String {
    let words = URL(fileURLWithPath: path).pathComponents.suffix(2).joined(separator: "_").lowercased()
    return String(words.map { $0.isLetter || $0.isNumber ? $0 : "_" }.suffix(60))
  }

  /// What `--database` is to be for such a path; the program finds a schema there.
  static func argument(for path: String) throws -> String {
    if isPostgres { try make(schema(path)) }
    return address(for: path)
  }

  static func make(_ schema: String) throws { try run("CREATE SCHEMA IF NOT EXISTS \(schema)") }

  /// All that were made for a folder.
  static func remove(for folder: URL) {
    guard isPostgres else { return }
    let stem = schema(folder.appending(path: "x").path).dropLast(1)
    do {
      let session = try PostgresSession(try PostgresAddress(address ?? ""))
      let found = try session.rows(
        "SELECT nspname::text AS name FROM pg_namespace WHERE nspname::text LIKE '\(stem)%'")
      for row in found { try session.run("DROP SCHEMA \(row["name"] as String) CASCADE") }
    } catch {
      print("a schema of a test is left: \(error)")
    }
  }

  private static func run(_ sql: String) throws {
    try PostgresSession(try PostgresAddress(address ?? "")).run(sql)
  }
}

extension Store {
  /// Of all webhooks.
  func dueDeliveries(at now_ms: Int64, limit: Int) async throws -> [Delivery] {
    var all: [Delivery] = []
    for (webhook, _) in try await dueWebhooks(at: now_ms) {
      all += try await dueDeliveries(of: webhook, at: now_ms, limit: limit)
    }
    return all
  }
}

extension Keeper {
  /// The collector of a test sweeps at its start, too, and one alone may.
  func sweepInTurn() async {
    while await !sweep() { try? await Task.sleep(for: .milliseconds(10)) }
  }
}

/// - Parameter path: of a file in a test's own folder. The same path is the same database.
func openStore(_ path: String) throws -> Store {
  try Store(database: TestDatabase.argument(for: path))
}

/// Those of two collectors that have the same database.
func withTwoStores(_ body: (Store, Store, _ path: String) async throws -> Void) async throws {
  try await withTemporaryFolder { folder in
    let path = folder.appending(path: "fleet.sqlite").path
    let (one, other) = (try openStore(path), try openStore(path))
    try await body(one, other, path)
    try one.close()
    try other.close()
  }
}

func anUpload(_ records: [String], of device: String = "van-7", status: String? = nil) throws -> Upload {
  try Upload(device: device, schema: nil, batch: nil, body: Array(body(records, status: status).utf8))
}

func rows(of table: String, _ store: Store) async throws -> Int? {
  try await store.connection.read { try $0.value(Int.self, "SELECT count(*) FROM \(table)") }
}
