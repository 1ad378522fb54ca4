import DriveGenerator
import Testing

private func read(_ text: String, file: String = "drive") throws -> [PlayedEpoch] {
  try TrackReader.parse(Array(text.utf8), file: file)
}

private func error(_ text: String, file: String) -> String {
  errorOf { try TrackReader.parse(Array(text.utf8), file: file) }
}

private func errorOf(_ body: () throws -> [PlayedEpoch]) -> String {
  do {
    return "no error, but \(try body().count) epochs"
  } catch {
    return "\(error)"
  }
}

private func rmc(_ time: String, minutes: String = "00.0000", date: String = "020326", status: String = "A")
  -> String
{
  NMEA.sentence("GPRMC,\(time),\(status),47\(minutes),N,00800.0000,E,10.00,90.0,\(date),,,A")
}

private func gga(_ time: String) -> String {
  NMEA.sentence("GPGGA,\(time),4700.0000,N,00800.0000,E,1,08,0.9,450.0,M,47.0,M,,")
}

@Suite("Recorded NMEA")
struct NMEATrackTests {
  @Test("epochs change where the time of RMC or GGA changes, and lines pass unchanged")
  func grouping() throws {
    let first = gga("070000") + "$GPXYZ,anything\r\n" + rmc("070000")
    let second = gga("070001") + rmc("070001")
    let epochs = try read("# gpsd: a comment\n" + first + second)
    try #require(epochs.count == 2)
    #expect(epochs[0].bytes(withFix: true) == Array(first.utf8))
    #expect(epochs[1].bytes(withFix: true) == Array(second.utf8))
    #expect(epochs.map(\.time_ms) == [1_772_434_800_000, 1_772_434_801_000])
    #expect(epochs[0].fix?.altitude_m == 450)
  }

  @Test("lines that are no sentences, torn or of another protocol pass unchanged too")
  func garbage() throws {
    let text =
      "** logger started **\r\n" + rmc("070000") + "$GPRMC,0700\r\n\u{1}\u{2}\r\n$GPG$" + rmc("070001")
    let epochs = try read(text)
    #expect(epochs.flatMap { $0.bytes(withFix: true) } == Array(text.utf8))
    #expect(epochs.count == 2)
  }

  @Test("rounds without a time are epochs of their own")
  func cold() throws {
    let round = NMEA.sentence("GPGGA,,,,,,0,,,,,,,,") + NMEA.sentence("GPRMC,,V,,,,,,,,,,N")
    let epochs = try read(round + round + gga("070000") + rmc("070000"))
    #expect(epochs.count == 3)
    #expect(epochs.map(\.time_ms) == [nil, nil, 1_772_434_800_000])
    #expect(epochs[0].fix == nil)
    #expect(epochs[0].bytes(withFix: false).isEmpty, "a module that does not know the time cannot say it")
  }

  @Test("past midnight an epoch without a date has the next day")
  func midnight() throws {
    let epochs = try read(rmc("235959") + gga("000000") + rmc("000001", date: "030326"))
    let times = epochs.compactMap(\.time_ms)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1000 })
  }

  @Test("another start changes times, dates and checksums and nothing else")
  func shift() throws {
    let zda = NMEA.sentence("GPZDA,235959.00,02,03,2026,00,00")
    let other = "$GPVTG,90.0,T,,M,10.0,N,18.5,K\r\n"
    let epochs = try read(gga("235959.00") + zda + other + rmc("235959.000"))
    let expected =
      gga("000001.00") + NMEA.sentence("GPZDA,000001.00,03,03,2026,00,00") + other
      + rmc("000001.000", date: "030326")
    #expect(epochs[0].bytes(withFix: true, shift_ms: 2_000) == Array(expected.utf8))
  }

  @Test("a module that still searches gives its own sentences with the track's time")
  func searching() throws {
    let epochs = try read(rmc("070000"))
    let text = String(decoding: epochs[0].bytes(withFix: false), as: UTF8.self)
    #expect(text.contains("$GPRMC,070000.00,V,,,,,,,020326"))
  }

  @Test("parked after the end it repeats the position with speed 0")
  func parked() throws {
    let epoch = try #require(try read(rmc("070000"))[0].parked(at: 1_772_434_805_000))
    let text = String(decoding: epoch.bytes(withFix: true), as: UTF8.self)
    #expect(text.contains("$GPRMC,070005.00,A,4700.0000000,N,00800.0000000,E,0.000,90.00,020326"))
  }

  @Test("errors name the file, the line and the reason, never a coordinate")
  func malformed() {
    let good = rmc("070000")
    #expect(
      error(good + rmc("7:00"), file: "a.nmea") == "a.nmea:2: RMC: the time is not hhmmss or hhmmss.sss")
    #expect(
      error(good + rmc("070001", date: "320326"), file: "a.nmea") == "a.nmea:2: RMC: the date is not ddmmyy")
    #expect(
      error("# x\n" + good + rmc("070001", minutes: "75.0000"), file: "a.nmea")
        == "a.nmea:3: RMC: says it has a fix, but its position is malformed")
    #expect(error(rmc("070000", status: "V"), file: "a.nmea") == "a.nmea: has no position to play")
    #expect(
      error("$GPVTG,1\r\n", file: "a.nmea")
        == "a.nmea: has no RMC or GGA sentence with a time and a right checksum")
    #expect(
      error("time,speed\n1,2\n", file: "a.csv")
        == "a.csv: is neither NMEA (lines that begin with $) nor GPX (<gpx>)")
    #expect(error("", file: "empty") == "empty: is neither NMEA (lines that begin with $) nor GPX (<gpx>)")
  }

  @Test("a compressed file and a missing file say what to do")
  func unreadable() {
    let zipped = errorOf { try TrackReader.parse([0x1F, 0x8B, 8], file: "a.gz") }
    #expect(zipped == "a.gz: is compressed with gzip; unpack it first (gunzip -k)")
    let missing = errorOf { try TrackReader.read(path: "/nowhere/a.gpx") }
    #expect(missing == "/nowhere/a.gpx: open: No such file or directory (errno 2)")
  }
}

private func point(_ time: String, lat: String = "47.0", lon: String = "8.0", inside: String = "") -> String {
  "<trkpt lat=\"\(lat)\" lon=\"\(lon)\">\(inside)<time>2026-03-02T\(time)Z</time></trkpt>\n"
}

private func gpx(_ points: String) -> String {
  "<?xml version=\"1.0\"?>\n<gpx version=\"1.1\"><trk><trkseg>\n\(points)</trkseg></trk></gpx>\n"
}

@Suite("Recorded GPX")
struct GPXTrackTests {
  @Test("points up to 10 s apart are joined by a straight line at 1 Hz")
  func interpolation() throws {
    let epochs = try read(gpx(point("07:00:00") + point("07:00:10", lon: "8.001")))
    try #require(epochs.count == 11)
    let longitudes = epochs.compactMap { $0.fix?.longitude_deg }
    for (second, longitude_deg) in longitudes.enumerated() {
      #expect(abs(longitude_deg - (8 + 0.0001 * Double(second))) < 1e-9)
    }
    let middle = try #require(epochs[5].fix)
    let (speed_mps, course_deg) = (try #require(middle.speed_mps), try #require(middle.course_deg))
    #expect(abs(speed_mps - 7.58) < 0.01)
    #expect(abs(course_deg - 90) < 0.01)
  }

  @Test("between points farther apart there is no fix", arguments: [(10, true), (11, false)])
  func gaps(seconds: Int, hasFix: Bool) throws {
    let epochs = try read(gpx(point("07:00:00") + point("07:00:\(seconds)", lon: "8.001")))
    #expect(epochs.count == seconds + 1)
    #expect(epochs[1..<seconds].allSatisfy { ($0.fix != nil) == hasFix })
    #expect(epochs[0].fix != nil && epochs[seconds].fix != nil)
  }

  @Test("height, speed and course of the points count, with a namespace prefix too")
  func extras() throws {
    let extras = "<ele>400</ele><extensions><g:speed>5.0</g:speed><g:course>45</g:course></extensions>"
    let fix = try #require(
      try read(gpx(point("07:00:00", inside: extras) + point("07:00:02", inside: extras)))[1].fix)
    #expect(fix.altitude_m == 400 && fix.speed_mps == 5 && fix.course_deg == 45)
  }

  @Test("fractions of seconds are interpolated to whole ones")
  func fractions() throws {
    let epochs = try read(gpx(point("07:00:00.5") + point("07:00:01.5", lon: "8.001")))
    #expect(epochs.map(\.time_ms) == [1_772_434_801_000])
    let longitude_deg = try #require(epochs[0].fix?.longitude_deg)
    #expect(abs(longitude_deg - 8.0005) < 1e-9)
  }

  @Test("the antimeridian is crossed the short way")
  func antimeridian() throws {
    let epochs = try read(gpx(point("07:00:00", lon: "179.9999") + point("07:00:02", lon: "-179.9999")))
    let fix = try #require(epochs[1].fix)
    #expect(abs(abs(fix.longitude_deg) - 180) < 1e-9)
    #expect(try #require(fix.speed_mps) < 10)
  }

  @Test("order, doubled times, comments, single quotes and empty points do not matter")
  func tolerance() throws {
    let odd = """
      <!-- <trkpt lat="99"> -->
      <trkpt lon='8.0' lat='47.0' ><name>a > b</name><time> 2026-03-02T07:00:02Z </time></trkpt>

      """
    let epochs = try read(gpx(odd + point("07:00:00") + point("07:00:00", lat: "48.0")))
    #expect(epochs.count == 3)
    #expect(epochs[0].fix?.latitude_deg == 47)
  }

  @Test("errors name the file, the line and the reason, never a coordinate")
  func malformed() {
    func problem(_ points: String) -> String { error(gpx(points), file: "a.gpx") }
    #expect(problem("") == "a.gpx: has no track point (<trkpt>)")
    #expect(problem(point("07:00:00") + "<trkpt lat=\"47\">") == "a.gpx:4: <trkpt> has no lon")
    #expect(problem(point("07:00:00", lat: "97")) == "a.gpx:3: lat of <trkpt> is not a number from -90 to 90")
    #expect(
      problem(point("07:00:00", lon: "nan")) == "a.gpx:3: lon of <trkpt> is not a number from -180 to 180")
    #expect(
      problem("<trkpt lat=\"1\" lon=\"2\"/>")
        == "a.gpx:3: <trkpt> has no <time>; a track without times cannot be played")
    #expect(problem(point("7 o'clock")) == "a.gpx:3: <time> is not ISO 8601, as in 2026-03-02T07:00:00Z")
    #expect(
      problem(point("07:00:00", inside: "<ele>inf</ele>"))
        == "a.gpx:3: <ele> is not a number; correct it or delete the element")
    #expect(
      error("<gpx><trkpt lat=\"1\" lon=\"2\">\n<time>2026-03-02T07:0", file: "a.gpx")
        == "a.gpx:2: the XML is broken here (it is cut off), so nothing behind it can be read")
    let early = "<trkpt lat=\"1\" lon=\"2\"><time>1970-01-01T00:00:00Z</time></trkpt>\n"
    #expect(
      problem(early + point("07:00:00"))
        == "a.gpx:4: this point lies 20514 days after the first (line 3); at most 31 can be played")
  }
}
