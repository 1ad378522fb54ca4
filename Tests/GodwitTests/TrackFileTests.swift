import DriveGenerator
import Glibc
import Testing
import TrackerBase
import TrackerLab

@testable import godwit_lab

/// A file of the test's own, gone with it.
private final class ScratchFile {
  let path: String

  init(_ text: String) {
    var template = Array("/tmp/godwit-track-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let bytes = Array(text.utf8)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
  }

  deinit { unlink(path) }
}

private func track(_ text: String) throws -> RecordedTrack {
  let file = ScratchFile(text)
  return try TrackFile.read(path: file.path)
}

/// The error without the path.
private func problem(_ text: String) -> String {
  do {
    return "no error, but \(try track(text).entries.count) reports"
  } catch {
    return "\(error)".split(separator: " ").dropFirst().joined(separator: " ")
  }
}

private let tpv =
  #"{"class":"TPV","mode":2,"time":"2026-03-02T07:00:00.000Z","lat":47.5,"lon":8.5}"# + "\n"

@Suite("Track files of every format")
struct TrackFileTests {
  // 2026-03-02T07:00:00Z
  private static let start_ms: Int64 = 1_772_434_800_000

  @Test("CSV, GPX and gpsd's JSON give the same track")
  func same() throws {
    let texts = [
      "time_unix_ms,lat,lon\n\(Self.start_ms),47.5,8.5\n",
      "<gpx><trkpt lat=\"47.5\" lon=\"8.5\"><time>2026-03-02T07:00:00Z</time></trkpt></gpx>", tpv,
    ]
    let report = GPSReport(mode: 2, time_ms: Self.start_ms, latitude_deg: 47.5, longitude_deg: 8.5)
    for text in texts {
      #expect(Array(try track(text).entries) == [RecordedTrack.Entry(at_ms: Self.start_ms, report: report)])
    }
  }

  @Test("NMEA is read through gpsd, and arrives when it says")
  func nmea() throws {
    let drive = Drive(plan: .short, seed: 7, start_ms: Self.start_ms)
    let track = try track(drive.epochs.map { NMEA.sentences(for: $0) }.joined())
    #expect(track.entries.count >= drive.epochs.count - 2)
    #expect(track.end_ms == drive.epochs[drive.epochs.count - 1].time_ms)
  }

  @Test("a recording that was cut off reports how many lines were skipped")
  func skipped() throws {
    let track = try track(tpv + tpv + String(tpv.prefix(30)))
    #expect(track.entries.count == 2)
    #expect(track.skippedLines == 1)
  }

  @Test("errors name the file and what to do")
  func errors() {
    let record = "has no report of a position (TPV); record with: gpspipe -w -o FILE"
    #expect(problem(#"{"class":"VERSION"}"#) == record)
    #expect(
      problem("{\"class\":\"VERSION\"}\n{\"class\":\"TP") == record
        + ". Lines that are no message of gpsd: 1, the first is line 2.")
    #expect(
      problem("$GPXXX,nothing\r\n")
        == "gpsd finds no report of a position in it; is it NMEA or UBX as a receiver sent it?")
    #expect(problem("") == "is empty")
    #expect(
      problem(tpv.replacing("\"mode\":2", with: "\"mode\":1"))
        == "has not one fix, so there is nothing to replay; record under open sky")
    #expect(
      problem(tpv.replacing("time", with: "tide"))
        == "has not one time, so nobody knows when anything was; record it with times")
  }

  @Test("missing files and folders are reported with their path")
  func missing() {
    #expect(words("/nowhere/a.csv") == "/nowhere/a.csv: there is no such file")
    #expect(words("/tmp") == "/tmp: is a directory; name one file in it")
  }

  private func words(_ path: String) -> String {
    do {
      return try TrackFile.read(path: path).name
    } catch {
      return "\(error)"
    }
  }
}
