@testable import TrackerBase

/// Splitmix64, so that a failing seed fails again.
struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
  mutating func of<T>(_ values: [T]) -> T { values[below(values.count)] }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  mutating func number(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * Double(next() >> 11) / 9_007_199_254_740_992
  }
}

/// Records of every kind, with what is hard to carry. What one implementation of a format writes of them, another one
/// must read: here the collector's readers, in `FormatTests` of the integration tests the whole collector.
enum RecordSamples {
  /// A vehicle that drives, jumps, stands, and whose receiver forgets fields.
  ///
  /// - Parameter withDetails: positions have some, which not every reader has a column for.
  static func records(count: Int, withDetails: Bool = true, _ random: inout Random) -> [Record] {
    var (latitude_deg, longitude_deg) = (random.number(-89, 89), random.number(-180, 180))
    var (time_ms, sequence, odometer_m) = (Int64(random.below(1 << 40)), Int64(random.below(1 << 30)), 0.0)
    let step_ms = [1000, 200, 1, 60_000][random.below(4)]
    return (0..<count).map { _ in
      time_ms += Int64(step_ms * random.below(40)) - (random.chance(3) ? 3_600_000 : 0)
      sequence += 1 + (random.chance(3) ? Int64(random.below(1 << 20)) : 0)
      odometer_m += random.number(0, 900)
      let reach_deg = random.chance(4) ? 90.0 : 0.01
      latitude_deg = min(90, max(-90, latitude_deg + random.number(-reach_deg, reach_deg)))
      longitude_deg += random.number(-reach_deg, reach_deg)
      if longitude_deg > 180 { longitude_deg -= 360 }
      if longitude_deg < -180 { longitude_deg += 360 }
      var fix: Fix? = Fix(
        time_ms: time_ms, position: Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg),
        accuracy_m: 0)
      forget(&fix, &random)
      let kind: Record.Kind = random.chance(50) ? .position : random.of(Record.Kind.allCases)
      return Record(
        sequence: sequence, content: content(of: kind, at: time_ms, withDetails: withDetails, &random),
        time_ms: time_ms,
        timeSource: random.chance(90) ? .gps : .untrustedWallClock, boot_ms: 0, fix: fix,
        isMoving: random.chance(80), tripID: random.chance(80) ? Int64(random.below(9)) : nil,
        odometer_m: odometer_m)
    }
  }

  private static func forget(_ fix: inout Fix?, _ random: inout Random) {
    fix?.accuracy_m = random.number(0.05, 30)
    fix?.altitude_m = random.chance(90) ? random.number(-400, 5000) : nil
    fix?.speed_mps = random.chance(90) ? random.number(0, 60) : nil
    fix?.course_deg = random.chance(90) ? random.number(0, 360) : nil
    fix?.altitudeAccuracy_m = random.chance(50) ? random.number(0, 50) : nil
    fix?.speedAccuracy_mps = random.chance(50) ? random.number(0, 3) : nil
    fix?.courseAccuracy_deg = random.chance(50) ? random.number(0, 180) : nil
    fix?.satellites = random.chance(90) ? random.below(40) : nil
    if random.chance(5) { fix = nil }
  }

  // MARK: Content

  /// Each kind with the values that it can have.
  static func content(
    of kind: Record.Kind, at time_ms: Int64, withDetails: Bool = true, _ random: inout Random
  ) -> Record.Content {
    let leftAfter_ms = random.chance(50) ? moment(near: time_ms, &random) : nil
    switch kind {
    case .position:
      if !withDetails || random.chance(70) { return .position(isJump: random.chance(10)) }
      let details = PositionDetails(
        hdop: random.chance(50) ? random.number(0.5, 9) : nil,
        ignitionIsOn: random.chance(50) ? random.chance(50) : nil,
        battery_V: random.chance(50) ? random.number(9, 29) : nil,
        geofences: random.chance(50) ? ["home", "Zürich \"7\""] : [])
      return .position(details: details == PositionDetails() ? nil : details)
    case .motionChange:
      return .motion(
        MotionChange(
          cause: random.of(MotionChange.Cause.allCases), leftAfter_ms: leftAfter_ms,
          leftBefore_ms: random.chance(50) ? moment(near: time_ms, &random) : nil))
    case .geofence:
      let extras = random.chance(50) ? random.of(objects) : ""
      return .geofence(
        GeofenceEvent(
          action: random.of(GeofenceEvent.Transition.allCases), geofence: random.of(names), extras: extras))
    case .trip: return .trip(trip(at: time_ms, leftAfter_ms: leftAfter_ms, &random))
    case .status: return .status(status(until_ms: leftAfter_ms, &random))
    case .warning:
      let volts = tenths(24, &random)
      return .warning(
        random.of([
          .queueDamaged(random.of(names + texts)), .gpsLost(cause: random.of([.noSky, .gpsSilent])),
          .batteryLow(volts: volts, factor: 4), .gpsJamming(fall_dB: volts),
          .gpsAntenna(cause: random.of(AntennaCause.allCases)), .powerLost(volts: volts),
        ]))
    case .speed:
      let (top_mps, duration_s) = (tenths(60, &random), tenths(1e6, &random))
      return .speed(
        random.of([.over(limit_mps: top_mps), .under(top_mps: top_mps, duration_s: duration_s)]))
    case .gap:
      let begin_ms = moment(near: time_ms, &random)
      let gap = TrackGap(
        cause: random.of(NoTrackCause.allCases), begin_ms: begin_ms,
        end_ms: begin_ms + Int64(random.below(1 << 30)), isDated: random.chance(90),
        wake: random.of([nil, .alarm, .wire, .power, .other]))
      return .gap(gap)
    case .crash: return .incident(.crash(over_mps2: tenths(100, &random)))
    case .tow: return .incident(.tow(tilt_deg: tenths(90, &random)))
    case .harshBraking:
      return .incident(
        .harshBraking(
          from_mps: tenths(60, &random), to_mps: tenths(30, &random), peak_mps2: tenths(12, &random)))
    case .activity: return .activity(random.of([.parked, .idling]), from: random.of([nil, .driving]))
    default:
      return .unknown(
        kind, text: random.of(["", "no JSON", #"{"new":[1.50,{"deep":null}],"cause":"moon"}"#]))
    }
  }

  private static func trip(
    at time_ms: Int64, leftAfter_ms: Int64?, _ random: inout Random
  ) -> TripSummary {
    var trip = TripSummary(
      id: Int64(random.below(1 << 20)), start_ms: moment(near: time_ms, &random),
      end_ms: moment(near: time_ms, &random), idle_s: Int64(random.below(4000)),
      distance_m: tenths(1e6, &random), topSpeed_mps: tenths(60, &random),
      endCause: random.of(TripSummary.EndCause.allCases))
    trip.leftAfter_ms = leftAfter_ms
    (trip.isTowed, trip.isDated) = (random.chance(30), random.chance(70))
    if random.chance(30) { trip.estimated_m = tenths(1e5, &random) }
    return trip
  }

  private static func status(until_ms: Int64?, _ random: inout Random) -> StatusEvent {
    let left_s = random.chance(50) ? Int64(random.below(9999)) : nil
    return random.of([
      .windowOpened(until_ms: until_ms),
      .windowClosed(cause: random.of([.window, .paused, .safeMode]), until_ms: until_ms),
      .intent(random.of([nil, .pause, .track]), left_s: left_s, crashes: random.of([nil, 5])),
      .gpsBack(cause: random.of([.noSky, .gpsdLost]), lost_s: Int64(random.below(99_999))),
      .batteryGood(volts: tenths(24, &random), factor: 1), .antennaBack, .located(command: "c-1"),
      .jammingOver(lasted_s: Int64(random.below(99_999))), .powerBack(volts: tenths(24, &random)),
      .asleep(cause: random.of([.windowClosed, .parked]), until_ms: Int64(random.below(1 << 50))),
    ])
  }

  private static func tenths(_ limit: Double, _ random: inout Random) -> Double {
    (random.number(0, limit) * 10).rounded() / 10
  }

  private static func moment(near time_ms: Int64, _ random: inout Random) -> Int64 {
    random.chance(10) ? Int64(random.below(1 << 50)) : time_ms - Int64(random.below(1 << 24))
  }

  /// What a fence may be called: a user's words, and what looks like a part of the format.
  private static let names = [
    "home", "7", "Zürich", "Depot \u{1F69A} 2", "a\"b", "back\\slash", "</script>", "fixes", "ENTER", "\"",
    "\",\"geofence\":", "{\"action\":\"", "\"}", "\\", "\\\\\"", "1772434800000", "00", "12345", "-1", "1e9",
    "\u{2028}",
    "null", "%25", "a/b+c#d", " ", String(repeating: "x", count: Geofence.longestID),
  ]

  private static let texts = ["", "tab\there", "two\nlines", "\u{1}\u{1E}17\u{1F}", "\u{7F}\u{9B}"]

  private static let objects = [
    "{}", #"{"k":[1,22,333,null,true]}"#, #"{"jobId":"123","deep":{"a":{"b":[{}]}}}"#, #"{"":"\u001f"}"#,
    #"{"action":"EXIT","geofence":"other","extras":{"cause":"parked"}}"#, #"{"big":1e+300,"small":-4.7e-06}"#,
  ]
}
