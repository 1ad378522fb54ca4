import Foundation
import Testing

/// The servers of docs/receiver.md keep what that page promises, with a real agent that drives.
@Suite(
  "Receivers of docs/receiver.md", .serialized,
  .disabled(if: Rig.missing() != nil, "gpsd, a product or the collector is missing: Tests/run has them all"))
struct ExampleReceiverTests {
  enum Language: String, CaseIterable {
    case python = "py"
    case go
  }

  private static let examples = Rig.repository.appendingPathComponent("docs/examples")
  private static let compiler = "/usr/bin/gccgo"

  /// Program and arguments of the example, with its file in the rig's folder.
  private func command(_ language: Language, _ rig: Rig, port: Int) throws -> [String] {
    let source = Self.examples.appendingPathComponent("receiver.\(language.rawValue)").path
    let stored = rig.file("stored").path
    switch language {
    case .python: return ["/usr/bin/python3", source, stored, "\(port)", "open-sesame"]
    case .go:
      let program = rig.file("receiver").path
      _ = rig.output(URL(fileURLWithPath: Self.compiler), ["-o", program, source])
      try #require(FileManager.default.isExecutableFile(atPath: program))
      return [program, stored, "127.0.0.1:\(port)", "open-sesame"]
    }
  }

  /// The uuids that the example has stored, in any order, as often as it has them.
  private func stored(_ language: Language, _ rig: Rig) -> [String] {
    switch language {
    case .python:
      let rows = rig.output(
        URL(fileURLWithPath: "/usr/bin/sqlite3"),
        ["-readonly", rig.file("stored").path, "select uuid from records where device = 'rig'"])
      return String(decoding: rows, as: UTF8.self).split(separator: "\n").map(String.init)
    case .go:
      let lines = rig.text("stored").split(separator: "\n").map { $0.split(separator: " ") }
      return lines.filter { $0.count > 2 && $0[0] == "rig" }.map { String($0[1]) }
    }
  }

  /// The lower 62 bits, as docs/formats.md has them.
  private func sequence(_ uuid: String) -> Int64 {
    let digits = uuid.filter { $0 != "-" }
    return Int64(UInt64(digits.suffix(16), radix: 16)! & (1 << 62 - 1))
  }

  @Test("each keeps every record once, through kills in the middle", arguments: Language.allCases)
  func keeps(_ language: Language) async throws {
    if language == .go {
      try #require(
        FileManager.default.isExecutableFile(atPath: Self.compiler), "deploy/packages test installs it")
    }
    let rig = try await Rig.driving()
    let port = freePort()
    let command = try command(language, rig, port: port)
    func startReceiver() async throws {
      try rig.start("receiver", URL(fileURLWithPath: command[0]), Array(command.dropFirst()))
      try await rig.wait(until: "the receiver listens") { canConnect(to: port) }
    }
    try "open-sesame\n".write(to: rig.file("token"), atomically: false, encoding: .utf8)
    #expect(chmod(rig.file("token").path, 0o600) == 0)
    rig.url = "http://127.0.0.1:\(port)/v1/locations"
    rig.syncSettings += "token_file = \"\(rig.file("token").path)\"\nsync_retry_max_s = 1\n"
    try await startReceiver()
    try await rig.startAgent(Rig.everyFix)
    for _ in 1...3 {
      let before = stored(language, rig).count
      try await rig.wait(until: "more arrives") { stored(language, rig).count > before + 10 }
      _ = try await rig.end("receiver", with: SIGKILL)
      try await startReceiver()
    }
    _ = try await rig.end("feeder", with: SIGKILL)
    try await rig.wait(until: "everything is delivered") { rig.waiting() == 0 }
    let sequences = stored(language, rig).map(sequence).sorted()
    #expect(sequences == Array(1...(sequences.last ?? 1)))
    #expect(rig.warnings["records_refused"] == nil)
  }
}
