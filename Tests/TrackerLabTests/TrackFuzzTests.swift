import DriveGenerator
import Testing
import TrackerBase
import TrackerLab

@Suite("Damaged tracks")
struct TrackFuzzTests {
  private static let csv =
    "time_unix_ms,lat,lon,alt_m,speed_mps,course_deg,hacc_m,mode,sats,hdop,ignition\r\n"
    + (0..<5).map {
      "\(1_558_901_878_000 + $0 * 1000),41.257\($0),-95.998,344,10.7,289,4,3,8,0.98,\($0 & 1)\r\n"
    }
    .joined() + "1558901884000,,,,,,,1,,,\n"
  private static let gpx =
    "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\"><!-- x --><trk><trkseg>\n"
    + (0..<5).map {
      "<trkpt lat=\"41.25\($0)\" lon='-95.998'><ele>344</ele><time>2026-03-02T07:00:0\($0).5+01:00</time>"
        + "<x:speed>10.7</x:speed><course>289</course><hdop>0.98</hdop><sat>8</sat><fix>3d</fix></trkpt>\n"
    }.joined() + "</trkseg></trk></gpx>\n"

  private typealias Reader = ([UInt8], String) throws(TrackError) -> RecordedTrack

  @Test("a damaged CSV is a track, or an error with its line")
  func csv() {
    mutations(of: TrackFuzzTests.csv, seed: 1) { (bytes, file) throws(TrackError) in
      try CSVRecording.read(bytes, file: file)
    }
  }

  @Test("a damaged GPX is a track, or an error with its line")
  func gpx() {
    mutations(of: TrackFuzzTests.gpx, seed: 2) { (bytes, file) throws(TrackError) in
      try GPXRecording.read(bytes, file: file)
    }
  }

  /// Those about the whole file, which have no line.
  private static let wholeFile = [
    "has no track point (<trkpt>)", "has not one fix, so there is nothing to replay; record under open sky",
  ]

  private func mutations(of text: String, seed: UInt64, read: Reader) {
    var random = RandomSource(seed: seed)
    let original = Array(text.utf8)
    let last = original.count { $0 == UInt8(ascii: "\n") } + 8
    var tracks = 0
    for _ in 0..<4000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
      _ = try? TrackFormat(head: bytes, file: "f")
      do throws(TrackError) {
        let track = try read(bytes, "f")
        tracks += 1
        check(track)
      } catch {
        if let line = error.line {
          #expect((1...last).contains(line))
        } else {
          #expect(Self.wholeFile.contains(error.reason))
        }
      }
    }
    #expect((100...3900).contains(tracks), "too few of either to show anything")
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout RandomSource) {
    guard !bytes.isEmpty else { return }
    let index = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
    case 1: bytes[index] = "0123456789-+.eE,\n<>/\"".utf8.randomElement(using: &random) ?? 0
    case 2: bytes.remove(at: index)
    case 3: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: index)
    default:
      if Int.random(in: 0..<20, using: &random) == 0 { bytes.removeSubrange(index...) }
    }
  }

  private func check(_ track: RecordedTrack) {
    for entry in track.entries {
      let report = entry.report
      #expect((0...3).contains(report.mode))
      #expect(report.latitude_deg.map { (-90...90).contains($0) } != false)
      #expect(report.longitude_deg.map { (-180...180).contains($0) } != false)
      #expect(report.course_deg.map { (0..<360).contains($0) } != false)
      #expect((report.mode >= 2) == (report.latitude_deg != nil))
    }
    #expect(zip(track.entries, track.entries.dropFirst()).allSatisfy { $0.at_ms <= $1.at_ms })
  }
}
