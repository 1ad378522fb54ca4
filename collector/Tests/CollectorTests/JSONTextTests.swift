import Foundation
import Testing

@testable import Collector

@Suite("JSON that is written by hand")
struct JSONTextTests {
  @Test(
    "has numbers without zeros at their ends",
    arguments: [
      (0, 2, "0"), (5, 2, "0.05"), (50, 2, "0.5"), (500, 2, "5"), (-1234, 2, "-12.34"), (-5, 1, "-0.5"),
      (593_293_000, 7, "59.3293"), (1, 7, "0.0000001"), (.max, 0, "9223372036854775807"),
      (.min, 7, "-922337203685.4775808"), (100, 0, "100"),
    ] as [(Int64, Int, String)])
  func numbers(value: Int64, decimals: Int, text: String) {
    var json = JSONText(capacity: 0)
    json.add("a", value, decimals: decimals)
    #expect(json.object == #"{"a":\#(text)}"#)
  }

  @Test("is read back as it was, whatever its texts hold")
  func texts() throws {
    let hostile = "\u{0}\u{1}\u{1f}\"\\/\n\t\u{7f}ü€🚚" + #"{"trip":3}"#
    var json = JSONText(capacity: 0)
    json.open("in")
    json.add("text", hostile)
    json.close()
    json.add("yes", true)
    json.add("unknown", nil, decimals: 2)
    json.add("whole", -7)
    let value = try #require(JSONValue(text: json.object))
    #expect(value["in"]?["text"]?.string == hostile)
    #expect(value["yes"] == .bool(true) && value["unknown"]?.integer == -1 && value["whole"]?.integer == -7)
  }
}
