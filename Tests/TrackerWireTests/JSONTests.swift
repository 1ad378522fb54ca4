import Testing
import TrackerBase
import TrackerWire

@Suite("Writing JSON")
struct JSONWriterTests {
  @Test(
    "a number is the shortest that reads back, with a fraction or an exponent",
    arguments: [
      (12, "12.0"), (-1, "-1.0"), (0, "0.0"), (0.1, "0.1"), (47.3769123, "47.3769123"),
      (0.0001, "0.0001"), (0.00001, "1e-05"), (-4.7e-6, "-4.7e-06"), (1e-10, "1e-10"), (1e20, "1e+20"),
      (1.5e300, "1.5e+300"), (.nan, "null"), (.infinity, "null"),
    ] as [(Double, String)])
  func number(value: Double, text: String) {
    var json = JSONWriter()
    json.number(value)
    #expect(json.text == text)
  }

  @Test("commas stand between members and values, and nowhere else")
  func commas() {
    var json = JSONWriter()
    json.beginObject()
    json.member("a", 1)
    json.key("b")
    json.beginArray()
    json.beginArray()
    json.endArray()
    json.beginObject()
    json.endObject()
    json.integer(-2)
    json.null()
    json.endArray()
    json.member("c", true)
    json.member("d", "x")
    json.key("e")
    json.raw("{}")
    json.member("f", 0.5)
    json.endObject()
    #expect(json.text == #"{"a":1,"b":[[],{},-2,null],"c":true,"d":"x","e":{},"f":0.5}"#)
  }

  @Test("strings are escaped where JSON demands it, and raw UTF-8 otherwise")
  func escapes() {
    var json = JSONWriter()
    json.string("\"\\/\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}ü🚐")
    #expect(json.text == #""\"\\/\b\t\n\f\r\u0000\u001f"# + "\u{7F}ü🚐\"")
  }

  @Test("a key that is read somewhere is escaped like a string")
  func keys() {
    let json = JSONWriter.object { json in
      json.key("a \"b\"\n")
      json.integer(1)
      json.member("zusätzlich", 2)
    }
    #expect(json == #"{"a \"b\"\n":1,"zusätzlich":2}"#)
  }
}

@Suite("Reading JSON")
struct JSONReaderTests {
  @Test("every kind of value, with white space anywhere")
  func values() {
    let text = " { \"a\" : [ 1 , -2.5e1 , true , false , null , \"x\" ] ,\r\n\t\"b\" : { } } "
    let expected = JSONValue.object([
      JSONMember(
        key: "a", value: .array([.integer(1), .number(-25), .bool(true), .bool(false), .null, .string("x")])),
      JSONMember(key: "b", value: .object([])),
    ])
    #expect(parse(text) == expected)
  }

  @Test(
    "a string's escapes",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00fc\u20AC""#, "ü€"),
      (#""\ud83d\ude90""#, "🚐"), ("\"ü🚐\"", "ü🚐"),
    ])
  func strings(text: String, value: String) { #expect(parse(text)?.string == value) }

  @Test(
    "what is not JSON is refused as a whole",
    arguments: [
      "", " ", "{", "}", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "[1 2]", "1 2", "01",
      "-",
      "1.", ".5", "1e", "+1", "nul", "True", "NaN", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud83d\"",
      "\"\\ud83dx\"", "\"\\ude90\"", "\"\u{1}\"", "<html></html>", "[\"a\":1]",
    ])
  func refused(text: String) { #expect(parse(text) == nil) }

  @Test(
    "a number that no Double holds is JSON, and no number; written again it is the same",
    arguments: ["1e400", "-1e400", "1e999999999999", "[1e400,2]"])
  func outOfRange(text: String) throws {
    let value = try #require(parse(text))
    let first = value.array?.first ?? value
    #expect(first == .outOfRange && first.number == nil && first.integer == nil)
    var json = JSONWriter()
    json.value(value)
    #expect(JSONReader.parse(json.bytes) == value)
  }

  @Test("bytes that are no UTF-8 are refused")
  func invalidUTF8() { #expect(JSONReader.parse([0x22, 0xC3, 0x28, 0x22]) == nil) }

  @Test(
    "nesting has a bound, far below the stack's", arguments: [(32, true), (33, false), (1_000_000, false)])
  func depth(levels: Int, isRead: Bool) {
    let text = String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
    #expect((parse(text) != nil) == isRead)
  }

  @Test("every prefix and every changed byte of a reply is read or refused, never trapped on")
  func mutations() {
    let reply = Array(#"{"ack":["a\u00fc\ud83d\ude90"],"n":-1.5e+3,"t":[true,null,{}]}"#.utf8)
    for index in reply.indices {
      _ = JSONReader.parse(Array(reply[..<index]))
      for byte in UInt8.min...UInt8.max {
        var changed = reply
        changed[index] = byte
        _ = JSONReader.parse(changed)
      }
    }
    #expect(JSONReader.parse(reply) != nil)
  }

  @Test("an integer that no Int64 holds is a number")
  func largeIntegers() {
    #expect(parse("9223372036854775807") == .integer(.max))
    #expect(parse("9223372036854775808") == .number(9_223_372_036_854_775_808))
  }

  private func parse(_ text: String) -> JSONValue? { JSONReader.parse(Array(text.utf8)) }
}

@Suite("The server's reply")
struct ServerReplyTests {
  @Test(
    "an acknowledgement names uuids, and nothing else counts as one",
    arguments: [
      (#"{"ack":["a","b"]}"#, ServerReply(ack: .uuids(["a", "b"]))),
      (#"{"ack":[]}"#, ServerReply(ack: .uuids([]))),
      (#"{"ack":"41-45"}"#, ServerReply(ack: .sequences(41...45))),
      (#"{"success":true}"#, ServerReply(ack: nil)), (#"{"ack":"a"}"#, ServerReply(ack: .unreadable)),
      (#"{"ack":["a",1]}"#, ServerReply(ack: .unreadable)), (#"{"ack":null}"#, ServerReply(ack: .unreadable)),
      (#"{"ack":"5-4"}"#, ServerReply(ack: .unreadable)),
      (#"{"ack":"1-2-3"}"#, ServerReply(ack: .unreadable)),
      (#"{"ack":"status"}"#, ServerReply(ack: .status)),
      // Cut or garbled: nobody knows what it would have said.
      (#"{"ack":["a","b"],"refu"#, ServerReply(ack: .unreadable)), (" {", ServerReply(ack: .unreadable)),
      (#"{"ack":["a"]}}"#, ServerReply(ack: .unreadable)),
      // Well-formed, and a number that nobody can read.
      (#"{"ack":["a"],"n":1e400}"#, ServerReply(ack: .uuids(["a"]))),
      (#"{"ack":"41-45","load":[{"n":-1E+400}]}"#, ServerReply(ack: .sequences(41...45))),
    ])
  func ack(text: String, reply: ServerReply) { #expect(ServerReply.parse(body: Array(text.utf8)) == reply) }

  @Test("what is no JSON object is no reply of ours", arguments: ["", "[]", "\"ok\"", "<html>Log in</html>"])
  func foreign(text: String) { #expect(ServerReply.parse(body: Array(text.utf8)) == nil) }
}
