import Testing
import TrackerCore
import TrackerReplay

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
      "2026-03-01T21:30:00.25-09:30",
    ])
  func times(_ text: String) { #expect(TimeText.unix_ms(text) == 1_772_434_800_250) }

  @Test(
    "half a zone is none",
    arguments: ["2026-03-02T07:00:00+01", "2026-03-02T07:00:00+0:100", "2026-03-02T07:00:00Z01:00"])
  func halfZone(_ text: String) { #expect(TimeText.unix_ms(text) == nil) }

  @Test("points are not interpolated, and stay in the order of the file")
  func order() throws {
    let times = ["07:00:09", "07:00:00", "07:00:00"].map { point("2026-03-02T\($0)Z") }.joined()
    let reports = try read(times).entries.map(\.report)
    #expect(reports.map { ($0.time_ms ?? 0) - 1_772_434_800_000 } == [9000, 0, 0])
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
