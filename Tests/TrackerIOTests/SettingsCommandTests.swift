import Foundation
import Glibc
import Testing
import TrackerBase
import TrackerWire

@Suite("The command on settings")
struct SettingsCommandTests {
  @Test("check says that a file is fine, and what it does")
  func fine() throws {
    let folder = try SettingsFolder()
    let path = folder.write(
      "godwit.toml",
      "device_id = \"van-1\"\n[sync]\nurl = \"https://me.example/x?key=hunter2\"\n[gps]\nport = 1\n")
    let result = try run(["check", path], in: folder)
    #expect(result.code == 0)
    #expect(result.errors == "")
    #expect(
      result.output == """
        \(path): fine
          device    "van-1"
          schedule  always
          server    me.example
          geofences 0
          track     high_accuracy
          gpsd      not asked for its devices: cannot reach gpsd at 127.0.0.1 port 1: connect: Connection refused \
        (errno 111). Is it running? "systemctl status gpsd.socket gpsd" shows it.

        """)
  }

  @Test("check reports all problems on stderr and exits with EX_CONFIG")
  func problems() throws {
    let folder = try SettingsFolder()
    let path = folder.write("godwit.toml", "[gps]\nport = 0\nprot = 1\n")
    let result = try run(["check", path], in: folder)
    #expect(result.code == EX_CONFIG)
    #expect(result.output == "")
    #expect(
      result.errors == """
        \(path):2: gps.port: 0 is outside 1 to 65535
        \(path):3: gps.prot: unknown setting; did you mean gps.port?

        """)
  }

  @Test("check looks at the token file")
  func token() throws {
    let folder = try SettingsFolder()
    let path = folder.write("godwit.toml", "sync.token_file = \"/nowhere/token\"\n")
    let result = try run(["check", path], in: folder)
    #expect(result.code == EX_CONFIG)
    #expect(
      result.errors
        == "\(path):1: sync.token_file: /nowhere/token is not there\n")
  }

  @Test(
    "check refuses a token file that holds no token",
    arguments: [
      ("", "is empty: write the secret into it"),
      (
        "my token",
        "has a blank or a tab within its line: write the token alone, with no word before or after it"
      ),
      ("\u{FEFF}token", "begins with a byte order mark: save it as plain text without one"),
    ])
  func tokenContent(text: String, words: String) throws {
    let folder = try SettingsFolder()
    let token = folder.write("token", text)
    #expect(chmod(token, 0o600) == 0)
    let path = folder.write("godwit.toml", "sync.token_file = \"\(token)\"\n")
    let result = try run(["check", path], in: folder)
    #expect(result.code == EX_CONFIG, "\(result.errors)")
    #expect(result.errors.contains("sync.token_file: \(token) \(words)\n"), "\(result)")
  }

  @Test("check reports a zone and geofences that cannot be used together, and exits with EX_CONFIG")
  func zoneAndGeofences() throws {
    let folder = try SettingsFolder()
    let path = folder.write(
      "godwit.toml", "timezone = \"Nowhere/Land\"\ngeofences_file = \"/nowhere/fences\"\n")
    let result = try run(["check", path], in: folder)
    #expect(result.code == EX_CONFIG)
    #expect(result.errors.hasPrefix("\(path):1: timezone \"Nowhere/Land\" is not in /usr/share/zoneinfo"))
    #expect(result.errors.hasSuffix("geofences_file: /nowhere/fences: there is no such file\n"))
  }

  @Test("check says that a file is UTF-16 text, and not that a power cut was at it")
  func utf16() throws {
    let folder = try SettingsFolder()
    let path = folder.write("godwit.toml", "")
    try Data([0xFF, 0xFE, 0x61, 0x00]).write(to: URL(fileURLWithPath: path))
    let result = try run(["check", path], in: folder)
    #expect(result.code == EX_CONFIG)
    #expect(result.errors == "\(path): is UTF-16 text: save it as UTF-8\n")
  }

  @Test("check exits with EX_NOINPUT when there is no file")
  func missing() throws {
    let folder = try SettingsFolder()
    let result = try run(["check", "/nowhere/godwit.toml"], in: folder)
    #expect(result.code == EX_NOINPUT)
    #expect(result.errors.hasPrefix("/nowhere/godwit.toml: there is no such file."))
  }

  @Test("settings prints the reference")
  func writers() throws {
    let folder = try SettingsFolder()
    #expect(try run(["settings", "--reference"], in: folder).output == ReferenceWriter.text())
  }

  private struct Outcome {
    var code: Int32
    var output: String
    var errors: String
  }

  /// Runs the built command, which lies beside the test bundle.
  private func run(_ arguments: [String], in folder: SettingsFolder) throws -> Outcome {
    var link = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &link, link.count)
    let command =
      String(decoding: link.prefix(max(0, length)).map(UInt8.init), as: UTF8.self)
      .split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/godwit"
    let (output, errors) = ("\(folder.path)/stdout", "\(folder.path)/stderr")

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, path) in [(STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
      posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    }
    var words = ([command] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var process: pid_t = 0
    try #require(posix_spawn(&process, command, &actions, nil, &words, environ) == 0, "\(command)")
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 && errno == EINTR {}
    try #require(status & 0x7f == 0, "ended by a signal")
    return Outcome(
      code: (status >> 8) & 0xff, output: try contents(of: output), errors: try contents(of: errors))
  }

  private func contents(of path: String) throws -> String {
    let stream = try #require(fopen(path, "r"))
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = fread(&bytes, 1, bytes.count, stream)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
