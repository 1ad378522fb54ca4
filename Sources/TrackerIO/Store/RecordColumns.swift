import TrackerBase
import TrackerWire

/// How a record lies in a row: one list of columns for `records` and `refused`.
///
/// Fractions are scaled to integers, which SQLite stores in as few bytes as each needs: a position takes about
/// 70 bytes. A value read back and written again is the same.
enum RecordColumns {
  /// Without `sequence`, which is each table's key.
  static let definitions = """
    kind INTEGER NOT NULL, time_ms INTEGER NOT NULL, time_source INTEGER NOT NULL,
    boot_ms INTEGER NOT NULL, fix_age_ms INTEGER, latitude_e7 INTEGER, longitude_e7 INTEGER,
    altitude_cm INTEGER, speed_cmps INTEGER, course_cdeg INTEGER, accuracy_cm INTEGER,
    altitude_accuracy_cm INTEGER, speed_accuracy_cmps INTEGER, course_accuracy_cdeg INTEGER,
    satellites INTEGER, is_moving INTEGER NOT NULL, trip_id INTEGER, odometer_dm INTEGER NOT NULL,
    extras TEXT NOT NULL, queue_id INTEGER NOT NULL
    """

  static let names = """
    sequence, kind, time_ms, time_source, boot_ms, fix_age_ms, latitude_e7, longitude_e7, altitude_cm, \
    speed_cmps, course_cdeg, accuracy_cm, altitude_accuracy_cm, speed_accuracy_cmps, course_accuracy_cdeg, \
    satellites, is_moving, trip_id, odometer_dm, extras, queue_id
    """
  static let count = 21
  static let placeholders = Array(repeating: "?", count: count).joined(separator: ", ")

  /// In the order of `names`.
  ///
  /// - Parameter queueID: of a record that has none of its own.
  static func values(_ record: Record, queueID: UInt64) -> [SQLiteValue] {
    let fix = record.fix.flatMap { fixValues($0, recordTime_ms: record.time_ms) }
    var values: [SQLiteValue] = []
    values.reserveCapacity(count)
    values.append(.integer(record.sequence))
    values.append(.integer(Int64(record.kind.rawValue)))
    values.append(.integer(record.time_ms))
    values.append(.integer(Int64(record.timeSource.rawValue)))
    values.append(.integer(record.boot_ms))
    values += fix ?? Array(repeating: .null, count: 11)
    values.append(.integer(record.isMoving ? 1 : 0))
    values.append(SQLiteValue(record.tripID))
    values.append(.integer(Resolution.odometer.scaled(record.odometer_m) ?? 0))
    values.append(.text(record.extras))
    values.append(.integer(Int64(bitPattern: record.queueID == 0 ? queueID : record.queueID)))
    return values
  }

  /// Kinds that a later version may use; beyond is damage.
  private static let kinds: ClosedRange<Int64> = 0...63

  /// The record of the row that `row` stands on, whose first column is `sequence`; nil for a damaged row.
  static func record(_ row: some RecordRow) -> Record? {
    guard let sequence = row.integer(0), let time_ms = row.integer(2),
      let kind = row.integer(1), kinds.contains(kind),
      let source = row.integer(3).flatMap({ Record.TimeSource(rawValue: Int(truncatingIfNeeded: $0)) })
    else { return nil }
    let said = Record.read(Record.Kind(rawValue: Int(kind)), extras: row.text(19))
    var record = Record(
      sequence: sequence, content: said.content, time_ms: time_ms, timeSource: source,
      boot_ms: row.integer(4) ?? 0, fix: fix(row, recordTime_ms: time_ms), isMoving: row.integer(16) == 1,
      tripID: row.integer(17), odometer_m: Resolution.odometer.unscaled(row.integer(18)) ?? 0)
    record.details = said.details
    record.queueID = UInt64(bitPattern: row.integer(20) ?? 0)
    return record
  }

  // MARK: Fix

  /// nil when the fix has no position or accuracy that can be stored: it is then a record without a fix.
  private static func fixValues(_ fix: Fix, recordTime_ms: Int64) -> [SQLiteValue]? {
    guard let latitude_e7 = Resolution.position.scaled(fix.position.latitude_deg),
      let longitude_e7 = Resolution.position.scaled(fix.position.longitude_deg),
      let accuracy_cm = Resolution.fix.scaled(fix.accuracy_m)
    else { return nil }
    return [
      .integer(recordTime_ms &- fix.time_ms),
      .integer(latitude_e7),
      .integer(longitude_e7),
      SQLiteValue(Resolution.fix.scaled(fix.altitude_m)),
      SQLiteValue(Resolution.fix.scaled(fix.speed_mps)),
      SQLiteValue(Resolution.fix.scaled(fix.course_deg)),
      .integer(accuracy_cm),
      SQLiteValue(Resolution.fix.scaled(fix.altitudeAccuracy_m)),
      SQLiteValue(Resolution.fix.scaled(fix.speedAccuracy_mps)),
      SQLiteValue(Resolution.fix.scaled(fix.courseAccuracy_deg)),
      SQLiteValue(fix.satellites.map(Int64.init)),
    ]
  }

  /// More, or less than none, is damage.
  private static let mostSatellites: Int64 = 255

  private static func fix(_ row: some RecordRow, recordTime_ms: Int64) -> Fix? {
    guard let latitude_deg = Resolution.position.unscaled(row.integer(6)),
      let longitude_deg = Resolution.position.unscaled(row.integer(7)),
      let accuracy_m = Resolution.fix.unscaled(row.integer(11))
    else { return nil }
    let position = Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
    guard position.isOnEarth else { return nil }
    return Fix(
      time_ms: recordTime_ms &- (row.integer(5) ?? 0), position: position,
      altitude_m: Resolution.fix.unscaled(row.integer(8)), speed_mps: Resolution.fix.unscaled(row.integer(9)),
      course_deg: Resolution.fix.unscaled(row.integer(10)), accuracy_m: accuracy_m,
      altitudeAccuracy_m: Resolution.fix.unscaled(row.integer(12)),
      speedAccuracy_mps: Resolution.fix.unscaled(row.integer(13)),
      courseAccuracy_deg: Resolution.fix.unscaled(row.integer(14)),
      satellites: row.integer(15).map { Int(min(max($0, 0), mostSatellites)) })
  }
}

/// Something with the columns of `RecordColumns`: a row of a table, or one of the state's.
protocol RecordRow {
  func integer(_ column: Int32) -> Int64?
  func text(_ column: Int32) -> String
}

extension SQLiteStatement: RecordRow {}

extension [SQLiteValue]: RecordRow {
  func integer(_ column: Int32) -> Int64? {
    if case .integer(let integer) = self[Int(column)] { integer } else { nil }
  }

  func text(_ column: Int32) -> String { if case .text(let text) = self[Int(column)] { text } else { "" } }
}
