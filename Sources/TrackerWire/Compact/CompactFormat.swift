import TrackerCore

/// For fleets that pay per byte: the protobuf message `Batch` of docs/godwit.proto, about a fiftieth of the
/// geomony format in full batches. It rounds to what the receiver's own accuracy leaves room for
/// (docs/formats.md).
public enum CompactFormat: PayloadFormat {
  public static let name = SyncSettings.Format.compact
  public static let contentType = "application/x-protobuf"
  public static let schema = "compact/1"

  public static func body(_ payload: Payload) -> [UInt8] {
    var message = ProtobufWriter()
    message.fixed64(1, payload.queueID & 0x0FFF_FFFF_FFFF_FFFF)
    if !payload.records.isEmpty { write(payload.records, to: &message) }
    if let status = payload.status { message.bytes(10, Array(status.utf8)) }
    return message.bytes
  }

  private static func write(_ records: [Record], to message: inout ProtobufWriter) {
    let units = CompactUnits(for: records)
    let rows = records.map { CompactRow($0, units: units) }
    let time = CompactTime(rows)
    message.unsigned(2, UInt64(rows[0].sequence))
    message.unsigned(3, UInt64(rows.count))
    message.signed(4, rows[0].time_ms)
    if time.unit_ms != 1000 { message.unsigned(5, UInt64(time.unit_ms)) }
    message.unsigned(6, UInt64(time.step))
    if units.position_e7 != CompactUnits.usual_e7 { message.unsigned(7, UInt64(units.position_e7)) }
    var columns = CompactColumns(first: rows[0], time: time, units: units)
    for row in rows { columns.add(row) }
    message.bytes(8, columns.bytes)
    for row in rows where !row.extras.isEmpty {
      message.element(9, CompactExtras.shorten(row.extras, time_ms: row.time_ms))
    }
  }
}

/// The times of a batch, in the largest unit that divides them all.
struct CompactTime {
  var unit_ms: Int64 = 0
  /// The usual number of units from one record to the next.
  var step: Int64 = 0

  init(_ rows: [CompactRow]) {
    let steps_ms = zip(rows, rows.dropFirst()).map { $1.time_ms - $0.time_ms }
    for step_ms in steps_ms { unit_ms = CompactTime.divisor(unit_ms, abs(step_ms)) }
    if unit_ms == 0 { unit_ms = 1000 }
    if !steps_ms.isEmpty { step = max(0, steps_ms.sorted()[steps_ms.count / 2] / unit_ms) }
  }

  /// Euclid's.
  private static func divisor(_ a: Int64, _ b: Int64) -> Int64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
