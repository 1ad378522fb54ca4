import Testing

@testable import Collector

@Suite("Timestamp")
struct TimestampTests {
  @Test(
    "reads RFC 3339 to the millisecond",
    arguments: [
      ("1970-01-01T00:00:00Z", 0),
      ("2026-01-01T00:00:00.000Z", 1_767_225_600_000),
      ("2026-01-01t00:00:00.5z", 1_767_225_600_500),
      ("2026-01-01T00:00:00.123999Z", 1_767_225_600_123),
      ("2026-01-01T00:00:00.04Z", 1_767_225_600_040),
      ("2026-01-01T00:00:00.0009+00:00", 1_767_225_600_000),
      ("2026-01-01T02:00:00.000+02:00", 1_767_225_600_000),
      ("2025-12-31T19:30:00-04:30", 1_767_225_600_000),
      ("2024-02-29T12:00:00Z", 1_709_208_000_000),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000),
      ("1969-12-31T23:59:59.999Z", -1),
    ])
  func reads(text: String, time_ms: Int64) {
    #expect(Timestamp.milliseconds(text) == time_ms)
  }

  @Test(
    "refuses what is not a date and time",
    arguments: [
      "", "yesterday", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z", "2026-13-01T00:00:00Z",
      "2026-02-29T00:00:00Z", "2026-00-10T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
      "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00+0200",
      "٢٠٢٦-01-01T00:00:00Z", "1767225600", "2026-01-01T00:00:00.1",
      "2026-01-01T00:00:00.1.2Z", "2026-01-01T",
      "9999-12-31T23:59:00-00:01", "9999-12-31T23:59:60Z", "0000-01-01T00:00:00+00:01",
    ])
  func refuses(text: String) {
    #expect(Timestamp.milliseconds(text) == nil)
  }

  /// From 1843 to 2128, in odd steps.
  static let times_ms = Array(
    stride(from: Int64(-4_000_000_000_000), to: 5_000_000_000_000, by: 37_123_456_789))

  @Test("what is written is read back", arguments: times_ms)
  func roundTrip(time_ms: Int64) {
    #expect(Timestamp.milliseconds(Timestamp.text(time_ms)) == time_ms)
  }

  @Test(
    "reads and writes the years 0 to 9999 to their ends",
    arguments: [
      ("0000-01-01T00:00:00.000Z", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ])
  func ends(text: String, time_ms: Int64) {
    #expect(Timestamp.milliseconds(text) == time_ms && Timestamp.text(time_ms) == text)
    let beyond_ms = time_ms < 0 ? time_ms - 1 : time_ms + 1
    #expect(Timestamp.isReadable(time_ms) && !Timestamp.isReadable(beyond_ms))
  }

  /// The first and the last are what java.time.Instant says of them.
  @Test(
    "writes whatever 64 bits hold",
    arguments: [
      (Int64.min, "-292275055-05-16T16:47:04.192Z"), (-62_167_219_200_001, "-1-12-31T23:59:59.999Z"),
      (253_402_300_800_000, "10000-01-01T00:00:00.000Z"), (.max, "292278994-08-17T07:12:55.807Z"),
    ])
  func beyond(time_ms: Int64, text: String) {
    #expect(Timestamp.text(time_ms) == text)
  }

  @Test("writes UTC with milliseconds")
  func writes() {
    #expect(Timestamp.text(1_767_225_600_007) == "2026-01-01T00:00:00.007Z")
  }
}
