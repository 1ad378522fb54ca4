import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("The device's name on its way")
struct DeviceNameTests {
  @Test(
    "a plain name goes as it is, everything else as UTF-8 behind %",
    arguments: [
      ("van-7", "van-7", "van-7"),
      ("!#$&'*+-.^_`|~09AZaz", "!#$&'*+-.^_`|~09AZaz", "!%23$&'*%2B-.^_`|~09AZaz"),
      ("Van 7", "Van 7", "Van 7"), ("Müller Bagger 7", "M%C3%BCller Bagger 7", "M%C3%BCller Bagger 7"),
      ("50%", "50%25", "50%25"), ("a/b", "a/b", "a%2Fb"), (" a ", "%20a%20", " a "), (" ", "%20", " "),
      ("\u{1F69C}", "%F0%9F%9A%9C", "%F0%9F%9A%9C"), ("a\tb", "a%09b", "a%09b"), ("", "", ""),
    ])
  func encoded(name: String, header: String, level: String) {
    #expect(DeviceName.header(name) == header)
    #expect(DeviceName.topicLevel(name) == level)
  }

  @Test("what is encoded has no line break, no wildcard and no further level, and comes back the same")
  func everyByte() {
    for value in UInt32(0)...0x2FF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let name = "a\(scalar)b"
      for text in [DeviceName.header(name), DeviceName.topicLevel(name)] {
        #expect(text.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        #expect(ServerURL.percentDecoded(text[...]) == name)
      }
      #expect(!DeviceName.topicLevel(name).contains { "/+#".contains($0) })
    }
  }

  @Test("1 to 128 characters")
  func flaw() {
    #expect(DeviceName.problem(of: String(repeating: "ü", count: 128)) == nil)
    #expect(
      DeviceName.problem(of: String(repeating: "x", count: 300))
        == "has 300 characters, and may have 1 to 128")
  }

  @Test(
    "one that looks like another one, or that no address can hold, is refused as by the collector",
    arguments: [
      (".", "is . or .., which no address can hold"), ("..", "is . or .., which no address can hold"),
      ("van-7 ", "begins or ends with a space"), (" van-7", "begins or ends with a space"),
      ("van-7\u{200B}", "has a character that cannot be seen, U+200B"),
      ("van\u{A0}7", "has a character that cannot be seen, U+00A0"),
      ("van-7\u{3164}", "has a character that cannot be seen, U+3164"),
      ("\u{202E}van-7", "has a character that cannot be seen, U+202E"),
      ("van\n7", "has a character that cannot be seen, U+000A"),
    ])
  func unseen(name: String, reason: String) { #expect(DeviceName.problem(of: name) == reason) }

  @Test(
    "joined letters and pictures are fine",
    arguments: ["", "\u{6a9}\u{200c}\u{6cc}", "\u{2764}\u{fe0f}", "...", "a..b", "Van 7"])
  func joined(name: String) { #expect(DeviceName.problem(of: name) == nil) }
}
