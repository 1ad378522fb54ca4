import Foundation
import Testing

@testable import Collector

/// The command for people who log in, as a process.
@Suite("The command for operators", .timeLimit(.minutes(10)))
struct OperatorCommandTests {
  private func run(_ arguments: String..., input: String = "", database: String) async throws -> (
    status: Int32, output: String, errors: String
  ) {
    let running = try Running(arguments + ["--database", database], input: input)
    let output = running.everything()
    let status = try #require(await running.status())
    return (status, output, running.errors())
  }

  private func withDatabase(_ body: (String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let database = try TestDatabase.argument(for: folder.appending(path: "fleet.sqlite").path)
      try Store(database: database).close()
      try await body(database)
    }
  }

  @Test("adds, lists, changes and removes, whether a collector runs or not")
  func whole() async throws {
    try await withDatabase { database in
      let added = try await run(
        "operator", "add", "Anna Ü", "--role", "admin", input: "correct horse\n", database: database)
      #expect(added.status == 0 && added.errors == "Anna Ü may log in as admin\n", "\(added)")
      let listed = try await run("operator", "list", database: database)
      #expect(listed.output == "Anna Ü\tadmin\tnever logged in\n")

      let collector = try Running(["--database", database, "--port", "0"])
      let port = try collector.port()
      let status = try await logIn("Anna Ü", "correct horse", port)
      #expect(status == 200)
      let changed = try await run(
        "operator", "change", "Anna Ü", "--password", input: "battery staple\n", database: database)
      #expect(changed.status == 0, "\(changed)")
      #expect(try await logIn("Anna Ü", "correct horse", port) == 403)
      let last = try await run("operator", "remove", "Anna Ü", database: database)
      #expect(last.status == 1 && last.errors.hasPrefix("Error: this is the last account, and without it"))
      let removed = try await run("operator", "remove", "Anna Ü", "--open", database: database)
      #expect(
        removed.errors.hasPrefix(
          "Anna Ü is removed, and logged out\nThat was the last account: nobody is asked to log in any more. "
        ))
      collector.process.terminate()
      #expect(await collector.status() == 0)
    }
  }

  @Test("says what is wrong")
  func wrong() async throws {
    try await withDatabase { database in
      let short = try await run(
        "operator", "add", "anna", "--role", "admin", input: "short\n", database: database)
      #expect(short.status != 0 && short.errors == "Error: a password has 12 to 256 characters\n")
      let none = try await run("operator", "add", "anna", "--role", "admin", database: database)
      #expect(none.errors == "Error: there is no password: write it as one line to standard input\n")
      let unknown = try await run("operator", "remove", "anna", database: database)
      #expect(unknown.errors == "Error: no such operator: anna\n")
    }
  }

  private func logIn(_ name: String, _ password: String, _ port: Int) async throws -> Int {
    try await TestClient(port: port).logIn(name, password).status
  }
}
