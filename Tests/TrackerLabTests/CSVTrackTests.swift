import Testing
import TrackerBase
import TrackerLab

private let names = "time_unix_ms,lat,lon,alt_m,speed_mps,course_deg,hacc_m,mode,sats,hdop"

private func read(_ text: String) throws -> RecordedTrack {
  try CSVRecording.read(Array(text.utf8), file: "drives/a.csv")
}

private func reports(_ text: String) throws -> [GPSReport] { try read(text).entries.map(\.report) }

private func problem(_ text: String) -> String {
  do {
    return "no error, but \(try read(text).entries.count) rows"
  } catch {
    return "\(error)"
  }
}

@Suite("CSV tracks")
struct CSVTrackTests {
  @Test("every column is read, and the file's name is the track's")
  func whole() throws {
    let track = try read("\(names)\n1558901878000,41.25,-95.75,344,10.5,289.25,4.5,3,8,0.98\n")
    #expect(track.name == "a.csv")
    #expect(
      track.entries.map(\.report) == [
        GPSReport(
          mode: 3, time_ms: 1_558_901_878_000, latitude_deg: 41.25, longitude_deg: -95.75, altitude_m: 344,
          speed_mps: 10.5, course_deg: 289.25, accuracy_m: 4.5, hdop: 0.98, satellites: 8)
      ])
  }

  @Test("columns may come in any order, with others between, and optional ones may be absent")
  func columns() throws {
    let text = "driver,lon,time_unix_ms,lat\nAnna,8.5,1000,47.5\n"
    #expect(
      try reports(text) == [GPSReport(mode: 2, time_ms: 1000, latitude_deg: 47.5, longitude_deg: 8.5)])
  }

  @Test("without a mode the row's own values report it")
  func mode() throws {
    let rows = try reports("time_unix_ms,lat,lon,alt_m\n1000,47,8,400\n2000,47,8,\n3000,,,\n")
    #expect(rows.map(\.mode) == [3, 2, 1])
  }

  @Test("a row without a fix has no position, and one in two dimensions no height, as when it is live")
  func likeLive() throws {
    let rows = try reports(
      "\(names)\n1000,47,8,400,3,90,5,1,4,2\n2000,47,8,400,,,,2,,\n3000,,,,,,,0,,99.99\n")
    #expect(rows[0] == GPSReport(mode: 1, time_ms: 1000, satellites: 4))
    #expect(rows[1] == GPSReport(mode: 2, time_ms: 2000, latitude_deg: 47, longitude_deg: 8))
    #expect(rows[2] == GPSReport(mode: 0, time_ms: 3000))
  }

  @Test("a course of 360 is 0, and a HDOP of 99.99 is none")
  func special() throws {
    let row = try reports("\(names)\n1000,47,8,,,360,,,,99.99\n")[0]
    #expect(row.course_deg == 0)
    #expect(row.hdop == nil)
  }

  @Test(
    "line ends of any kind, a byte order mark, blank lines and spaces do not matter",
    arguments: [
      "time_unix_ms,lat,lon\r\n1000,47,8\r\n2000,47,8",
      "\u{FEFF}time_unix_ms,lat,lon\n1000,47,8\n\n2000,47,8\n",
      " time_unix_ms , lat,lon \n1000, 47 ,8\n \n2000,47,8 ",
    ])
  func tolerance(text: String) throws {
    #expect(try reports(text).map(\.time_ms) == [1000, 2000])
  }

  @Test("order, doubled and backward times stay as recorded")
  func order() throws {
    let rows = try reports("time_unix_ms,lat,lon\n5000,47,8\n5000,47,8\n3000,47,8\n,47,8\n")
    #expect(rows.map(\.time_ms) == [5000, 5000, 3000, nil])
  }

  @Test("numbers are the nearest Double, however they are written")
  func numbers() throws {
    let texts = [
      "47", "-0.1", "+1.5", "9.0071992547409925", "1e-3", "12.", ".5", "37.720997700000000001", "0.3",
    ]
    let text = "time_unix_ms,lat,lon\n" + texts.map { "1000,\($0),8\n" }.joined()
    #expect(
      try reports(text).map(\.latitude_deg)
        == [47, -0.1, 1.5, 9.0071992547409925, 0.001, 12, 0.5, 37.7209977, 0.3])
  }

  @Test("the ignition's changes are edges; an empty value changes nothing")
  func ignition() throws {
    let text =
      "time_unix_ms,lat,lon,ignition\n1000,47,8,\n2000,47,8,0\n3000,47,8,\n4000,47,8,1\n5000,47,8,1\n6000,47,8,0\n"
    #expect(
      try read(text).ignition == [
        RecordedTrack.IgnitionEdge(at_ms: 2000, isOn: false),
        RecordedTrack.IgnitionEdge(at_ms: 4000, isOn: true),
        RecordedTrack.IgnitionEdge(at_ms: 6000, isOn: false),
      ])
    #expect(try read("time_unix_ms,lat,lon\n1000,47,8\n").ignition == [])
  }
}

@Suite("Errors in CSV tracks")
struct CSVErrorTests {
  private static let table: [(row: String, reason: String)] = [
    (
      "yesterday,47,8,,,,,,,",
      "time_unix_ms is not a whole number of milliseconds since 1970; correct it or delete the row"
    ),
    (
      "1000.5,47,8,,,,,,,",
      "time_unix_ms is not a whole number of milliseconds since 1970; correct it or delete the row"
    ),
    (
      "-1,47,8,,,,,,,",
      "time_unix_ms is not a whole number of milliseconds since 1970; correct it or delete the row"
    ),
    (
      "9999999999999999999,47,8,,,,,,,",
      "time_unix_ms is not a whole number of milliseconds since 1970; correct it or delete the row"
    ),
    ("1712345678,47,8,,,,,,,", "time_unix_ms is in seconds: it wants milliseconds"),
    (
      "1000,90.1,8,,,,,,,",
      "lat is not a number from -90 to 90; correct it, or leave both empty if there was no fix"
    ),
    (
      "1000,nan,8,,,,,,,",
      "lat is not a number from -90 to 90; correct it, or leave both empty if there was no fix"
    ),
    (
      "1000,0x1p3,8,,,,,,,",
      "lat is not a number from -90 to 90; correct it, or leave both empty if there was no fix"
    ),
    (
      "1000,-,8,,,,,,,",
      "lat is not a number from -90 to 90; correct it, or leave both empty if there was no fix"
    ),
    (
      "1000,47,-180.5,,,,,,,",
      "lon is not a number from -180 to 180; correct it, or leave both empty if there was no fix"
    ),
    (
      "1000,47,1e999,,,,,,,",
      "lon is not a number from -180 to 180; correct it, or leave both empty if there was no fix"
    ),
    (
      "1000,47,8,high,,,,,,",
      "alt_m is not a number from -100000 to 100000; leave it empty if it is not known"
    ),
    ("1000,47,8,,-1,,,,,", "speed_mps is not a number from 0 to 1000; leave it empty if it is not known"),
    ("1000,47,8,,,361,,,,", "course_deg is not a number from 0 to 360; leave it empty if it is not known"),
    ("1000,47,8,,,,-4,,,", "hacc_m is not a number from 0 to 100000000; leave it empty if it is not known"),
    ("1000,47,8,,,,,4,,", "mode is not 0, 1, 2 or 3; leave it empty if it is not known"),
    ("1000,47,8,,,,,,many,", "sats is not a whole number from 0 to 1000; leave it empty if it is not known"),
    ("1000,47,8,,,,,,,-1", "hdop is not a number from 0 to 100000; leave it empty if it is not known"),
    ("1000,47,,,,,,,,", "has only one of lat and lon. Give both, or neither and mode 1."),
    ("1000,,,,,,,2,,", "mode 2 needs lat and lon; without a fix mode is 1"),
    (
      "1000,47",
      "has 2 columns, but the header has 10. Unknown values stay empty between commas; delete a line that was "
        + "cut off."
    ),
    (
      "1000,47,5,8,,,,,,,",
      "has 11 columns, but the header has 10. Commas separate columns; decimals have a point."
    ),
  ]

  @Test("a malformed row is named with its line, the reason, and never its values", arguments: 0..<21)
  func malformed(index: Int) {
    let (row, reason) = Self.table[index]
    let text = "\(names)\r\n1000,47,8,,,,,,,\r\n\r\n\(row)\r\n"
    #expect(problem(text) == "drives/a.csv:4: \(reason)")
    #expect(Self.table.count == 22)
  }

  @Test("a malformed header, and a file with nothing to replay")
  func whole() {
    let needed = "time_unix_ms, lat and lon are needed, separated by commas."
    #expect(problem("time_unix_ms,lat\n") == "drives/a.csv:1: the header has no column lon. \(needed)")
    #expect(
      problem("time_unix_ms;lat;lon\n") == "drives/a.csv:1: the header has no column time_unix_ms. \(needed)")
    #expect(problem("time,lat,lon\n") == "drives/a.csv:1: the header has no column time_unix_ms. \(needed)")
    #expect(problem("time_unix_ms,lat,lon,lat\n") == "drives/a.csv:1: the header names lat twice")
    #expect(
      problem("time_unix_ms,lat,lon\r1000,47,8\r")
        == "drives/a.csv:1: lines end with CR alone; convert them to LF (tr '\\r' '\\n' < OLD > NEW)")
    #expect(
      problem("time_unix_ms,lat,lon" + String(repeating: ",", count: 5_000_000))
        == "drives/a.csv:1: the header names more than 1000 columns; leave away what is not needed")
    #expect(problem("\ntime_unix_ms,lat,lon\n") == "drives/a.csv:2: the header has no row below it")
    #expect(
      problem("time_unix_ms,lat,lon\n1000,,\n")
        == "drives/a.csv: has not one fix, so there is nothing to replay; record under open sky")
    #expect(
      problem("time_unix_ms,lat,lon\n,47,8\n")
        == "drives/a.csv: has not one time, so nobody knows when anything was; record it with times")
    #expect(
      problem("time_unix_ms,lat,lon,ignition\n1000,47,8,on\n")
        == "drives/a.csv:2: ignition is not 0 or 1; leave it empty if it is not known")
  }

  @Test("--skip-bad passes over malformed rows, counts them, and keeps the first one's reason and place")
  func skipBad() throws {
    let rows = """
      time_unix_ms,lat,lon,ignition
      1000,47,8,0
      2000,47
      3000,47,8,1
      4000,47,800,0
      50
      6000,47,8,1

      """
    let track = try CSVRecording.read(Array(rows.utf8), file: "a.csv", skipsBad: true)
    #expect(track.entries.map(\.at_ms) == [1000, 3000, 6000])
    #expect(track.skippedLines == 3)
    #expect(
      track.firstSkipped?.description.hasPrefix("a.csv:3: has 2 columns, but the header has 4.") == true)
    // A bad row switches no ignition.
    #expect(track.ignition.map(\.isOn) == [false, true])
    #expect(problem(rows).hasPrefix("drives/a.csv:3: has 2 columns"))
    // The command names --skip-bad where it helps.
    for (text, isOfRow) in [(rows, true), ("time,lat,lon\n", false)] {
      #expect((#expect(throws: TrackError.self) { try read(text) })?.isOfRow == isOfRow)
    }
  }

  @Test("--skip-bad takes no file of which the most is malformed, and no bad header")
  func mostlyBad() {
    func problem(_ text: String) -> String? {
      do {
        _ = try CSVRecording.read(Array(text.utf8), file: "a.csv", skipsBad: true)
        return nil
      } catch { return "\(error)" }
    }
    let header = "time_unix_ms,lat,lon\n"
    #expect(problem(header + "1000,47,8\nx,47,8\n") == nil)
    #expect(
      problem(header + "1000,47,8\nx,47,8\n2000,47\n") == "a.csv: 2 rows are malformed and only 1 not, which "
        + "--skip-bad does not pass over; the first (line 3): time_unix_ms is not a whole number of milliseconds since "
        + "1970; correct it or delete the row")
    #expect(
      problem("time,lat\n1000,47\n")?.hasPrefix("a.csv:1: the header has no column time_unix_ms") == true)
  }
}
