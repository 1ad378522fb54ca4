import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// What a server sends is checked as the file is, together with it.
@Suite("Overlays over a settings file")
struct OverlayCheckTests {
  private func laid(
    _ settings: [(String, SettingEntry.Value)], over file: [(String, SettingEntry.Value)] = []
  ) throws(OverlayProblem) -> Settings {
    try Overlay(version: 1, settings: settings.map(overlayEntry)).laid(over: file.map(overlayEntry))
  }

  private func words(
    _ settings: [(String, SettingEntry.Value)], over file: [(String, SettingEntry.Value)] = []
  ) -> String? {
    do throws(OverlayProblem) {
      _ = try laid(settings, over: file)
      return nil
    } catch { return "\(error)" }
  }

  @Test("takes the place of the file's values, and leaves the others")
  func over() throws {
    let settings = try laid(
      [("motion.stop_timeout_s", .integer(600)), ("schedule", .texts([element("mon 09:00-10:00")]))],
      over: [("motion.stop_timeout_s", .integer(100)), ("track.max_error_m", .number(7.5))])
    #expect(settings.motion.stopTimeout_s == 600 && settings.track.maxError_m == 7.5)
    #expect(settings.schedule == ["mon 09:00-10:00"])
    #expect(try laid([], over: [("motion.stop_timeout_s", .integer(100))]).motion.stopTimeout_s == 100)
  }

  @Test("a preset of the overlay sets what neither sets itself")
  func preset() throws {
    let settings = try laid(
      [("track.preset", .text("balanced"))], over: [("track.max_error_m", .integer(7))])
    #expect(settings.track.maxError_m == 7 && settings.track.maxInterval_s == 300)
  }

  @Test(
    "a mistake is named with its setting and without its value",
    arguments: [
      ("motion.stop_timeout_s", .integer(5), "motion.stop_timeout_s: is outside 10 to 7200 s"),
      ("motion.stop_timeout_s", .number(5.25), "motion.stop_timeout_s: is outside 10 to 7200 s"),
      ("sync.max_batch_size", .integer(0), "sync.max_batch_size: is outside 1 to 10000"),
      (
        "motion.stop_timeout_s", .text("600"),
        "motion.stop_timeout_s: must be a number (10 to 7200 s), not text"
      ),
      ("motion.activity_events", .other("null"), "motion.activity_events: must be true or false, not null"),
      (
        "motion.mode", .text("59.3293"),
        "motion.mode: is not one of \"full\", \"probe_only\", \"wire_only\""
      ),
      (
        "schedule", .texts([element("mon 09:00-10:00"), element("59.3293")]), "schedule: rule 2 is malformed"
      ),
      ("sync.url", .text("https://evil.example"), "sync.url: cannot be set from afar"),
      ("sync.headers.X-Key", .text("s3cret"), "sync.headers: cannot be set from afar"),
      ("sync.config_trial_s", .integer(86_400), "sync.config_trial_s: cannot be set from afar"),
      ("gps.power.command", .texts([element("/bin/sh")]), "gps.power.command: cannot be set from afar"),
      (
        "motion.stop_timout_s", .integer(1),
        "motion.stop_timout_s: unknown setting; did you mean motion.stop_timeout_s?"
      ),
      ("motion", .other("an object"), "motion: unknown setting"),
      ("", .integer(1), "setting 1: this is no name of a setting"),
      ("59.3293,18.0686", .integer(1), "setting 1: this is no name of a setting"),
      (
        "motion.probe_interval_max_s", .integer(60),
        "motion.probe_interval_max_s: motion.probe_interval_max_s must be at least motion.probe_interval_s"
      ),
      (
        "motion.mode", .text("wire_only"),
        "motion.mode: \"wire_only\" needs an ignition line, or the GPS would never be on: set ignition.chip and ignition.line (docs/lines.md)"
      ),
    ] as [(String, SettingEntry.Value, String)])
  func wording(key: String, value: SettingEntry.Value, expected: String) {
    #expect(words([(key, value)]) == expected)
  }

  @Test("one mistake refuses all of it, and eight are named")
  func whole() {
    let bad: [(String, SettingEntry.Value)] = "abcdefghi".map { ("nowhere.\($0)x", .flag(true)) }
    let all = words([("motion.stop_timeout_s", .integer(600))] + bad)
    #expect(all?.hasSuffix("; nowhere.hx: unknown setting; and 1 more") == true, "\(all ?? "")")
  }

  @Test("mistakes of every kind are named, in the order of the document")
  func allKinds() {
    let found = words([
      ("track.max_error_m", .integer(-1)), ("nowhere.x", .flag(true)), ("sync.url", .text("x")),
      ("motion.stop_timeout_s", .integer(5)), ("schedule", .texts([element("59.3293")])),
    ])
    let expected = [
      "track.max_error_m: is outside", "nowhere.x: unknown setting", "sync.url: cannot be set from afar",
      "motion.stop_timeout_s: is outside 10 to 7200 s", "schedule: rule 1 is malformed",
    ]
    let parts = found?.components("; ") ?? []
    #expect(parts.count == expected.count, "\(found ?? "")")
    for (part, start) in zip(parts, expected) { #expect(part.hasPrefix(start), "\(part)") }
  }

  @Test("what fits the defaults may not fit the file")
  func together() {
    let interval: [(String, SettingEntry.Value)] = [("motion.probe_interval_max_s", .integer(600))]
    #expect(words(interval) == nil)
    #expect(words(interval, over: [("motion.probe_interval_s", .integer(900))]) != nil)
  }
}

extension String {
  fileprivate func components(_ separator: String) -> [String] {
    var (parts, rest) = ([String](), self[...])
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return parts + [String(rest)]
  }
}

func element(_ text: String) -> SettingEntry.Element {
  SettingEntry.Element(text: text, place: SettingPlace(line: 0, column: 0))
}

func overlayEntry(_ key: String, _ value: SettingEntry.Value) -> SettingEntry {
  SettingEntry(
    path: key.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }, value: value,
    place: SettingPlace(line: 0, column: 0))
}
