import Testing
import TrackerWire

@testable import TrackerBase

/// `config` of a reply, and the file that keeps it.
@Suite("The server's settings as JSON")
struct ConfigDocumentTests {
  private func offer(_ json: String) -> ConfigOffer? {
    ServerReply.parse(body: Array("{\"ack\":[],\"config\":\(json)}".utf8))?.config
  }

  @Test("are read: flat keys, any value, and geofences as they are")
  func reads() throws {
    let text =
      #"{"version":7,"settings":{"motion.stop_timeout_s":600.0,"motion.probe_share":0.5,"schedule":["mon 09:00-10:00"],"motion.activity_events":true,"run.log_level":"debug"},"geofences":{"type":"FeatureCollection","features":[{"a":12.0}]}}"#
    guard case .overlay(let overlay)? = offer(text) else {
      Issue.record("not read")
      return
    }
    #expect(overlay.version == 7)
    #expect(
      overlay.settings.map(\.path) == [
        ["motion", "stop_timeout_s"], ["motion", "probe_share"], ["schedule"],
        ["motion", "activity_events"], ["run", "log_level"],
      ])
    #expect(
      overlay.settings.map(\.value) == [
        .integer(600), .number(0.5),
        .texts([.init(text: "mon 09:00-10:00", place: SettingPlace(line: 0, column: 0))]), .flag(true),
        .text("debug"),
      ])
    #expect(overlay.geofences == #"{"type":"FeatureCollection","features":[{"a":12.0}]}"#)
    #expect(try overlay.laid(over: []).motion.stopTimeout_s == 600)
  }

  @Test(
    "have a version that is a whole number, however it is written",
    arguments: ["7", "7.0", "7e0", "0.7E1", "70e-1"])
  func wholeVersion(text: String) {
    #expect(offer("{\"version\":\(text),\"settings\":{}}") == .overlay(Overlay(version: 7)))
  }

  @Test("with a number that no Double holds name its setting, and are whole but for it")
  func outOfRange() throws {
    let text =
      #"{"version":7,"settings":{"motion.stop_timeout_s":1e400,"motion.probe_share":0.5},"geofences":{"a":1e400}}"#
    guard case .overlay(let overlay)? = offer(text) else {
      Issue.record("not read")
      return
    }
    #expect(overlay.geofences == #"{"a":1e999}"#)
    do {
      _ = try overlay.laid(over: [])
      Issue.record("taken")
    } catch {
      #expect(
        "\(error)" == "motion.stop_timeout_s: must be a number (10 to 7200 s), not a number out of range")
    }
  }

  @Test("are absent where there is no config, or null")
  func absent() {
    #expect(ServerReply.parse(body: Array("{}".utf8))?.config == nil)
    #expect(offer("null") == nil)
  }

  @Test(
    "are refused with words where they are no config",
    arguments: [
      ("7", "is no object"), ("[]", "is no object"),
      ("{}", "has no version, a whole number from 1 to 9007199254740992"),
      (#"{"version":0,"settings":{}}"#, "has no version, a whole number from 1 to 9007199254740992"),
      (
        #"{"version":9007199254740993,"settings":{}}"#,
        "has no version, a whole number from 1 to 9007199254740992"
      ),
      (#"{"version":1e400,"settings":{}}"#, "has no version, a whole number from 1 to 9007199254740992"),
      (#"{"version":1.5,"settings":{}}"#, "has no version, a whole number from 1 to 9007199254740992"),
      (#"{"version":"7","settings":{}}"#, "has no version, a whole number from 1 to 9007199254740992"),
      (#"{"version":7}"#, "has no object settings; an empty one takes all back"),
      (#"{"version":7,"settings":[]}"#, "has no object settings; an empty one takes all back"),
      (
        #"{"version":7,"settings":{},"secrets":{}}"#,
        "has more than version, settings and geofences, which this agent does not know"
      ),
      (#"{"version":7,"settings":{"a":1,"a":2}}"#, "sets one unknown setting twice"),
      (#"{"version":1,"version":2,"settings":{}}"#, "has version twice"),
      (#"{"version":7,"settings":{},"settings":{}}"#, "has settings twice"),
      (#"{"version":7,"settings":{},"geofences":null,"geofences":null}"#, "has geofences twice"),
      (
        #"{"version":7,"settings":{"motion.stop_timeout_s":60,"track.max_error_m":9,"motion.stop_timeout_s":60}}"#,
        "sets motion.stop_timeout_s twice"
      ),
      (
        #"{"version":7,"settings":{},"geofences":{"features":[{"id":1,"geometry":{"type":1,"type":2}}]}}"#,
        "has geofences with type twice in one object"
      ),
      (
        #"{"version":7,"settings":{},"geofences":{"features":[{"47.1":1,"47.1":2}]}}"#,
        "has geofences with a member twice in one object"
      ),
    ])
  func malformed(json: String, words: String) {
    guard case .malformed(words, _)? = offer(json) else {
      Issue.record("\(String(describing: offer(json)))")
      return
    }
  }

  @Test(
    "has its version still, if that is certain",
    arguments: [
      (#"{"version":7,"settings":[]}"#, 7), (#"{"version":7.0,"x":1,"settings":{}}"#, 7),
      (#"{"version":7,"version":8,"settings":{}}"#, nil), (#"{"version":0,"settings":{}}"#, nil),
      (#"{"version":"7","settings":{}}"#, nil), ("[7]", nil), ("7", nil),
    ] as [(String, Int64?)])
  func version(json: String, version: Int64?) {
    guard case .malformed(_, version)? = offer(json) else {
      Issue.record("\(String(describing: offer(json)))")
      return
    }
  }

  @Test("are refused where a reply has two of them")
  func twice() {
    let body = #"{"config":{"version":7,"settings":{}},"ack":[],"config":{"version":8,"settings":{}}}"#
    #expect(
      ServerReply.parse(body: Array(body.utf8))?.config
        == .malformed("stands twice in the reply", version: nil))
  }

  @Test("that repeat a secret as a key are refused without it")
  func secret() {
    let body = #"{"ack":[],"config":{"version":7,"settings":{"token":1,"x.token":2}}}"#
    let reply = ServerReply.parse(body: Array(body.utf8), secrets: ["", "token"])
    #expect(reply?.config == .malformed("repeats a secret", version: 7))
  }

  @Test("may have 64 kB")
  func size() {
    func geofences(_ count: Int) -> String {
      "{\"version\":7,\"settings\":{},\"geofences\":\"" + String(repeating: "x", count: count) + "\"}"
    }
    #expect(offer(geofences(70_000)) == .malformed("is larger than 64 kB", version: 7))
    guard case .overlay? = offer(geofences(65_000)) else {
      Issue.record("refused")
      return
    }
  }

  @Test("a list that is cut, and any shape of JSON, crash nothing")
  func anything() {
    var random = SystemRandomNumberGenerator()
    let parts = [
      "{", "}", "[", "]", ",", ":", "\"version\"", "\"settings\"", "\"geofences\"", "7", "-1", "1e9", "null",
      "\"schedule\"", "\"\"", "true", "\"motion.mode\"", "\"\\u0000\"",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 1...14, using: &random)).map { _ in parts.randomElement(using: &random)!
      }
      if case .overlay(let overlay)? = offer(text.joined()) { _ = try? overlay.laid(over: []) }
    }
    for value in parts {
      if case .overlay(let overlay)? = offer("{\"version\":1,\"settings\":{\"schedule\":\(value)}}") {
        _ = try? overlay.laid(over: [])
      }
    }
  }

  @Test("what a file keeps of them is read back")
  func file() throws {
    guard
      case .overlay(let overlay)? = offer(
        #"{"version":7,"settings":{"motion.stop_timeout_s":600,"schedule":["mon 09:00-10:00"]},"geofences":{"a":[1.5]}}"#
      )
    else {
      Issue.record("not read")
      return
    }
    let states = [
      OverlayState(), OverlayState(kept: overlay),
      OverlayState(
        kept: Overlay(version: 1),
        trial: .init(overlay: overlay, bootID: "b-1", began_ms: 12, starts: 2, spent_ms: 34, clock: .waiting),
        refused: .init(version: 6, reason: "a \"reason\""), looks_ms: [1, 2]),
    ]
    func read(_ text: String) -> OverlayState? {
      JSONReader.parse(Array(text.utf8)).flatMap { OverlayDocument.state($0) }
    }
    for state in states { #expect(read(OverlayDocument.text(state)) == state) }
    for text in ["7", "[]", #"{"kept":{}}"#, #"{"trial":{}}"#, #"{"refused":{"version":0,"reason":"x"}}"#] {
      #expect(read(text) == nil)
    }
  }
}
