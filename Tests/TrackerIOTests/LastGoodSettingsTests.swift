import Glibc
import Testing

@testable import TrackerIO

@Suite("The last good settings")
struct LastGoodSettingsTests {
  private static let text = """
    # a van
    device_id = "van"
    schedule = ["mon-fri 07:00-18:00"]
    [sync]
    url = "https://fleet.example/"   # ours

    # the end
    """

  private static let kept = LastGoodSettings(files: [.init(path: "a.toml", bytes: Array(text.utf8))])

  @Test(
    "a file that is cut at any byte before its last setting is noticed, and one without its last comments is not"
  )
  func cut() {
    let whole = Array(Self.text.utf8)
    let settingsEnd = whole.count - "   # ours\n\n# the end".utf8.count
    for length in 0..<whole.count {
      let isCut = Self.kept.isCut(Array(whole.prefix(length)), path: "a.toml")
      if length < settingsEnd { #expect(isCut, "\(length)") }
    }
    let withoutComment = Array(whole.prefix(whole.count - "# the end".utf8.count))
    #expect(!Self.kept.isCut(withoutComment, path: "a.toml"))
    #expect(!Self.kept.isCut(whole, path: "a.toml"))
  }

  @Test(
    "a cut is noticed with blanks and newlines behind it, with a byte order mark, and with other line ends",
    arguments: ["\n", "\n\n", "\r\n \t\r\n"], [false, true])
  func cutAndTouched(end: String, hasMark: Bool) {
    let mark = hasMark ? "\u{FEFF}" : ""
    let lines = Self.text.split(separator: "\n", omittingEmptySubsequences: false)
    for count in 0...lines.count {
      for newline in ["\n", "\r\n"] {
        let text = mark + lines.prefix(count).joined(separator: newline) + end
        // The fifth line is the last with a setting.
        #expect(Self.kept.isCut(Array(text.utf8), path: "a.toml") == (count < 5), "\(count)")
      }
    }
    let touched = LastGoodSettings(files: [
      .init(path: "a.toml", bytes: Array((mark + lines.joined(separator: "\r\n") + end).utf8))
    ])
    #expect(touched.isCut(Array(lines[0].utf8), path: "a.toml"))
    #expect(!touched.isCut(Array(Self.text.utf8), path: "a.toml"))
  }

  @Test("a last line that was changed and ended is no cut, and neither is one with a comment behind it")
  func shortenedOnPurpose() {
    let changed = "# a van\ndevice_id = \"van\"\nschedule = []\n"
    for text in [changed, "# a van\ndevice\n", "# a van\n# end\n"] {
      #expect(!Self.kept.isCut(Array(text.utf8), path: "a.toml"))
    }
  }

  @Test("settings are kept under the whole path: a name alone stands for another file in each folder")
  func wholePath() throws {
    let folder = try #require(realpath(".", nil))
    defer { free(folder) }
    let here = String(cString: folder)
    let name = here.split(separator: "/").last ?? ""
    for path in ["van.toml", "./van.toml", "../\(name)/van.toml"] {
      #expect(LastGoodSettings.file(for: path) == LastGoodSettings.file(for: here + "/van.toml"))
      let kept = LastGoodSettings(files: [.init(path: path, bytes: [65])])
      #expect(kept.files[0].path == here + "/van.toml")
      #expect(kept.bytes(of: path) == [65] && kept.bytes(of: "van.toml") == [65])
    }
    let standard = LastGoodSettings.file(for: "/etc/godwit/godwit.toml")
    #expect(standard.hasSuffix("/settings-37ead6bc68a478d0.last"))
  }

  @Test("a copy of settings is for its owner alone, also where a file that all may read is in its place")
  func isPrivate() throws {
    let folder = QueueFolder()
    folder.write([], to: "kept")
    try #require(chmod(folder.path + "/kept", 0o644) == 0)
    try DurableFile.write(folder.path + "/kept", "text")
    var info = stat()
    #expect(stat(folder.path + "/kept", &info) == 0 && info.st_mode & 0o7777 == 0o600)
  }

  @Test("a problem with the copy is the same as with the file itself, also under a relative name")
  func relativeName() throws {
    let folder = QueueFolder()
    let path = String(repeating: "../", count: 40) + folder.path.dropFirst() + "/a.toml"
    let text = "[sync]\nurl = \"https://x.example/\"\ntoken_file = \"/nowhere/token\"\n"
    let kept = LastGoodSettings(files: [.init(path: path, bytes: Array(text.utf8))])
    let copied = try #require(SettingsFile.read(kept, as: path).checkFiles().first)
    folder.write(Array(("# repaired\n" + text).utf8), to: "a.toml")
    let own = try #require(SettingsFile.read(path).checkFiles().first)
    #expect(own.file == path && own.line == copied.line + 1)
    #expect(own.isSame(as: copied), "\(own) \(copied)")
  }

  @Test("another file, a longer one, and one that differs anywhere are no cuts")
  func changed() {
    for text in ["device_id = \"other\"\n", Self.text + "\n[run]\n", "# a van\ndevice_id = \"van\"\n# end\n"]
    {
      #expect(!Self.kept.isCut(Array(text.utf8), path: "a.toml"))
    }
    #expect(!Self.kept.isCut([], path: "b.toml"))
  }
}
