import Testing
import TrackerBase
import TrackerWire

/// The reader is that of docs/formats.md.
@Suite(
  "The compact format",
  .enabled(if: CompactRead.isPossible, "protoc or protobuf for Python is missing: deploy/packages test"))
struct CompactFormatTests {
  @Test("random records come back within the stated resolution")
  func roundTrip() throws {
    let batches = (UInt64(1)...200).map { seed in
      var random = Random(state: seed)
      return RecordSamples.records(count: 1 + random.below(120), &random)
    }
    try CompactSamples.expectReturn(batches)
  }

  @Test("a drive across the antimeridian comes back")
  func antimeridian() throws {
    let records = (0..<60).map { step in
      let longitude_deg = 179.99 + 0.0005 * Double(step)
      return CompactSamples.record(
        Int64(step + 1),
        fix: CompactSamples.fix(
          latitude_deg: -17, longitude_deg: longitude_deg > 180 ? longitude_deg - 360 : longitude_deg))
    }
    try CompactSamples.expectReturn([records])
    #expect(try #require(Gzip.compressed(body(records))).count < 60 * 6)
  }

  @Test("the edges of the earth and of all ranges come back")
  func extremes() throws {
    let places = [(90.0, 180.0), (-90, -180), (90, -180), (0, 0), (-90, 180), (89.9999999, 0)]
    let records = places.enumerated().map { index, place in
      var fix = CompactSamples.fix(latitude_deg: place.0, longitude_deg: place.1)
      fix.speed_mps = [0, 1e9, -5, 199, 0.04, 515][index]
      fix.altitude_m = [-430, 8848, 1e12, 0, -0.4, 35_786_000][index]
      fix.accuracy_m = [0, 1e7, 3, 0.01, 2.2, 5][index]
      fix.satellites = [0, .max / 4096, 4, -1, 99, 12][index]
      return CompactSamples.record(
        [1, 2, 3, 1_000_000, 1 << 61, (1 << 62) - 1][index], time_ms: [0, -1, .max, .min, 1, 2][index],
        fix: fix)
    }
    try CompactSamples.expectReturn([records])
  }

  @Test("what is no number is not known, and a fix without a place is none")
  func notNumbers() throws {
    var fix = CompactSamples.fix(latitude_deg: 47, longitude_deg: 8)
    fix.altitude_m = .nan
    fix.altitudeAccuracy_m = .infinity
    fix.courseAccuracy_deg = 1e300
    let nowhere = CompactSamples.fix(latitude_deg: .nan, longitude_deg: 8)
    let records = [CompactSamples.record(1, fix: fix), CompactSamples.record(2, fix: nowhere)]
    let read = try CompactRead.read([records])[0]
    #expect(read[0].altitude == nil)
    #expect(read[0].altitude_accuracy == nil)
    #expect(read[0].course_accuracy == nil)
    #expect(read[1].latitude == nil)
  }

  @Test("a departure by the key comes back with the key's time, though its fix is of the last look")
  func key() throws {
    let fix = CompactSamples.fix(latitude_deg: 47, longitude_deg: 8)
    let record = Record(
      sequence: 1, content: .motion(MotionChange(cause: .ignition)), time_ms: fix.time_ms + 3_000_000,
      timeSource: .gps, boot_ms: 0, fix: fix, isMoving: true, tripID: 3, odometer_m: 0)
    try CompactSamples.expectReturn([[record]])
    #expect(try CompactRead.read([[record]])[0][0].time == record.time_ms)
  }

  @Test("an empty batch has no record")
  func empty() throws { #expect(try CompactRead.read([[]]).map(\.count) == [0]) }

  @Test("a trip's summary takes a fifth of its text")
  func eventsAreShort() {
    let text =
      #"{"trip":7,"start_ms":1772434800000,"end_ms":1772436000000,"duration_s":1200,"idle_s":60,"distance_m":8887.1,"top_speed_mps":20.1,"end_cause":"stayed"}"#
    let fix = CompactSamples.fix(latitude_deg: 1, longitude_deg: 2)
    let with = body([
      CompactSamples.record(1, time_ms: 1_772_436_000_000, kind: .trip, fix: fix, extras: text)
    ])
    let without = body([CompactSamples.record(1, time_ms: 1_772_436_000_000, fix: fix)])
    #expect(with.count - without.count < text.utf8.count / 5)
  }

  @Test("a better receiver is carried finer", arguments: [(0.5, 1), (1.5, 10), (3, 20), (8, 50)])
  func resolution(accuracy_m: Double, unit_e7: Int64) throws {
    var fix = CompactSamples.fix(latitude_deg: 47.1234567, longitude_deg: 8.7654321)
    fix.accuracy_m = accuracy_m
    let read = try #require(try CompactRead.read([[CompactSamples.record(1, fix: fix)]])[0].first?.latitude)
    let read_e7 = Int64((read * 1e7).rounded())
    #expect(2 * abs(read_e7 - 471_234_567) <= unit_e7)
    #expect(read_e7 % unit_e7 == 0)
  }

  @Test("the golden body is what the encoder makes, byte for byte")
  func golden() {
    let bytes = body(CompactSamples.golden)
    let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n"
    #expect(text == String(decoding: contents(of: "Golden/compact.hex"), as: UTF8.self))
  }

  private func body(_ records: [Record]) -> [UInt8] {
    CompactFormat.body(Payload(records: records, queueID: 0x012_3456_789A_BCDE, device: "van"))
  }
}
