import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("A settings file on disk")
struct SettingsFileTests {
  @Test("is read")
  func read() throws {
    let folder = try SettingsFolder()
    let path = folder.write("godwit.toml", "device_id = \"van-1\"\n")
    #expect(try SettingsFile.read(path, checkSchedule: { _ in nil }).settings.deviceID == "van-1")
  }

  @Test("is named in its problems as it was asked for")
  func name() throws {
    let folder = try SettingsFolder()
    let path = folder.write("godwit.toml", "x = 1\n")
    #expect(words(of: path) == "\(path):1: x: unknown setting")
  }

  @Test("says that it is not there, what the system says, or that it is too large")
  func unreadable() throws {
    let folder = try SettingsFolder()
    let large = folder.write("large.toml", String(repeating: "#\n", count: 128 * 1024 + 1))
    let full = folder.write("full.toml", String(repeating: "#\n", count: 128 * 1024))
    #expect(
      words(of: "\(folder.path)/none.toml")
        == "\(folder.path)/none.toml: there is no such file. Name the settings file, or begin with one of "
        + "/usr/share/doc/godwit/examples/profiles (config/profiles in the source)."
    )
    #expect(
      words(of: folder.path)
        == "\(folder.path) is a directory and not a file: move it away and put the file there")
    #expect(words(of: large) == "\(large): larger than 256 kB, so not a settings file")
    #expect(words(of: full) == nil)
  }

  @Test(
    "wants a token file that its owner alone may read",
    arguments: [
      (0o600, nil), (0o400, nil), (0o640, "0640"), (0o644, "0644"), (0o700, "0700"), (0o4600, "04600"),
    ] as [(mode_t, String?)])
  func tokenMode(mode: mode_t, written: String?) throws {
    let folder = try SettingsFolder()
    let token = folder.write("token", "hunter2")
    #expect(chmod(token, mode) == 0)
    let problems = try file(tokenFile: token).checkFiles().map(\.description)
    let expected = written.map {
      "f:2: sync.token_file: \(token) has mode \($0), but only its owner may read it: chmod 0600 \(token)"
    }
    #expect(problems == [expected].compactMap { $0 })
  }

  @Test("wants a token file that is there and regular")
  func tokenKind() throws {
    let folder = try SettingsFolder()
    #expect(
      try file(tokenFile: "\(folder.path)/none").checkFiles().map(\.reason) == [
        "\(folder.path)/none is not there"
      ])
    #expect(
      try file(tokenFile: "$CREDENTIALS_DIRECTORY/tok").checkFiles().map(\.reason) == [
        "$CREDENTIALS_DIRECTORY/tok is not there: write ${CREDENTIALS_DIRECTORY}/tok, with the braces"
      ])
    #expect(
      try file(tokenFile: "none/token").checkFiles().map(\.reason) == [
        "none/token is not there: write its whole path, such as /etc/godwit/token"
      ])
    #expect(
      try SettingsFile.parse(
        "sync = { token_file = \"\(folder.path)/none\", auth_command = [\"/bin/renew\"] }", name: "f"
      ) { _ in nil }.checkFiles() == [])
    #expect(
      try file(tokenFile: folder.path).checkFiles().map(\.reason) == [
        "\(folder.path) is a directory and not a file: move it away and put the file there"
      ])
    #expect(try SettingsFile.parse("", name: "f") { _ in nil }.checkFiles().isEmpty)
  }

  @Test("takes a token file of the agent's user when root asks", .enabled(if: geteuid() == 0))
  func tokenOwner() throws {
    let folder = try SettingsFolder()
    let token = folder.write("token", "hunter2")
    #expect(chmod(token, 0o600) == 0)
    #expect(chown(token, 12345, 12345) == 0)
    #expect(try file(tokenFile: token).checkFiles() == [])
    #expect(try SecretFile.read(token) == "hunter2")
  }

  @Test("wants the key of the client's certificate to be as well kept as a token")
  func clientKey() throws {
    let folder = try SettingsFolder()
    let key = folder.write("key", "-----BEGIN")
    #expect(chmod(key, 0o644) == 0)
    let text = "[sync]\nclient_cert_file = \"\(key)\"\nclient_key_file = \"\(key)\""
    let file = try SettingsFile.parse(text, name: "f") { _ in nil }
    #expect(
      file.checkFiles().map(\.description) == [
        "f:3: sync.client_key_file: \(key) has mode 0644, but only its owner may read it: chmod 0600 \(key)"
      ])
  }

  @Test("wants the files of a password and of headers to be as well kept as a token")
  func otherSecrets() throws {
    let folder = try SettingsFolder()
    let (password, key) = (folder.write("password", "hunter2"), folder.write("api-key", "k7"))
    #expect(chmod(password, 0o644) == 0 && chmod(key, 0o604) == 0)
    let text =
      "[sync]\nuser = \"van\"\npassword_file = \"\(password)\"\n[sync.header_files]\nX-Api-Key = \"\(key)\""
    #expect(
      try SettingsFile.parse(text, name: "f") { _ in nil }.checkFiles().map(\.description) == [
        "f:3: sync.password_file: \(password) has mode 0644, but only its owner may read it: chmod 0600 \(password)",
        "f:5: sync.header_files.X-Api-Key: \(key) has mode 0604, but only its owner may read it: chmod 0600 \(key)",
      ])
  }

  /// What reading the file is reported; nil when it is fine.
  private func words(of path: String) -> String? {
    do throws(SettingsFileError) {
      _ = try SettingsFile.read(path) { _ in nil }
      return nil
    } catch {
      return error.description
    }
  }

  private func file(tokenFile: String) throws -> SettingsFile {
    try SettingsFile.parse("[sync]\ntoken_file = \"\(tokenFile)\"", name: "f") { _ in nil }
  }
}

/// A temporary folder that goes away with its owner.
final class SettingsFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/godwit-settings-XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    path = String(cString: made)
  }

  deinit {
    for name in fileNames(in: path) { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  func write(_ name: String, _ text: String) -> String {
    let file = "\(path)/\(name)"
    let stream = fopen(file, "w")
    #expect(stream != nil)
    if let stream {
      fputs(text, stream)
      fclose(stream)
    }
    return file
  }
}
