/// The settings that an operator wants a device to have, and what the device says of them.
struct DeviceConfig: Encodable, Equatable {
  enum State: String, Encodable, Sendable {
    /// The device has not reported that it has looked at them: they go with each answer.
    case pending
    /// In force, and not yet kept.
    case trial
    case inForce = "in_force"
    case refused
    /// Kept, but no longer fit for the device's own file.
    case off
    /// The device has looked at a newer version than this collector knows.
    case outdated
  }

  /// What a device takes, and what fits into an answer beside an acknowledgement.
  static let most_bytes = 65_536

  static func tooLarge(_ count: Int) -> Refusal {
    Refusal(
      .contentTooLarge,
      "the settings have \(count) bytes as they are sent, and a device takes \(most_bytes >> 10) KiB: "
        + "simplify the geofences")
  }

  /// What the device gets, its members in the order in which they were set. Not encoded, since that would sort them.
  var text: String
  /// 0: none that can be read.
  var version: Int64
  var set: String
  var state: State
  /// `config` of the device's last status, as it came; left out where it says none.
  var reported: JSONValue?

  enum CodingKeys: String, CodingKey { case set, state, reported }

  /// What the next answer carries. A status is read only where somebody has set anything.
  static func pending(for id: Int64, _ db: any Database) throws -> String? {
    let statement = "SELECT config IS NOT NULL FROM device WHERE id = ?"
    guard try db.value(Bool.self, statement, [id]) == true, let config = try DeviceConfig(of: id, db)
    else { return nil }
    return config.state == .pending ? config.text : nil
  }

  /// nil where nobody has set any.
  init?(of id: Int64, _ db: any Database) throws {
    let row = try db.row("SELECT config, config_set_ms, status FROM device WHERE id = ?", [id])
    guard let row, let text = row["config"] as String? else { return nil }
    self.text = text
    version = ConfigVersion.read(JSONValue(text: text)?["version"]) ?? 0
    set = Timestamp.text(row["config_set_ms"] ?? 0)
    reported = JSONValue(text: row["status"])?["config"]
    state = DeviceConfig.state(of: version, reported)
  }

  static func state(of version: Int64, _ reported: JSONValue?) -> State {
    guard let desired = ConfigVersion.read(reported?["desired"]) else { return .pending }
    if desired != version { return ConfigVersion.isNewer(desired, than: version) ? .outdated : .pending }
    if reported?["refused"]?.integer == version { return .refused }
    if reported?["in_force"]?.integer == version {
      // A trial that waits has no end yet.
      return reported?["trial_until"] == nil && reported?["trial_left_s"] == nil ? .inForce : .trial
    }
    return .off
  }
}

extension Store {
  /// - Returns: nil if the device is unknown; inside of it nil where nobody has set any.
  func config(device: String) async throws -> DeviceConfig?? {
    try await connection.read { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      return .some(try DeviceConfig(of: id, db))
    }
  }

  /// - Parameters:
  ///   - device: one that has not sent yet gets them with the answer to its first request.
  ///   - version: nil: the one after the newest that this collector or the device has seen.
  ///   - members: the texts of all others.
  ///   - who: for the history.
  func setConfig(
    device: String, version: Int64?, members: [String: String], by who: String, at now_ms: Int64
  ) async throws -> DeviceConfig {
    try await connection.write { db in
      try DeviceConfig.set(db, device: device, version: version, by: who, at: now_ms) { _ in members }
    }
  }

  /// In one transaction: on ten thousand devices, waiting for the storage once each takes minutes.
  ///
  /// - Parameter isMerged: what each has been set before stays, but for the keys that are named.
  /// - Returns: the version that each has got, or why not.
  func setConfigs(
    devices: [String], members: [String: String], isMerged: Bool, by who: String, at now_ms: Int64
  ) async throws -> [(device: String, version: Result<Int64, Refusal>)] {
    try await connection.write { db in
      try devices.map { device in
        do {
          let version = try db.inSavepoint {
            try DeviceConfig.set(db, device: device, version: nil, by: who, at: now_ms) { before in
              isMerged ? DeviceConfig.merged(members, onto: before) : members
            }.version
          }
          return (device, .success(version))
        } catch let refusal as Refusal {
          return (device, .failure(refusal))
        }
      }
    }
  }
}

extension DeviceConfig {
  /// - Parameter members: from the text that the device has been set before.
  fileprivate static func set(
    _ db: any Database, device: String, version: Int64?, by who: String, at now_ms: Int64,
    members: (String?) -> [String: String]
  ) throws -> DeviceConfig {
    let id = try DeviceRow.prepare(db, name: device)
    let before = try DeviceConfig(of: id, db)
    let status = try db.value(String.self, "SELECT status FROM device WHERE id = ?", [id])
    let newest = ConfigVersion.newer(
      before?.version ?? 0,
      ConfigVersion.read(JSONValue(text: status)?["config"]?["desired"]) ?? 0)
    let version = version ?? ConfigVersion.next(after: newest)
    if let words = ConfigVersion.problem(of: version, after: newest) { throw Refusal(.conflict, words) }
    let text = JSONSlices.object(members(before?.text).merging(["version": String(version)]) { $1 })
    guard text.utf8.count <= most_bytes else { throw tooLarge(text.utf8.count) }
    try db.execute(
      "UPDATE device SET config = ?, config_version = ?, config_set_ms = ? WHERE id = ?",
      [text, version, now_ms, id])
    try PastConfig.add(db, device: id, version: version, text: text, who: who, at: now_ms)
    guard let config = try DeviceConfig(of: id, db) else { throw StorageError.damaged }
    return config
  }

  /// Texts of values stay letter by letter; `null` takes one back.
  fileprivate static func merged(_ members: [String: String], onto before: String?) -> [String: String] {
    var texts = JSONSlices.texts(before ?? "{}")
    texts["version"] = nil
    var settings = JSONSlices.texts(texts["settings"] ?? "{}")
    for (key, value) in JSONSlices.texts(members["settings"] ?? "{}") {
      settings[key] = value == "null" ? nil : value
    }
    texts["settings"] = JSONSlices.object(settings)
    if let geofences = members["geofences"] { texts["geofences"] = geofences == "null" ? nil : geofences }
    return texts
  }
}
