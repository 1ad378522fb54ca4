import Testing
import TrackerBase

@testable import TrackerWire

@Suite("A record's content as text")
struct RecordExtrasTests {
  static func trip(
    leftAfter_ms: Int64? = nil, isTowed: Bool = false, isDated: Bool = true, estimated_m: Double = 0
  ) -> Record.Content {
    var trip = TripSummary(
      id: 3, start_ms: 1000, end_ms: 61_900, idle_s: 12, distance_m: 1200.5, topSpeed_mps: 20,
      endCause: .noFix)
    trip.leftAfter_ms = leftAfter_ms
    (trip.isTowed, trip.isDated, trip.estimated_m) = (isTowed, isDated, estimated_m)
    return .trip(trip)
  }

  @Test("a departure says what woke it, and between which instants it was")
  func departure() {
    let content = Record.Content.motion(
      MotionChange(cause: .probe, leftAfter_ms: 5000, leftBefore_ms: 95_000))
    #expect(content.extras == #"{"cause":"probe","left_after_ms":5000,"left_before_ms":95000}"#)
    #expect(Record.Content(kind: .motionChange, extras: content.extras) == content)
  }

  /// What version 0.1.0 stores. Queues are full of it: a line is never changed, only added.
  static let stored: [(Record.Content, String)] = [
    (.position(), ""), (.position(isJump: true), #"{"jump":true}"#),
    (
      .position(
        details: PositionDetails(hdop: 0.86, ignitionIsOn: true, battery_V: 12.64, geofences: ["home"])),
      #"{"hdop":0.9,"ignition":true,"volts":12.6,"inregions":["home"]}"#
    ),
    (.motion(MotionChange(cause: .foundParked)), #"{"cause":"found_parked"}"#),
    (.motion(MotionChange(cause: .cell)), #"{"cause":"cell"}"#),
    (
      .motion(MotionChange(cause: .ignition, leftAfter_ms: 5000)),
      #"{"cause":"ignition","left_after_ms":5000}"#
    ),
    (
      .geofence(GeofenceEvent(action: .dwell, geofence: #"Zürich "7""#, extras: #"{"n":[1,2.5,null]}"#)),
      #"{"action":"DWELL","geofence":"Zürich \"7\"","extras":{"n":[1,2.5,null]}}"#
    ),
    (.geofence(GeofenceEvent(action: .exit, geofence: "home")), #"{"action":"EXIT","geofence":"home"}"#),
    (
      trip(),
      #"{"trip":3,"start_ms":1000,"end_ms":61900,"duration_s":60,"idle_s":12,"distance_m":1200.5,"top_speed_mps":20.0,"end_cause":"no_fix"}"#
    ),
    (
      trip(leftAfter_ms: 900, isTowed: true, isDated: false),
      #"{"trip":3,"start_ms":1000,"end_ms":61900,"duration_s":60,"idle_s":12,"distance_m":1200.5,"top_speed_mps":20.0,"left_after_ms":900,"towed":true,"clock":"untrusted","end_cause":"no_fix"}"#
    ),
    (
      trip(estimated_m: 800.5),
      #"{"trip":3,"start_ms":1000,"end_ms":61900,"duration_s":60,"idle_s":12,"distance_m":1200.5,"estimated_m":800.5,"top_speed_mps":20.0,"end_cause":"no_fix"}"#
    ),
    (.status(.windowOpened(until_ms: 9)), #"{"window":"open","until_ms":9}"#),
    (.status(.windowClosed(cause: .safeMode, until_ms: nil)), #"{"window":"closed","cause":"safe_mode"}"#),
    (.status(.intent(.pause, left_s: 7200)), #"{"intent":"pause","left_s":7200}"#),
    (.status(.intent(nil, crashes: 5)), #"{"intent":"none","safe_mode":5}"#),
    (.status(.gpsBack(cause: .noSky, lost_s: 300)), #"{"gps":"back","cause":"no_sky","lost_s":300}"#),
    (.status(.jammingOver(lasted_s: 31)), #"{"gps":"jamming_over","lasted_s":31}"#),
    (.status(.antennaBack), #"{"gps":"antenna_back"}"#), (.status(.tested), #"{"test":"doctor"}"#),
    (.status(.powerBack(volts: 12.4)), #"{"supply":"back","volts":12.4}"#),
    (.warning(.gpsJamming(fall_dB: 14.5)), #"{"warning":"gps_jamming","fall_db":14.5}"#),
    (.warning(.gpsAntenna(cause: .silent)), #"{"warning":"gps_antenna","cause":"silent"}"#),
    (.warning(.powerLost(volts: 0.1)), #"{"warning":"power_lost","volts":0.1}"#),
    (.warning(.powerLost(volts: nil)), #"{"warning":"power_lost"}"#),
    (.status(.powerBack(volts: nil)), #"{"supply":"back"}"#),
    (.status(.located(command: "c-1")), #"{"located":"c-1"}"#),
    (.status(.batteryGood(volts: 12.4, factor: 1)), #"{"battery":"good","volts":12.4,"factor":1.0}"#),
    (
      .warning(.queueDamaged("a \"b\"\n\u{1}")),
      #"{"warning":"queue_damaged","text":"a \"b\"\n\u0001"}"#
    ),
    (.warning(.gpsLost(cause: .gpsSilent)), #"{"warning":"gps_lost","cause":"gps_silent"}"#),
    (.warning(.gpsLost(cause: .gpsdLost)), #"{"warning":"gps_lost","cause":"gpsd_lost"}"#),
    (
      .warning(.batteryLow(volts: 11.9, factor: 4)),
      #"{"warning":"battery_low","volts":11.9,"factor":4.0}"#
    ),
    (.speed(.over(limit_mps: 25)), #"{"action":"OVER","limit_mps":25.0}"#),
    (.incident(.crash(over_mps2: 24)), #"{"over_mps2":24.0}"#),
    (.incident(.tow(tilt_deg: 8.5)), #"{"tilt_deg":8.5}"#),
    (
      .incident(.harshBraking(from_mps: 13.9, to_mps: 2.1, peak_mps2: 6.2)),
      #"{"from_mps":13.9,"to_mps":2.1,"peak_mps2":6.2}"#
    ),
    (
      .speed(.under(top_mps: 30.1, duration_s: 9.5)),
      #"{"action":"UNDER","top_mps":30.1,"duration_s":9.5}"#
    ),
    (.activity(.parked, from: nil), #"{"activity":"parked"}"#),
    (.activity(.idling, from: .driving), #"{"activity":"idling","from":"driving"}"#),
    (
      .gap(TrackGap(cause: .parked, begin_ms: 1000, end_ms: 61_000)),
      #"{"cause":"parked","begin_ms":1000,"end_ms":61000}"#
    ),
    (
      .gap(TrackGap(cause: .boardOff, begin_ms: 1000, end_ms: 61_000, isDated: false)),
      #"{"cause":"board_off","begin_ms":1000,"end_ms":61000,"clock":"untrusted"}"#
    ),
    (
      .gap(TrackGap(cause: .boardOff, begin_ms: 1000, end_ms: 61_000, wake: .alarm)),
      #"{"cause":"board_off","begin_ms":1000,"end_ms":61000,"wake":"alarm"}"#
    ),
    (
      .status(.asleep(cause: .windowClosed, until_ms: 61_000)),
      #"{"board":"asleep","cause":"window_closed","until_ms":61000}"#
    ),
  ]

  @Test("each has its words, and comes back from them", arguments: stored)
  func words(content: Record.Content, text: String) {
    #expect(content.extras == text)
    #expect(Record.Content(kind: content.kind, extras: text) == content)
  }

  @Test(
    "what this version has no type for stays as it is, and goes out so",
    arguments: [
      (.geofence, #"{"action":"LEAP","geofence":"home"}"#),
      (.geofence, #"{"action":"EXIT","geofence":"home","speed_mps":3.0}"#),
      (.motionChange, #"{ "cause": "ignition" }"#), (.motionChange, #"{"cause":"moon"}"#), (.trip, ""),
      (.status, #"{"window":"ajar"}"#), (.status, "[1]"), (.warning, #"{"warning":"new","volts":1.0,"#),
      (.activity, #"{"activity":"parked","from":"moon"}"#), (Record.Kind(rawValue: 40), #"{"tilt":1.50}"#),
      (.gap, #"{"cause":"moon","begin_ms":1,"end_ms":2}"#),
      // As version 0.1.0 has it.
      (.warning, #"{"warning":"gps_lost","cause":"gps_lost"}"#),
    ] as [(Record.Kind, String)])
  func unknown(kind: Record.Kind, text: String) {
    let content = Record.Content(kind: kind, extras: text)
    #expect(content == .unknown(kind, text: text))
    #expect(content.extras == text && content.kind == kind)
    #expect(kind.isEvent && kind.eventName == (kind.rawValue == 40 ? "unknown" : kind.eventName))
  }

  @Test("whatever a record says, it says the same after the queue", arguments: 1...50 as ClosedRange<UInt64>)
  func property(seed: UInt64) {
    var random = Random(state: seed)
    for kind in Record.Kind.allCases + [Record.Kind(rawValue: 9)] {
      let content = RecordSamples.content(of: kind, at: 1_772_434_800_000, &random)
      #expect(Record.Content(kind: kind, extras: content.extras) == content)
    }
  }

  @Test("an event's details stand behind its content, and come back", arguments: stored)
  func details(content: Record.Content, text: String) {
    var record = CompactSamples.record(1, content, fix: nil)
    if content.kind == .position { return }
    record.details = PositionDetails(ignitionIsOn: true, battery_V: 12.6)
    let own = content.extras.dropLast()
    let volts = text.contains(#""volts":"#) ? "" : #","volts":12.6"#
    #expect(record.extras == own + #","ignition":true"# + volts + "}")
    let read = Record.read(content.kind, extras: record.extras)
    #expect(read.content == content && read.details?.ignitionIsOn == true)
    #expect(Record.read(content.kind, extras: text).details == nil)
    record.content = .unknown(.geofence, text: #"{"action":"LEAP"}"#)
    #expect(Record.read(.geofence, extras: record.extras).content == .unknown(.geofence, text: record.extras))
  }

  @Test("the number of the trip comes first, once, and only within a trip")
  func trip() {
    #expect(extras(.position(), trip: 3) == #"{"trip":3}"#)
    #expect(extras(.position(isJump: true), trip: 3) == #"{"trip":3,"jump":true}"#)
    #expect(extras(Self.trip(), trip: 3) == Self.trip().extras)
    #expect(extras(.unknown(.trip, text: "{}"), trip: 12) == #"{"trip":12}"#)
    #expect(extras(.unknown(.trip, text: "no object"), trip: 3) == "no object")
    #expect(extras(.position(), trip: nil).isEmpty)
  }

  private func extras(
    _ content: Record.Content, trip: Int64?, _ source: Record.TimeSource = .gps
  ) -> String {
    Record(
      sequence: 1, content: content, time_ms: 0, timeSource: source, boot_ms: 0, fix: nil, isMoving: true,
      tripID: trip, odometer_m: 0
    ).extrasOnWire
  }

  @Test(
    "a date that is not trusted is marked once, at the end",
    arguments: [Record.TimeSource.untrustedWallClock, .untrustedForGood])
  func undated(source: Record.TimeSource) {
    #expect(extras(.position(), trip: nil, source) == #"{"clock":"untrusted"}"#)
    #expect(extras(.position(), trip: 3, source) == #"{"trip":3,"clock":"untrusted"}"#)
    #expect(extras(.status(.tested), trip: nil, source) == #"{"test":"doctor","clock":"untrusted"}"#)
    #expect(extras(Self.trip(isDated: false), trip: 3, source) == Self.trip(isDated: false).extras)
  }

  @Test(
    "each format says that a date is not trusted, for a fence's event too",
    arguments: [SyncSettings.Format.geomony, .traccar, .owntracks])
  func undatedOnTheWire(format: SyncSettings.Format) {
    let fix = Fix(
      time_ms: 1, position: Position(latitude_deg: 1, longitude_deg: 2), accuracy_m: 3)
    for content in [
      Record.Content.status(.tested), .geofence(GeofenceEvent(action: .enter, geofence: "yard", extras: "")),
    ] {
      for source in [Record.TimeSource.gps, .trustedWallClock, .untrustedWallClock, .untrustedForGood] {
        let record = Record(
          sequence: 1, content: content, time_ms: 1, timeSource: source, boot_ms: 0, fix: fix,
          isMoving: false,
          tripID: nil, odometer_m: 0)
        let body = String(
          decoding: format.wire.body(Payload(records: [record], queueID: 7, device: "van")), as: UTF8.self)
        let marks = body.replacing("\\", with: "").components(separatedBy: #""clock":"untrusted""#).count - 1
        #expect(marks == (source.isTrusted ? 0 : 1), "\(body)")
      }
    }
  }
}
