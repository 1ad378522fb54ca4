import Foundation

extension Upload {
  /// Reads a compact body. Its records become the text that a device with the geomony format would have sent,
  /// with what that format has no word for, so that both are stored alike.
  init(device: String, schema: String?, batch: String?, compact body: [UInt8]) throws {
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
  ]

  fileprivate func geomony(queueID: UInt64, index: Int) throws -> Data {
    let uuid = RecordIdentity.uuid(queueID: queueID, sequence: sequence)
    guard sequence >= 0, Self.events.indices.contains(Int(clamping: kind)) else {
      throw Refusal.badRecord("the record's kind or sequence is not in compact/1", index: index, uuid: uuid)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(
      GeomonyRecord(
        accuracy: hundredths(fix?.accuracy_cm) ?? -1,
        activity: .init(confidence: confidence, type: isDriving ? "automotive" : "stationary"),
        altitude: fix?.altitude_m ?? 0, altitude_accuracy: hundredths(fix?.altitudeAccuracy_cm) ?? -1,
        event: Self.events[Int(kind)], extras: extras, heading: fix?.course_deg ?? -1,
        heading_accuracy: tenths(fix?.courseAccuracy_ddeg) ?? -1, is_moving: isMoving,
        latitude: degrees(fix?.latitude_e7),
        longitude: degrees(fix?.longitude_e7), odometer: odometer_m, satellites: fix?.satellites,
        speed: tenths(fix?.speed_dmps) ?? -1, speed_accuracy: hundredths(fix?.speedAccuracy_cmps) ?? -1,
        time_source: timeSource, timestamp: Timestamp.text(time_ms), trip: trip, uuid: uuid))
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
  var heading_accuracy: Decimal
  var is_moving: Bool
  var latitude: Decimal?
  var longitude: Decimal?
  var odometer: Int64
  var satellites: Int64?
  var speed: Decimal
  var speed_accuracy: Decimal
  var time_source: Int64
  var timestamp: String
  var trip: Int64?
  var uuid: String
}
