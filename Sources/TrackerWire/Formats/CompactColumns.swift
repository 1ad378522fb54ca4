import TrackerBase

/// The columns of a compact batch. docs/godwit.proto says what each holds.
struct CompactColumns {
  /// A column of differences. What is not known keeps the value before it.
  private struct Column {
    let field: Int
    private(set) var differences: [Int64] = []
    private var last: Int64 = 0

    init(_ field: Int) { self.field = field }

    mutating func add(_ value: Int64?) {
      differences.append((value ?? last) - last)
      last = value ?? last
    }

    /// Of an angle: the shorter turn.
    mutating func add(turningTo value: Int64?) {
      let turn = ((value ?? last) - last) % 360
      differences.append(turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn)
      last = value ?? last
    }
  }

  private let units: CompactUnits
  private var kinds: [UInt64] = []
  private var flags: [UInt64] = []
  private var (sequence, time) = (Column(8), Column(9))
  private var (latitude, longitude) = (Column(10), Column(11))
  private var (speed, course, accuracy) = (Column(12), Column(13), Column(14))
  private var (odometer, altitude, trip) = (Column(15), Column(16), Column(17))
  private var (confidence, satellites) = (Column(18), Column(19))
  private var (altitudeAccuracy, speedAccuracy, courseAccuracy) = (Column(20), Column(21), Column(22))

  init(units: CompactUnits) { self.units = units }

  mutating func add(_ record: Record) {
    kinds.append(UInt64(clamping: record.kind.rawValue))
    sequence.add(record.sequence & 0x3FFF_FFFF_FFFF_FFFF)
    time.add(ISO8601.clamped(ms: record.time_ms) / units.time_ms)
    odometer.add(Compact.whole(record.odometer_m) ?? 0)
    trip.add(record.tripID.map { min(max($0, -Compact.most), Compact.most) })
    confidence.add(Int64(record.activity.confidence))
    let fix = record.fix.flatMap { CompactFix($0, units: units) }
    add(fix)
    flags.append(CompactColumns.flags(of: record, fix))
  }

  func write(to message: inout ProtobufWriter) {
    message.column(6, kinds)
    message.column(7, flags)
    for column in [
      sequence, time, latitude, longitude, speed, course, accuracy, odometer, altitude, trip, confidence,
      satellites, altitudeAccuracy, speedAccuracy, courseAccuracy,
    ] { message.column(column.field, column.differences) }
  }

  /// `Flag` of docs/godwit.proto.
  private static func flags(of record: Record, _ fix: CompactFix?) -> UInt64 {
    let flags: [(UInt64, Bool)] = [
      (1, record.isMoving), (2, record.activity.kind == .driving),
      (4, record.timeSource == .trustedWallClock),
      (8, !record.timeSource.isTrusted),
      (16, record.content == .position(isJump: true)), (32, record.tripID != nil), (64, fix != nil),
      (128, fix?.speed_dmps != nil), (256, fix?.course_deg != nil), (512, fix?.altitude_m != nil),
      (1024, fix?.satellites != nil), (2048, fix?.altitudeAccuracy != nil),
      (4096, fix?.speedAccuracy_dmps != nil), (8192, fix?.courseAccuracy_deg != nil),
    ]
    return flags.reduce(0) { $1.1 ? $0 | $1.0 : $0 }
  }

  private mutating func add(_ fix: CompactFix?) {
    latitude.add(fix?.latitude)
    longitude.add(fix?.longitude)
    speed.add(fix?.speed_dmps)
    course.add(turningTo: fix?.course_deg)
    accuracy.add(fix?.accuracy)
    altitude.add(fix?.altitude_m)
    satellites.add(fix?.satellites)
    altitudeAccuracy.add(fix?.altitudeAccuracy)
    speedAccuracy.add(fix?.speedAccuracy_dmps)
    courseAccuracy.add(fix?.courseAccuracy_deg)
  }
}

/// A fix in the units of its batch. nil is "not known".
private struct CompactFix {
  var latitude: Int64
  var longitude: Int64
  var altitude_m: Int64?
  var speed_dmps: Int64?
  var course_deg: Int64?
  /// Rounded up, as all accuracies: none is said to be better than it is.
  var accuracy: Int64
  var altitudeAccuracy: Int64?
  var speedAccuracy_dmps: Int64?
  var courseAccuracy_deg: Int64?
  var satellites: Int64?

  /// nil without a place on earth or an accuracy.
  init?(_ fix: Fix, units: CompactUnits) {
    let position = fix.position
    let perUnit = 100 / Double(units.accuracy_cm)
    guard position.isOnEarth, let accuracy = CompactFix.up(fix.accuracy_m * perUnit) else { return nil }
    latitude = Int64((position.latitude_deg * 1e7 / Double(units.position_e7)).rounded())
    longitude = Int64((position.longitude_deg * 1e7 / Double(units.position_e7)).rounded())
    altitude_m = Compact.whole(fix.altitude_m)
    speed_dmps = Compact.whole(fix.speed_mps.map { $0 * 10 })
    course_deg = Compact.whole(fix.course_deg).map { (($0 % 360) + 360) % 360 }
    self.accuracy = accuracy
    altitudeAccuracy = CompactFix.up(fix.altitudeAccuracy_m.map { $0 * perUnit })
    speedAccuracy_dmps = CompactFix.up(fix.speedAccuracy_mps.map { $0 * 10 })
    courseAccuracy_deg = CompactFix.up(fix.courseAccuracy_deg)
    satellites = fix.satellites.map { Int64($0) }
  }

  /// nil below 0. What a product of decimals is off by (12.5 is 12.500000000000002) is no reason for another unit.
  private static func up(_ value: Double?) -> Int64? {
    guard let value, value >= 0 else { return nil }
    return Compact.whole((value - 1e-6).rounded(.up))
  }
}

enum Compact {
  /// Beyond this no number is exact in JSON, and none is real.
  static let most: Int64 = 1 << 53

  /// Rounded to the nearest; nil for what is no number or too large.
  static func whole(_ value: Double?) -> Int64? {
    guard let value, value.magnitude < Double(most) else { return nil }
    return Int64(value.rounded())
  }
}
