import Foundation
import Testing

/// The program where what it was started in is too tight: FAULTS 63.
@Suite("Surroundings")
struct SurroundingsTests {
  /// - Parameter script: of a shell, in which `$0` is the program.
  private func shell(_ script: String) throws -> (code: Int32, errors: String) {
    let (process, errors) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", script, Rig.product("godwit").path]
    process.environment = Rig.environment
    (process.standardInput, process.standardOutput, process.standardError) = (
      FileHandle.nullDevice, FileHandle.nullDevice, errors
    )
    try process.run()
    let words = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: words, as: UTF8.self))
  }

  @Test(
    "what a full disk behind standard output did not take is an error with 74 and one line",
    arguments: [
      "settings --reference", "schedule --rule 'mon-fri 08:00-18:00'", "--help", "--version",
      "check --elsewhere ''",
    ])
  func fullDisk(words: String) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "full-\(UUID()).toml")
    try Data("device_id = \"box\"\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let words = words.replacing("''", with: file.path)
    let outcome = try shell("\"$0\" \(words) > /dev/full")
    #expect(outcome.code == 74, "\(outcome.errors)")
    #expect(
      outcome.errors.hasSuffix(
        "godwit: standard output: No space left on device; what was written there is not whole\n"))
    #expect(try shell("\"$0\" \(words) > /dev/null").code == 0)
  }

  @Test("a reader that has had enough is no error")
  func shortReader() throws {
    let outcome = try shell("\"$0\" settings --reference | head -c 1")
    #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
  }

  @Test("a stack that is too small is said to be, instead of a crash", arguments: [64, 128, 256])
  func smallStack(kB: Int) throws {
    let outcome = try shell("ulimit -s \(kB); exec \"$0\" --version")
    #expect(outcome.code == 71)
    #expect(
      outcome.errors.contains("godwit: the stack may have \(kB) kB, and 512 are needed: ulimit -s 8192"))
  }

  @Test("a stack that may be made larger is")
  func softLimit() throws { #expect(try shell("ulimit -S -s 64; exec \"$0\" --version").code == 0) }
}
