/// Keeps `event`: what a person would ask about, a row each. An ENTER of a geofence has the time when the vehicle left.
enum EventTable {
  /// These say what the trips, the track and the status say already.
  private static let others: Set<String> = ["", "motionchange", "trip", "gap", "status", "activitychange"]

  /// After records of a device have been stored, in the same transaction.
  static func add(_ records: [UploadedRecord], device: Int64, at now_ms: Int64, _ db: any Database) throws {
    for record in records where record.isDated {
      guard let event = record.fields.event, !others.contains(event) else { continue }
      let extras = JSONValue(text: record.fields.extras)
      func text(_ keys: String...) -> String {
        String((keys.lazy.compactMap { extras?[$0]?.string }.first ?? "").prefix(64))
      }
      let name = text("geofence", "warning", "alarm")
      let action = text("action", "cause")
      let place = record.hasPosition ? (record.latitude, record.longitude) : nil
      try db.execute(
        """
        INSERT INTO event (device_id, uuid, time_ms, event, name, action, latitude, longitude, received_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """,
        [
          device, record.uuid, record.time_ms, String(event.prefix(40)), name, action, place?.0, place?.1,
          now_ms,
        ])
      if event == "geofence", action == "ENTER" || action == "EXIT" {
        try endVisits(record, device: device, name: name, isEnter: action == "ENTER", db)
      }
    }
  }

  /// Records may come in any order. A visit ends with the first EXIT after it; where that is missing, with the next ENTER.
  private static func endVisits(
    _ record: UploadedRecord, device: Int64, name: String, isEnter: Bool, _ db: any Database
  ) throws {
    let ofSite = "device_id = ?1 AND event = 'geofence' AND name = ?2 AND uuid <> ?3"
    try db.execute(
      """
      UPDATE event SET end_ms = ?4 WHERE \(ofSite) AND action = 'ENTER' AND (end_ms IS NULL OR end_ms > ?4)
        AND time_ms = (SELECT max(time_ms) FROM event WHERE \(ofSite) AND action = 'ENTER' AND time_ms <= ?4)
      """, [device, name, record.uuid, record.time_ms])
    guard isEnter else { return }
    try db.execute(
      """
      UPDATE event SET end_ms = (
        SELECT min(time_ms) FROM event WHERE \(ofSite) AND action IN ('ENTER', 'EXIT') AND time_ms >= ?4)
      WHERE device_id = ?1 AND uuid = ?3
      """, [device, name, record.uuid, record.time_ms])
  }
}
