import TrackerBase

extension QueueWriter {
  /// A record with values that no other has, each one that the queue stores exactly.
  mutating func makeRecord(_ wanted: Record.Kind? = nil) -> Record {
    let kind =
      wanted ?? (chance(in: 0..<4) == 0 ? Record.Kind.allCases.randomElement(using: &random)! : .position)
    let time_ms = 1_767_225_600_000 + chance(in: 0..<1_000_000_000)
    return Record(
      sequence: 0, content: .unknown(kind, text: "{\"id\":\(random.next())}"), time_ms: time_ms,
      timeSource: .gps, boot_ms: chance(in: 0..<1_000_000_000),
      fix: makeFix(time_ms: time_ms), isMoving: chance(in: 0..<2) == 0, tripID: chance(in: 0..<1_000_000),
      odometer_m: Double(chance(in: 0..<1_000_000_000)) / 10)
  }

  private mutating func makeFix(time_ms: Int64) -> Fix {
    Fix(
      time_ms: time_ms - chance(in: 0..<1000),
      position: Position(
        latitude_deg: Double(chance(in: -900_000_000..<900_000_000)) / 1e7,
        longitude_deg: Double(chance(in: -1_800_000_000..<1_800_000_000)) / 1e7),
      altitude_m: Double(chance(in: 0..<500_000)) / 100, speed_mps: Double(chance(in: 0..<5000)) / 100,
      course_deg: Double(chance(in: 0..<36_000)) / 100, accuracy_m: Double(chance(in: 100..<5000)) / 100,
      altitudeAccuracy_m: nil, speedAccuracy_mps: nil, courseAccuracy_deg: nil, satellites: 9)
  }

  private mutating func chance(in range: Range<Int64>) -> Int64 { .random(in: range, using: &random) }

  /// FNV-1a, 64 bits (draft-eastlake-fnv), of everything but the identity.
  func content(of record: Record) -> String {
    var record = record
    (record.sequence, record.queueID) = (0, 0)
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in "\(record)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return String(hash, radix: 16)
  }
}

/// splitmix64.
struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
