import Testing
import TrackerBase
import TrackerLab

private func point(_ time: String, _ inside: String = "") -> String {
  "<trkpt lat=\"47.5\" lon=\"8.5\">\(inside)<time>\(time)</time></trkpt>\n"
}

private func read(_ points: String) throws -> RecordedTrack {
  try GPXRecording.read(Array("<gpx><trk><trkseg>\n\(points)</trkseg></trk></gpx>\n".utf8), file: "a.gpx")
}

private func problem(_ points: String) -> String {
  do {
    return "no error, but \(try read(points).entries.count) points"
  } catch {
    return "\(error)"
  }
}

@Suite("GPX tracks")
struct GPXReplayTests {
  @Test("a point with everything, in extensions too")
  func whole() throws {
    let inside =
      "<ele>410.5</ele><fix>3d</fix><sat>9</sat><hdop>0.9</hdop><extensions><x:speed>5.5</x:speed>"
      + "<x:course>90</x:course></extensions>"
    #expect(
      try read(point("2026-03-02T07:00:00.250Z", inside)).entries.map(\.report) == [
        GPSReport(
          mode: 3, time_ms: 1_772_434_800_250, latitude_deg: 47.5, longitude_deg: 8.5, altitude_m: 410.5,
          speed_mps: 5.5, course_deg: 90, hdop: 0.9, satellites: 9)
      ])
  }

  @Test(
    "a time may do without its zone or the zone's colon, and have a blank for the T or a comma for the point",
    arguments: [
      "2026-03-02T07:00:00.250Z", "2026-03-02T07:00:00.25", "2026-03-02 08:00:00,2501+0100",
      "2026-03-01T21:30:00.25-09:30", "2026-03-02 08:00:00.25+01",
    ])
  func times(_ text: String) { #expect(TimeText.unix_ms(text) == 1_772_434_800_250) }

  @Test(
    "half a zone is none",
    arguments: ["2026-03-02T07:00:00+1", "2026-03-02T07:00:00+0:100", "2026-03-02T07:00:00Z01:00"])
  func halfZone(_ text: String) { #expect(TimeText.unix_ms(text) == nil) }

  @Test("points are not interpolated, and stay in the order of the file")
  func order() throws {
    let times = ["07:00:09", "07:00:00", "07:00:00"].map { point("2026-03-02T\($0)Z") }.joined()
    let reports = try read(times).entries.map(\.report)
    #expect(reports.map { ($0.time_ms ?? 0) - 1_772_434_800_000 } == [9000, 0, 0])
  }

  @Test("an element of an extension does not replace the point's own, and no time is taken from one")
  func extensions() throws {
    let other =
      "<extensions><x:time>2001-01-01T00:00:00Z</x:time><x:ele>9</x:ele><x:speed>7</x:speed></extensions>"
    let own = "<ele>410</ele><speed>5</speed>"
    let reports = try read(
      point("2026-03-02T07:00:00Z", own + other) + point("2026-03-02T07:00:01Z", other + own)
        + point("2026-03-02T07:00:02Z", other)
    ).entries.map(\.report)
    #expect(reports.map { ($0.time_ms ?? 0) - 1_772_434_800_000 } == [0, 1000, 2000])
    #expect(reports.map(\.altitude_m) == [410, 410, nil])
    #expect(reports.map(\.speed_mps) == [5, 5, 7])
  }

  @Test("a point without a time is left out and counted; a track without any time is an error")
  func timeless() throws {
    let bare = "<trkpt lat=\"47\" lon=\"8\"/>\n"
    let track = try read(point("2026-03-02T07:00:00Z") + bare + point("2026-03-02T07:00:01Z"))
    #expect(track.entries.count == 2 && track.skippedLines == 1)
    #expect(
      track.firstSkipped?.description
        == "a.gpx:3: <trkpt> has no <time>; a track without times cannot be played")
    #expect(problem(bare + bare) == "a.gpx:2: <trkpt> has no <time>; a track without times cannot be played")
    #expect((#expect(throws: TrackError.self) { try read(bare + bare) })?.isOfRow == false)
  }

  @Test("segments that are out of order are put into the order of their times")
  func outOfOrder() throws {
    func segment(_ minute: Int) -> String {
      point("2026-03-02T07:0\(minute):00Z") + point("2026-03-02T07:0\(minute):01Z") + "</trkseg><trkseg>\n"
    }
    let reports = try read(segment(3) + segment(1) + segment(2)).entries.map(\.report)
    #expect(
      reports.map { (($0.time_ms ?? 0) - 1_772_434_800_000) / 1000 } == [60, 61, 120, 121, 180, 181])
  }

  @Test("UTF-16 in both orders of bytes, and pieces that end anywhere", arguments: [true, false])
  func utf16(isBig: Bool) throws {
    let text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><gpx><trk><trkseg>\n\(point("2026-03-02T07:00:00Z"))</trkseg></trk></gpx>"
    let units = [0xFEFF] + Array(text.utf16)
    let bytes = units.flatMap {
      isBig ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
    }
    #expect(try TrackFormat(head: bytes, file: "a.gpx") == .gpx)
    let recording = GPXRecording(file: "a.gpx")
    for byte in bytes { try recording.take([byte]) }
    #expect(try recording.finish().entries.map(\.report.latitude_deg) == [47.5])
  }

  @Test("a file that breaks off names the place and what is missing")
  func brokenOff() {
    let text = "<gpx><trk><trkseg>\n" + point("2026-03-02T07:00:00Z") + "<trkpt lat=\"47\" lo"
    var error = TrackError(
      file: "a.gpx", line: 3,
      reason: "the XML is broken here (it is cut off), so nothing behind it can be read")
    error.isOfRow = true
    #expect(throws: error) { try GPXRecording.read(Array(text.utf8), file: "a.gpx") }
  }

  @Test("what reports the mode: the fix, else whether there is a height")
  func mode() throws {
    let insides = ["", "<ele>1</ele>", "<fix>2d</fix><ele>1</ele>", "<fix>none</fix>", "<fix>dgps</fix>"]
    let reports = try read(insides.map { point("2026-03-02T07:00:00Z", $0) }.joined()).entries.map(\.report)
    #expect(reports.map(\.mode) == [2, 3, 2, 1, 2])
    #expect(reports[2].altitude_m == nil)
    #expect(reports[3] == GPSReport(mode: 1, time_ms: 1_772_434_800_000))
  }

  @Test("the -1 of phones, an empty element and a HDOP of 99.9 are unknown")
  func unknown() throws {
    let inside = "<speed>-1</speed><course>-1.0</course><sat>-1</sat><ele></ele><hdop>99.9</hdop>"
    #expect(
      try read(point("2026-03-02T07:00:00Z", inside)).entries.map(\.report) == [
        GPSReport(mode: 2, time_ms: 1_772_434_800_000, latitude_deg: 47.5, longitude_deg: 8.5)
      ])
  }

  @Test("tracks that lie more than a month apart are no one recording")
  func far() {
    let near = point("2026-03-02T07:00:00Z") + point("2026-04-02T07:00:00Z")
    #expect(problem(near) == "no error, but 2 points")
    #expect(
      problem(near + point("2026-05-03T07:00:01Z")) == """
        a.gpx:4: this point lies 31 days after the one before it; at most 31 can be replayed. Cut the file here, or \
        delete the point if its time is wrong.
        """)
  }

  @Test("a track without a fix has nothing to replay")
  func noFix() {
    #expect(
      problem(point("2026-03-02T07:00:00Z", "<fix>none</fix>"))
        == "a.gpx: has not one fix, so there is nothing to replay; record under open sky")
    #expect(
      problem(point("2026-03-02T07:00:00Z", "\n<hdop>low</hdop>"))
        == "a.gpx:3: <hdop> is not a number; correct it or delete the element")
  }

  @Test("--skip-bad passes over malformed points, one that the file's end cuts off too")
  func skipBad() throws {
    func point(_ lat: String, _ inside: String) -> String {
      "<trkpt lat=\"\(lat)\" lon=\"8\">\(inside)</trkpt>\n"
    }
    let time = "<time>2026-03-02T07:00:00Z</time>"
    let text =
      "<gpx>\n" + point("47", time) + point("470", time) + point("47.1", "<time>soon</time><ele>4</ele>")
      + point("47.2", time) + point("47.3", "") + point("47.4", time) + point("47.5", time)
      + "<trkpt lat=\"47\" lon=\"8\">" + time
    let track = try GPXRecording.read(Array(text.utf8), file: "a.gpx", skipsBad: true)
    #expect(track.entries.map(\.report.latitude_deg) == [47, 47.2, 47.4, 47.5])
    #expect(track.skippedLines == 4)
    #expect(
      track.firstSkipped?.description == "a.gpx:3: lat of <trkpt> is not a number from -90 to 90")
  }
}
