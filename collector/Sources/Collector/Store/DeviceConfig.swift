import GRDB

/// The settings that an operator wants a device to have, and what the device says of them.
struct DeviceConfig: Encodable, Equatable {
  enum State: String, Encodable {
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

  var config: JSONValue
  var set: String
  var state: State
  /// `config` of the device's last status, as it came; left out where it says none.
  var reported: JSONValue?

  /// What the next answer carries.
  var pending: JSONValue? { state == .pending ? config : nil }

  /// nil where nobody has set any.
  init?(of id: Int64, _ db: Database) throws {
    let row = try Row.fetchOne(
      db, sql: "SELECT config, config_set_ms, status FROM device WHERE id = ?", arguments: [id])
    guard let row, let config = JSONValue(text: row["config"]) else { return nil }
    self.config = config
    set = Timestamp.text(row["config_set_ms"] ?? 0)
    reported = JSONValue(text: row["status"])?["config"]
    state = DeviceConfig.state(of: config["version"]?.integer ?? 0, reported)
  }

  private static func state(of version: Int64, _ reported: JSONValue?) -> State {
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

  /// - Parameter version: nil: the one after the newest that this collector or the device has seen.
  /// - Returns: nil if the device is unknown.
  func setConfig(
    device: String, version: Int64?, members: [String: JSONValue], at now_ms: Int64
  ) async throws -> DeviceConfig?? {
    try await connection.write { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      let before = try DeviceConfig(of: id, db)
      let status = try String.fetchOne(db, sql: "SELECT status FROM device WHERE id = ?", arguments: [id])
      let newest = ConfigVersion.newer(
        ConfigVersion.read(before?.config["version"]) ?? 0,
        ConfigVersion.read(JSONValue(text: status)?["config"]?["desired"]) ?? 0)
      let version = version ?? ConfigVersion.next(after: newest)
      if let words = ConfigVersion.problem(of: version, after: newest) { throw Refusal(.conflict, words) }
      var config = members
      config["version"] = .integer(version)
      let text = JSONValue.object(config).text
      // Numbers may be longer than they came.
      guard text.utf8.count <= DeviceConfig.most_bytes else { throw DeviceConfig.tooLarge(text.utf8.count) }
      try db.execute(
        sql: "UPDATE device SET config = ?, config_set_ms = ? WHERE id = ?",
        arguments: [text, now_ms, id])
      return .some(try DeviceConfig(of: id, db))
    }
  }
}
