import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("The settings hash")
struct SettingsHashTests {
  @Test(
    "is FNV-1a: the vectors of draft-eastlake-fnv",
    arguments: [
      ("", 0xcbf2_9ce4_8422_2325 as UInt64), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
    ])
  func vectors(text: String, expected: UInt64) {
    var hash = FNV1a()
    hash.add(text)
    #expect(hash.value == expected)
  }

  @Test("has 16 hexadecimal digits and is the same each time")
  func shape() {
    let hash = SettingsHash.of(Settings())
    #expect(hash.count == 16)
    #expect(hash.allSatisfy { $0.isHexDigit })
    #expect(hash == SettingsHash.of(Settings()))
    #expect(SettingText.hex(0xab, digits: 16) == "00000000000000ab")
  }

  /// A fleet compares it between devices of several versions.
  @Test("stays what it is from version to version, while no setting comes or goes")
  func fixed() {
    #expect(SettingsHash.of(Settings()) == "b8e8727c4fbf2459")
    var settings = Settings(preset: .balanced)
    settings.deviceID = "van-1"
    settings.schedule = ["mon 09:00-17:00", "tue 09:00-17:00"]
    settings.gps.port = 2948
    settings.gps.fixTimeout_s = 120.5
    settings.gps.power.mode = .level
    settings.gps.power.chip = "gpiochip0"
    settings.gps.power.line = "17"
    settings.gps.power.activeLow = true
    settings.vibration.chip = "gpiochip0"
    settings.vibration.line = "22"
    settings.sync.url = "https://fleet.example/"
    settings.sync.ack = .any
    settings.sync.headers = ["X-Fleet": "north"]
    #expect(SettingsHash.of(settings) == "8043d4ba59774b1c")
  }

  // Not inside of the attribute: Swift 6.0 cannot compile closures there.
  private static let changes: [@Sendable (inout Settings) -> Void] = [
    { $0.deviceID = "van-1" },
    { $0.schedule = ["a", "b"] },
    { $0.schedule = ["a,b"] },
    { $0.gps.port = 2948 },
    { $0.gps.fixTimeout_s = 120.5 },
    { $0.gps.power.mode = .level },
    { $0.gps.power.activeLow = true },
    { $0.sync.headers = ["X-Fleet": "north"] },
  ]

  @Test("differs when a setting differs", arguments: changes)
  func differs(change: @Sendable (inout Settings) -> Void) {
    var settings = Settings()
    change(&settings)
    #expect(SettingsHash.of(settings) != SettingsHash.of(Settings()))
  }

  @Test("does not depend on the values of headers, nor on their order")
  func headers() {
    var a = Settings()
    var b = Settings()
    for name in 0..<20 { a.sync.headers["X-\(name)"] = "one" }
    for name in (0..<20).reversed() { b.sync.headers["X-\(name)"] = "another" }
    #expect(SettingsHash.of(a) == SettingsHash.of(b))
  }

  @Test("reports lists apart that look alike when joined")
  func lists() {
    var a = Settings()
    var b = Settings()
    a.schedule = ["x", "y"]
    b.schedule = ["x\",\"y"]
    #expect(SettingsHash.of(a) != SettingsHash.of(b))
  }
}
