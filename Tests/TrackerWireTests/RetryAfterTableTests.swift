import Testing

@testable import TrackerWire

@Suite("Retry-After, the header's value")
struct RetryAfterTableTests {
  private func seconds(_ text: String, from from_s: Int64? = 1000) -> Int? {
    RetryAfter.seconds(text, from: from_s) { text in
      [
        "Thu, 01 Jan 1970 00:18:20 GMT": 1100, "Thu, 01 Jan 1970 00:15:00 GMT": 900, "Year: 9": .max,
        "Year: 0": .min,
      ][text]
    }
  }

  @Test(
    "whole seconds up to a day; neither negative, nor with a fraction, nor garbage",
    arguments: [
      ("0", 0), ("30", 30), (" 30\t", 30), ("86400", 86_400), ("86401", 86_400), ("007", 7),
      ("9223372036854775807", 86_400), ("9223372036854775808", 86_400),
      ("99999999999999999999999999", 86_400),
      ("-5", nil), ("+30", nil), ("30.5", nil), ("1e3", nil), ("0x30", nil), ("30 s", nil), ("30, 30", nil),
      ("", nil),
      ("soon", nil), ("٣٠", nil), ("2026-01-01T00:00:00Z", nil),
    ] as [(String, Int?)])
  func whole(text: String, expected: Int?) { #expect(seconds(text) == expected) }

  @Test(
    "a date counts from the time that is known, one in the past is now, and one in a thousand years a day")
  func dates() {
    #expect(seconds("Thu, 01 Jan 1970 00:18:20 GMT") == 100)
    #expect(seconds("Thu, 01 Jan 1970 00:15:00 GMT") == 0)
    #expect(seconds("Year: 9") == 86_400 && seconds("Year: 9", from: -1000) == 86_400)
    #expect(seconds("Year: 0") == 0)
    #expect(seconds("Thu, 01 Jan 1970 00:18:20 GMT", from: nil) == nil)
    #expect(seconds("Thu, 01 Jan 1970 25:61:20 GMT") == nil)
  }
}
