/// The fields of the rows, each as the difference from where it should be: from the row before, mostly.
struct CompactColumns {
  /// In the order of docs/godwit.proto: append only.
  private enum Name: Int, CaseIterable {
    case sequence, time, kind, state, trip, speed, course, latitude, longitude, odometer
    case altitude, accuracy, activity, satellites, altitudeAccuracy, speedAccuracy, courseAccuracy
  }

  private let time: CompactTime
  private var motion: CompactMotion
  private var columns = Array(repeating: [Int64](), count: Name.allCases.count)
  /// The last known value of each field.
  private var before = Array(repeating: Int64(0), count: Name.allCases.count)

  init(first: CompactRow, time: CompactTime, units: CompactUnits) {
    self.time = time
    motion = CompactMotion(unit_e7: units.position_e7)
    self[.sequence] = first.sequence - 1
    self[.time] = first.time_ms - time.step * time.unit_ms
    self[.activity] = CompactRow.surelyDriving
  }

  var bytes: [UInt8] {
    var bits = BitWriter()
    for column in columns { BitColumn.write(column, to: &bits) }
    return bits.bytes
  }

  mutating func add(_ row: CompactRow) {
    let fix = row.fix
    add(row.sequence, to: .sequence, expected: self[.sequence] + 1)
    append((row.time_ms - self[.time]) / time.unit_ms - time.step, to: .time)
    self[.time] = row.time_ms
    add(row.kind * 2 + (row.extras.isEmpty ? 0 : 1), to: .kind)
    add(row.state, to: .state)
    add(row.trip, to: .trip)
    add(fix?.speed_dmps, to: .speed)
    addCourse(fix?.course_deg)
    let way_m = fix.map { motion.distance_m(to: $0) } ?? 0
    addPlace(fix, at: row.time_ms)
    add(row.odometer_m, to: .odometer, expected: self[.odometer] + way_m)
    add(fix?.altitude_m, to: .altitude)
    add(fix?.accuracy, to: .accuracy)
    addActivity(row)
    add(fix?.satellites, to: .satellites)
    add(fix?.altitudeAccuracy, to: .altitudeAccuracy)
    add(fix?.speedAccuracy, to: .speedAccuracy)
    add(fix?.courseAccuracy, to: .courseAccuracy)
  }

  // MARK: Parts

  private mutating func addPlace(_ fix: CompactFix?, at time_ms: Int64) {
    guard let fix else {
      append(0, to: .latitude)
      append(0, to: .longitude)
      return
    }
    let expected = motion.prediction(of: fix, at: time_ms)
    append(fix.latitude - expected.latitude, to: .latitude)
    append(motion.around(fix.longitude - expected.longitude), to: .longitude)
    motion.passed(fix, at: time_ms)
  }

  private mutating func addCourse(_ value: Int64?) {
    guard let value else { return append(0, to: .course) }
    let turn = value - self[.course]
    append(turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn, to: .course)
    self[.course] = value
  }

  /// Who is fast drives; others do what the last slow one did.
  private mutating func addActivity(_ row: CompactRow) {
    if row.isFast {
      append(row.activity - CompactRow.surelyDriving, to: .activity)
    } else {
      add(row.activity, to: .activity)
    }
  }

  /// What is not known keeps the value before it: its difference is 0.
  private mutating func add(_ value: Int64?, to name: Name, expected: Int64? = nil) {
    append(value.map { $0 - (expected ?? self[name]) } ?? 0, to: name)
    if let value { self[name] = value }
  }

  private mutating func append(_ difference: Int64, to name: Name) {
    columns[name.rawValue].append(difference)
  }

  private subscript(name: Name) -> Int64 {
    get { before[name.rawValue] }
    set { before[name.rawValue] = newValue }
  }
}
