import TrackerBase

/// For fleets that pay per byte: the protobuf message `Batch` of docs/godwit.proto. Compressed, as it goes over the
/// network, it is a fortieth of the geomony format in full batches. It rounds to what the receiver's own accuracy leaves
/// room for (docs/formats.md).
public enum CompactFormat: PayloadFormat {
  public static let name = SyncSettings.Format.compact

  public static func body(_ payload: Payload) -> [UInt8] {
    var message = ProtobufWriter()
    message.fixed64(1, payload.queueID & 0x0FFF_FFFF_FFFF_FFFF)
    message.string(5, payload.status ?? "")
    if !payload.records.isEmpty { write(payload.records, to: &message) }
    return message.bytes
  }

  private static func write(_ records: [Record], to message: inout ProtobufWriter) {
    let units = CompactUnits(for: records)
    message.unsigned(2, UInt64(units.time_ms))
    message.unsigned(3, UInt64(units.position_e7))
    message.unsigned(4, UInt64(units.accuracy_cm))
    var columns = CompactColumns(units: units)
    for record in records { columns.add(record) }
    columns.write(to: &message)
    for (index, record) in records.enumerated() { record.writeContent(index, to: &message) }
    message.unsigned(36, UInt64(records.count))
  }
}

/// How fine a batch is. The best accuracy in it decides: what is rounded away of a place is at most a twentieth of it.
struct CompactUnits: Equatable {
  var time_ms: Int64
  /// 10⁻⁷ degrees.
  var position_e7: Int64
  var accuracy_cm: Int64

  init(for records: [Record]) {
    let best_m = records.lazy.compactMap { $0.fix?.accuracy_m }.min() ?? .infinity
    // Half a unit north is 0.28, 0.11, 0.056 and 0.0056 m.
    let units: [(best_m: Double, position_e7: Int64, accuracy_cm: Int64)] = [
      (5.6, 50, 50), (2.3, 20, 10), (1.2, 10, 10), (-.infinity, 1, 1),
    ]
    let unit = units.first { best_m >= $0.best_m } ?? units[units.count - 1]
    (position_e7, accuracy_cm) = (unit.position_e7, unit.accuracy_cm)
    time_ms = [1000, 100, 10].first { unit in records.allSatisfy { $0.time_ms % unit == 0 } } ?? 1
  }
}
