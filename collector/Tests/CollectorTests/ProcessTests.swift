import Foundation
import Testing

@testable import Collector
@testable import godwit_collector

/// The program itself: started, spoken to over TCP, ended by signals.
@Suite("The program", .timeLimit(.minutes(10)))
struct ProcessTests {
  @Test("serves on a free port, ends cleanly on SIGTERM, and has the records after kill -9 and a restart")
  func wholeLife() async throws {
    try await withTemporaryFolder { folder in
      let arguments = ["--database", try database(folder), "--port", "0"]

      let first = try Running(arguments)
      let receipt = try await post(body([record(uuid(1))]), to: try first.port())
      #expect(receipt == Receipt(ack: [uuid(1)], stored: 1, duplicates: 0))
      kill(first.process.processIdentifier, SIGKILL)
      #expect(await first.status() == SIGKILL)

      let second = try Running(arguments)
      let again = try await post(body([record(uuid(1)), record(uuid(2))]), to: try second.port())
      #expect(again == Receipt(ack: [uuid(1), uuid(2)], stored: 1, duplicates: 1))
      second.process.terminate()
      #expect(await second.status() == 0)
      #expect(second.process.terminationReason == .exit)
    }
  }

  @Test("says its version, which is the agent's")
  func version() async throws {
    let running = try Running(["--version"])
    #expect(await running.status() == 0)
    #expect(running.everything() == "\(Version.text)\n")
  }

  private func database(_ folder: URL, _ name: String = "fleet") throws -> String {
    try TestDatabase.argument(for: folder.appending(path: "\(name).sqlite").path)
  }

  @Test("does not start on a database that it cannot open, and says why")
  func cannotOpen() async throws {
    let running = try Running(["--database", "/nonexistent/fleet.sqlite", "--port", "0"])
    #expect(await running.status() == 1)
    #expect(
      running.errors().hasPrefix("Error: cannot open the database /nonexistent/fleet.sqlite: SQLite 14"))
  }

  /// A lock file of somebody else does not stop root, who may run the tests; a folder in its place does.
  @Test(
    "neither the collector nor a command goes on without the lock, and each says what to do",
    .enabled(if: !TestDatabase.isPostgres, "of SQLite alone"),
    arguments: [
      ["--port", "0", "--database"], ["token", "list", "--database"],
      ["migrate", "--to", "postgresql:///none", "--from"],
    ])
  func noLock(arguments: [String]) async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "fleet.sqlite").path
      try Store(path: file).close()
      try FileManager.default.createDirectory(atPath: file + ".lock", withIntermediateDirectories: false)
      let running = try Running(arguments + [file])
      #expect(await running.status() == 1)
      let words = "Error: cannot lock \(file).lock: Is a directory; without it two programs might write to"
      let errors = running.errors()
      #expect(errors.hasPrefix(words) && errors.contains("(sudo chown --reference=\(file) \(file).lock)"))
    }
  }

  @Test(
    "root migrates as the database's owner, whose the lock is then",
    .enabled(if: geteuid() == 0 && !TestDatabase.isPostgres, "of SQLite alone, and root's"))
  func migratesAsOwner() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "fleet.sqlite").path
      try Store(path: file).close()
      let nobody: uid_t = 65_534
      for path in [folder.path, file] { #expect(chown(path, nobody, nobody) == 0) }
      let running = try Running(["migrate", "--from", file, "--to", "postgresql:///none?host=/nonexistent"])
      #expect(await running.status() == 1)
      let owner = try FileManager.default.attributesOfItem(atPath: file + ".lock")[.ownerAccountID]
      #expect(owner as? Int == Int(nobody), "\(running.errors())")
    }
  }

  @Test(
    "the lock is never left out for a link that leads nowhere",
    .enabled(if: !TestDatabase.isPostgres, "of SQLite alone"))
  func lockElsewhere() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "fleet.sqlite").path
      try FileManager.default.createSymbolicLink(
        atPath: file + ".lock", withDestinationPath: "/nonexistent/lock")
      let running = try Running(["--database", file, "--port", "0"])
      #expect(await running.status() == 1)
      #expect(running.errors().hasPrefix("Error: cannot lock \(file).lock: No such file or directory; "))
    }
  }

  @Test(
    "keeps the positions from other users of the machine",
    .enabled(if: !TestDatabase.isPostgres, "of SQLite alone"))
  func fileMode() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "fleet.sqlite").path
      let running = try Running(["--database", file, "--port", "0"])
      _ = try running.port()
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      running.process.terminate()
      #expect(await running.status() == 0)
    }
  }

  @Test("does not start on a port that is taken, and says why")
  func portTaken() async throws {
    try await withTemporaryFolder { folder in
      let first = try Running(["--database", try database(folder, "1"), "--port", "0"])
      let port = try first.port()
      let second = try Running(["--database", try database(folder, "2"), "--port", "\(port)"])
      #expect(await second.status() == 1)
      #expect(second.errors().hasPrefix("Error: cannot serve on 127.0.0.1:\(port): "))
    }
  }

  @Test("does not start with a token file that is empty, unless devices have tokens of their own")
  func emptyTokenFile() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "tokens").path
      try "# none\n\n".write(toFile: file, atomically: true, encoding: .utf8)
      let arguments = ["--database", try database(folder), "--port", "0", "--token-file", file]
      let running = try Running(arguments)
      #expect(await running.status() == 1)
      let words = "holds no token: write one a line, or leave out"
      #expect(
        running.errors()
          == "Error: the token file \(file) \(words) --token-file; with --device-tokens it may hold none\n")
      let open = try Running(arguments + ["--operator-token-file", file, "--device-tokens"])
      #expect(await open.status() == 1)
      #expect(open.errors() == "Error: the token file \(file) \(words) --operator-token-file\n")

      let own = try Running(arguments + ["--device-tokens"])
      let port = try own.port()
      let headers = ["Authorization": "Bearer # none"]
      #expect(try await TestClient(port: port).post("", headers: headers).status == 401)
      own.process.terminate()
      #expect(await own.status() == 0)
      #expect(!own.errors().contains("warning: nobody has an account"))
    }
  }

  @Test("says at its start that nobody is asked for anything, until somebody has an account")
  func open() async throws {
    try await withTemporaryFolder { folder in
      let database = try database(folder)
      let tokens = folder.appending(path: "tokens").path
      try "boss\n".write(toFile: tokens, atomically: true, encoding: .utf8)
      func errors(_ more: String...) async throws -> String {
        let running = try Running(["--database", database, "--port", "0"] + more)
        _ = try running.port()
        running.process.terminate()
        #expect(await running.status() == 0)
        return running.errors()
      }
      let words =
        "warning: nobody has an account and no token is asked for: whoever reaches this collector may see "
      #expect(try await errors().contains(words + "and do everything, behind a proxy everybody"))
      #expect(try await errors("--operator-token-file", tokens).contains(words + "everything, behind"))
      #expect(try await !errors("--token-file", tokens).contains("warning"))
      let store = try Store(database: database)
      let hash = try PasswordHash("correct horse", cost: .init(rounds: 16, blockSize: 1, parallelism: 1))
      #expect(try await store.addOperator("anna", role: .admin, hash, at: now_ms))
      try store.close()
      #expect(try await !errors().contains("warning"))
    }
  }

  private func post(_ text: String, to port: Int) async throws -> Receipt {
    try await TestClient(port: port).post(text).decoded()
  }
}

/// A running `godwit-collector`.
final class Running {
  let process = Process()
  private let output = Pipe()
  private let errorOutput = Pipe()
  private let ended: AsyncStream<Int32>

  /// - Parameter descriptors: so many at most; nil: as many as the tests may have.
  init(_ arguments: [String], input: String = "", descriptors: Int? = nil) throws {
    let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
    self.ended = ended
    let folder = try #require(Bundle.main.executableURL).deletingLastPathComponent()
    process.executableURL = folder.appending(path: "godwit-collector")
    process.arguments = arguments
    if let descriptors {
      process.arguments =
        [
          "-c", "ulimit -n \(descriptors); exec \"$0\" \"$@\"",
          folder.appending(path: "godwit-collector").path,
        ] + arguments
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
    }
    process.standardOutput = output
    process.standardError = errorOutput
    let inputPipe = Pipe()
    process.standardInput = inputPipe
    process.terminationHandler = {
      continuation.yield($0.terminationStatus)
      continuation.finish()
    }
    try process.run()
    try inputPipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try inputPipe.fileHandleForWriting.close()
  }

  /// Reads the one line that says where it listens.
  func port() throws -> Int {
    var line = ""
    while !line.hasSuffix("\n") {
      let data = output.fileHandleForReading.availableData
      try #require(!data.isEmpty, "ended before it listened: \(errors())")
      line += String(decoding: data, as: UTF8.self)
    }
    let start = "listening on http://127.0.0.1:"
    try #require(line.hasPrefix(start))
    return try #require(Int(line.dropFirst(start.count).dropLast()))
  }

  /// All of its standard output; returns when it has ended.
  func everything() -> String {
    String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  func status() async -> Int32? {
    await ended.first { _ in true }
  }

  /// What it wrote to standard error; call it when the program has ended.
  func errors() -> String {
    String(decoding: errorOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}
