import Testing
import TrackerAgent
import TrackerBase

@testable import TrackerLab

@Suite("A modem's cells in a replay")
struct CellReplayTests {
  private static func read(_ text: String) throws -> [CellRecording.Change] {
    try CellRecording.read(Array(text.utf8), file: "drives/a.cells.csv")
  }

  @Test("a file of them, empty for none, LF or CR LF")
  func file() throws {
    let first = Cell(country: 1, network: 1, area: 0xC3, id: 0x12AB)
    for end in ["\n", "\r\n"] {
      let lines = ["time_unix_ms,cell", "1000,001 01 00C3 00012AB", "1000,", "5000,1 1 c3 12ab", ""]
      #expect(
        try CellReplayTests.read(lines.joined(separator: end)) == [
          .init(at_ms: 1000, cell: first), .init(at_ms: 1000, cell: nil), .init(at_ms: 5000, cell: first),
        ])
    }
    #expect(try CellReplayTests.read("time_unix_ms,cell").isEmpty)
  }

  @Test(
    "what is wrong is said with its line",
    arguments: [
      ("", 1, "the first line is not time_unix_ms,cell"),
      ("time,cell\n1,", 1, "the first line is not time_unix_ms,cell"),
      ("time_unix_ms,cell\n1", 2, "is not a time in Unix milliseconds, a comma and a cell"),
      ("time_unix_ms,cell\n1,,", 2, "is not a time in Unix milliseconds, a comma and a cell"),
      ("time_unix_ms,cell\n-1,", 2, "is not a time in Unix milliseconds, a comma and a cell"),
      ("time_unix_ms,cell\n9,\n\n8,", 4, "is earlier than the line before it"),
      (
        "time_unix_ms,cell\n9,1 1 c3", 2,
        "the cell is not MCC MNC TAC CI, such as 001 01 00C3 00012AB, nor empty"
      ),
      (
        "time_unix_ms,cell\n9,1 1 c3 xyz", 2,
        "the cell is not MCC MNC TAC CI, such as 001 01 00C3 00012AB, nor empty"
      ),
    ])
  func errors(text: String, line: Int, reason: String) {
    #expect(throws: TrackError(file: "drives/a.cells.csv", line: line, reason: reason)) {
      try CellReplayTests.read(text)
    }
  }

  @Test("the modem says each change at its time, and what came before the start at once")
  func modem() {
    let clock = VirtualClock(wall_ms: 0)
    let changes = [1, 2, 3].map { (at_ms: Int64($0) * 1000, event: Event.link([Modem(cell: cell($0))])) }
    let modem = VirtualEvents(changes, clock: clock, offset_ms: 2500)
    #expect(modem.nextNews_ms == 0)
    #expect(modem.receive(ready: []) == [.link([Modem(cell: cell(1))]), .link([Modem(cell: cell(2))])])
    #expect(modem.nextNews_ms == 500 && modem.receive(ready: []).isEmpty)
    clock.advance(to: 500)
    #expect(modem.receive(ready: []) == [.link([Modem(cell: cell(3))])])
    #expect(modem.nextNews_ms == nil)
  }

  private func cell(_ id: Int) -> Cell { Cell(country: 1, network: 1, area: 1, id: UInt64(id)) }

  /// A hundred minutes parked, a drive of 27, an hour parked.
  private func replay(cells: [CellRecording.Change]) throws -> ReplayResult {
    let (begin_s, end_s) = (6000, 7600)
    let reports = (0..<11_400).map { s in
      let driven_s = Double(max(0, min(s, end_s) - begin_s))
      return GPSReport(
        mode: 3, time_ms: 1_772_409_600_000 + Int64(s) * 1000, latitude_deg: 47 + driven_s * 15 / 111_195,
        longitude_deg: 8, speed_mps: s >= begin_s && s < end_s ? 15 : 0, accuracy_m: 5, satellites: 9)
    }
    let track = try #require(RecordedTrack(name: "test", reports: reports))
    var settings = Settings()
    settings.motion.probeInterval_s = 1800
    settings.motion.probeIntervalMax_s = 1800
    settings.motion.probeWorth = 0
    return try Replay(track: track, settings: settings, cells: cells).run()
  }

  @Test("a drive whose beginning a cell tells is seen from then on")
  func told() throws {
    let start_ms: Int64 = 1_772_409_600_000
    func begin_s(_ result: ReplayResult) throws -> Double {
      let first = try #require(result.kept.first { $0.time_ms > start_ms + 6_001_000 })
      return Double(first.time_ms - start_ms) / 1000
    }
    let alone = try replay(cells: [])
    let told = try replay(cells: [
      .init(at_ms: start_ms, cell: cell(1)), .init(at_ms: start_ms + 6_040_000, cell: cell(2)),
    ])
    let (late_s, soon_s) = (try begin_s(alone), try begin_s(told))
    #expect((6040...6046).contains(soon_s) && late_s > soon_s + 60, "\(soon_s) and \(late_s)")
  }
}
