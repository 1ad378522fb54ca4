import TrackerBase

/// A record's content as the small JSON object that the queue stores and servers get as `extras`: the one place where
/// it becomes text, and where the queue's text becomes content again.
extension Record.Content {
  /// Empty where there is nothing to say.
  public var extras: String {
    if case .unknown(_, let text) = self { return text }
    return JSONWriter.text(members ?? [])
  }

  /// The content that is written as this very text. Where there is none (a kind, a member or a word that this version
  /// does not know), the text stays as it is, for a later one to read.
  public init(kind: Record.Kind, extras text: String) {
    if kind == .position, text.isEmpty {
      self = .position()
      return
    }
    let readings = JSONReader.object(text).map { Record.Content.readings(of: $0, kind) } ?? []
    self = readings.compactMap { $0 }.first { $0.extras == text } ?? .unknown(kind, text: text)
  }

  /// nil for text that is no object.
  var members: [JSONMember]? {
    if case .unknown(_, let text) = self { return JSONReader.object(text)?.members }
    if isPlainPosition { return [] }
    let own = [JSONMember](pairs)
    guard case .position(_, let details?) = self else { return own }
    return own + details.members
  }

  /// As most records are: they need no JSON.
  fileprivate var isPlainPosition: Bool {
    if case .position(isJump: false, details: nil) = self { true } else { false }
  }

  /// What is nil is left out.
  private var pairs: KeyValuePairs<String, JSONValue?> {
    switch self {
    case .position(let isJump, _):
      // Behind it come the details.
      ["jump": isJump ? .bool(true) : nil]
    case .motion(let change):
      [
        "cause": .word(change.cause), "left_after_ms": .whole(change.leftAfter_ms),
        "left_before_ms": .whole(change.leftBefore_ms),
      ]
    case .geofence(let event): event.pairs
    case .trip(let summary): summary.pairs
    case .status(let event): event.pairs
    case .warning(let event): event.pairs
    case .speed(.over(let limit_mps)): ["action": "OVER", "limit_mps": .number(limit_mps)]
    case .speed(.under(let top_mps, let duration_s)):
      ["action": "UNDER", "top_mps": .number(top_mps), "duration_s": .number(duration_s)]
    case .activity(let kind, let from): ["activity": .word(kind), "from": from.map { .word($0) }]
    case .gap(let gap):
      [
        "cause": .word(gap.cause), "begin_ms": .integer(gap.begin_ms), "end_ms": .integer(gap.end_ms),
        "clock": gap.isDated ? nil : "untrusted", "wake": gap.wake.map { .word($0) },
      ]
    case .incident(.crash(let over_mps2)): ["over_mps2": .number(over_mps2)]
    case .incident(.tow(let tilt_deg)): ["tilt_deg": .number(tilt_deg)]
    case .incident(.harshBraking(let from_mps, let to_mps, let peak_mps2)):
      ["from_mps": .number(from_mps), "to_mps": .number(to_mps), "peak_mps2": .number(peak_mps2)]
    case .unknown: [:]
    }
  }

  /// What the members may mean.
  private static func readings(of json: JSONValue, _ kind: Record.Kind) -> [Record.Content?] {
    switch kind {
    case .position: [.position(isJump: json["jump"] != nil, details: PositionDetails(json))]
    case .motionChange:
      [
        json.word("cause").map {
          .motion(
            MotionChange(
              cause: $0, leftAfter_ms: json["left_after_ms"]?.integer,
              leftBefore_ms: json["left_before_ms"]?.integer))
        }
      ]
    case .geofence: [GeofenceEvent(json).map { .geofence($0) }]
    case .trip: [TripSummary(json).map { .trip($0) }]
    case .status: StatusEvent.readings(of: json).map { $0.map { .status($0) } }
    case .warning: WarningEvent.readings(of: json).map { $0.map { .warning($0) } }
    case .speed:
      [
        .speed(.over(limit_mps: json.number("limit_mps"))),
        .speed(.under(top_mps: json.number("top_mps"), duration_s: json.number("duration_s"))),
      ]
    case .activity: [json.word("activity").map { .activity($0, from: json.word("from")) }]
    case .gap: [TrackGap(json).map { .gap($0) }]
    case .crash: [.incident(.crash(over_mps2: json.number("over_mps2")))]
    case .tow: [.incident(.tow(tilt_deg: json.number("tilt_deg")))]
    case .harshBraking:
      [
        .incident(
          .harshBraking(
            from_mps: json.number("from_mps"), to_mps: json.number("to_mps"),
            peak_mps2: json.number("peak_mps2")))
      ]
    default: []
    }
  }
}

extension Record {
  /// Content and details as the queue stores them. What the content says itself goes before.
  public var extras: String {
    details == nil ? content.extras : members.map(JSONWriter.text) ?? content.extras
  }

  /// What was stored as `extras`.
  public static func read(_ kind: Kind, extras text: String) -> (content: Content, details: PositionDetails?)
  {
    let whole = Content(kind: kind, extras: text)
    guard case .unknown = whole, kind != .position, var own = JSONReader.object(text)?.members else {
      return (whole, nil)
    }
    var details: [JSONMember] = []
    while let last = own.last, PositionDetails.keys.contains(last.key) {
      details.insert(own.removeLast(), at: 0)
      let content = Content(kind: kind, extras: JSONWriter.text(own))
      if case .unknown = content { continue }
      return (content, PositionDetails(.object(details)))
    }
    return (whole, nil)
  }

  private var members: [JSONMember]? {
    guard let own = content.members, let details else { return content.members }
    return own + details.members.filter { member in !own.contains { $0.key == member.key } }
  }

  /// The members of the extras for formats that have no other place for the number of the trip and for a date that is
  /// not trusted: `trip` first, `clock` last.
  var membersOnWire: [JSONMember]? {
    guard var members else { return nil }
    if let tripID, members.first?.key != "trip" {
      members.insert(JSONMember(key: "trip", value: .integer(tripID)), at: 0)
    }
    if !timeSource.isTrusted, !members.contains(where: { $0.key == "clock" }) {
      members.append(JSONMember(key: "clock", value: "untrusted"))
    }
    return members
  }

  /// `{"trip":3,…}`.
  var extrasOnWire: String {
    if let tripID, timeSource.isTrusted, content.isPlainPosition, details == nil {
      return JSONWriter.object { $0.member("trip", tripID) }
    }
    return membersOnWire.map(JSONWriter.text) ?? content.extras
  }
}

extension PositionDetails {
  fileprivate static let keys = PositionDetails().pairs.map { $0.key }

  fileprivate var pairs: KeyValuePairs<String, JSONValue?> {
    [
      "hdop": hdop.map { .number($0) }, "ignition": ignitionIsOn.map { .bool($0) },
      "volts": battery_V.map { .number($0) }, "inregions": geofences.isEmpty ? nil : .texts(geofences),
    ]
  }

  fileprivate var members: [JSONMember] { [JSONMember](pairs) }

  /// nil where there are none.
  fileprivate init?(_ json: JSONValue) {
    self.init(
      hdop: json["hdop"]?.number, ignitionIsOn: json["ignition"]?.bool, battery_V: json["volts"]?.number,
      geofences: json["inregions"]?.array?.compactMap(\.string) ?? [])
    if self == PositionDetails() { return nil }
  }
}

extension GeofenceEvent {
  fileprivate var pairs: KeyValuePairs<String, JSONValue?> {
    ["action": .word(action), "geofence": .string(geofence), "extras": JSONReader.parse(Array(extras.utf8))]
  }

  /// Passes over members that it does not know.
  init?(_ json: JSONValue) {
    guard let action: Transition = json.word("action"), let geofence = json["geofence"]?.string
    else { return nil }
    var extras = JSONWriter()
    if let value = json["extras"] { extras.value(value) }
    self.init(action: action, geofence: geofence, extras: extras.text)
  }
}

extension TripSummary {
  fileprivate var pairs: KeyValuePairs<String, JSONValue?> {
    [
      "trip": .integer(id), "start_ms": .integer(start_ms), "end_ms": .integer(end_ms),
      "duration_s": .integer(duration_s), "idle_s": .integer(idle_s), "distance_m": .number(distance_m),
      "estimated_m": estimated_m > 0 ? .number(estimated_m) : nil,
      "top_speed_mps": .number(topSpeed_mps), "left_after_ms": .whole(leftAfter_ms),
      "towed": isTowed ? .bool(true) : nil, "clock": isDated ? nil : "untrusted",
      "end_cause": .word(endCause),
    ]
  }

  fileprivate init?(_ json: JSONValue) {
    guard let endCause: EndCause = json.word("end_cause") else { return nil }
    self.init(
      id: json.whole("trip"), start_ms: json.whole("start_ms"), end_ms: json.whole("end_ms"),
      idle_s: json.whole("idle_s"), distance_m: json.number("distance_m"),
      topSpeed_mps: json.number("top_speed_mps"), endCause: endCause)
    estimated_m = json.number("estimated_m")
    leftAfter_ms = json["left_after_ms"]?.integer
    (isTowed, isDated) = (json["towed"] != nil, json["clock"] == nil)
  }
}

extension TrackGap {
  fileprivate init?(_ json: JSONValue) {
    guard let cause: NoTrackCause = json.word("cause") else { return nil }
    self.init(
      cause: cause, begin_ms: json.whole("begin_ms"), end_ms: json.whole("end_ms"),
      isDated: json["clock"] == nil, wake: json.word("wake"))
  }
}

extension StatusEvent {
  fileprivate var pairs: KeyValuePairs<String, JSONValue?> {
    switch self {
    case .windowOpened(let until_ms): ["window": "open", "until_ms": .whole(until_ms)]
    case .windowClosed(let cause, let until_ms):
      ["window": "closed", "cause": .word(cause), "until_ms": .whole(until_ms)]
    case .intent(let kind, let left_s, let crashes):
      [
        "intent": kind.map { .word($0) } ?? "none", "left_s": .whole(left_s),
        "safe_mode": .whole(crashes.map(Int64.init)),
      ]
    case .gpsBack(let cause, let lost_s): ["gps": "back", "cause": .word(cause), "lost_s": .integer(lost_s)]
    case .batteryGood(let volts, let factor):
      ["battery": "good", "volts": .number(volts), "factor": .number(factor)]
    case .jammingOver(let lasted_s): ["gps": "jamming_over", "lasted_s": .integer(lasted_s)]
    case .antennaBack: ["gps": "antenna_back"]
    case .powerBack(let volts): ["supply": "back", "volts": volts.map { .number($0) }]
    case .asleep(let cause, let until_ms):
      ["board": "asleep", "cause": .word(cause), "until_ms": .integer(until_ms)]
    case .located(let command): ["located": .string(command)]
    case .tested: ["test": "doctor"]
    }
  }

  fileprivate static func readings(of json: JSONValue) -> [StatusEvent?] {
    let until_ms = json["until_ms"]?.integer
    let crashes = json["safe_mode"]?.integer.flatMap(Int.init(exactly:))
    return [
      .windowOpened(until_ms: until_ms),
      json.word("cause").map { .windowClosed(cause: $0, until_ms: until_ms) },
      .intent(json.word("intent"), left_s: json["left_s"]?.integer, crashes: crashes),
      json.word("cause").map { .gpsBack(cause: $0, lost_s: json.whole("lost_s")) },
      .batteryGood(volts: json.number("volts"), factor: json.number("factor")),
      .jammingOver(lasted_s: json.whole("lasted_s")), .antennaBack,
      .powerBack(volts: json["volts"]?.number),
      json.word("cause").map { .asleep(cause: $0, until_ms: json.whole("until_ms")) },
      json["located"]?.string.map { .located(command: $0) }, .tested,
    ]
  }
}

extension WarningEvent {
  fileprivate var pairs: KeyValuePairs<String, JSONValue?> {
    switch self {
    case .queueDamaged(let words): ["warning": "queue_damaged", "text": .string(words)]
    case .gpsLost(let cause): ["warning": "gps_lost", "cause": .word(cause)]
    case .batteryLow(let volts, let factor):
      ["warning": "battery_low", "volts": .number(volts), "factor": .number(factor)]
    case .gpsJamming(let fall_dB): ["warning": "gps_jamming", "fall_db": .number(fall_dB)]
    case .gpsAntenna(let cause): ["warning": "gps_antenna", "cause": .word(cause)]
    case .powerLost(let volts): ["warning": "power_lost", "volts": volts.map { .number($0) }]
    }
  }

  fileprivate static func readings(of json: JSONValue) -> [WarningEvent?] {
    [
      .queueDamaged(json["text"]?.string ?? ""), json.word("cause").map { .gpsLost(cause: $0) },
      .batteryLow(volts: json.number("volts"), factor: json.number("factor")),
      .gpsJamming(fall_dB: json.number("fall_db")), json.word("cause").map { .gpsAntenna(cause: $0) },
      .powerLost(volts: json["volts"]?.number),
    ]
  }
}

extension JSONValue {
  static func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }

  fileprivate static func whole(_ value: Int64?) -> JSONValue? { value.map { .integer($0) } }

  /// One of our own words.
  fileprivate static func word(_ word: some RawRepresentable<String>) -> JSONValue { .string(word.rawValue) }

  fileprivate func word<Word: RawRepresentable<String>>(_ key: String) -> Word? {
    self[key]?.string.flatMap(Word.init(rawValue:))
  }

  /// 0 where there is none.
  fileprivate func whole(_ key: String) -> Int64 { self[key]?.integer ?? 0 }
  fileprivate func number(_ key: String) -> Double { self[key]?.number ?? 0 }

  fileprivate var members: [JSONMember]? {
    guard case .object(let members) = self else { return nil }
    return members
  }
}

extension JSONReader {
  /// Empty text is an object without members; nil for what is none.
  fileprivate static func object(_ text: String) -> JSONValue? {
    let json = text.isEmpty ? .object([]) : parse(Array(text.utf8))
    return json?.members == nil ? nil : json
  }
}

extension JSONWriter {
  /// An object; empty text for one without members.
  fileprivate static func text(_ members: [JSONMember]) -> String {
    if members.isEmpty { return "" }
    var json = JSONWriter()
    json.value(.object(members))
    return json.text
  }
}
