import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("How settings are written")
struct SettingsTextTests {
  @Test(
    "whole numbers have no fraction",
    arguments: [(120, "120"), (0.5, "0.5"), (604_800, "604800"), (0, "0"), (.infinity, "inf")]
      as [(Double, String)])
  func numbers(value: Double, words: String) {
    #expect(SettingText.number(value) == words)
  }

  @Test("a quoted text holds no quote, no backslash and no control character of its own")
  func quoted() {
    #expect(SettingText.quoted("a\"b\\c\n\t\u{1b}\u{7f}é") == #""a\"b\\c\n\t\u001b\u007fé""#)
  }

  @Test("a strange key is quoted and a long one cut, so that no file writes to the terminal")
  func strangeKeys() {
    #expect(SettingText.dotted(["gps", "fix_timeout_s"]) == "gps.fix_timeout_s")
    #expect(SettingText.dotted(["a.b", ""]) == #""a.b"."""#)
    #expect(SettingText.dotted(["\u{1b}[2J"]) == #""\u001b[2J""#)
    #expect(SettingText.dotted([String(repeating: "k", count: 1000)]).count == 61)
  }

  @Test(
    "the unit is the end of the key",
    arguments: [
      ("fix_timeout_s", "s"), ("settle_ms", "ms"), ("max_error_m", "m"), ("max_speed_mps", "m/s"),
      ("queue_max_mb", "MB"), ("max_reply_kb", "kB"), ("probe_share", nil), ("port", nil),
    ])
  func units(key: String, unit: String?) {
    #expect(SettingText.unit(of: key) == unit)
  }

  @Test("long lines are broken at spaces and nowhere else, and lines that are indented stay as they are")
  func wrapped() {
    #expect(SettingText.wrapped("one two three\nfour", width: 7) == ["one two", "three", "four"])
    #expect(SettingText.wrapped("one\ntwo", width: 7) == ["one two"])
    #expect(
      SettingText.wrapped("one\n  two  three four\n  five\nsix\nseven", width: 9)
        == ["one", "  two  three four", "  five", "six seven"])
    #expect(SettingText.wrapped("immensely long", width: 4) == ["immensely", "long"])
  }
}
