import Foundation
import Testing

@testable import Collector

/// The commands for tokens and codes, as processes, beside a collector that runs and without one.
@Suite("Commands for tokens and codes", .timeLimit(.minutes(10)))
struct AccessCommandTests {
  private struct Ended {
    var status: Int32
    var output: String
    var errors: String
    var lines: [Substring] { output.split(separator: "\n") }
  }

  private static func run(_ arguments: String..., database: String) async throws -> Ended {
    let running = try Running(arguments + ["--database", database])
    let output = running.everything()
    let status = try #require(await running.status())
    return Ended(status: status, output: output, errors: running.errors())
  }

  /// A database that a collector has made, which has ended.
  private static func withDatabase(_ body: (String, URL) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let database = try TestDatabase.argument(for: folder.appending(path: "fleet.sqlite").path)
      try Store(database: database).close()
      try await body(database, folder)
    }
  }

  private static func send(_ token: String, as device: String, to port: Int) async throws -> Int {
    try await TestClient(port: port)
      .post(body([]), device: device, headers: ["Authorization": "Bearer \(token)"]).status
  }

  @Test("a token that is issued while the collector runs counts at once, and no longer once it is revoked")
  func besideCollector() async throws {
    try await Self.withDatabase { database, _ in
      let collector = try Running(["--database", database, "--port", "0", "--device-tokens"])
      let port = try collector.port()
      let issued = try await Self.run("token", "issue", "van 7/ü", database: database)
      #expect(issued.status == 0, "\(issued)")
      let token = try #require(issued.lines.first.map(String.init))
      #expect(try await Self.send(token, as: "van 7/%C3%BC", to: port) == 200)
      #expect(try await Self.send(token, as: "van-8", to: port) == 403)

      let list = try await Self.run("token", "list", database: database)
      #expect(list.output.hasPrefix("van 7/ü\t1\tissued 20"), "\(list)")
      #expect(list.output.contains("\tused from 20"), "\(list)")
      #expect(!list.output.contains(token))

      let revoked = try await Self.run("token", "revoke", "van 7/ü", "--number", "1", database: database)
      #expect(revoked.errors == "1 token is revoked\n")
      #expect(try await Self.send(token, as: "van 7/%C3%BC", to: port) == 401)
      let again = try await Self.run("token", "revoke", "van 7/ü", database: database)
      #expect(again.status == 1 && again.errors == "Error: the device has no token\n")

      collector.process.terminate()
      #expect(await collector.status() == 0)
      #expect(!FileManager.default.fileExists(atPath: database + ".control"))
    }
  }

  @Test("without a collector they work as well, and a collector that starts has what they did")
  func alone() async throws {
    try await Self.withDatabase { database, _ in
      let issued = try await Self.run("token", "issue", "van-7", database: database)
      #expect(issued.status == 0, "\(issued)")
      let made = try await Self.run(
        "enrol-code", "make", "--count", "3", "--valid-for", "12h", database: database)
      #expect(Set(made.lines).count == 3 && made.errors.hasPrefix("valid until 20"), "\(made)")
      let list = try await Self.run("enrol-code", "list", database: database)
      #expect(
        list.lines.count == 3 && list.lines.allSatisfy { $0.contains("\topen\tfor any\tuntil 20") }, "\(list)"
      )
      let deleted = try await Self.run("enrol-code", "revoke", "2", database: database)
      #expect(deleted.status == 0 && deleted.errors == "the code is deleted\n", "\(deleted)")

      let collector = try Running(["--database", database, "--port", "0", "--device-tokens"])
      let port = try collector.port()
      #expect(try await Self.send(issued.lines.first.map(String.init) ?? "", as: "van-7", to: port) == 200)
      collector.process.terminate()
      #expect(await collector.status() == 0)
    }
  }

  @Test("registers what godwit-provision has written")
  func imports() async throws {
    try await Self.withDatabase { database, folder in
      let file = folder.appending(path: "tokens.json").path
      let hash = Secret.hash("secret").map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      try #"{"tokens":[{"device":"van-7","sha256":"\#(hash)"}]}"#.write(
        toFile: file, atomically: true, encoding: .utf8)
      for words in ["1 tokens are new, 0 were known", "0 tokens are new, 1 were known"] {
        let done = try await Self.run("token", "import", file, database: database)
        #expect(done.status == 0 && done.errors.hasPrefix(words), "\(done)")
      }
      try "none\n".write(toFile: file + "2", atomically: true, encoding: .utf8)
      let none = try await Self.run("token", "import", file + "2", database: database)
      #expect(
        none.status == 1 && none.errors.hasSuffix("is not a JSON object, as godwit-provision writes it\n"))
    }
  }

  @Test(
    "a second collector on one file does not start, and commands say what is wrong",
    .enabled(if: !TestDatabase.isPostgres, "of SQLite alone"))
  func refusals() async throws {
    try await Self.withDatabase { database, folder in
      let first = try Running(["--database", database, "--port", "0"])
      _ = try first.port()
      let second = try Running(["--database", database, "--port", "0"])
      #expect(await second.status() == 1)
      #expect(
        second.errors()
          == "Error: another collector has the database \(database) open: stop it first, or ask that one\n")
      try FileManager.default.removeItem(atPath: database + ".control")
      let unanswered = try await Self.run("token", "list", database: database)
      #expect(unanswered.status == 1)
      #expect(
        unanswered.errors.contains(
          "does not listen at \(database).control: if it is a collector, restart it"))
      first.process.terminate()
      _ = await first.status()

      let nowhere = folder.appending(path: "none.sqlite").path
      let none = try await Self.run("token", "list", database: nowhere)
      #expect(
        none.status == 1 && none.errors.hasPrefix("Error: there is no database \(nowhere): name it"),
        "\(none)")
      #expect(!FileManager.default.fileExists(atPath: nowhere))
    }
  }

  @Test("a time that a code cannot be valid for is refused")
  func validity() async throws {
    try await Self.withDatabase { database, _ in
      let time = try await Self.run("enrol-code", "make", "--valid-for", "7", database: database)
      #expect(time.status == 64 && time.errors.contains("such as 30m, 12h or 7d, up to 366d"), "\(time)")
    }
  }

  @Test(
    "a socket that a killed collector has left is in nobody's way",
    .enabled(if: !TestDatabase.isPostgres, "of SQLite alone"))
  func killed() async throws {
    try await Self.withDatabase { database, _ in
      let first = try Running(["--database", database, "--port", "0"])
      _ = try first.port()
      kill(first.process.processIdentifier, SIGKILL)
      _ = await first.status()
      #expect(FileManager.default.fileExists(atPath: database + ".control"))
      #expect(try await Self.run("token", "issue", "van-7", database: database).status == 0)
      let second = try Running(["--database", database, "--port", "0"])
      _ = try second.port()
      #expect(try await Self.run("token", "issue", "van-7", database: database).status == 0)
      second.process.terminate()
      #expect(await second.status() == 0)
    }
  }

  @Test("the socket is its owner's alone", .enabled(if: !TestDatabase.isPostgres, "of SQLite alone"))
  func mode() async throws {
    try await Self.withDatabase { database, _ in
      let running = try Running(["--database", database, "--port", "0"])
      _ = try running.port()
      let attributes = try FileManager.default.attributesOfItem(atPath: database + ".control")
      let mode = try #require(attributes[.posixPermissions] as? Int)
      #expect(mode & 0o077 == 0, "\(String(mode, radix: 8))")
      running.process.terminate()
      #expect(await running.status() == 0)
    }
  }
}
