import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Reading settings")
struct SettingsReaderTests {
  private func read(
    _ values: (path: String, value: SettingEntry.Value)..., checkSchedule: (String) -> String? = { _ in nil }
  ) -> SettingsReader {
    let entries = values.enumerated().map { index, setting in
      SettingEntry(
        path: setting.path.split(separator: ".").map(String.init), value: setting.value,
        place: SettingPlace(line: index + 1, column: 1))
    }
    return SettingsReader(entries, file: "f", checkSchedule: checkSchedule)
  }

  @Test("no entry leaves every default, and the defaults themselves are fine")
  func defaults() {
    let reader = read()
    #expect(reader.settings == Settings())
    #expect(reader.problems.isEmpty)
  }

  @Test("the topic of commands is for MQTT, and not for answers of the consumer")
  func commandTopic() {
    let (on, mqtt) = ("sync.command_topic", "mqtts://broker.example/t")
    #expect(read((on, .flag(true)), ("sync.url", .text(mqtt))).problems.isEmpty)
    #expect(
      read((on, .flag(true)), ("sync.url", .text(mqtt)), ("sync.ack", .text("strict"))).problems.map(\.reason)
        == ["does not go with sync.ack \"strict\": set one of them otherwise"])
    #expect(
      read((on, .flag(true)), ("sync.url", .text("https://a.example"))).problems.map(\.reason)
        == ["is for mqtts:// in sync.url: remove it"])
  }

  @Test("each kind of value arrives")
  func values() {
    let reader = read(
      ("schedule", .texts([.init(text: "mon 09:00-17:00", place: SettingPlace(line: 1, column: 13))])),
      ("gps", .table), ("gps.port", .integer(4000)), ("gps.host", .text("::1")),
      ("gps.fix_timeout_s", .number(99.5)), ("gps.silence_timeout_s", .integer(60)),
      ("motion.gps_off_when_parked", .flag(false)), ("track.sampling", .text("all")),
      ("sync.headers", .table), ("sync.headers.X-Fleet", .text("north")))
    #expect(reader.problems.isEmpty)
    #expect(reader.settings.schedule == ["mon 09:00-17:00"])
    #expect(reader.settings.gps.port == 4000)
    #expect(reader.settings.gps.host == "::1")
    #expect(reader.settings.gps.fixTimeout_s == 99.5)
    #expect(reader.settings.gps.silenceTimeout_s == 60)
    #expect(!reader.settings.motion.gpsOffWhenParked)
    #expect(reader.settings.track.sampling == .all)
    #expect(reader.settings.sync.headers == ["X-Fleet": "north"])
    #expect(reader.place(of: "gps.port") == SettingPlace(line: 3, column: 1))
    #expect(reader.place(of: "gps.min_off_s") == nil)
  }

  @Test(
    "a range holds its bounds",
    arguments: [
      (9.999, false), (10, true), (3600, true), (3600.001, false), (.nan, false), (.infinity, false),
    ])
  func bounds(value: Double, isFine: Bool) {
    let reader = read(("gps.fix_timeout_s", .number(value)))
    #expect(reader.problems.isEmpty == isFine)
    #expect(reader.settings.gps.fixTimeout_s == (isFine ? value : 120))
  }

  @Test("a whole number too large for any range is out of range", arguments: [Int64.max, Int64.min])
  func hugeInteger(value: Int64) {
    #expect(read(("gps.port", .integer(value))).problems.count == 1)
    #expect(read(("gps.fix_timeout_s", .integer(value))).problems.count == 1)
  }

  @Test("a setting with a problem keeps its default, the others take effect")
  func keepsDefault() {
    let reader = read(("gps.port", .integer(0)), ("gps.host", .text("gps.example")))
    #expect(reader.settings.gps.port == 2947)
    #expect(reader.settings.gps.host == "gps.example")
  }

  @Test("only text without control characters is taken")
  func control() {
    #expect(
      read(("queue.path", .text("/tmp/a\u{0}b"))).problems.map(\.reason) == ["contains a control character"])
    let elements = [SettingEntry.Element(text: "a\n", place: SettingPlace(line: 7, column: 3))]
    #expect(read(("schedule", .texts(elements))).problems.map(\.line) == [7])
  }

  @Test("the beginning of a file is not checked for what must fit together")
  func beginning() {
    let mode = SettingEntry(
      path: ["gps", "power", "mode"], value: .text("level"), place: SettingPlace(line: 1, column: 1))
    #expect(SettingsReader([mode], file: "f", isWhole: false, checkSchedule: { _ in nil }).problems.isEmpty)
    #expect(SettingsReader([mode], file: "f", checkSchedule: { _ in nil }).problems.count == 2)
  }
}
