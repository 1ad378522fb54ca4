import TrackerBase

/// `config` of a server's reply as JSON: `{"version": 7, "settings": {"motion.stop_timeout_s": 600}, "geofences": {…}}`.
public enum ConfigDocument {
  /// Of all that one version says, without white space.
  public static let mostBytes = 65_536

  /// nil where there is none. - Parameter secrets: what it may not repeat, since its keys are told of in the journal.
  public static func offer(in value: JSONValue?, secrets: [String] = []) -> ConfigOffer? {
    guard let value, value != .null else { return nil }
    do throws(Malformed) {
      let overlay = try overlay(value)
      let keys = overlay.settings.map { $0.path.joined(separator: ".") }.joined(separator: "\n")
      guard !secrets.contains(where: { !$0.isEmpty && keys.contains($0) }) else {
        throw Malformed(reason: "repeats a secret")
      }
      return .overlay(overlay)
    } catch {
      // Where it has two, nobody knows which is meant.
      let version = value.doubled.contains("version") ? nil : version(of: value)
      return .malformed(error.reason, version: version)
    }
  }

  struct Malformed: Error { var reason: String }

  static func overlay(_ value: JSONValue) throws(Malformed) -> Overlay {
    guard case .object(let members) = value else { throw Malformed(reason: "is no object") }
    guard let version = version(of: value) else {
      throw Malformed(reason: "has no version, a whole number from 1 to \(Overlay.versions.upperBound)")
    }
    guard case .object(let settings)? = value["settings"] else {
      throw Malformed(reason: "has no object settings; an empty one takes all back")
    }
    // A word that is not understood may be what matters.
    guard members.allSatisfy({ ["version", "settings", "geofences"].contains($0.key) }) else {
      throw Malformed(reason: "has more than version, settings and geofences, which this agent does not know")
    }
    try refuseDoubled(in: value)
    let geofences = value["geofences"].flatMap { $0 == .null ? nil : $0.text }
    let size = (value["settings"] ?? .null).text.utf8.count + (geofences?.utf8.count ?? 0)
    guard size <= mostBytes else { throw Malformed(reason: "is larger than \(mostBytes / 1024) kB") }
    return Overlay(version: version, settings: settings.map(entry), geofences: geofences)
  }

  private static func version(of value: JSONValue) -> Int64? {
    value["version"]?.whole.flatMap { Overlay.versions.contains($0) ? $0 : nil }
  }

  /// RFC 8259, section 4, leaves it open which of them counts: so somebody means the other one. Named are names of ours
  /// alone: others could be a place or a secret.
  private static func refuseDoubled(in value: JSONValue) throws(Malformed) {
    if let key = value.doubled.first { throw Malformed(reason: "has \(key) twice") }
    if let key = value["settings"]?.doubled.first {
      throw Malformed(reason: Overlay.isSetting(key) ? "sets \(key) twice" : "sets one unknown setting twice")
    }
    guard let key = value["geofences"]?.firstDoubled else { return }
    let name = FeatureReader.names.contains(key) ? key : "a member"
    throw Malformed(reason: "has geofences with \(name) twice in one object")
  }

  static func write(_ overlay: Overlay, into json: inout JSONWriter) {
    json.beginObject()
    json.member("version", overlay.version)
    json.object("settings") { json in
      for entry in overlay.settings {
        json.key(entry.path.joined(separator: "."))
        json.value(value(of: entry.value))
      }
    }
    if let geofences = overlay.geofences {
      json.key("geofences")
      json.raw(geofences)
    }
    json.endObject()
  }

  private static let nowhere = SettingPlace(line: 0, column: 0)

  private static func entry(_ member: JSONMember) -> SettingEntry {
    let path = member.key.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    return SettingEntry(path: path, value: value(of: member.value), place: nowhere)
  }

  private static func value(of value: JSONValue) -> SettingEntry.Value {
    switch value {
    case .null: return .other("null")
    case .bool(let flag): return .flag(flag)
    case .integer(let number): return .integer(number)
    // Some writers know no whole numbers.
    case .number(let number): return value.whole.map { .integer($0) } ?? .number(number)
    case .outOfRange: return .other("a number out of range")
    case .string(let text): return .text(text)
    case .array(let values):
      let texts = values.compactMap(\.string)
      guard texts.count == values.count else { return .other("a list that holds more than texts") }
      return .texts(texts.map { SettingEntry.Element(text: $0, place: nowhere) })
    case .object: return .other("an object")
    }
  }

  /// What was checked has none of the others.
  private static func value(of value: SettingEntry.Value) -> JSONValue {
    switch value {
    case .text(let text): .string(text)
    case .integer(let number): .integer(number)
    case .number(let number): .number(number)
    case .flag(let flag): .bool(flag)
    case .texts(let elements): .array(elements.map { .string($0.text) })
    case .table, .other: .null
    }
  }
}
