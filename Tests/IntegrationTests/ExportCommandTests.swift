import Foundation
import Testing

@Suite("godwit export")
struct ExportCommandTests {
  /// GPX has the six positions as a track, and the three events as waypoints. A CSV's row says no such thing.
  @Test("gpsbabel reads what godwit export writes", arguments: [("gpx", 6), ("csv", 9)])
  func gpsbabel(_ format: String, _ points: Int) throws {
    let rig = try QueueCommandTests().filledRig()
    let file = rig.file("track.\(format)").path
    let outcome = try CommandTests.godwit(
      ["export", file, "--config", rig.file("godwit.toml").path])
    #expect(outcome.code == 0 && outcome.errors.hasSuffix("9 records exported\n"), "\(outcome)")
    let read = try CommandTests.run(
      URL(filePath: "/usr/bin/gpsbabel"),
      [
        "-t", "-i", format == "csv" ? "unicsv,utc=0" : format, "-f", file, "-o", "unicsv,utc=0", "-F", "-",
      ])
    let rows = read.output.split(whereSeparator: \.isNewline).map {
      $0.split(separator: ",").map(String.init)
    }
    let names = try #require(rows.first)
    let columns = try ["Latitude", "Longitude", "Date", "Time"].map { try #require(names.firstIndex(of: $0)) }
    #expect(rows.count == points + 1, "\(read)")
    for (row, minute) in zip(rows.dropFirst(), format == "gpx" ? [1, 2, 4, 5, 7, 8] : Array(1...9)) {
      #expect(columns.map { row[$0] } == ["47.376900", "8.541700", "2026/01/01", "00:0\(minute):00"])
    }
  }
}
