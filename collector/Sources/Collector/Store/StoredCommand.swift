/// A command to a device, and what became of it.
struct StoredCommand: Encodable, Equatable {
  /// As an answer brings it to the device.
  var command: JSONValue
  var created: String
  /// Who has given it.
  var who: String
  /// `waiting`: the device has not said anything of it; else as its status has it. `expired` is also the collector's
  /// own word for one that it no longer sends.
  var result: String
  /// In the device's words; left out where there are none.
  var why: String?
  /// When it ended, by the device's clock.
  var ended: String?
  var result_received: String?
  var report: JSONValue?

  /// One answer carries so many; the oldest first.
  static let mostInAnswer = 16
  /// Those that wait for one device.
  static let mostOpen = 256

  fileprivate init(_ row: Row) {
    command = JSONValue(text: row["json"]) ?? .null
    created = Timestamp.text(row["created_ms"])
    who = row["who"]
    result = row["result"] ?? "waiting"
    why = row["why"]
    ended = row["ended"]
    result_received = (row["result_received_ms"] as Int64?).map(Timestamp.text)
    report = JSONValue(text: row["report"])
  }

  /// What the answer to a request carries, once the request's status has said what became of others.
  ///
  /// - Parameter status: the text of the status document; nil without one.
  /// - Returns: nil where nothing waits.
  static func open(
    of device: Int64, after status: String?, at now_ms: Int64, _ db: any Database
  ) throws -> [JSONValue]? {
    let statement = "SELECT EXISTS (SELECT 1 FROM command WHERE device_id = ? AND result_received_ms IS NULL)"
    guard try db.value(Bool.self, statement, [device]) == true else { return nil }
    if let status { try takeResults(of: device, status, at: now_ms, db) }
    try db.execute(
      """
      UPDATE command SET result = 'expired', why = 'the device did not ask in time', result_received_ms = ?
      WHERE device_id = ? AND result_received_ms IS NULL AND result IS NULL AND expires_ms <= ?
      """,
      [now_ms, device, now_ms])
    let texts = try db.values(
      String.self,
      """
      SELECT json FROM command WHERE device_id = ? AND result_received_ms IS NULL ORDER BY number LIMIT ?
      """,
      [device, mostInAnswer])
    let commands = texts.compactMap { JSONValue(text: $0) }
    return commands.isEmpty ? nil : commands
  }

  /// A result is the first that the device reports: it does each command once.
  private static func takeResults(
    of device: Int64, _ status: String, at now_ms: Int64, _ db: any Database
  ) throws {
    for found in JSONValue(text: status)?["commands"]?["results"]?.elements ?? [] {
      guard let id = found["id"]?.string, let result = found["result"]?.string else { continue }
      let isEnd = result != "running"
      try db.execute(
        """
        UPDATE command SET result = ?, why = ?, report = ?, ended = ?, result_received_ms = ?
        WHERE device_id = ? AND id = ? AND result_received_ms IS NULL
        """,
        [
          result, found["why"]?.string, report(found["report"])?.text, isEnd ? time(found["at"]) : nil,
          isEnd ? now_ms : nil, device, id,
        ])
    }
  }

  /// Its lines; nil for what is no array of texts.
  private static func report(_ value: JSONValue?) -> JSONValue? {
    value?.elements?.allSatisfy { $0.string != nil } == true ? value : nil
  }

  /// In the device's words, as long as they are a time.
  private static func time(_ value: JSONValue?) -> String? {
    value?.string.flatMap { Timestamp.milliseconds($0) == nil ? nil : $0 }
  }
}

extension Store {
  /// Those of a device, the newest first; nil if the device is unknown.
  func commands(device: String) async throws -> [StoredCommand]? {
    try await connection.read { db in
      guard let id = try Self.id(of: device, db) else { return nil }
      let sql = "SELECT * FROM command WHERE device_id = ? ORDER BY number DESC LIMIT 1000"
      return try db.rows(sql, [id]).map(StoredCommand.init)
    }
  }

  /// - Parameters:
  ///   - device: one that has not sent yet gets it with the answer to its first request.
  ///   - id: nil: the collector gives it one.
  ///   - members: what the command is, without its id.
  func addCommand(
    device: String, id: String?, members: [String: JSONValue], expires_ms: Int64?, by who: String,
    at now_ms: Int64
  ) async throws -> StoredCommand {
    try await connection.write { db in
      let deviceID = try DeviceRow.prepare(db, name: device)
      let open = try db.value(
        Int.self, "SELECT count(*) FROM command WHERE device_id = ? AND result_received_ms IS NULL",
        [deviceID])
      guard open ?? 0 < StoredCommand.mostOpen else {
        throw Refusal(.conflict, "\(StoredCommand.mostOpen) commands wait for this device already")
      }
      let newest = try db.value(Int64.self, "SELECT max(number) FROM command") ?? 0
      // A database that was put back from an old copy must not use an id again that a device knows.
      let id = id ?? "c\(newest + 1)-\(String(now_ms, radix: 36))"
      var command = members
      command["id"] = .string(id)
      let row = try db.row(
        """
        INSERT INTO command (device_id, id, json, created_ms, expires_ms, who) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (device_id, id) DO NOTHING RETURNING *
        """,
        [deviceID, id, JSONValue.object(command).text, now_ms, expires_ms, String(who.prefix(128))])
      guard let row else { throw Refusal(.conflict, "there was a command with this id for this device") }
      return StoredCommand(row)
    }
  }
}
