import Testing
import TrackerBase

@testable import TrackerIO

@Suite("The boot partition's file")
struct ProvisionFileTests {
  private static let whole = """
    # For one card.
    device_id = "van-7"
    token = "gwt_0123456789abcdef"
    hat = "sixfab"
    apn = "internet"
    settings = '''
    device_id = "van-7"
    [sync]
    url = "https://fleet.test/v1/locations"
    token_file = "/etc/godwit/token"
    # end
    '''
    version = 1
    """

  private func problems(_ text: String) -> [String] {
    do throws(SettingsFileError) {
      _ = try ProvisionFile.parse(Array(text.utf8), name: "f")
      return []
    } catch { return error.description.split(separator: "\n").map(String.init) }
  }

  @Test("gives all that it has")
  func whole() throws {
    for text in [Self.whole, Self.whole.replacing("\n", with: "\r\n")] {
      let file = try ProvisionFile.parse(Array(text.utf8), name: "f")
      #expect(file.deviceID == "van-7" && file.token == "gwt_0123456789abcdef" && file.code == "")
      #expect(file.hat == "sixfab" && file.apn == "internet")
      #expect(file.settings?.sync.url == "https://fleet.test/v1/locations")
      #expect(file.settingsText.hasPrefix("device_id") && file.settingsText.contains("# end"))
    }
  }

  @Test("the name of the settings is the box's, and a code stands for a token")
  func code() throws {
    let text = Self.whole.replacing("token = ", with: "enrolment_code = ").replacing(
      "enrolment_code = \"gwt_0123456789abcdef\"", with: "enrolment_code = \"ABCD-EFGH-JKMN-PQRS\""
    ).replacing("device_id = \"van-7\"\nenrol", with: "enrol")
    let file = try ProvisionFile.parse(Array(text.utf8), name: "f")
    #expect(file.deviceID == "van-7" && file.token == "" && file.code == "ABCD-EFGH-JKMN-PQRS")
  }

  @Test(
    "each mistake is named with its line, and no value with it",
    arguments: [
      ("", ["f: version: is missing: the file was cut, or its last line, version = 1, was never written"]),
      ("version = 1", ["f: gives this box nothing: no token, code, settings, hat or apn"]),
      (
        "version = 1\napn = \"a\"",
        ["f:1: version: must stand in the last line: it says that nothing was cut off"]
      ),
      (
        "apn = \"a\"\nversion = 2",
        ["f:2: version: must be 1: the file is of a newer godwit-provision, so update godwit"]
      ),
      (
        "token = \"short\"\napn = \"two words\"\nhat = 7\nversion = 1",
        [
          "f:1: token: is no token: 16 or more visible ASCII characters, without a blank",
          "f:2: apn: must be one word of ASCII characters that does not begin with -",
          "f:3: hat: must be a text, between quotes",
        ]
      ),
      (
        "tokn = \"gwt_0123456789abcdef\"\napn = \"--root\"\nversion = 1",
        [
          "f:1: tokn: is not known here; there are version, device_id, token, enrolment_code, enrolment_url, settings, hat, apn",
          "f:2: apn: must be one word of ASCII characters that does not begin with -",
        ]
      ),
      (
        "version = 1\n[settings]\nurl = \"https://a.test\"",
        [
          "f:1: version: must stand in the last line: it says that nothing was cut off",
          "f:2: settings: is a group; write the text of the settings file between ''' and '''",
        ]
      ),
      (
        "token = \"gwt_0123456789abcdef\"\nenrolment_code = \"ABCD-EFGH\"\nversion = 1",
        ["f:2: enrolment_code: is there beside a token: one of them is too much"]
      ),
      (
        "enrolment_code = \"ABCD-EFGH\"\nenrolment_url = \"mqtts://a.test/t\"\nversion = 1",
        ["f:2: enrolment_url: must begin with https://"]
      ),
      (
        "token = \"gwt_01234\napn = \"a\"",
        [
          "f:1: cannot be read as TOML: a text ends in the line where it begins: is the closing quote missing? (column 19)"
        ]
      ),
      ("version = 1\0", ["f: holds NUL bytes, as files do after a power cut: write it anew"]),
    ])
  func mistakes(text: String, words: [String]) {
    #expect(problems(text) == words)
  }

  @Test("a mistake in the settings has the line of this file, wherever they begin")
  func settings() {
    let wrong = Self.whole.replacing("token_file", with: "tokn_file").replacing(
      "hat = \"sixfab\"\n", with: "")
    #expect(
      problems(wrong).map { $0.prefix(30) } == ["f:9: settings: sync.tokn_file:"], "\(problems(wrong))")
    let behind = "settings = '''schedule = [\"never\"]\nmotion = 7'''\nversion = 1\n"
    #expect(problems(behind).map { $0.prefix(4) } == ["f:1:", "f:2:"], "\(problems(behind))")
    let broken = "settings = '''\n[sync\n'''\nversion = 1\n"
    #expect(
      problems(broken).first?.hasPrefix("f:2: settings: cannot be read as TOML: ") == true,
      "\(problems(broken))")
  }

  @Test("two names for one box are a mistake, and a token needs its place")
  func together() {
    #expect(
      problems(Self.whole.replacing("device_id = \"van-7\"\ntoken", with: "device_id = \"van-8\"\ntoken"))
        == [
          "f:2: device_id: is another one than that of the settings below"
        ])
    #expect(
      problems(Self.whole.replacing("token_file = \"/etc/godwit/token\"\n", with: "")) == [
        "f:6: settings: must name sync.token_file, where the token goes: \"/etc/godwit/token\""
      ])
  }

  @Test("cut anywhere it is refused")
  func cut() {
    let bytes = Array(Self.whole.utf8)
    for count in 0..<bytes.count {
      #expect(throws: SettingsFileError.self) { try ProvisionFile.parse(Array(bytes[..<count]), name: "f") }
    }
  }
}
