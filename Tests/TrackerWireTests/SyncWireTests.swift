import Testing
import TrackerBase
import TrackerCore

@testable import TrackerWire

/// What passes between the sync and a server, or an operator.
@Suite("Sync on the wire")
struct SyncWireTests {
  private static func uuid(_ sequence: Int64) -> String { UUIDv8.text(queueID: 7, sequence: sequence) }

  @Test("our own ids leave, whatever else a reply names")
  func uuids() {
    let named = ServerReply(
      ack: .uuids([SyncWireTests.uuid(3), SyncWireTests.uuid(9), "x", SyncWireTests.uuid(3)]))
    #expect(named.echoed(of: [2, 3, 4], queueID: 7) == [3])
    #expect(named.echoed(of: [2, 3, 4], queueID: 8) == [])
    #expect(ServerReply().echoed(of: [2], queueID: 7) == nil)
  }

  @Test("so does the range of Godwit-Batch, and no more of it than was sent")
  func range() {
    let reply = ServerReply.parse(body: Array(#"{"ack":"3-900"}"#.utf8))
    #expect(reply?.echoed(of: [2, 3, 4, 70], queueID: 7) == [3, 4, 70])
  }

  @Test(
    "of a status alone, an ack must say that there was nothing to name",
    arguments: [
      (#"{"ack":[]}"#, true), (#"{"ack":"status"}"#, true), (#"{"ack":"3-900"}"#, false),
      (#"{"ack":["UUID"]}"#, false), (#"{"ack":true}"#, false), (#"{"ack":7}"#, false),
      (#"{"ack":null}"#, false), (#"{"ack":{}}"#, false), (#"{"refused":[{"uuid":"UUID"}]}"#, false),
      (#"{"stored":0}"#, false), (#"{"ack":[]"#, false),
    ])
  func statusAlone(text: String, counts: Bool) throws {
    let reply = try #require(
      ServerReply.parse(body: Array(text.replacing("UUID", with: Self.uuid(1)).utf8)))
    #expect(reply.echoed(of: [], queueID: 7) == (counts ? [] : nil))
  }

  @Test(
    "of a reply that was too long counts what it acknowledges, where that stands whole, and nothing else",
    arguments: [
      (#"{"ack":["UUID"],"config":{"version":1,"sett"#, [1]), (#"{"ack":["UUID"],"#, [1]),
      (#" { "stored" : 1, "ack" : "1-2" , "x"#, [1, 2]),
      (#"{"config":{"version":1},"ack":["UUID"] ,"x"#, [1]),
      (#"{"ack":["UUID"]"#, nil), (#"{"ack":["UUID"#, nil), (#"{"ack":["UUID","#, nil),
      (#"{"config":{"ack":["UUID"]"#, nil),
      (#"{"ack":[],"config":{"#, []), (#"{"ack":7,"config":{"#, []), ("xxxx", nil), ("", nil),
    ] as [(String, [Int64]?)])
  func beginning(text: String, stored: [Int64]?) {
    let bytes = Array(text.replacing("UUID", with: Self.uuid(1)).utf8)
    let reply = ServerReply.parse(beginning: bytes)
    #expect(reply?.echoed(of: [1, 2], queueID: 7) == stored)
    #expect(reply?.config == nil && reply?.commands.offers.isEmpty != false)
  }

  @Test("a uuid in upper case is ours too")
  func letterCase() throws {
    let shouted = SyncWireTests.uuid(3).uppercased()
    let reply = try #require(ServerReply.parse(body: Array("{\"ack\":[\"\(shouted)\"]}".utf8)))
    #expect(reply.echoed(of: [2, 3, 4], queueID: 7) == [3])
  }

  private func refused(_ json: String, status: Int) throws -> [Int64: String] {
    let reply = try #require(ServerReply.parse(body: Array(json.utf8)))
    return reply.refused(of: [2, 3, 4], queueID: 7, status: status)
  }

  @Test("a list of refusals that names none of ours is one of others; an empty one, or none, says nothing")
  func refusesOthers() throws {
    func refusesOthers(_ refused: String, _ sent: [Int64] = [2, 3]) throws -> Bool {
      let reply = try #require(ServerReply.parse(body: Array("{\"refused\":\(refused)}".utf8)))
      return reply.refusesOthers(than: sent, queueID: 7)
    }
    let (own, other) = ("{\"uuid\":\"\(SyncWireTests.uuid(3))\"}", "{\"uuid\":\"\(SyncWireTests.uuid(9))\"}")
    #expect(try refusesOthers("[\(other)]") && refusesOthers("[{\"uuid\":\"x\"}]"))
    #expect(try !refusesOthers("[\(own),\(other)]") && !refusesOthers("[]") && !refusesOthers("null"))
    #expect(try !refusesOthers("[\(other)]", []))
  }

  @Test("what is refused by name is ours, and has its reason")
  func refusedByName() throws {
    let entries = """
      [{"uuid":"\(SyncWireTests.uuid(3).uppercased())","reason":"another is there"},{"uuid":"x","reason":"no"},
      {"uuid":"\(SyncWireTests.uuid(4))"},{"reason":"no"},7,{"uuid":"\(SyncWireTests.uuid(9))"}]
      """
    let named = [Int64(3): "another is there", 4: ""]
    #expect(try refused("{\"refused\":\(entries)}", status: 409) == named)
    #expect(try refused("{\"ack\":[],\"refused\":\(entries)}", status: 200) == named)
    #expect(try refused("{\"refused\":\(entries)}", status: 200) == named)
    let alone = ServerReply.parse(body: Array("{\"refused\":\(entries)}".utf8))
    #expect(alone?.echoed(of: [2, 3, 4], queueID: 7) == [], "what it does not name is not stored")
    for status in [401, 413, 503] {
      #expect(try refused("{\"refused\":\(entries)}", status: status) == [:])
    }
    #expect(try refused("{\"ack\":[],\"refused\":\"all\"}", status: 200) == [:])
  }

  @Test(
    "a server's words bring no place, no control character and no novel into quarantine and journal",
    arguments: [
      ("is stored with other content", "is stored with other content"), ("422: row 7", "422: row 7"),
      ("at 59.3293, 18.0686", "at … …"), ("lat=474000000", "lat=…"),
      ("a\u{1b}[2Jb\r\nc\u{2028}", "a [2Jb c "),
      ("end. Next, one", "end. Next, one"), ("", ""),
    ])
  func serverWords(text: String, cleaned: String) {
    #expect(ServerWords.clean(text) == cleaned)
    #expect(ServerWords.clean(String(repeating: "x", count: 5000)).count == 200)
  }

  @Test("a conflict is what its code says, of records that are refused by name and were sent")
  func conflicts() throws {
    let (two, three, four) = (Self.uuid(2), Self.uuid(3), Self.uuid(4))
    let json =
      #"{"ack":["\#(two)","\#(four)"],"refused":[{"uuid":"\#(three.uppercased())","#
      + #""code":"identity_conflict","reason":"x"},{"uuid":"\#(four)","code":"other"},{"code":"identity_conflict"},7]}"#
    let reply = try #require(ServerReply.parse(body: Array(json.utf8)))
    #expect(reply.conflicts(of: [2, 3, 4], queueID: 7, status: 200) == [3])
    #expect(reply.conflicts(of: [2, 3, 4], queueID: 7, status: 409) == [3])
    #expect(reply.conflicts(of: [2, 3, 4], queueID: 7, status: 503) == [])
    #expect(reply.conflicts(of: [2, 3, 4], queueID: 8, status: 200) == [])
    #expect(reply.conflicts(of: [2, 4], queueID: 7, status: 200) == [])
    #expect(reply.echoed(of: [2, 3, 4], queueID: 7) == [2, 4])
  }

  @Test("a request holds records of one queue id")
  func together() {
    let ids: [UInt64] = [7, 7, 8, 8, 7, 7, 9, 7, 9, 9]
    let records = ids.enumerated().map { index, id in
      var record = Record(
        sequence: Int64(index + 1), content: .position(), time_ms: 0, timeSource: .gps, boot_ms: 0, fix: nil,
        isMoving: true, tripID: nil, odometer_m: 0)
      record.queueID = id
      return record
    }
    func chosen(_ pick: UploadOrder.Pick, of records: [Record]) -> [Int64] {
      GeomonyFormat.together(records, for: UploadOrder(pick: pick, limit: 9)).map(\.sequence)
    }
    #expect(chosen(.oldest, of: records) == [1, 2] && chosen(.events, of: records) == [1, 2])
    #expect(chosen(.oldest, of: Array(records.dropFirst(2))) == [3, 4])
    // While storage failed records got an id of their own: before and after are others.
    #expect(chosen(.newest, of: Array(records.prefix(6))) == [5, 6])
    #expect(chosen(.newest, of: records) == [9, 10])
    #expect(GeomonyFormat.together([], for: UploadOrder(limit: 9)).isEmpty)
  }

  @Test("why a server refuses is its error's text, unless it repeats the token")
  func errorWords() {
    func words(_ json: String) -> String? {
      ServerReply.parse(body: Array(json.utf8), secrets: ["hunter2"])?.words
    }
    #expect(words(#"{"error":"the record has no timestamp","uuid":"x"}"#) == "the record has no timestamp")
    #expect(words(#"{"error":"at 47.4"}"#) == "at …" && words(#"{"error":["a"]}"#) == "" && words("{}") == "")
    #expect(words(#"{"error":"no such token: hunt\u0065r2"}"#) == "")
    #expect(words("[]") == nil)
  }

  private func status(_ change: (inout TrackerStatus) -> Void) throws -> String {
    let settings = Settings()
    let tracker = Tracker(
      Configuration(settings: settings, schedule: try Schedule(rules: []), zone: FixedZone.utc),
      restored: .init(), notBefore_ms: 0, isSynchronised: true, at: Moment(boot_ms: 0, wall_ms: 0))
    var status = tracker.status(at: Moment(boot_ms: 0, wall_ms: 0))
    change(&status)
    let identity = StatusDocument.Identity(device: "d", version: "1", settingsHash: "h", bootID: "b")
    return StatusDocument.json(status, identity: identity)
  }

  @Test("a failing sync says what is wrong, for how long, how often, and when it tries again")
  func problem() throws {
    let json = try status {
      $0.sync.state = .backingOff
      $0.sync.failures = 3
      $0.sync.problem = .captivePortal
      $0.sync.problem_s = 125
      $0.sync.nextAttempt_s = 40
      $0.sync.lastReply = "200"
      $0.sync.lastDelivery_s = 600
    }
    #expect(json.contains(#""problem":"captive_portal","problem_for_s":125"#))
    #expect(json.contains(#""failures":3,"next_attempt_s":40"#))
    #expect(
      StatusReport.text(json).contains(
        "sync         backing off, 0 records delivered, last request taken 10 min 0 s ago, 3 failures in a row, last reply 200, "
          + "captive portal for 2 min 5 s, next attempt in 40 s\n"))
    let once = try status { ($0.sync.failures, $0.sync.lastReply) = (1, "500") }
    #expect(StatusReport.text(once).contains("0 records delivered, 1 failure, last reply 500\n"))
  }

  @Test("a sync that works spends no byte on it")
  func noProblem() throws {
    let json = try status { _ in }
    #expect(!json.contains("problem") && !json.contains("budget"))
  }

  @Test("a budget shows its use, and its limits as far as they are set")
  func budget() throws {
    let json = try status {
      $0.sync.budget = BudgetStatus(
        level: .none, day_bytes: 0, dayLimit_bytes: 0, month_bytes: 51, monthLimit_bytes: 50)
    }
    #expect(json.contains(#""budget":{"sends":"none","month_bytes":51,"month_limit_bytes":50}"#))
    #expect(StatusReport.text(json).contains("the byte budget is used up"))
  }

  @Test(
    "a budget for roaming is told from the other",
    arguments: [
      (Allowance.Level.none, ", the byte budget for roaming is used up\n"),
      (.events, ", the rest of the byte budget for roaming is for events\n"), (.all, "0 records delivered\n"),
    ])
  func roamingBudget(level: Allowance.Level, words: String) throws {
    let json = try status {
      $0.sync.roamingBudget = BudgetStatus(
        level: level, day_bytes: 9, dayLimit_bytes: 9, month_bytes: 0, monthLimit_bytes: 0)
    }
    let line = try #require(StatusReport.text(json).split(separator: "\n").first { $0.hasPrefix("sync ") })
    #expect("\(line)\n".hasSuffix(words), "\(line)")
    #expect(!line.contains("the byte budget is"))
  }
}
