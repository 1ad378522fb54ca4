/// From differences to records.
struct CompactRows {
  private let header: CompactHeader
  private var motion: CompactPath
  /// The last known value of each field.
  private var known = [Int64](repeating: 0, count: CompactColumn.allCases.count)

  init(_ header: CompactHeader) {
    self.header = header
    motion = CompactPath(unit_e7: Int64(header.positionUnit_e7))
    self[.sequence] = header.firstSequence &- 1
    let step_ms = Int64(bitPattern: header.timeStep) &* Int64(bitPattern: header.timeUnit_ms)
    self[.time] = header.firstTime_ms &- step_ms
    self[.activity] = CompactRows.surelyDriving
  }

  private static let surelyDriving: Int64 = 201
  /// The times that RFC 3339 can hold.
  private static let times_ms: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// Columns of which nothing is expected but the last known value.
  private static let plain: [CompactColumn] = [
    .kind, .state, .trip, .speed, .altitude, .accuracy, .satellites, .altitudeAccuracy, .speedAccuracy,
    .courseAccuracy,
  ]

  mutating func next(_ differences: [Int64]) throws(CompactError) -> CompactRecord {
    for column in CompactRows.plain { self[column] &+= differences[column.rawValue] }
    self[.sequence] &+= 1 &+ differences[CompactColumn.sequence.rawValue]
    let steps = differences[CompactColumn.time.rawValue] &+ Int64(bitPattern: header.timeStep)
    self[.time] &+= steps &* Int64(bitPattern: header.timeUnit_ms)
    guard CompactRows.times_ms.contains(self[.time]) else {
      throw CompactError(description: "a time is outside the years 0 to 9999")
    }
    let course_deg = (self[.course] &+ differences[CompactColumn.course.rawValue]) % 360
    self[.course] = course_deg < 0 ? course_deg + 360 : course_deg
    let place = try place(differences)
    let isMoving = self[.state] & 1 == 1
    let activity = activity(
      differences[CompactColumn.activity.rawValue], isFast: isMoving && (place?.speed ?? 0) >= 20)
    return CompactRecord(
      sequence: self[.sequence], kind: self[.kind] >> 1, time_ms: self[.time],
      timeSource: self[.state] >> 1 & 3, isMoving: isMoving, trip: known(2048, .trip),
      odometer_m: self[.odometer], confidence: activity >> 1, isDriving: activity & 1 == 1,
      fix: place.map(fix), hasExtras: self[.kind] & 1 == 1)
  }

  // MARK: Parts

  /// Nil without a fix. The odometer goes the way to it.
  private mutating func place(_ differences: [Int64]) throws(CompactError) -> CompactPath.Fix? {
    self[.odometer] &+= differences[CompactColumn.odometer.rawValue]
    guard self[.state] & 8 == 0 else { return nil }
    var fix = CompactPath.Fix(time_ms: self[.time], speed: known(32, .speed), course: known(64, .course))
    try motion.place(
      &fix, differences[CompactColumn.latitude.rawValue], differences[CompactColumn.longitude.rawValue])
    self[.odometer] &+= motion.distance_m(to: fix)
    motion.passed(fix)
    return fix
  }

  private mutating func activity(_ difference: Int64, isFast: Bool) -> Int64 {
    if isFast { return CompactRows.surelyDriving &+ difference }
    self[.activity] &+= difference
    return self[.activity]
  }

  private func fix(_ place: CompactPath.Fix) -> CompactRecord.Fix {
    let unit_e7 = Int64(header.positionUnit_e7)
    return CompactRecord.Fix(
      latitude_e7: place.latitude * unit_e7, longitude_e7: place.longitude * unit_e7,
      altitude_m: known(16, .altitude), speed_dmps: place.speed, course_deg: place.course,
      accuracy_cm: smooth(self[.accuracy]), altitudeAccuracy_cm: known(128, .altitudeAccuracy).map(smooth),
      speedAccuracy_cmps: known(256, .speedAccuracy).map(smooth),
      courseAccuracy_ddeg: known(512, .courseAccuracy).map(smooth), satellites: known(1024, .satellites))
  }

  /// Nil if the state has this bit.
  private func known(_ bit: Int64, _ column: CompactColumn) -> Int64? {
    self[.state] & bit == 0 ? self[column] : nil
  }

  /// The number of a rough code.
  private func smooth(_ code: Int64) -> Int64 {
    code < 16 ? code : (code % 8 + 8) << min(code / 8 - 1, 58)
  }

  private subscript(column: CompactColumn) -> Int64 {
    get { known[column.rawValue] }
    set { known[column.rawValue] = newValue }
  }
}

/// Where the next fix is expected; godwit.proto, "Place" and "Way". Everything in it has been checked to lie on
/// the earth, so that nothing overflows.
struct CompactPath {
  struct Fix {
    var time_ms: Int64
    /// Tenths of a metre a second.
    var speed: Int64?
    var course: Int64?
    /// In the batch's units.
    var latitude: Int64 = 0
    var longitude: Int64 = 0
  }

  private struct Step {
    var latitude: Int64
    var longitude: Int64
    var time_ms: Int64
  }

  let unit_e7: Int64
  private var last: Fix?
  private var way: Step?

  init(unit_e7: Int64) { self.unit_e7 = unit_e7 }

  /// Fills in the place.
  func place(_ fix: inout Fix, _ latitude: Int64, _ longitude: Int64) throws(CompactError) {
    let expected = expected(fix)
    fix.latitude = expected.latitude &+ latitude
    fix.longitude = around(expected.longitude &+ longitude)
    guard (-900_000_000 / unit_e7...900_000_000 / unit_e7).contains(fix.latitude),
      (-half...half).contains(fix.longitude)
    else { throw CompactError(description: "a place is not on the earth") }
  }

  func distance_m(to fix: Fix) -> Int64 {
    guard let last else { return 0 }
    let north = (fix.latitude - last.latitude) * unit_e7
    let east = around(fix.longitude - last.longitude) * unit_e7 * cosine(last.latitude) / 4096
    let square = north * north + east * east
    var root = Int64(Double(square).squareRoot())
    while root * root > square { root -= 1 }
    while (root + 1) * (root + 1) <= square { root += 1 }
    return root * 1000 / 89_932
  }

  mutating func passed(_ fix: Fix) {
    way = nil
    if let last, usual.contains(fix.time_ms - last.time_ms) {
      way = Step(
        latitude: fix.latitude - last.latitude, longitude: around(fix.longitude - last.longitude),
        time_ms: fix.time_ms - last.time_ms)
    }
    last = fix
  }

  // MARK: Parts

  private var half: Int64 { 1_800_000_000 / unit_e7 }
  private var usual: ClosedRange<Int64> { 1...600_000 }

  private func expected(_ fix: Fix) -> (latitude: Int64, longitude: Int64) {
    guard let last else { return (0, 0) }
    let dt = fix.time_ms - last.time_ms
    guard usual.contains(dt) else { return (last.latitude, last.longitude) }
    guard let from = velocity(last), let to = velocity(fix) else {
      guard let way else { return (last.latitude, last.longitude) }
      return (
        last.latitude + way.latitude * dt / way.time_ms, last.longitude + way.longitude * dt / way.time_ms
      )
    }
    let weight: Int64 = way == nil ? 1 : 2
    let divisor = 81_920_000_000 * unit_e7
    var latitude = last.latitude + (weight * from.north + to.north) * dt * 89_932 / divisor
    let east = (weight * from.east + to.east) * dt * 89_932 / divisor
    var longitude = last.longitude + east * 4096 / cosine(last.latitude)
    if let way {
      latitude -= way.latitude * dt / (2 * way.time_ms)
      longitude -= way.longitude * dt / (2 * way.time_ms)
    }
    return (latitude, longitude)
  }

  private func velocity(_ fix: Fix) -> (north: Int64, east: Int64)? {
    guard let speed = fix.speed, (0...2000).contains(speed) else { return nil }
    guard let course = fix.course else { return speed <= 10 ? (0, 0) : nil }
    return (speed * sine(course + 90, 180), speed * sine(course, 180))
  }

  private func around(_ longitude: Int64) -> Int64 {
    if longitude > half { return longitude &- 2 * half }
    return longitude < -half ? longitude &+ 2 * half : longitude
  }

  private func cosine(_ latitude: Int64) -> Int64 {
    max(64, sine(9000 - abs(latitude * unit_e7 / 100_000), 18_000))
  }

  private func sine(_ angle: Int64, _ half: Int64) -> Int64 {
    let turned = angle % (2 * half)
    if turned >= half { return -sine(turned - half, half) }
    let product = turned * (half - turned)
    return 16_384 * product / (5 * half * half / 4 - product)
  }
}
