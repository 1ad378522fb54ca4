import Testing
import TrackerCore
import TrackerWire

/// Records for the compact format, and what must come back of them.
enum CompactSamples {
  static func fix(latitude_deg: Double, longitude_deg: Double) -> Fix {
    Fix(
      time_ms: 1_772_434_800_000,
      position: Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg), altitude_m: 431.4,
      speed_mps: 13.89, course_deg: 359.6, accuracy_m: 6.4, altitudeAccuracy_m: 9.1, speedAccuracy_mps: 0.5,
      courseAccuracy_deg: 4.2, satellites: 9)
  }

  static func record(
    _ sequence: Int64, time_ms: Int64? = nil, kind: Record.Kind = .position, fix: Fix?, extras: String = ""
  ) -> Record {
    record(sequence, Record.Content(kind: kind, extras: extras), time_ms: time_ms, fix: fix)
  }

  static func record(
    _ sequence: Int64, _ content: Record.Content, time_ms: Int64? = nil, fix: Fix?
  ) -> Record {
    Record(
      sequence: sequence, content: content, time_ms: time_ms ?? 1_772_434_800_000 + 7000 * sequence,
      timeSource: .gps, boot_ms: 0, fix: fix, isMoving: true, tripID: 3,
      odometer_m: 120_000.4 + 160 * Double(sequence % 1000))
  }

  /// A departure, three positions of which one has but the least, and a warning without any fix.
  static let golden: [Record] = {
    var bare = fix(latitude_deg: 47.3802, longitude_deg: 8.5433)
    (bare.altitude_m, bare.speed_mps, bare.course_deg, bare.satellites) = (nil, nil, nil, nil)
    (bare.altitudeAccuracy_m, bare.speedAccuracy_mps, bare.courseAccuracy_deg) = (nil, nil, nil)
    let first = fix(latitude_deg: 47.3769, longitude_deg: 8.5417)
    return [
      record(41, kind: .motionChange, fix: first, extras: #"{"cause":"ignition"}"#),
      record(42, fix: first), record(43, fix: fix(latitude_deg: 47.3778, longitude_deg: 8.5417)),
      record(44, fix: bare), record(46, kind: .warning, fix: nil, extras: #"{"text":"Zürich"}"#),
    ]
  }()

  static func expectReturn(_ records: [Record], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let payload = Payload(records: records, queueID: 77, device: "van")
    let batch = try CompactBatch(CompactFormat.body(payload))
    #expect(batch.queueID == 77, sourceLocation: sourceLocation)
    try #require(batch.records.count == records.count, sourceLocation: sourceLocation)
    let best_m = records.compactMap { $0.fix?.accuracy_m }.min() ?? 100
    for (record, read) in zip(records, batch.records) {
      expect(read, is: record, sourceLocation)
      #expect((read.fix == nil) == (record.fix == nil), sourceLocation: sourceLocation)
      if let fix = record.fix, let back = read.fix { expect(back, is: fix, best_m: best_m, sourceLocation) }
    }
  }

  private static func expect(_ read: CompactRecord, is record: Record, _ location: SourceLocation) {
    let clamped_ms = min(max(record.time_ms, -62_167_219_200_000), 253_402_300_799_999)
    #expect(read.sequence == record.sequence, sourceLocation: location)
    #expect(read.kind == Int64(record.kind.rawValue), sourceLocation: location)
    #expect(read.time_ms == clamped_ms, sourceLocation: location)
    #expect(read.timeSource == Int64(record.timeSource.rawValue), sourceLocation: location)
    #expect(read.isMoving == record.isMoving, sourceLocation: location)
    #expect(read.trip == record.tripID, sourceLocation: location)
    #expect(read.odometer_m == Int64(record.odometer_m.rounded()), sourceLocation: location)
    #expect(read.confidence == Int64(record.activity.confidence), sourceLocation: location)
    #expect(read.isDriving == (record.activity.kind == .driving), sourceLocation: location)
    #expect(read.extras == record.content.extras, sourceLocation: location)
  }

  /// - Parameter best_m: the best accuracy of the batch decides the resolution.
  private static func expect(
    _ read: CompactRecord.Fix, is fix: Fix, best_m: Double, _ location: SourceLocation
  ) {
    let half_deg = max(0.5e-7, best_m / 20 / 111_195) + 1e-9
    let latitude_deg = Double(read.latitude_e7) / 1e7
    let longitude_deg = Double(read.longitude_e7) / 1e7
    let apart_deg = Position(latitude_deg: 0, longitude_deg: longitude_deg)
      .eastward_deg(to: Position(latitude_deg: 0, longitude_deg: fix.position.longitude_deg))
    #expect(abs(latitude_deg - fix.position.latitude_deg) <= half_deg, sourceLocation: location)
    #expect(min(abs(apart_deg), 360 - abs(apart_deg)) <= half_deg, sourceLocation: location)
    expectRough(read.accuracy_cm, fix.accuracy_m, of: 0.01, location)
    expectRough(read.altitudeAccuracy_cm, fix.altitudeAccuracy_m, of: 0.01, location)
    expectRough(read.speedAccuracy_cmps, fix.speedAccuracy_mps, of: 0.01, location)
    expectRough(read.courseAccuracy_ddeg, fix.courseAccuracy_deg, of: 0.1, location)
    expect(read.altitude_m.map { Double($0) }, fix.altitude_m, within: 0.5, location)
    expect(tenths(read.speed_dmps), fix.speed_mps, within: 0.05, location)
    #expect(read.satellites == fix.satellites.map { Int64($0) }, sourceLocation: location)
    #expect((read.course_deg == nil) == (fix.course_deg == nil), sourceLocation: location)
    guard let course_deg = fix.course_deg, let back = read.course_deg else { return }
    let turn_deg = abs(Double(back) - course_deg)
    #expect(min(turn_deg, 360 - turn_deg) <= 0.5 + 1e-9, sourceLocation: location)
  }

  /// Within a sixteenth, or half a unit.
  private static func expectRough(
    _ read: Int64?, _ value: Double?, of unit: Double, _ location: SourceLocation
  ) {
    let within = max(unit / 2, ((value ?? 0) + unit / 2) / 16)
    expect(read.map { Double($0) * unit }, value, within: within + unit / 2, location)
  }

  private static func tenths(_ value: Int64?) -> Double? { value.map { Double($0) / 10 } }

  private static func expect(
    _ read: Double?, _ value: Double?, within half: Double, _ location: SourceLocation
  ) {
    #expect((read == nil) == (value == nil), sourceLocation: location)
    guard let read, let value else { return }
    #expect(abs(read - value) <= half * (1 + 1e-9) + abs(value) * 1e-12, sourceLocation: location)
  }
}
