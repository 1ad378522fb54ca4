import DriveGenerator
import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

private let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
private let watch = #"{"class":"WATCH","enable":true,"json":true}"#

private func fix(_ second: Int) -> String {
  #"{"class":"TPV","device":"/dev/x","mode":2,"time":"2026-11-21T06:00:0\#(second).000Z","lat":47.5,"lon":8.5}"#
}

private let sky = #"{"class":"SKY","hdop":0.9,"satellites":[{"PRN":3,"used":true},{"PRN":7,"used":false}]}"#

private func recording(_ bytes: [UInt8], pieceSize: Int = 1000) throws -> GPSDRecording {
  var recording = try GPSDRecording()
  for start in stride(from: 0, to: bytes.count, by: pieceSize) {
    recording.take(bytes[start..<min(start + pieceSize, bytes.count)])
  }
  recording.finish()
  return recording
}

private func recording(_ lines: String...) throws -> GPSDRecording {
  try recording(Array(lines.joined(separator: "\n").utf8))
}

/// A file of the test's own.
private func file(_ bytes: [UInt8], in folder: ScratchFolder) throws -> String {
  let path = folder.path + "/track"
  let stream = try #require(fopen(path, "w"))
  defer { fclose(stream) }
  #expect(fwrite(bytes, 1, bytes.count, stream) == bytes.count)
  return path
}

@Suite("Recordings of gpsd's JSON")
struct GPSDRecordingTests {
  private static let second0_ms: Int64 = 1_795_240_800_000

  @Test("reports come out as from a live gpsd, whatever else it said", arguments: [1, 7, 1000])
  func reports(pieceSize: Int) throws {
    let text = [version, watch, sky, fix(0), "", sky + "\r", fix(1) + "\r"].joined(separator: "\n") + "\n"
    let recording = try recording(Array(text.utf8), pieceSize: pieceSize)
    let expected = [0, 1].map { second in
      GPSReport(
        mode: 2, time_ms: Self.second0_ms + second * 1000, latitude_deg: 47.5, longitude_deg: 8.5, hdop: 0.9,
        satellites: 1, sky: SkyView(heard: 0), device: "/dev/x")
    }
    #expect(recording.reports == expected)
    #expect(recording.skippedLines == 0)
  }

  @Test(
    "a message is read with spaces, its members in any order, or gpspipe's time before it",
    arguments: [
      #"{ "device" : "/dev/x", "class": "TPV", "mode": 2, "time": "2026-11-21T06:00:00.000Z", "lat": 47.5, "lon": 8.5}"#,
      "2026-03-02 07:00:00.123456: " + fix(0), "2026-03-02 07:00:00: " + fix(0), "  " + fix(0),
    ])
  func otherwiseWritten(_ line: String) throws {
    let recording = try recording(version, line)
    #expect(
      recording.reports == [
        GPSReport(
          mode: 2, time_ms: Self.second0_ms, latitude_deg: 47.5, longitude_deg: 8.5, device: "/dev/x")
      ])
    #expect(recording.skippedLines == 0)
  }

  @Test("a whole last line needs no line end")
  func noLineEnd() throws {
    let recording = try recording(fix(0), fix(1))
    #expect(recording.reports.count == 2)
    #expect(recording.skippedLines == 0)
  }

  @Test("half a last line, as a killed recorder leaves it, is counted")
  func cutAtEnd() throws {
    let whole = fix(1)
    for length in 1..<whole.utf8.count {
      let recording = try recording(fix(0), String(whole.prefix(length)))
      #expect(recording.reports.count == 1)
      #expect(recording.skippedLines == 1)
      #expect(recording.firstSkippedLine == 2)
    }
  }

  @Test("half a line that the next recorder went on behind is counted, and the rest is read")
  func cutInTheMiddle() throws {
    let recording = try recording(fix(0), String(fix(1).prefix(40)) + version, "garbage", fix(2))
    #expect(recording.reports.map(\.time_ms) == [Self.second0_ms, Self.second0_ms + 2000])
    #expect(recording.skippedLines == 2)
    #expect(recording.firstSkippedLine == 2)
  }

  @Test("a TPV that libgps cannot read, and a line without end, are counted")
  func unreadable() throws {
    let broken = #"{"class":"TPV","mode"}"#
    let endless = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000)
    let recording = try recording(Array((broken + "\n").utf8) + endless + Array(("\n" + fix(0)).utf8))
    #expect(recording.reports.count == 1)
    #expect(recording.skippedLines == 2)
    #expect(recording.firstSkippedLine == 1)
  }

  @Test("seeded damage never traps, and no line is lost without being counted")
  func fuzz() throws {
    var random = RandomSource(seed: 3)
    let original = Array([version, watch, sky, fix(0), fix(1), fix(2)].joined(separator: "\n").utf8)
    for _ in 0..<3000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert("{}[]\",:\n0".utf8.randomElement(using: &random)!, at: index)
        default: bytes.insert(contentsOf: Array(bytes[index...].prefix(40)), at: index)
        }
      }
      let recording = try recording(bytes)
      #expect(recording.reports.allSatisfy { (1...3).contains($0.mode) })
      #expect((recording.firstSkippedLine == nil) == (recording.skippedLines == 0))
      let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
      #expect(recording.reports.count + recording.skippedLines <= lines)
    }
  }
}

@Suite("Recordings of what a receiver sent")
struct GPSDecodeTests {
  // 2026-03-02T07:00:00Z
  private static let drive = Drive(plan: .short, seed: 7, start_ms: 1_772_434_800_000)
  fileprivate static let nmea = Array(drive.epochs.map { NMEA.sentences(for: $0) }.joined().utf8)

  @Test("NMEA comes back as the drive that it is")
  func nmea() throws {
    let folder = ScratchFolder()
    let comments = Array("# Name: a receiver\n# Chipset: none\n".utf8)
    let recording = try GPSDecode.read(path: try file(comments + Self.nmea, in: folder))
    #expect(recording.skippedLines == 0)
    // After a tunnel gpsd sends two for one epoch: the first, after GGA, with a speed of its own making.
    let fixes = recording.reports.filter { $0.mode >= 2 }
    let last = Dictionary(fixes.map { ($0.time_ms, $0) }, uniquingKeysWith: { $1 })
    // It may keep the first for itself, for want of a date.
    let epochs = Self.drive.epochs.filter(\.hasFix).dropFirst()
    for epoch in epochs {
      let report = try #require(last[epoch.time_ms])
      #expect(abs((report.latitude_deg ?? 0) - epoch.latitude_deg) < 1e-6)
      #expect(abs((report.longitude_deg ?? 0) - epoch.longitude_deg) < 1e-6)
      #expect(abs((report.speed_mps ?? -1) - epoch.speed_mps) < 0.01)
    }
    #expect(recording.reports.count >= Self.drive.epochs.count - 1)
  }

  @Test("a long recording does not block the pipe")
  func long() throws {
    let folder = ScratchFolder()
    let many = Array(repeatElement(Self.nmea, count: 40).joined())
    let recording = try GPSDecode.read(path: try file(many, in: folder))
    #expect(recording.reports.count > 39 * Self.drive.epochs.count)
  }

  @Test("what gpsd cannot read gives no reports")
  func garbage() throws {
    let folder = ScratchFolder()
    var random = RandomSource(seed: 4)
    let bytes = (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    #expect(try GPSDecode.read(path: try file(bytes, in: folder)).reports.isEmpty)
  }

  @Test("without gpsdecode the error says how to get it")
  func missing() throws {
    let folder = ScratchFolder()
    let path = try file(Self.nmea, in: folder)
    #expect(
      problem { try GPSDecode.read(path: path, program: "gpsdecode-that-is-not-there") } == """
        what a receiver sent is read by gpsd's own gpsdecode-that-is-not-there, which is not installed: apt-get \
        install gpsd-clients
        """)
  }

  @Test("a decoder that fails is named with its exit status or signal")
  func failing() throws {
    let folder = ScratchFolder()
    let path = try file(Self.nmea, in: folder)
    #expect(
      problem { try GPSDecode.read(path: path, program: "false") } == "false could not read it: exit status 1"
    )
    let killed = RecordingError.decoderFailed(program: "gpsdecode", status: SIGSEGV)
    #expect("\(killed)" == "gpsdecode could not read it: ended by signal 11")
  }
}

private func problem(_ read: () throws -> GPSDRecording) -> String {
  do {
    return "no error, but \(try read().reports.count) reports"
  } catch {
    return "\(error)"
  }
}

@Suite("Files with recordings")
struct RecordingFileTests {
  @Test("the head and all of it")
  func contents() throws {
    let folder = ScratchFolder()
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
    let path = try file(bytes, in: folder)
    #expect(try RecordingFile.bytes(of: path) == bytes)
    #expect(try RecordingFile.head(of: path, count: 70_000) == Array(bytes.prefix(70_000)))
    #expect(try RecordingFile.head(of: path, count: 300_000) == bytes)
  }

  @Test("a missing file, a folder, a pipe and a forbidden file say so")
  func errors() throws {
    let folder = ScratchFolder()
    #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
    #expect(problem { try GPSDRecording.read(path: folder.path + "/none") } == "there is no such file")
    #expect(problem { try GPSDRecording.read(path: folder.path) } == "is a directory; name one file in it")
    #expect(
      problem { try GPSDRecording.read(path: folder.path + "/pipe") }
        == "is a pipe or a device; write it to a file first")
    #expect("\(RecordingError.callFailed("open", code: EACCES))" == "open: Permission denied (errno 13)")
    #expect(
      "\(RecordingError.tooLarge)" == "is larger than 1024 MB, so not one vehicle's track; cut it into days")
  }

  /// By the program itself, in one piece or several, as `cat a.gz b.gz` makes them.
  private func gzip(_ pieces: [[UInt8]], in folder: ScratchFolder) throws -> String {
    let path = folder.path + "/packed.gz"
    for piece in pieces {
      let plain = try file(piece, in: folder)
      #expect(system("gzip -c \(plain) >> \(path)") == 0)
    }
    return path
  }

  @Test("what gzip has packed is read as it was, of one piece or of several")
  func packed() throws {
    let folder = ScratchFolder()
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let path = try gzip([Array(bytes.prefix(150_000)), Array(bytes.dropFirst(150_000))], in: folder)
    #expect(try RecordingFile.bytes(of: path) == bytes)
    #expect(try RecordingFile.head(of: path, count: 70_000) == Array(bytes.prefix(70_000)))
    let report = #"{"class":"TPV","mode":2,"time":"2026-03-02T07:00:00.000Z","lat":47.5,"lon":8.5}"# + "\n"
    unlink(path)
    let recorded = try gzip([Array(report.utf8), Array(report.utf8)], in: folder)
    #expect(try GPSDRecording.read(path: recorded).reports.count == 2)
  }

  @Test("NMEA that is packed goes to gpsd's decoder unpacked")
  func packedNMEA() throws {
    let folder = ScratchFolder()
    let plain = try GPSDecode.read(path: try file(GPSDecodeTests.nmea, in: folder))
    let packed = try GPSDecode.read(path: try gzip([GPSDecodeTests.nmea], in: folder))
    #expect(!packed.reports.isEmpty && packed.reports == plain.reports)
  }

  @Test("packed and cut or damaged, it is an error that says what to do")
  func damaged() throws {
    let folder = ScratchFolder()
    var random = SystemRandomNumberGenerator()
    let path = try gzip([(0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }], in: folder)
    #expect(truncate(path, 50_000) == 0)
    let words =
      "is packed by gzip, and cut or damaged: gzip -dc FILE > OTHER unpacks what is left; use that, with --skip-bad"
    #expect(problem { try GPSDRecording.read(path: path) } == words)
    #expect(throws: RecordingError.damagedGzip) { try RecordingFile.bytes(of: path) }
    #expect(problem { try GPSDecode.read(path: path) } == words)
  }
}
