import Foundation
import Testing

@testable import Collector

/// Two read what a record's fields are: one all records of a request at once, and one those that the first cannot read.
/// What both read they read alike, but for numbers that are nearly nothing.
@Suite("Record fields")
struct RecordFieldsTests {
  private static let whole = """
    {"uuid":"0190a1b2-0000-7000-8000-000000000001","timestamp":"2026-03-08T14:16:02.000Z","latitude":46.9238223,\
    "longitude":8.3164838,"altitude":464.68,"altitude_accuracy":-1,"accuracy":6.0,"speed":13.15,"speed_accuracy":-1.0,\
    "heading":186.04,"heading_accuracy":2.5,"is_moving":true,"event":"","extras":"{\\"trip\\":5}","odometer":12}
    """

  private static func atOnce(_ text: String) -> [RecordFields]? {
    let elements = JSONSlices.elements(Array(text.utf8)[...])
    return elements.flatMap { RecordFields.all(in: Array(text.utf8)[...], count: $0.count) }
  }

  private static func oneByOne(_ text: String) -> [RecordFields]? {
    let elements = JSONSlices.elements(Array(text.utf8)[...])
    return try? elements?.map { try JSONDecoder().decode(RecordFields.self, from: Data($0)) }
  }

  @Test("all members of a record")
  func allMembers() throws {
    let fields = try #require(Self.atOnce("[\(Self.whole)]")?.first)
    #expect(
      fields
        == RecordFields(
          uuid: "0190a1b2-0000-7000-8000-000000000001", timestamp: "2026-03-08T14:16:02.000Z",
          latitude: 46.9238223, longitude: 8.3164838, altitude_m: 464.68, altitudeAccuracy_m: nil,
          accuracy_m: 6,
          speed_mps: 13.15, speedAccuracy_mps: nil, heading_deg: 186.04, headingAccuracy_deg: 2.5,
          isMoving: true,
          event: "", extras: "{\"trip\":5}"))
  }

  @Test(
    "odd values and members",
    arguments: [
      "{}", #"{"uuid":"a","uuid":"b"}"#, #"{"uuid":1,"uuid":"b"}"#, #"{"latitude":"1","latitude":2}"#,
      #"{"\u0075uid":"x"}"#, #"{"uuid":"a\u0000b"}"#, #"{"uuid":"\ud83d\ude00"}"#,
      #"{"uuid":null,"is_moving":null}"#,
      #"{"latitude":true,"is_moving":1}"#, #"{"latitude":9007199254740993}"#,
      #"{"latitude":18446744073709551615}"#,
      #"{"latitude":-9223372036854775808}"#, #"{"latitude":-0.0}"#, #"{"latitude":1e23}"#,
      #"{"latitude":0.1e-7}"#, #"{"latitude":123456789012345678901234567890e-20}"#,
      #"{"latitude":1.7976931348623157e308}"#,
      #"{"latitude":4.9e-324}"#, #"{"latitude":2.2250738585072011e-308}"#, #"{"speed":-1,"altitude":-1}"#,
      #"{"x":{"uuid":"inner"},"uuid":"outer"}"#, #"{"UUID":"a"}"#, #"{"uuid":"é","é":1}"#,
      " { \"uuid\" :\t\"a\"\r\n} ",
    ])
  func odd(record: String) throws {
    let text = "[\(Self.whole),\(record)]"
    let read = try #require(Self.atOnce(text))
    #expect(read == Self.oneByOne(text))
  }

  @Test("a number too small for a double is 0, where the decoder knows none")
  func tooSmall() throws {
    #expect(try #require(Self.atOnce(#"[{"latitude":1e-400}]"#)).first?.latitude == 0)
    #expect(try #require(Self.oneByOne(#"[{"latitude":1e-400}]"#)).first?.latitude == nil)
  }

  @Test(
    "what is left to the decoder",
    arguments: [
      "1", "null", "[]", #"{"latitude":99999999999999999999999999}"#, #"{"latitude":1e400}"#, #"{"x":1e}"#,
      #"{"uuid":"a",}"#, #"{"uuid":"\ud800"}"#, #"{"x":"\x"}"#, "{\"x\":\"\t\"}", #"{"x":[1,]}"#,
      #"{"x":NaN}"#,
      "{\"x\":" + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}",
    ])
  func left(record: String) {
    #expect(Self.atOnce("[\(Self.whole),\(record)]") == nil)
  }

  @Test("damaged at any place: what both read they read alike")
  func damaged() {
    var random = Chance(state: 21)
    let bytes = Array("[\(Self.whole),\(Self.whole)]".utf8)
    let odd = Array("\"\\{}[]:,0129-+.eEtfnu \n\u{0}é".utf8)
    var read = 0
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = damaged.indices.randomElement(using: &random)!
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged[place] = odd.randomElement(using: &random)!
        case 1: damaged.remove(at: place)
        default: damaged.insert(odd.randomElement(using: &random)!, at: place)
        }
      }
      guard let text = String(validating: damaged, as: UTF8.self), let found = Self.atOnce(text) else {
        continue
      }
      read += 1
      #expect(found == Self.oneByOne(text), "\(text)")
    }
    #expect(read > 1000)
  }
}
