import Foundation

extension Upload {
  /// Reads a compact body. Its records become the text that a device with the geomony format would have sent,
  /// with what that format has no word for, so that both are stored alike.
  init(device: String, schema: String?, batch: String?, compact body: [UInt8]) throws {
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
    let records = try compact.records.enumerated().map { index, record in
      let text = try record.geomony(queueID: compact.queueID, index: index)
      return try UploadedRecord(ArraySlice(text), index: index)
    }
    let status = compact.status.flatMap { text -> String? in
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

  fileprivate func geomony(queueID: UInt64, index: Int) throws -> Data {
    let uuid = RecordIdentity.uuid(queueID: queueID, sequence: sequence)
    guard sequence >= 0 else {
      throw Refusal.badRecord("the record's sequence is below 0", index: index, uuid: uuid)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(
      GeomonyRecord(
        accuracy: hundredths(fix?.accuracy_cm) ?? -1,
        activity: .init(confidence: confidence, type: isDriving ? "automotive" : "stationary"),
        altitude: fix?.altitude_m ?? 0, altitude_accuracy: hundredths(fix?.altitudeAccuracy_cm) ?? -1,
        event: event, extras: extrasWithTrip, heading: fix?.course_deg ?? -1,
        heading_accuracy: fix?.courseAccuracy_deg ?? -1, is_moving: isMoving,
        latitude: degrees(fix?.latitude_e7),
        longitude: degrees(fix?.longitude_e7), odometer: odometer_m, satellites: fix?.satellites,
        speed: tenths(fix?.speed_dmps) ?? -1, speed_accuracy: tenths(fix?.speedAccuracy_dmps) ?? -1,
        time_source: timeSource, timestamp: Timestamp.text(time_ms), uuid: uuid))
  }

  /// A newer agent may know more kinds: its records are kept, as the geomony format would name them.
  private var event: String { Self.events.indices.contains(kind) ? Self.events[kind] : "unknown" }

  /// The trip stands first, where it does not already.
  private var extrasWithTrip: String {
    let member = #"{"trip":"#
    guard let trip, extras.isEmpty || extras.hasPrefix("{"), !extras.hasPrefix(member) else { return extras }
    let rest = extras.isEmpty ? "}" : extras.dropFirst()
    return "\(member)\(trip)\(rest == "}" ? "" : ",")\(rest)"
  }

  private func tenths(_ value: Int64?) -> Decimal? { value.map { Decimal($0) / 10 } }
  private func hundredths(_ value: Int64?) -> Decimal? { value.map { Decimal($0) / 100 } }
  private func degrees(_ value_e7: Int64?) -> Decimal? { value_e7.map { Decimal($0) / 10_000_000 } }
}

private struct GeomonyRecord: Encodable {
  struct Activity: Encodable {
    var confidence: Int64
    var type: String
  }

  var accuracy: Decimal
  var activity: Activity
  var altitude: Int64
  var altitude_accuracy: Decimal
  var event: String
  var extras: String
  var heading: Int64
  var heading_accuracy: Int64
  var is_moving: Bool
  var latitude: Decimal?
  var longitude: Decimal?
  var odometer: Int64
  var satellites: Int64?
  var speed: Decimal
  var speed_accuracy: Decimal
  var time_source: Int
  var timestamp: String
  var uuid: String
}
