import Testing
import TrackerBase
import TrackerWire

/// Records for the compact format.
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

  static func expectReturn(_ batches: [[Record]], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let read = try CompactRead.read(batches)
    try #require(read.map(\.count) == batches.map(\.count), sourceLocation: sourceLocation)
    for (records, read) in zip(batches, read) {
      let best_m = records.compactMap { $0.fix?.accuracy_m }.min() ?? 100
      for (record, read) in zip(records, read) {
        read.expectIs(record, best_m: best_m, sourceLocation)
      }
    }
  }
}
