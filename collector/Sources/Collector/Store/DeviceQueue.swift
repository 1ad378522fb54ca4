/// What came of one queue of a device: a device has another one with another card, or on another board, and two at once
/// where two devices share its name.
struct DeviceQueue: Encodable, Equatable {
  /// The queue id in hexadecimal, as for a record.
  var queue: String
  var records: Int64
  /// The earliest and latest time that any of its records bears.
  var first_time: String
  var last_time: String
}

/// The times of a queue's records, Unix milliseconds.
struct QueueSpan: Equatable {
  var first_ms: Int64
  var last_ms: Int64

  /// Two queues of one box follow one another, but for what waited when the second began.
  static let most_ms: Int64 = 60_000

  private func overlaps(_ other: QueueSpan) -> Bool {
    let (common_ms, isFar) = min(last_ms, other.last_ms)
      .subtractingReportingOverflow(max(first_ms, other.first_ms))
    return !isFar && common_ms > QueueSpan.most_ms
  }

  /// How many of them have records of the same time as another one.
  static func atOnce(_ spans: [QueueSpan]) -> Int {
    spans.indices.count { one in spans.indices.contains { $0 != one && spans[$0].overlaps(spans[one]) } }
  }
}

extension DeviceQueue {
  /// What a request brings to each queue is added to what is known of it.
  static func add(_ records: [(key: RecordKey, time_ms: Int64)], device: Int64, _ db: any Database) throws {
    let statement = """
      INSERT INTO device_queue (device_id, queue_id, records, first_time_ms, last_time_ms) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (device_id, queue_id) DO UPDATE SET records = device_queue.records + excluded.records,
        first_time_ms = CASE WHEN excluded.first_time_ms < device_queue.first_time_ms
          THEN excluded.first_time_ms ELSE device_queue.first_time_ms END,
        last_time_ms = CASE WHEN excluded.last_time_ms > device_queue.last_time_ms
          THEN excluded.last_time_ms ELSE device_queue.last_time_ms END
      """
    let each = Dictionary(grouping: records) { $0.key.queueID }
    for (queueID, records) in each where queueID != RecordIdentity.noQueueID {
      let times_ms = records.map(\.time_ms)
      try db.execute(statement, [device, queueID, records.count, times_ms.min() ?? 0, times_ms.max() ?? 0])
    }
  }

  /// How many queues of a device have records of the same time as another one.
  static func atOnce(_ db: any Database, device: Int64) throws -> Int {
    let statement = "SELECT first_time_ms, last_time_ms FROM device_queue WHERE device_id = ?"
    let rows = try db.rows(statement, [device])
    if rows.count < 2 { return 0 }
    return QueueSpan.atOnce(
      rows.map { QueueSpan(first_ms: $0["first_time_ms"], last_ms: $0["last_time_ms"]) })
  }

  /// Of one device, by their beginning.
  static func fetch(_ db: any Database, device: Int64) throws -> (queues: [DeviceQueue], atOnce: Int) {
    of(try db.rows("\(columns) WHERE device_id = ? ORDER BY first_time_ms, queue_id", [device]))
  }

  /// Of all devices, by their number.
  static func fetchAll(_ db: any Database) throws -> [Int64: (queues: [DeviceQueue], atOnce: Int)] {
    Dictionary(grouping: try db.rows("\(columns) ORDER BY first_time_ms, queue_id")) {
      $0["device_id"] as Int64
    }
    .mapValues(of)
  }

  private static let columns =
    "SELECT device_id, queue_id, records, first_time_ms, last_time_ms FROM device_queue"

  private static func of(_ rows: [Row]) -> (queues: [DeviceQueue], atOnce: Int) {
    let spans = rows.map { QueueSpan(first_ms: $0["first_time_ms"], last_ms: $0["last_time_ms"]) }
    let queues = rows.map { row in
      DeviceQueue(
        queue: String(row["queue_id"] as Int64, radix: 16), records: row["records"],
        first_time: Timestamp.text(row["first_time_ms"]), last_time: Timestamp.text(row["last_time_ms"]))
    }
    return (queues, QueueSpan.atOnce(spans))
  }
}
