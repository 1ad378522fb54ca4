import TrackerCore

/// A record's content as the small JSON object that the queue stores and servers get as `extras`: the one place where
/// it becomes text, and where the queue's text becomes content again.
extension Record.Content {
  /// Empty where there is nothing to say.
  public var extras: String {
    if case .unknown(_, let text) = self { return text }
    return JSONWriter.text(members ?? [])
  }

  /// What does not come out again as it went in stays the text that it is, for a later version to read: a kind, a
  /// member or a word that this one does not know.
  public init(kind: Record.Kind, extras text: String) {
    let content = JSONReader.object(text).flatMap { Record.Content.read(kind, $0) }
    if let content, content.extras == text { self = content } else { self = .unknown(kind, text: text) }
  }

  /// nil for text that is no object.
  var members: [JSONMember]? {
    if case .unknown(_, let text) = self { return JSONReader.object(text)?.members }
    return pairs.compactMap { key, value in value.map { JSONMember(key: key, value: $0) } }
  }

  /// What is nil is left out.
  private var pairs: KeyValuePairs<String, JSONValue?> {
    switch self {
    case .position(let isJump): ["jump": isJump ? .bool(true) : nil]
    case .motion(let change): ["cause": .word(change.cause), "left_after_ms": .whole(change.leftAfter_ms)]
    case .geofence(let event): event.pairs
    case .trip(let summary): summary.pairs
    case .status(let event): event.pairs
    case .warning(let event): event.pairs
    case .speed(.over(let limit_mps)): ["action": "OVER", "limit_mps": .number(limit_mps)]
    case .speed(.under(let top_mps, let duration_s)):
      ["action": "UNDER", "top_mps": .number(top_mps), "duration_s": .number(duration_s)]
    case .activity(let kind, let from): ["activity": .word(kind), "from": from.map { .word($0) }]
    case .unknown: [:]
    }
  }

  /// Passes over members that it does not know. nil where one is missing.
  static func read(_ kind: Record.Kind, _ json: JSONValue) -> Record.Content? {
    switch kind {
    case .position: .position(isJump: json["jump"]?.bool == true)
    case .motionChange:
      json.word("cause").map {
        .motion(MotionChange(cause: $0, leftAfter_ms: json["left_after_ms"]?.integer))
      }
    case .geofence: GeofenceEvent(json).map { .geofence($0) }
    case .trip: TripSummary(json).map { .trip($0) }
    case .status: StatusEvent(json).map { .status($0) }
    case .warning: WarningEvent(json).map { .warning($0) }
    case .speed: SpeedEvent(json).map { .speed($0) }
    case .activity: json.word("activity").map { .activity($0, from: json.word("from")) }
    default: nil
    }
  }
}

extension Record {
  /// The members of the extras with the number of the trip first, for formats that have no other place for it.
  var membersWithTrip: [JSONMember]? {
    guard let tripID, let members = content.members, members.first?.key != "trip" else {
      return content.members
    }
    return [JSONMember(key: "trip", value: .integer(tripID))] + members
  }

  /// `{"trip":3,…}`.
  var extrasWithTrip: String { membersWithTrip.map(JSONWriter.text) ?? content.extras }
}

extension GeofenceEvent {
  fileprivate var pairs: KeyValuePairs<String, JSONValue?> {
    ["action": .word(action), "geofence": .string(geofence), "extras": JSONReader.parse(Array(extras.utf8))]
  }

  /// Passes over members that it does not know.
  init?(_ json: JSONValue) {
    guard let action: Action = json.word("action"), let geofence = json["geofence"]?.string
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
      "top_speed_mps": .number(topSpeed_mps), "left_after_ms": .whole(leftAfter_ms),
      "towed": isTowed ? .bool(true) : nil, "clock": isDated ? nil : "untrusted",
      "end_cause": .word(endCause),
    ]
  }

  fileprivate init?(_ json: JSONValue) {
    guard let id = json["trip"]?.integer, let start_ms = json["start_ms"]?.integer,
      let end_ms = json["end_ms"]?.integer, let idle_s = json["idle_s"]?.integer,
      let distance_m = json["distance_m"]?.number, let topSpeed_mps = json["top_speed_mps"]?.number,
      let endCause: EndCause = json.word("end_cause")
    else { return nil }
    self.init(
      id: id, start_ms: start_ms, end_ms: end_ms, idle_s: idle_s, distance_m: distance_m,
      topSpeed_mps: topSpeed_mps, endCause: endCause)
    leftAfter_ms = json["left_after_ms"]?.integer
    (isTowed, isDated) = (json["towed"] != nil, json["clock"] == nil)
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
    }
  }

  fileprivate init?(_ json: JSONValue) {
    let until_ms = json["until_ms"]?.integer
    if json["window"] == "open" {
      self = .windowOpened(until_ms: until_ms)
    } else if json["window"] == "closed", let cause: TripSummary.EndCause = json.word("cause") {
      self = .windowClosed(cause: cause, until_ms: until_ms)
    } else if json["intent"] != nil {
      self = .intent(
        json.word("intent"), left_s: json["left_s"]?.integer,
        crashes: json["safe_mode"]?.integer.flatMap(Int.init(exactly:)))
    } else if let cause: TrackerStatus.NoTrackCause = json.word("cause"),
      let lost_s = json["lost_s"]?.integer
    {
      self = .gpsBack(cause: cause, lost_s: lost_s)
    } else if let volts = json["volts"]?.number, let factor = json["factor"]?.number {
      self = .batteryGood(volts: volts, factor: factor)
    } else {
      return nil
    }
  }
}

extension WarningEvent {
  fileprivate var pairs: KeyValuePairs<String, JSONValue?> {
    switch self {
    case .queueDamaged(let words): ["warning": "queue_damaged", "text": .string(words)]
    case .gpsLost(let cause): ["warning": "gps_lost", "cause": .word(cause)]
    case .batteryLow(let volts, let factor):
      ["warning": "battery_low", "volts": .number(volts), "factor": .number(factor)]
    }
  }

  fileprivate init?(_ json: JSONValue) {
    if let words = json["text"]?.string {
      self = .queueDamaged(words)
    } else if let cause: TrackerStatus.NoTrackCause = json.word("cause") {
      self = .gpsLost(cause: cause)
    } else if let volts = json["volts"]?.number, let factor = json["factor"]?.number {
      self = .batteryLow(volts: volts, factor: factor)
    } else {
      return nil
    }
  }
}

extension SpeedEvent {
  fileprivate init?(_ json: JSONValue) {
    if let limit_mps = json["limit_mps"]?.number {
      self = .over(limit_mps: limit_mps)
    } else if let top_mps = json["top_mps"]?.number, let duration_s = json["duration_s"]?.number {
      self = .under(top_mps: top_mps, duration_s: duration_s)
    } else {
      return nil
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .string(value) }

  fileprivate static func whole(_ value: Int64?) -> JSONValue? { value.map { .integer($0) } }

  /// One of our own words.
  fileprivate static func word(_ word: some RawRepresentable<String>) -> JSONValue { .string(word.rawValue) }

  fileprivate func word<Word: RawRepresentable<String>>(_ key: String) -> Word? {
    self[key]?.string.flatMap(Word.init(rawValue:))
  }

  fileprivate var members: [JSONMember]? {
    guard case .object(let members) = self else { return nil }
    return members
  }
}

extension JSONReader {
  /// Empty text is an object without members; nil for what is none.
  fileprivate static func object(_ text: String) -> JSONValue? {
    if text.isEmpty { return .object([]) }
    guard let json = parse(Array(text.utf8)), json.members != nil else { return nil }
    return json
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
