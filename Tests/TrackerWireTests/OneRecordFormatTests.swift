import Testing
import TrackerBase
import TrackerWire

@Suite("Formats with one record a request")
struct OneRecordFormatTests {
  private let full = CompactSamples.fix(latitude_deg: 47.3769, longitude_deg: 8.5417)
  private let bare = Fix(
    time_ms: 1_772_434_806_500, position: Position(latitude_deg: -33, longitude_deg: -151.25), accuracy_m: 12)

  @Test("traccar: the golden bodies, byte for byte")
  func traccar() {
    let trip = CompactSamples.record(
      5, kind: .trip, fix: full, extras: #"{"trip":3,"distance_m":1200.5,"end_cause":"stayed","sat":1}"#)
    expect(trip, .traccar, isGolden: "traccar-trip.json")
    expect(CompactSamples.record(1, fix: bare), .traccar, isGolden: "traccar-bare.json")
  }

  @Test("owntracks: the golden bodies, byte for byte")
  func owntracks() {
    let trip = CompactSamples.record(5, kind: .trip, fix: full, extras: #"{"trip":3,"distance_m":1200.5}"#)
    expect(trip, .owntracks, isGolden: "owntracks-trip.json")
    expect(CompactSamples.record(1, fix: bare), .owntracks, isGolden: "owntracks-bare.json")
  }

  @Test("traccar has all six coords, an object of extras and no null, whatever is missing")
  func complete() throws {
    var fix = bare
    fix.altitude_m = .nan
    let text = self.text(CompactSamples.record(1, fix: fix, extras: "no object"), .traccar)
    let location = try #require(JSONReader.parse(Array(text.utf8))?["location"])
    for name in ["latitude", "longitude", "accuracy", "speed", "heading", "altitude"] {
      #expect(location["coords"]?[name]?.number != nil, "\(name)")
    }
    let extras = try #require(location["extras"])
    guard case .object = extras else {
      Issue.record("extras are no object")
      return
    }
    #expect(!text.contains("null"))
  }

  @Test("a departure by the key has the key's time in every format, though its fix is of the last look")
  func key() throws {
    let key_ms = bare.time_ms + 3_000_000
    let record = Record(
      sequence: 1, content: .motion(MotionChange(cause: .ignition)), time_ms: key_ms, timeSource: .gps,
      boot_ms: 0, fix: bare, isMoving: true, tripID: 3, odometer_m: 0)
    func json(_ format: SyncSettings.Format) throws -> JSONValue {
      try #require(JSONReader.parse(Array(text(record, format).utf8)))
    }
    let timestamp = ISO8601.text(ms: key_ms)
    let geomony = try #require(json(.geomony)["location"]?.array?.first)
    #expect(geomony["timestamp"]?.string == timestamp)
    #expect(geomony["extras"]?.string == #"{"trip":3,"cause":"ignition"}"#)
    #expect(try json(.traccar)["location"]?["timestamp"]?.string == timestamp)
    let owntracks = try json(.owntracks)
    #expect(owntracks["created_at"]?.integer == key_ms / 1000)
    #expect(owntracks["tst"]?.integer == bare.time_ms / 1000, "of the position, as OwnTracks has it")
  }

  @Test("a record without a position is named with the reason", arguments: SyncSettings.Format.allCases)
  func withoutPosition(format: SyncSettings.Format) {
    let nowhere = CompactSamples.record(2, kind: .warning, fix: nil)
    let records = [nowhere, CompactSamples.record(3, fix: bare), CompactSamples.record(4, fix: bare)]
    let order = UploadOrder(limit: 3)
    #expect(format.wire.look(for: order) == (format.traits.needsPosition ? 12 : 3))
    let (carried, faults) = format.wire.choose(from: records, for: order)
    let newest = format.wire.choose(from: records, for: UploadOrder(pick: .newest, limit: 2))
    #expect(newest.carried.map(\.sequence) == (format.traits.needsPosition ? [4] : [3, 4]))
    switch format {
    case .geomony, .compact:
      #expect(carried.count == 3 && faults.isEmpty)
    case .traccar, .owntracks:
      #expect(carried.map(\.sequence) == [3])
      #expect(faults == [2: "the format \(format.rawValue) cannot carry it: it has no position"])
    }
  }

  @Test("traccar: 64 KiB hold what is carried, and larger extras are not")
  func limit() {
    let edge = CompactSamples.record(
      1, fix: full, extras: "{\"a\":\"" + String(repeating: "x", count: 64_504) + "\"}")
    #expect(edge.content.extras.utf8.count == 63 * 1024)
    #expect(TraccarFormat.problem(of: edge) == nil)
    #expect(text(edge, .traccar).utf8.count <= 65_536)
    var larger = edge
    larger.content = .unknown(.position, text: edge.content.extras + " ")
    #expect(TraccarFormat.problem(of: larger) == "its extras are larger than 63 KiB")
  }

  @Test("owntracks names the device in its headers")
  func headers() {
    let headers = OwnTracksFormat.headers(device: "van-7")
    #expect(headers.map(\.0) == ["X-Limit-U", "X-Limit-D"])
    #expect(headers.map(\.1) == ["godwit", "van-7"])
  }

  private func location(_ content: Record.Content) throws -> JSONValue {
    let body = text(CompactSamples.record(1, content, fix: full), .traccar)
    return try #require(JSONReader.parse(Array(body.utf8))?["location"])
  }

  @Test(
    "traccar: what it has an alarm for is one, in its words",
    arguments: [
      (.geofence(GeofenceEvent(action: .enter, geofence: "depot")), "geofenceEnter"),
      (.geofence(GeofenceEvent(action: .exit, geofence: "depot")), "geofenceExit"),
      (.geofence(GeofenceEvent(action: .dwell, geofence: "depot")), nil),
      (.incident(.crash(over_mps2: 24)), "accident"), (.incident(.tow(tilt_deg: 8.5)), "tow"),
      (.incident(.harshBraking(from_mps: 13.9, to_mps: 2.1, peak_mps2: 6.2)), "hardBraking"),
      (.speed(.over(limit_mps: 25)), "overspeed"), (.speed(.under(top_mps: 27, duration_s: 9)), nil),
      (RecordExtrasTests.trip(isTowed: true), "tow"), (RecordExtrasTests.trip(), nil),
      (.warning(.batteryLow(volts: 11.6, factor: 4)), "lowPower"),
      (.warning(.gpsJamming(fall_dB: 15)), "jamming"), (.warning(.gpsAntenna(cause: .open)), "gpsAntennaCut"),
      (.warning(.powerLost(volts: 0)), "powerCut"), (.status(.powerBack(volts: 12)), "powerRestored"),
      (.warning(.gpsLost(cause: .noSky)), nil), (.position(), nil),
    ] as [(Record.Content, String?)])
  func alarm(content: Record.Content, word: String?) throws {
    #expect(try location(content)["alarm"]?.string == word)
  }

  @Test("traccar: battery and ignition are its attributes power and ignition, where the record knows them")
  func attributes() throws {
    let low = try location(.warning(.batteryLow(volts: 11.6, factor: 4)))
    #expect(low["extras"]?["power"]?.number == 11.6 && low["extras"]?["volts"]?.number == 11.6)
    #expect(try location(.motion(MotionChange(cause: .ignition)))["extras"]?["ignition"]?.bool == true)
    #expect(try location(.motion(MotionChange(cause: .fixes)))["extras"]?["ignition"] == nil)
  }

  private static let detailed = Record.Content.position(
    details: PositionDetails(
      hdop: 0.86, ignitionIsOn: false, battery_V: 12.64, geofences: ["depot", "Zürich"]))

  @Test("traccar: a position's HDOP, ignition and voltage are attributes; geofences it has itself")
  func details() throws {
    let extras = try #require(try location(Self.detailed)["extras"])
    #expect(extras["hdop"]?.number == 0.9 && extras["ignition"]?.bool == false)
    #expect(extras["power"]?.number == 12.6 && extras["inregions"] == nil)
  }

  @Test("traccar: an event has ignition and voltage too; a key that was turned goes before the line")
  func eventDetails() throws {
    var record = CompactSamples.record(1, .speed(.over(limit_mps: 25)), fix: full)
    record.details = PositionDetails(ignitionIsOn: true, battery_V: 12.6)
    func extras() throws -> JSONValue {
      try #require(JSONReader.parse(Array(text(record, .traccar).utf8))?["location"]?["extras"])
    }
    #expect(try extras()["ignition"]?.bool == true && extras()["power"]?.number == 12.6)
    record.content = .motion(MotionChange(cause: .ignition))
    (record.isMoving, record.details) = (false, PositionDetails(ignitionIsOn: true))
    #expect(try extras()["ignition"]?.bool == false)
    let geomony = text(record, .geomony)
    #expect(geomony.contains(#"\"ignition\":true"#), "\(geomony)")
  }

  @Test("owntracks: tid is the device's name, which no other vehicle has, or sync.tid; topic only over HTTP")
  func identity() throws {
    func json(_ change: (inout OwnTracksChoices) -> Void) throws -> JSONValue {
      var payload = Payload(records: [CompactSamples.record(1, fix: full)], queueID: 1, device: "van 7/a")
      change(&payload.ownTracks)
      return try #require(JSONReader.parse(OwnTracksFormat.body(payload)))
    }
    let usual = try json { _ in }
    #expect(usual["tid"]?.string == "van 7/a" && usual["topic"] == nil)
    let topic = OwnTracksFormat.topic(from: OwnTracksFormat.headers(device: "van 7/a"))
    let set = try json { ($0.tid, $0.topic) = ("V7", topic) }
    #expect(set["tid"]?.string == "V7" && set["topic"]?.string == "owntracks/godwit/van 7%2Fa")
    #expect(
      OwnTracksFormat.topic(from: [("x-limit-d", "b"), ("X-Limit-U", "me")]) == "owntracks/me/b")
    #expect(OwnTracksFormat.topic(from: [("X-Limit-U", "me")]) == "")
  }

  @Test("owntracks: transitions = false makes a location of a fence that is entered or left")
  func noTransitions() throws {
    let event = GeofenceEvent(action: .enter, geofence: "depot")
    var payload = Payload(
      records: [CompactSamples.record(1, .geofence(event), fix: full)], queueID: 1, device: "van-7")
    payload.ownTracks.transitions = false
    let json = try #require(JSONReader.parse(OwnTracksFormat.body(payload)))
    #expect(json["_type"]?.string == "location" && json["event"]?.string == "geofence")
    #expect(json["desc"] == nil && json["extras"]?["action"]?.string == "ENTER")
    #expect(json["extras"]?["geofence"]?.string == "depot")
  }

  @Test("owntracks: the geofences that the vehicle is in are inregions, and stand nowhere else")
  func inregions() throws {
    let body = text(CompactSamples.record(1, Self.detailed, fix: full), .owntracks)
    let message = try #require(JSONReader.parse(Array(body.utf8)))
    #expect(message["_type"]?.string == "location")
    #expect(message["inregions"]?.array?.compactMap(\.string) == ["depot", "Zürich"])
    #expect(message["extras"]?["inregions"] == nil && message["extras"]?["ignition"]?.bool == false)
    #expect(!text(CompactSamples.record(1, .position(), fix: full), .owntracks).contains("inregions"))
  }

  @Test("traccar: a fence's extras stand among the others, where it reads them; our own names go before")
  func fenceExtras() throws {
    let own = #"{"jobId":"7","urgent":true,"uuid":"x","a":[1]}"#
    let event = GeofenceEvent(action: .enter, geofence: "depot", extras: own)
    let extras = try #require(try location(.geofence(event))["extras"])
    #expect(extras["jobId"]?.string == "7" && extras["urgent"]?.bool == true)
    #expect(extras["uuid"]?.string == "01234567-89ab-8cde-8000-000000000001")
    #expect(extras["geofence"]?.string == "depot" && extras["extras"] == nil)
    guard case .object(let members) = extras else { return }
    #expect(Set(members.map(\.key)).count == members.count)
    let other = Record.Content.unknown(.geofence, text: #"{"geofence":"a","extras":{}}"#)
    #expect(try location(other)["extras"]?["geofence"]?.string == "a")
  }

  @Test(
    "owntracks: coming and going are transitions, with the fence's name; staying is a location",
    arguments: [(.enter, "enter"), (.exit, "leave"), (.dwell, nil)] as [(GeofenceEvent.Transition, String?)])
  func transition(action: GeofenceEvent.Transition, event: String?) throws {
    let content = Record.Content.geofence(GeofenceEvent(action: action, geofence: "Depot Süd"))
    let body = text(CompactSamples.record(1, content, fix: full), .owntracks)
    let json = try #require(JSONReader.parse(Array(body.utf8)))
    #expect(json["_type"]?.string == (event == nil ? "location" : "transition"))
    #expect(json["event"]?.string == event ?? "geofence")
    #expect(json["desc"]?.string == (event == nil ? nil : "Depot Süd"))
    for name in ["acc", "lat", "lon", "tst"] { #expect(json[name]?.number != nil, "\(name)") }
    #expect(json["extras"]?["geofence"]?.string == "Depot Süd")
  }

  @Test(
    "owntracks: an accuracy is 1 m at least, since Home Assistant passes over 0", arguments: [0.0, 0.4, 1.4])
  func accuracy(accuracy_m: Double) throws {
    var fix = full
    fix.accuracy_m = accuracy_m
    let body = text(CompactSamples.record(1, fix: fix), .owntracks)
    #expect(JSONReader.parse(Array(body.utf8))?["acc"]?.integer == 1)
  }

  private func text(_ record: Record, _ format: SyncSettings.Format) -> String {
    let payload = Payload(records: [record], queueID: 0x012_3456_789A_BCDE, device: "van-7")
    return String(decoding: format.wire.body(payload), as: UTF8.self)
  }

  private func expect(
    _ record: Record, _ format: SyncSettings.Format, isGolden name: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let golden = String(decoding: contents(of: "Golden/\(name)"), as: UTF8.self)
    #expect(text(record, format) == golden, sourceLocation: sourceLocation)
  }
}
