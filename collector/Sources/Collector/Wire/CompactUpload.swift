import Foundation

extension Upload {
  /// Reads a compact body. Its records become the text that a device with the geomony format would have sent,
  /// with what that format has no word for, so that both are stored alike.
  init(
    device: String, schema: String?, batch: String?, compact body: [UInt8],
    badRecord: (Refusal) throws -> Void = { throw $0 }
  ) throws {
    if let schema, schema.hasPrefix("compact/"), schema != CompactBatch.schema {
      throw Refusal(
        .unsupportedMediaType,
        "this collector reads \(CompactBatch.schema), not \(schema.prefix(32)): update the older of the two")
    }
    let compact: CompactBatch
    do {
      compact = try CompactBatch(body)
    } catch {
      throw Refusal.badBody("the body is not in the compact format: \(error)")
    }
    let records = try compact.records.enumerated().compactMap { index, record in
      try Self.record(else: badRecord) { try record.uploaded(queueID: compact.queueID, index: index) }
    }
    let status = compact.status.flatMap { text -> String? in
      guard text.utf8.count <= Self.mostStatus_bytes else { return text }
      guard case .object? = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else {
        return nil
      }
      return text
    }
    self.init(device: device, schema: schema, batch: batch, records: records, status: status)
  }
}

extension CompactRecord {
  private static let events = [
    "", "motionchange", "geofence", "trip", "status", "warning", "speed", "activitychange",
    "gap", "crash", "harshbraking", "tow",
  ]

  fileprivate func uploaded(queueID: UInt64, index: Int) throws -> UploadedRecord {
    let uuid = RecordIdentity.uuid(queueID: queueID, sequence: sequence)
    guard sequence >= 0 else {
      throw Refusal.badRecord("the record's sequence is below 0", index: index, uuid: uuid)
    }
    let (event, extras) = (event, extrasOnWire)
    var fields = RecordFields(uuid: uuid)
    // 0 as in the geomony format, which has no word for an altitude that is not known.
    fields.altitude_m = Double(fix?.altitude_m ?? 0)
    fields.isMoving = isMoving
    (fields.event, fields.extras) = (event, extras)
    if let fix {
      fields.latitude = Double(fix.latitude_e7) / 10_000_000
      fields.longitude = Double(fix.longitude_e7) / 10_000_000
      fields.altitudeAccuracy_m = measured(fix.altitudeAccuracy_cm, per: 100)
      fields.accuracy_m = measured(fix.accuracy_cm, per: 100)
      fields.speed_mps = measured(fix.speed_dmps, per: 10)
      fields.speedAccuracy_mps = measured(fix.speedAccuracy_dmps, per: 10)
      fields.heading_deg = measured(fix.course_deg, per: 1)
      fields.headingAccuracy_deg = measured(fix.courseAccuracy_deg, per: 1)
    }
    return try UploadedRecord(
      uuid, RecordIdentity(queueID: queueID, sequence: sequence), time_ms: time_ms, fields,
      json: json(uuid, event: event, extras: extras), index: index)
  }

  /// As a device with the geomony format would have sent it, keys in their order.
  private func json(_ uuid: String, event: String, extras: String) -> String {
    var text = JSONText(capacity: 512 + extras.utf8.count)
    text.add("accuracy", fix?.accuracy_cm, decimals: 2)
    text.open("activity")
    text.add("confidence", confidence)
    text.add("type", isDriving ? "automotive" : "stationary")
    text.close()
    text.add("altitude", fix?.altitude_m ?? 0)
    text.add("altitude_accuracy", fix?.altitudeAccuracy_cm, decimals: 2)
    text.add("event", event)
    text.add("extras", extras)
    text.add("heading", fix?.course_deg ?? -1)
    text.add("heading_accuracy", fix?.courseAccuracy_deg ?? -1)
    text.add("is_moving", isMoving)
    if let fix {
      text.add("latitude", fix.latitude_e7, decimals: 7)
      text.add("longitude", fix.longitude_e7, decimals: 7)
    }
    text.add("odometer", odometer_m)
    if let satellites = fix?.satellites { text.add("satellites", satellites) }
    text.add("speed", fix?.speed_dmps, decimals: 1)
    text.add("speed_accuracy", fix?.speedAccuracy_dmps, decimals: 1)
    text.add("time_source", Int64(timeSource))
    text.add("timestamp", Timestamp.text(time_ms))
    text.add("uuid", uuid)
    return text.object
  }

  /// A newer agent may know more kinds: its records are kept, as the geomony format would name them.
  private var event: String { Self.events.indices.contains(kind) ? Self.events[kind] : "unknown" }

  /// The trip stands first and the mark of a date that is not trusted last, where they do not already.
  private var extrasOnWire: String {
    guard extras.isEmpty || extras.hasPrefix("{") else { return extras }
    var members = [String(extras.dropFirst().dropLast())].filter { !$0.isEmpty }
    if let trip, !extras.hasPrefix(#"{"trip":"#) { members.insert(#""trip":\#(trip)"#, at: 0) }
    if timeSource == 2, !extras.contains(RecordContent.undated) { members.append(RecordContent.undated) }
    return members.isEmpty ? "" : "{" + members.joined(separator: ",") + "}"
  }

  /// -1 is the geomony format's word for "not measured".
  private func measured(_ value: Int64?, per one: Double) -> Double? {
    value.map { Double($0) / one }.flatMap { $0 == -1 ? nil : $0 }
  }
}
