import Testing

@testable import TrackerBase
@testable import TrackerWire

@Suite("Commands in a reply")
struct CommandsDocumentTests {
  private func offers(_ commands: String) -> CommandOffers {
    ServerReply.parse(body: Array("{\"ack\":[],\"commands\":\(commands)}".utf8))?.commands ?? CommandOffers()
  }

  @Test(
    "each, with its arguments",
    arguments: [
      (#""locate""#, .locate(timeout_ms: 300_000)),
      (#""locate","timeout_s":10"#, .locate(timeout_ms: 10_000)),
      (#""sync""#, .sync), (#""status""#, .status), (#""resume""#, .intent(.resume)),
      (#""restart""#, .restart),
      (#""track_for","seconds":60"#, .intent(.track(length_ms: 60_000))),
      (#""pause""#, .intent(.pause(length_ms: nil))),
      (#""pause","seconds":1"#, .intent(.pause(length_ms: 1000))),
      (#""pause","seconds":1.0"#, .intent(.pause(length_ms: 1000))), (#""report""#, .report(lines: 50)),
      (#""report","lines":100"#, .report(lines: 100)), (#""quarantine_retry""#, .retryQuarantine),
    ] as [(String, Command)])
  func each(text: String, command: Command) {
    let found = offers("[{\"id\":\"c-1\",\"command\":\(text)}]")
    #expect(found.offers.map(\.wish) == [.command(command)])
    #expect(found.offers.first?.expires_ms == nil && found.unnamedCount == 0 && found.beyond == 0)
    let dated = offers("[{\"id\":\"c-1\",\"command\":\(text),\"expires\":\"2026-03-02T08:00:00Z\"}]")
    #expect(dated.offers.first?.expires_ms == 1_772_438_400_000)
  }

  @Test(
    "what is wrong is said, without a value of it",
    arguments: [
      (
        #""fly""#,
        "this version knows no such command, but locate, sync, status, track_for, pause, resume, report, restart, quarantine_retry"
      ),
      ("7", "this version knows no such command, but "),
      (#""pause","second":60"#, "it has an argument that pause does not know; it knows seconds"),
      (#""restart","seconds":60"#, "it has an argument that restart does not know; it needs none"),
      (#""sync","command":"sync""#, "a member of it is there twice"),
      (#""track_for""#, "track_for needs seconds, a whole number of 1 to 31622400"),
      (#""track_for","seconds":0"#, "seconds must be a whole number of 1 to 31622400"),
      (#""track_for","seconds":"60""#, "seconds must be a whole number of 1 to 31622400"),
      (#""pause","seconds":1.5"#, "seconds must be a whole number of 1 to 31622400"),
      (#""pause","seconds":null"#, "seconds must be a whole number of 1 to 31622400"),
      (#""pause","seconds":9223372036854775807"#, "seconds must be a whole number of 1 to 31622400"),
      (#""pause","seconds":1e400"#, "seconds must be a whole number of 1 to 31622400"),
      (#""locate","timeout_s":9"#, "timeout_s must be a whole number of 10 to 900"),
      (#""report","lines":101"#, "lines must be a whole number of 1 to 100"),
      (#""sync","expires":5"#, "expires must be a date and time such as 2026-03-02T10:00:00Z"),
      (#""sync","expires":"soon""#, "expires must be a date and time such as 2026-03-02T10:00:00Z"),
    ])
  func wrong(text: String, words: String) throws {
    let found = offers("[{\"id\":\"c-1\",\"command\":\(text)}]")
    guard case .refused(let said) = try #require(found.offers.first).wish else {
      Issue.record("taken: \(text)")
      return
    }
    #expect(said.hasPrefix(words))
  }

  @Test(
    "what has no name is counted, with words",
    arguments: [
      (#"{"id":"a"}"#, #""commands" is no array"#), (#""sync""#, #""commands" is no array"#),
      ("[7]", "it is no JSON object"), ("[[]]", "it is no JSON object"),
      (
        #"[{"command":"sync"}]"#, #"its "id" must be text of 1 to 64 ASCII letters, digits, - _ . and :"#
      ),
      (
        #"[{"id":"a b","command":"sync"}]"#,
        #"its "id" must be text of 1 to 64 ASCII letters, digits, - _ . and :"#
      ),
      (
        #"[{"id":7,"command":"sync"}]"#,
        #"its "id" must be text of 1 to 64 ASCII letters, digits, - _ . and :"#
      ),
    ])
  func unnamed(text: String, words: String) {
    let found = offers(text)
    #expect(found.offers.isEmpty && found.unnamedCount == 1 && found.unnamed == [words])
  }

  @Test("an id has 64 characters at most, and a reply 16 commands")
  func bounds() {
    for (length, isTaken) in [(64, true), (65, false)] {
      let id = String(repeating: "x", count: length)
      #expect(offers("[{\"id\":\"\(id)\",\"command\":\"sync\"}]").offers.count == (isTaken ? 1 : 0))
    }
    let many = (0..<1000).map { "{\"id\":\"c\($0)\",\"command\":\"sync\"}" }.joined(separator: ",")
    let found = offers("[\(many)]")
    #expect(found.offers.count == 16 && found.beyond == 984 && found.count == 1000)
    let junk = offers("[\((0..<1000).map { _ in "null" }.joined(separator: ","))]")
    #expect(junk.unnamedCount == 16 && junk.beyond == 984 && junk.unnamed.count == 1)
  }

  @Test("a reply that says nothing of commands has none")
  func absent() {
    #expect(ServerReply.parse(body: Array(#"{"ack":[]}"#.utf8))?.commands == CommandOffers())
    #expect(offers("[]").isEmpty)
  }

  @Test("bytes and values of any shape: nothing traps, and no more than the bounds comes of them")
  func garbage() {
    var random = Random(state: 15)
    let good = Array(
      #"[{"id":"a","command":"pause","seconds":60,"expires":"2026-03-02T08:00:00Z"},{"id":"b","command":"report"}]"#
        .utf8)
    let pieces = [
      "null", "{}", "[]", "-1e308", "\"\\u0000\"", "true", "{\"id\":{}}", "[[[[1]]]]", "\"id\"", "1e999",
    ]
    for round in 0..<20_000 {
      var bytes = good
      for _ in 0..<1 + random.below(4) {
        let at = random.below(bytes.count)
        switch round % 3 {
        case 0: bytes[at] = UInt8(random.below(256))
        case 1: bytes.insert(contentsOf: random.of(pieces).utf8, at: at)
        default: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(9)))
        }
        if bytes.isEmpty { bytes = good }
      }
      let body = Array("{\"commands\":".utf8) + bytes + Array("}".utf8)
      let found = ServerReply.parse(body: body)?.commands ?? CommandOffers()
      #expect(found.offers.count <= 16 && found.offers.allSatisfy { CommandOffer.isID($0.id) })
    }
  }
}
