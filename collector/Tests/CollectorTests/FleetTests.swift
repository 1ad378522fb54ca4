import Foundation
import Testing

@testable import Collector

@Suite("The fleet at a glance")
struct FleetTests {
  private struct Listed: Decodable, Equatable {
    var device: String
    var latitude: Double?
    var timestamp: String?
    var version: String?
    var no_track_because: String?
    var asleep_until: String?
    var asleep_because: String?
    var problems: [String]
    var severity: Int
    var groups: [String]?
  }

  private func status(_ members: String, version: String = "0.2.0") -> String {
    #"{"time":"2026-01-01T00:09:00.000Z","version":"\#(version)"\#(members)}"#
  }

  @Test("shows where each vehicle is, and what its status says")
  func fleet() async throws {
    try await withCollector { client, _ in
      let said = status(#","no_track_because":"parked","safe_mode":{"crashes":5},"undervoltage":true"#)
      _ = try await client.post(body([record(uuid(1))], status: said))
      let fleet = try await client.get("/v1/fleet").decoded([Listed].self)
      #expect(
        fleet == [
          Listed(
            device: "van-7", latitude: 59.3293, timestamp: "2026-01-01T00:00:00.000Z", version: "0.2.0",
            no_track_because: "parked", problems: ["safe_mode", "undervoltage"], severity: 3)
        ])
    }
  }

  @Test("a request without a status keeps what the last one said, and moves the vehicle")
  func withoutStatus() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(1))], status: status(#","undervoltage":true"#)))
      _ = try await client.post(body([record(uuid(2), time: "2026-01-01T00:05:00.000Z", latitude: "60.5")]))
      let vehicle = try #require(try await client.get("/v1/fleet").decoded([Listed].self).first)
      #expect(vehicle.latitude == 60.5 && vehicle.timestamp == "2026-01-01T00:05:00.000Z")
      #expect(vehicle.problems == ["undervoltage"])
    }
  }

  @Test(
    "an older version than the admin's target is said, whatever follows the numbers, and no other",
    arguments: [("0.10.0", ["old_version"]), ("0.9.1", []), (nil, [])] as [(String?, [String])])
  func versions(target: String?, problems: [String]) async throws {
    try await withCollector(change: { $0.targetVersion = AgentVersion(target) }) { client, _ in
      _ = try await client.post(body([], status: status("", version: "9.9")), device: "0")
      for (device, version) in [("a", "0.9.1"), ("b", "0.10.0+git1"), ("c", "0.10"), ("d", "unreleased")] {
        _ = try await client.post(body([], status: status("", version: version)), device: device)
      }
      let fleet = try await client.get("/v1/fleet").decoded([Listed].self)
      #expect(fleet.map(\.problems) == [[], problems, [], [], []])
    }
  }

  @Test(
    "figures of the status are in the list, and thresholds make problems of them",
    arguments: [
      (#""host":{"temperature_c":80,"disk_free_bytes":200000000,"card_life_used":89}"#, ["board_hot"]),
      (
        #""host":{"temperature_c":79.9,"disk_free_bytes":199000000,"card_life_used":90}"#,
        ["card_worn", "storage_low"]
      ),
      (#""host":{"temperature_c":"hot"}"#, []),
    ])
  func figures(members: String, problems: [String]) async throws {
    struct Figured: Decodable {
      var figures: [String: JSONValue]?, problems: [String], settings_state: String?
    }
    try await withCollector { client, _ in
      _ = try await client.post(body([], status: status(#","battery":{"volts":12.34},\#(members)"#)))
      let vehicle = try #require(try await client.get("/v1/fleet").decoded([Figured].self).first)
      #expect(vehicle.problems == problems && vehicle.figures?["battery_v"]?.double == 12.34)
      #expect(vehicle.settings_state == nil)
    }
  }

  @Test("the list says how far the settings are that were set")
  func settingsState() async throws {
    struct Listed: Decodable { var settings_state: String?, figures: [String: JSONValue]? }
    try await withCollector { client, _ in
      func state() async throws -> String? {
        try await client.get("/v1/fleet").decoded([Listed].self).first?.settings_state
      }
      _ = try await client.post(body([], status: status("")))
      _ = try await client.put("/v1/devices/van-7/config", #"{"settings":{"sync.interval_s":60}}"#)
      #expect(try await state() == "pending")
      let trial = #","config":{"desired":1,"in_force":1,"trial_until":"2026-01-01T01:00:00Z"}"#
      _ = try await client.post(body([], status: status(trial)))
      #expect(try await state() == "trial")
      _ = try await client.post(body([], status: status(#","config":{"desired":1,"in_force":1}"#)))
      #expect(try await state() == "in_force")
      let refused = #","config":{"desired":1,"refused":1,"refused_because":"sync.interval_s: too short"}"#
      _ = try await client.post(body([], status: status(refused)))
      #expect(try await state() == "refused")
      let figures = try await client.get("/v1/fleet").decoded([Listed].self).first?.figures
      #expect(figures?["settings_refused_because"]?.string == "sync.interval_s: too short")
    }
  }

  @Test("a status of more than 64 KiB is not stored, which is counted, and its records are")
  func longStatus() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([], status: status(#","undervoltage":true"#)))
      let warnings = (0..<100_000).map { #""w\#($0)":{"since":"2026-01-01T00:00:00Z"}"# }
      let long = #"{"warnings":{\#(warnings.joined(separator: ","))}}"#
      let answer = try await client.post(body([record(uuid(1))], status: long))
      #expect(answer.status == 200 && answer.text.contains(#""stored":1"#))
      let fleet = try await client.get("/v1/fleet").decoded([Listed].self)
      #expect(fleet.map(\.problems) == [["undervoltage"]])
      #expect(
        try await client.get("/metrics").text.contains("\ngodwit_collector_statuses_too_long_total 1\n"))
      let most = Upload.mostStatus_bytes
      let whole = try anUpload([], status: #"{"a":"\#(String(repeating: "a", count: most - 8))"}"#)
      #expect(whole.status?.utf8.count == most && !whole.hasTooLongStatus)
    }
  }

  @Test("a vehicle has 32 problems at most, the most urgent ones, and one of them says that there are more")
  func mostProblems() async throws {
    try await withCollector { client, _ in
      let warnings = (10..<60).map { #""a\#($0)":{"since":"2026-01-01T00:00:00Z"}"# }
      let text = #"{"safe_mode":{},"warnings":{\#(warnings.joined(separator: ","))}}"#
      _ = try await client.post(body([], status: text))
      let problems = try await client.get("/v1/fleet").decoded([Listed].self).first?.problems
      #expect(problems == ["safe_mode"] + (10..<40).map { "a\($0)" } + ["more_problems"])
    }
  }

  @Test("a vehicle that moves after its status is neither without a track nor asleep; a later status counts")
  func movesAgain() async throws {
    try await withCollector { client, store in
      func status(_ time: String) -> String {
        #"{"time":"2026-01-01T\#(time):00.000Z","no_track_because":"parked","#
          + #""sleep":{"state":"asleep","because":"parked","until":"2026-01-01T09:00:00.000Z"}}"#
      }
      func reasons() async throws -> [String?] {
        let vehicle = try await store.vehicles(at: now_ms, silentAfter_ms: FleetClock.usual_ms).first
        return [vehicle?.no_track_because, vehicle?.asleep_because]
      }
      _ = try await client.post(body([], status: status("00:01")))
      _ = try await client.post(body([record(uuid(1), time: "2026-01-01T00:00:30.000Z")]))
      #expect(try await reasons() == ["parked", "parked"])
      _ = try await client.post(body([record(uuid(2), time: "2026-01-01T00:02:00.000Z", isMoving: false)]))
      #expect(try await reasons() == ["parked", "parked"])
      _ = try await client.post(body([record(uuid(3), time: "2026-01-01T00:03:00.000Z")]))
      #expect(try await reasons() == [nil, nil])
      _ = try await client.post(body([], status: status("00:04")))
      #expect(try await reasons() == ["parked", "parked"])
    }
  }

  @Test("silence is a matter of the limit", arguments: [(600_000, false), (600_001, true)])
  func silent(age_ms: Int64, isSilent: Bool) {
    let vehicle = Vehicle(device: "a", problems: [], severity: .none)
    let row = VehicleRow(vehicle: vehicle, lastContact_ms: now_ms - age_ms, queuesAtOnce: 0)
    let judged = FleetClock(now_ms: now_ms, silentAfter_ms: 600_000, target: nil).judged(row)
    #expect(judged.problems == (isSilent ? ["silent"] : []))
    #expect(judged.severity == (isSilent ? .warning : .none))
  }

  @Test(
    "a board that said it sleeps is not silent before it is to be awake again, and some minutes more",
    arguments: [(3_600_000, false), (-899_999, false), (-900_000, false), (-900_001, true), (nil, true)]
      as [(Int64?, Bool)])
  func asleep(in_ms: Int64?, isSilent: Bool) {
    let vehicle = Vehicle(device: "a", asleep_because: "window_closed", problems: [], severity: .none)
    let row = VehicleRow(
      vehicle: vehicle, lastContact_ms: now_ms - 86_400_000, queuesAtOnce: 0,
      asleepUntil_ms: in_ms.map { now_ms + $0 })
    let judged = FleetClock(now_ms: now_ms, silentAfter_ms: 600_000, target: nil).judged(row)
    #expect(judged.problems == (isSilent ? ["silent"] : []))
    #expect(judged.asleep_until == (isSilent ? nil : in_ms.map { Timestamp.text(now_ms + $0) }))
    #expect(judged.asleep_because == (isSilent ? nil : "window_closed"))
  }

  @Test("until when the board sleeps, and why, is shown until it says that it is awake")
  func asleepByStatus() async throws {
    try await withCollector { client, _ in
      let until = Timestamp.text(now_ms + 28_800_000)
      let asleep = #","sleep":{"state":"asleep","because":"window_closed","until":"\#(until)"}"#
      _ = try await client.post(body([record(uuid(1))], status: status(asleep)))
      // What waited comes after it, without a status.
      _ = try await client.post(body([record(uuid(2))]))
      let vehicle = try #require(try await client.get("/v1/fleet").decoded([Listed].self).first)
      #expect(vehicle.asleep_until == until && vehicle.asleep_because == "window_closed")
      _ = try await client.post(body([], status: status(#","sleep":{"state":"awake","woken_by":"alarm"}"#)))
      let awake = try #require(try await client.get("/v1/fleet").decoded([Listed].self).first)
      #expect(awake.asleep_until == nil && awake.asleep_because == nil)
    }
  }

  @Test("a board that says it sleeps for ever is silent after eight days")
  func asleepForEver() async throws {
    try await withTemporaryFolder { folder in
      let store = try openStore(folder.appending(path: "fleet.sqlite").path)
      let said = status(#","sleep":{"state":"asleep","until":"2999-01-01T00:00:00.000Z"}"#)
      let upload = try Upload(
        device: "van-7", schema: nil, batch: nil, body: Array(body([], status: said).utf8))
      _ = try await store.store(upload, at: 0)
      let days: [Int64] = [7, 9]
      var problems: [[String]] = []
      for day in days {
        let found = try await store.vehicles(named: nil, at: day * 86_400_000, silentAfter_ms: 1000)
        problems.append(found[0].problems)
      }
      #expect(problems == [[], ["silent"]])
      try store.close()
    }
  }

  @Test(
    "a warning is shown while it goes on, and one that has no end for a day",
    arguments: [
      (#"{"gps_antenna":{"count":1,"since":"2025-12-30T00:00:00.000Z"}}"#, ["gps_antenna"]),
      (
        #"{"gps_antenna":{"count":1,"since":"2025-12-30T00:00:00.000Z","until":"2025-12-30T01:00:00.000Z"}}"#,
        []
      ),
      (#"{"records_dropped":{"count":3,"last":"2025-12-31T00:09:00.000Z"}}"#, ["records_dropped"]),
      (#"{"records_dropped":{"count":3,"last":"2025-12-31T00:08:59.999Z"}}"#, []),
      (#"{"sync_failed":{"count":3,"last":"2026-01-01T00:08:00.000Z"}}"#, []),
      (#"{"<b>":{"count":1,"since":"2025-12-30T00:00:00.000Z"}}"#, []),
    ])
  func warnings(text: String, problems: [String]) {
    let summary = StatusSummary(JSONValue(text: status(#","warnings":\#(text)"#)))
    #expect(summary.problems == problems)
  }

  @Test(
    "whatever a status holds, it is read",
    arguments: ["null", "[]", #"{"warnings":[1],"queue":3,"version":7}"#])
  func strange(text: String) {
    let summary = StatusSummary(JSONValue(text: text))
    #expect(summary.version == nil && summary.problems == [])
  }

  @Test("the most urgent problem comes first")
  func order() {
    #expect(
      Problem.sorted(["old_version", "silent", "battery_low", "safe_mode"])
        == ["safe_mode", "battery_low", "silent", "old_version"])
  }

  @Test("one device is answered with all that it has said")
  func one() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(1))], status: status("")))
      #expect(try await client.get("/v1/devices/van-7").text.contains(#""version":"0.2.0""#))
      let none = try await client.get("/v1/devices/van-8")
      #expect(none.status == 404 && none.text == #"{"error":"no such device: van-8"}"#)
    }
  }

  @Test("a device is in the groups that were set last, and mistakes are named")
  func groups() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([]))
      let path = "/v1/devices/van-7/groups"
      #expect(
        try await client.put(path, #"{"groups":["north","old","north"]}"#).text
          == #"{"groups":["north","old"]}"#)
      _ = try await client.put(path, #"{"groups":["north"]}"#)
      #expect(try await client.get("/v1/fleet").decoded([Listed].self).first?.groups == ["north"])
      #expect(try await client.put("/v1/devices/van-8/groups", #"{"groups":[]}"#).status == 404)
      for wrong in [#"{"groups":"north"}"#, #"{"groups":[""]}"#, #"{"groups":[1]}"#, "{}"] {
        #expect(try await client.put(path, wrong).status == 400, "\(wrong)")
      }
    }
  }

  @Test(
    "the list reads small rows alone: neither records nor statuses",
    .enabled(if: !TestDatabase.isPostgres, "of SQLite alone"))
  func plan() async throws {
    try await withTemporaryFolder { folder in
      let store = try Store(path: folder.appending(path: "fleet.sqlite").path)
      let plan = try await store.connection.read { db in
        try db.rows(
          "EXPLAIN QUERY PLAN SELECT name, config_version, device_now.* FROM device LEFT JOIN device_now ON device_id = device.id"
        ).map { $0["detail"] as String }
      }
      #expect(plan.allSatisfy { !$0.contains("record") }, "\(plan)")
      let day = try await store.connection.read { db in
        try db.rows(
          """
          EXPLAIN QUERY PLAN SELECT time_ms FROM record WHERE device_id = 1 AND event = 'trip' AND time_ms < 9
          ORDER BY time_ms DESC LIMIT 1
          """
        ).map { $0["detail"] as String }
      }
      #expect(day.allSatisfy { $0.contains("record_trip") }, "\(day)")
      try store.close()
    }
  }
}
