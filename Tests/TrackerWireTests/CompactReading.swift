import Foundation
import Testing
import TrackerBase
import TrackerWire

/// What the reader of docs/formats.md makes of a body. nil is "not known".
struct CompactRead: Decodable {
  var sequence: Int64
  var time: Int64
  var kind: Int
  var flags: Int
  var odometer: Int64
  var confidence: Int
  var trip: Int64?
  var latitude: Double?
  var longitude: Double?
  var accuracy: Double?
  var speed: Double?
  var course: Int64?
  var altitude: Double?
  var satellites: Int64?
  var altitude_accuracy: Double?
  var speed_accuracy: Double?
  var course_accuracy: Double?
  /// The name of its message.
  var event: String?

  private static let python = "/usr/bin/python3"

  static let isPossible =
    access("/usr/bin/protoc", X_OK) == 0
    && (try? Tool.run(python, ["-c", "import google.protobuf"], input: []))?.code == 0

  static func read(_ batches: [[Record]]) throws -> [[CompactRead]] {
    var input: [UInt8] = []
    for records in batches {
      let plain = CompactFormat.body(Payload(records: records, queueID: 77, device: "van"))
      let body = Gzip.compressed(plain) ?? plain
      input += withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body
    }
    let script = Tool.repository.appendingPathComponent("Tests/TrackerWireTests/read-compact").path
    let docs = Tool.repository.appendingPathComponent("docs").path
    let (code, text) = try Tool.run(python, [script, docs], input: input)
    try #require(code == 0)
    return try text.split(separator: "\n").map {
      try JSONDecoder().decode([CompactRead].self, from: Data($0.utf8))
    }
  }

  /// - Parameter best_m: the best accuracy of the batch decides the resolution.
  func expectIs(_ record: Record, best_m: Double, _ location: SourceLocation) {
    let clamped_ms = min(max(record.time_ms, -62_167_219_200_000), 253_402_300_799_999)
    #expect(sequence == record.sequence && time == clamped_ms, sourceLocation: location)
    #expect(kind == record.kind.rawValue && flags & 1 == (record.isMoving ? 1 : 0), sourceLocation: location)
    #expect(flags & 2 == (record.activity.kind == .driving ? 2 : 0), sourceLocation: location)
    #expect(flags >> 2 & 3 == min(record.timeSource.rawValue, 2), sourceLocation: location)
    #expect((flags & 16 != 0) == (record.content == .position(isJump: true)), sourceLocation: location)
    #expect(trip == record.tripID, sourceLocation: location)
    #expect(odometer == Int64(record.odometer_m.rounded()), sourceLocation: location)
    #expect(confidence == record.activity.confidence, sourceLocation: location)
    #expect(event == CompactRead.message(of: record.content), sourceLocation: location)
    #expect((latitude == nil) == (record.fix == nil), sourceLocation: location)
    if let fix = record.fix { expectIs(fix, best_m: best_m, location) }
  }

  private static func message(of content: Record.Content) -> String? {
    switch content {
    case .position(_, let details): details == nil ? nil : "Other"
    case .motion: "MotionChange"
    case .geofence: "GeofenceEvent"
    case .trip: "TripSummary"
    case .speed: "SpeedEvent"
    case .activity: "ActivityChange"
    // What woke the board is in no field of it.
    case .gap(let gap): gap.wake == nil ? "Gap" : "Other"
    case .status, .warning, .incident, .unknown: "Other"
    }
  }

  private func expectIs(_ fix: Fix, best_m: Double, _ location: SourceLocation) {
    let half_deg = max(0.5e-7, best_m / 20 / 111_195) + 1e-9
    let unit_m = best_m >= 5.6 ? 0.5 : best_m >= 1.2 ? 0.1 : 0.01
    expect(latitude, fix.position.latitude_deg, within: half_deg, location)
    expect(longitude, fix.position.longitude_deg, within: half_deg, location)
    expect(accuracy, fix.accuracy_m, upTo: unit_m, location)
    expect(altitude_accuracy, fix.altitudeAccuracy_m, upTo: unit_m, location)
    expect(speed_accuracy, fix.speedAccuracy_mps, upTo: 0.1, location)
    expect(course_accuracy, fix.courseAccuracy_deg, upTo: 1, location)
    expect(altitude, fix.altitude_m, within: 0.5, location)
    expect(speed, fix.speed_mps, within: 0.05, location)
    #expect(satellites == fix.satellites.map { Int64($0) }, sourceLocation: location)
    #expect((course == nil) == (fix.course_deg == nil), sourceLocation: location)
    guard let course_deg = fix.course_deg, let course else { return }
    #expect((0..<360).contains(course), sourceLocation: location)
    let turn_deg = abs(Double(course) - course_deg)
    #expect(min(turn_deg, 360 - turn_deg) <= 0.5 + 1e-9, sourceLocation: location)
  }

  private func expect(
    _ read: Double?, _ value: Double?, within half: Double, _ location: SourceLocation
  ) {
    #expect((read == nil) == (value == nil), sourceLocation: location)
    guard let read, let value else { return }
    #expect(abs(read - value) <= half * (1 + 1e-9) + abs(value) * 1e-12, sourceLocation: location)
  }

  /// Never better than it is.
  private func expect(_ read: Double?, _ value: Double?, upTo unit: Double, _ location: SourceLocation) {
    #expect((read == nil) == (value == nil), sourceLocation: location)
    guard let read, let value else { return }
    #expect((-1e-5...unit).contains(read - value), "\(read) \(value)", sourceLocation: location)
  }
}
