import TrackerCore

/// One record in the whole units of a compact batch. nil is "not known".
struct CompactRow {
  var sequence: Int64
  var kind: Int64
  var time_ms: Int64
  var timeSource: Int64
  var isMoving: Bool
  var trip: Int64?
  var odometer_m: Int64
  var activity: Int64
  var extras: String
  var fix: CompactFix?

  init(_ record: Record, units: CompactUnits) {
    sequence = record.sequence & 0x3FFF_FFFF_FFFF_FFFF
    kind = Int64(record.kind.rawValue)
    time_ms = ISO8601.clamped(ms: record.time_ms)
    // Whether it was sent before is nobody's concern but ours.
    timeSource = Int64(min(record.timeSource.rawValue, Record.TimeSource.untrustedWallClock.rawValue))
    isMoving = record.isMoving
    trip = record.tripID.map { min(max($0, -CompactRow.most), CompactRow.most) }
    odometer_m = CompactRow.whole(record.odometer_m) ?? 0
    activity = Int64(record.activity.confidence) * 2 + (record.activity.kind == .driving ? 1 : 0)
    extras = record.content.extras
    fix = record.fix.flatMap { CompactFix($0, units: units) }
  }

  /// Bits, as docs/godwit.proto has them.
  var state: Int64 {
    let missing = [
      fix == nil, fix?.altitude_m == nil, fix?.speed_dmps == nil, fix?.course_deg == nil,
      fix?.altitudeAccuracy == nil, fix?.speedAccuracy == nil, fix?.courseAccuracy == nil,
      fix?.satellites == nil, trip == nil,
    ]
    var state: Int64 = (isMoving ? 1 : 0) | timeSource << 1
    for (index, isMissing) in missing.enumerated() where isMissing { state |= 8 << Int64(index) }
    return state
  }

  /// Driving, at 100 %.
  static let surelyDriving: Int64 = 201

  /// In a trip at 2 m/s or more.
  var isFast: Bool { isMoving && (fix?.speed_dmps ?? 0) >= 20 }

  /// Beyond this no number is exact in JSON, and none is real.
  private static let most: Int64 = 1 << 53

  /// Rounded to the nearest; nil for what is no number or too large.
  static func whole(_ value: Double?) -> Int64? {
    guard let value, value.magnitude < Double(most) else { return nil }
    return Int64(value.rounded())
  }
}

struct CompactFix {
  /// In position units.
  var latitude: Int64
  var longitude: Int64
  var altitude_m: Int64?
  var speed_dmps: Int64?
  var course_deg: Int64?
  /// Rough codes, as all accuracies: of 0.01 m, 0.01 m/s and 0.1 degrees.
  var accuracy: Int64
  var altitudeAccuracy: Int64?
  var speedAccuracy: Int64?
  var courseAccuracy: Int64?
  var satellites: Int64?

  /// nil without a place on earth or an accuracy.
  init?(_ fix: Fix, units: CompactUnits) {
    let position = fix.position
    guard position.latitude_deg.magnitude <= 90, position.longitude_deg.magnitude <= 180,
      let accuracy = CompactFix.rough(fix.accuracy_m * 100)
    else { return nil }
    latitude = Int64((position.latitude_deg * 1e7 / Double(units.position_e7)).rounded())
    longitude = Int64((position.longitude_deg * 1e7 / Double(units.position_e7)).rounded())
    altitude_m = CompactRow.whole(fix.altitude_m)
    speed_dmps = CompactRow.whole(fix.speed_mps.map { $0 * 10 })
    course_deg = CompactRow.whole(fix.course_deg).map { (($0 % 360) + 360) % 360 }
    self.accuracy = accuracy
    altitudeAccuracy = CompactFix.rough(fix.altitudeAccuracy_m.map { $0 * 100 })
    speedAccuracy = CompactFix.rough(fix.speedAccuracy_mps.map { $0 * 100 })
    courseAccuracy = CompactFix.rough(fix.courseAccuracy_deg.map { $0 * 10 })
    satellites = fix.satellites.map { Int64($0) }
  }

  /// Four significant bits: right to a sixteenth, which is more than an accuracy says. nil below 0.
  private static func rough(_ value: Double?) -> Int64? {
    guard let number = CompactRow.whole(value), number >= 0 else { return nil }
    if number < 16 { return number }
    var shift = Int64(60 - number.leadingZeroBitCount)
    var bits = (number + 1 << (shift - 1)) >> shift
    if bits == 16 { (bits, shift) = (8, shift + 1) }
    return 8 * shift + bits
  }
}

/// How fine a batch is. The best accuracy in it decides: what is rounded away is at most a twentieth of it.
struct CompactUnits: Equatable {
  /// 10⁻⁷ degrees.
  var position_e7: Int64

  static let usual_e7: Int64 = 50

  init(for records: [Record]) {
    let best_m = records.lazy.compactMap { $0.fix?.accuracy_m }.min() ?? .infinity
    // Half a unit north is 0.28, 0.11, 0.056 and 0.0056 m.
    let positions: [(Int64, Double)] = [(CompactUnits.usual_e7, 5.6), (20, 2.3), (10, 1.2)]
    position_e7 = positions.first { best_m >= $0.1 }?.0 ?? 1
  }
}
