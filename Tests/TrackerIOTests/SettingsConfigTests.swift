import Foundation
import Testing
import TrackerBase
import TrackerWire

@testable import TrackerIO

@Suite("The files in config")
struct SettingsConfigTests {
  @Test("the reference is what the settings say")
  func reference() throws {
    #expect(
      try settingsText(of: "config/godwit.toml") == ReferenceWriter.text(),
      "refresh it: swift run godwit settings --reference > config/godwit.toml")
  }

  @Test("the schema is what the settings say")
  func schema() throws {
    let (path, text) = ("config/godwit.schema.json", SchemaWriter.text())
    if getenv("GODWIT_REFRESH") != nil {
      try text.write(toFile: "\(settingsRoot())/\(path)", atomically: true, encoding: .utf8)
    }
    #expect(try settingsText(of: path) == text, "refresh it: GODWIT_REFRESH=1 swift test --filter schema")
  }

  @Test("each is a settings file without problems")
  func allParse() throws {
    let folders = ["config", "config/profiles"]
    let files = folders.flatMap { folder in
      fileNames(in: "\(settingsRoot())/\(folder)").map { "\(folder)/\($0)" }
    }
    .filter { $0.hasSuffix(".toml") }
    #expect(files.count >= 3)
    for file in files {
      #expect(throws: Never.self) { try SettingsFile.parse(settingsText(of: file), name: file) { _ in nil } }
    }
  }

  @Test("the reference with every comment sign removed sets every default")
  func uncommented() throws {
    let lines = ReferenceWriter.text().split(separator: "\n", omittingEmptySubsequences: false)
    let live = lines.map { line in isSetting(line) ? line.dropFirst(2) : line }
    #expect(lines.filter(isSetting).count > 50)
    let file = try SettingsFile.parse(live.joined(separator: "\n"), name: "f") { _ in nil }
    #expect(file.settings == Settings())
  }

  @Test("the reference shows meaning, default and range")
  func referenceLines() {
    let expected = """

      # If there is no fix within this time, the GPS is switched off for a pause, and then tried again.
      # fix_timeout_s = 120  # 10 to 3600 s; remote

      """
    #expect(ReferenceWriter.text().contains(expected))
    #expect(
      ReferenceWriter.text().contains("\n# mode = \"none\"  # \"level\", \"pulse\", \"command\", \"none\"\n"))
    #expect(ReferenceWriter.text().split(separator: "\n").allSatisfy { $0.count <= 110 })
  }

  @Test("no comment of the reference is broken where the next word would have fitted")
  func wrapping() {
    let lines = ReferenceWriter.text().split(separator: "\n", omittingEmptySubsequences: false)
    for (line, next) in zip(lines, lines.dropFirst()) where isProse(line) && isProse(next) {
      let word = next.dropFirst(2).prefix { $0 != " " }
      // One that says which values there are begins a line of its own.
      #expect(word == "One" || line.count - 2 + 1 + word.count > 104, "\(line)\n\(next)")
    }
  }

  @Test("examples of Basic authentication and of headers from files are ready to be uncommented")
  func authentication() throws {
    let example = """
      #   user = "van-7"
      #   password_file = "/etc/godwit/password"

      """
    let headers = """
      #   [sync.header_files]
      #   X-Api-Key = "/etc/godwit/api-key"

      """
    for (block, key) in [(example, "password_file"), (headers, "header_files")] {
      #expect(ReferenceWriter.text().contains(block), "\(key)")
    }
    let live = ReferenceWriter.text().replacing(example, with: uncommented(example))
      .replacing(headers, with: uncommented(headers))
    let sync = try SettingsFile.parse(live, name: "f") { _ in nil }.settings.sync
    #expect(sync.user == "van-7" && sync.passwordFile == "/etc/godwit/password")
    #expect(sync.headerFiles == ["X-Api-Key": "/etc/godwit/api-key"])
  }

  private func uncommented(_ block: String) -> String { block.replacing("#   ", with: "") }

  private func isProse(_ line: Substring) -> Bool {
    line.hasPrefix("# ") && !line.hasPrefix("#  ") && !isSetting(line)
  }

  /// `# key = …`; an example is indented.
  private func isSetting(_ line: Substring) -> Bool {
    let words = line.split(separator: " ", maxSplits: 3)
    return words.count == 4 && words[0] == "#" && words[2] == "=" && !line.hasPrefix("#  ")
  }
}

/// A file of the repository.
func settingsText(of path: String) throws -> String {
  String(decoding: try #require(fileBytes("\(settingsRoot())/\(path)")), as: UTF8.self)
}

private func settingsRoot(file: String = #filePath) -> String {
  file.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
}
