import Glibc
import Testing
import TrackerBase
import TrackerWire

@Suite("The geomony format")
struct GeomonyFormatTests {
  @Test("a batch of positions is what the golden file says, byte for byte")
  func positions() {
    let moving = record(1, time_ms: 1_776_241_800_250, fix: preciseFix, isMoving: true)
    let nearZero = Fix(
      time_ms: 0, position: Position(latitude_deg: 1e-6, longitude_deg: -4.7e-6), accuracy_m: 12)
    expect([moving, record(2), record(3, fix: nearZero)], isGolden: "positions")
  }

  @Test("events name their kind, a trip carries its summary, a record without any fix has no invented place")
  func events() {
    let motion = record(4, kind: .motionChange, extras: #"{"cause":"ignition"}"#)
    let trip = record(5, kind: .trip, extras: #"{"distance_m":1200.5,"duration_s":300.0}"#)
    let warning = record(
      6, kind: .warning, fix: nil, extras: "{\"text\":\"tab\tquote\\\" Zürich \u{1}\u{7F}\"}")
    expect([motion, trip, warning], isGolden: "events")
  }

  @Test("geofence events stand under a key of their own, with the fence's extras as JSON and their uuid")
  func geofence() {
    let extras = #"{"action":"ENTER","geofence":"Zürich \"7\"","extras":{"jobId":"123","n":[1,2.5,null]}}"#
    let entered = record(7, kind: .geofence, fix: preciseFix, extras: extras)
    let left = record(8, kind: .geofence, extras: #"{"action":"EXIT","geofence":"home"}"#)
    // What cannot be read is sent all the same.
    let damaged = record(9, kind: .geofence, extras: #"{"action":"EX"#)
    expect([entered, record(2), left, damaged], isGolden: "geofence")
    expect([left], isGolden: "geofence-alone")
  }

  @Test("an exported geofence event becomes what a body has, and nothing else does")
  func exported() {
    let event = record(7, kind: .geofence, extras: #"{"action":"EXIT","geofence":"home","extras":{"a":1}}"#)
    let body = String(decoding: GeomonyFormat.body(records: [event], queueID: 5), as: UTF8.self)
    func location(_ record: Record) -> JSONValue? {
      JSONReader.parse(Array(GeomonyFormat.location(record, queueID: 5).utf8))
    }
    #expect(location(event).flatMap(GeomonyFormat.geofence).map { #"{"geofence":[\#($0)]}"# } == body)
    #expect(location(record(1)).flatMap(GeomonyFormat.geofence) == nil)
    #expect(location(record(2, kind: .geofence, extras: "{}")).flatMap(GeomonyFormat.geofence) == nil)
  }

  @Test("no records make an empty array")
  func noRecords() { expect([], isGolden: "empty") }

  @Test("the status document rides as it is")
  func status() { expect([record(2)], status: #"{"version":"1.0"}"#, isGolden: "status") }

  @Test("a whole batch is read back by the reader")
  func wholeBatch() {
    let records = (1...100).map { record(Int64($0), fix: preciseFix) }
    let value = JSONReader.parse(GeomonyFormat.body(records: records, queueID: 1))
    #expect(value?["location"]?.array?.count == 100)
    #expect(value?["location"]?.array?.last?["latitude"]?.number == 47.3769123)
  }

  // MARK: Helpers

  private let preciseFix = Fix(
    time_ms: 1_776_241_800_250, position: Position(latitude_deg: 47.3769123, longitude_deg: 8.5417001),
    altitude_m: 408.5, speed_mps: 13.89, course_deg: 271.25, accuracy_m: 4.25, altitudeAccuracy_m: 7.5,
    speedAccuracy_mps: 0.5, courseAccuracy_deg: 3)

  private func record(
    _ sequence: Int64, kind: Record.Kind = .position, time_ms: Int64 = 1_767_225_600_000,
    fix: Fix? = Fix(
      time_ms: 1_767_225_600_000, position: Position(latitude_deg: -33, longitude_deg: -151.25),
      accuracy_m: 12),
    isMoving: Bool = false, extras: String = ""
  ) -> Record {
    Record(
      sequence: sequence, content: Record.Content(kind: kind, extras: extras), time_ms: time_ms,
      timeSource: .gps, boot_ms: 0, fix: fix, isMoving: isMoving, tripID: isMoving ? 3 : nil, odometer_m: 0)
  }

  private func expect(
    _ records: [Record], status: String? = nil, isGolden name: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let body = GeomonyFormat.body(records: records, queueID: 0x012_3456_789A_BCDE, status: status)
    let golden = contents(of: "Golden/\(name).json")
    #expect(
      String(decoding: body, as: UTF8.self) == String(decoding: golden, as: UTF8.self),
      sourceLocation: sourceLocation)
    #expect(body.elementsEqual(golden), sourceLocation: sourceLocation)
  }
}

/// A file beside the tests; empty when there is none.
func contents(of name: String) -> [UInt8] {
  let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
  guard let file = fopen(folder.joined(separator: "/") + "/" + name, "r") else { return [] }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 65_536)
  let count = fread(&bytes, 1, bytes.count, file)
  return Array(bytes[..<count])
}
