import DriveGenerator
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("The settings parser")
struct SettingsFuzzTests {
  @Test("survives random bytes")
  func randomBytes() {
    var random = RandomSource(seed: 1)
    let alphabet = Array("[]{}=.,#\"'\\\n\r\t abgps_-019:TZ+eE".utf8) + [0, 0x7f, 0x80, 0xc3, 0xa9, 0xff]
    for round in 0..<3000 {
      let count = Int.random(in: 0..<200, using: &random)
      let bytes = (0..<count).map { _ in
        round.isMultiple(of: 2)
          ? UInt8.random(in: 0...255, using: &random) : alphabet.randomElement(using: &random)!
      }
      parse(bytes)
    }
  }

  @Test(
    "survives mutated settings files",
    arguments: ["config/godwit.toml", "config/profiles/trailer-battery.toml"])
  func mutated(path: String) throws {
    let original = Array(try settingsText(of: path).replacing("\n# ", with: "\n").utf8)
    var random = RandomSource(seed: 2)
    for _ in 0..<1000 {
      // A window, since a whole reference mostly fails in its first prose.
      let start = Int.random(in: 0..<original.count, using: &random)
      var bytes = Array(original[start...].prefix(Int.random(in: 1...1500, using: &random)))
      for _ in 0..<Int.random(in: 0...4, using: &random) { mutate(&bytes, using: &random) }
      parse(bytes)
    }
  }

  @Test("survives what nests too deeply or is too long", arguments: [1000, 100_000])
  func deep(count: Int) {
    let long = String(repeating: "a.", count: count)
    let patterns = [
      "\(long)a = 1", "[\(long)a]", "x = " + String(repeating: "[", count: count),
      "x = " + String(repeating: "{a=", count: count), String(repeating: "a", count: count) + " = 1",
      "\"" + String(repeating: "a", count: count), String(repeating: "[[a.b]]\n", count: count / 10),
      String(repeating: "[a]\n", count: count), "x = " + String(repeating: "9", count: count),
      (0..<count / 100).map { "k\($0).gps.port = 1\n" }.joined(),
    ]
    for pattern in patterns { parse(Array(pattern.utf8)) }
    #expect(
      throws: TOMLSyntaxError(
        kind: .other("more dots in one line than are accepted; write a long list over several lines"),
        place: SettingPlace(line: 2, column: 1))
    ) { try TOMLDocument(Array("\n\(long)a = 1".utf8)) }
  }

  /// Whatever the bytes: settings, or at least one problem, and each on one line.
  private func parse(_ bytes: [UInt8]) {
    do throws(SettingsFileError) {
      _ = try SettingsFile.parse(bytes, name: "f") { _ in nil }
    } catch {
      guard case .invalid(let problems) = error else {
        Issue.record("not a problem of the text: \(error)"); return
      }
      if problems.isEmpty { Issue.record("refused without a reason") }
      let isClean = problems.allSatisfy { problem in
        problem.line > 0 && problem.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }
      }
      if !isClean { Issue.record("a message that is not one clean line: \(problems)") }
    }
  }

  private func mutate(_ bytes: inout [UInt8], using random: inout RandomSource) {
    let at = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where at < bytes.count: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where at < bytes.count: bytes.remove(at: at)
    case 2: bytes.insert("=[]{}\"'#.,\n".utf8.randomElement(using: &random)!, at: at)
    default: bytes.insert(contentsOf: bytes.prefix(at).suffix(40), at: at)
    }
  }
}
