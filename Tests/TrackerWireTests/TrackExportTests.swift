import Testing
import TrackerBase
import TrackerWire

@Suite("Tracks for other programs")
struct TrackExportTests {
  // 2026-03-02T07:00:00Z
  private static let start_ms: Int64 = 1_772_434_800_000

  private static func record(
    _ sequence: Int64, _ content: Record.Content, at: (Double, Double)?, trip: Int64? = 1,
    altitude_m: Double? = nil, speed_mps: Double? = nil
  ) -> ExportedRecord {
    let time_ms = start_ms + sequence * 1000
    let fix = at.map {
      Fix(
        time_ms: time_ms, position: Position(latitude_deg: $0.0, longitude_deg: $0.1), altitude_m: altitude_m,
        speed_mps: speed_mps, course_deg: speed_mps.map { _ in 271.25 }, accuracy_m: 4,
        satellites: speed_mps.map { _ in 9 })
    }
    let record = Record(
      sequence: sequence, content: content, time_ms: time_ms, timeSource: .gps, boot_ms: 0, fix: fix,
      isMoving: true, tripID: trip, odometer_m: 0)
    guard let exported = ExportedRecord(line: GeomonyFormat.location(record, queueID: 7)) else {
      fatalError("a record's line cannot be read")
    }
    return exported
  }

  /// Two trips; in the first a gap, a jump, an event with markup in it, and one without a place.
  private static let records = [
    record(
      1, .position(details: PositionDetails(hdop: 0.8)), at: (47.5, 8.5), altitude_m: 439.5, speed_mps: 12.4),
    record(2, .geofence(GeofenceEvent(action: .enter, geofence: "<yard> & \"home\"")), at: (47.5001, 8.5)),
    record(3, .position(), at: (47.5002, 8.5)),
    record(4, .position(isJump: true), at: (12, 12)),
    record(
      5, .gap(TrackGap(cause: .noSky, begin_ms: start_ms + 3000, end_ms: start_ms + 5000)), at: nil),
    record(6, .position(), at: (-0.00001, -8.1234567)),
    record(7, .position(), at: (47, 8), trip: 2),
    record(8, .position(), at: (47.0001, 8), trip: 2),
    record(9, .position(), at: (47.0002, 8), trip: nil),
  ]

  private func text(_ format: TrackExport.Format) -> String {
    var export = TrackExport(format)
    var text = export.head
    for walk in export.walks {
      for record in Self.records { text += export.add(record, in: walk) }
      text += export.endWalk()
    }
    return text + export.tail
  }

  @Test("GPX: events as waypoints, then a track for each trip, broken at a gap; a jump is no part of the way")
  func gpx() {
    let expected = """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="godwit" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
      <wpt lat="47.5001" lon="8.5"><time>2026-03-02T07:00:02.000Z</time><name>geofence</name><desc>{"trip":1,\
      "action":"ENTER","geofence":"&lt;yard&gt; &amp; \\"home\\""}</desc></wpt>
      <trk><name>Trip 1</name><trkseg>
      <trkpt lat="47.5" lon="8.5"><ele>439.5</ele><time>2026-03-02T07:00:01.000Z</time><sat>9</sat><hdop>0.8</hdop><extensions>\
      <gpxtpx:TrackPointExtension><gpxtpx:speed>12.4</gpxtpx:speed><gpxtpx:course>271.3</gpxtpx:course>\
      </gpxtpx:TrackPointExtension></extensions></trkpt>
      <trkpt lat="47.5002" lon="8.5"><time>2026-03-02T07:00:03.000Z</time></trkpt>
      </trkseg></trk>
      <trk><name>Trip 1</name><trkseg>
      <trkpt lat="-0.00001" lon="-8.1234567"><time>2026-03-02T07:00:06.000Z</time></trkpt>
      </trkseg></trk>
      <trk><name>Trip 2</name><trkseg>
      <trkpt lat="47" lon="8"><time>2026-03-02T07:00:07.000Z</time></trkpt>
      <trkpt lat="47.0001" lon="8"><time>2026-03-02T07:00:08.000Z</time></trkpt>
      </trkseg></trk>
      <trk><name>Without a trip</name><trkseg>
      <trkpt lat="47.0002" lon="8"><time>2026-03-02T07:00:09.000Z</time></trkpt>
      </trkseg></trk>
      </gpx>

      """
    #expect(text(.gpx) == expected)
  }

  @Test("GeoJSON: a line for each trip with its times, a point for each event and jump")
  func geojson() throws {
    let json = try #require(JSONReader.parse(Array(text(.geojson).utf8)))
    let features = try #require(json["features"]?.array)
    #expect(
      features.map { $0["geometry"]?["type"]?.string } == [
        "Point", "Point", "LineString", nil, "Point", "LineString", "Point",
      ])
    #expect(
      features.map { $0["properties"]?["event"]?.string } == ["geofence", "jump", nil, "gap", nil, nil, nil])
    let line = features[2]
    #expect(
      line["geometry"]?["coordinates"]?.array?.first?.array?.compactMap(\.number) == [8.5, 47.5, 439.5])
    #expect(line["properties"]?["trip"]?.integer == 1)
    #expect(
      line["properties"]?["times"]?.array?.compactMap(\.string) == [
        "2026-03-02T07:00:01.000Z", "2026-03-02T07:00:03.000Z",
      ])
    #expect(features[0]["properties"]?["geofence"]?.string == "<yard> & \"home\"")
    #expect(features[3]["geometry"] == .null && features[3]["properties"]?["cause"]?.string == "no_sky")
    #expect(features[4]["geometry"]?["coordinates"]?.array?.compactMap(\.number) == [-8.1234567, -0.00001])
  }

  @Test("CSV: a row for each record, in the columns that simulate reads")
  func csv() {
    let rows = text(.csv).split(separator: "\n").map { String($0) }
    #expect(rows.count == 10)
    #expect(
      rows[0]
        == "unix_ms,iso_time,lat,lon,alt_m,speed_mps,course_deg,hacc_m,mode,sats,hdop,is_moving,event,trip,jump,uuid"
    )
    #expect(
      rows[1].hasPrefix(
        "1772434801000,2026-03-02T07:00:01.000Z,47.5,8.5,439.5,12.4,271.3,4,3,9,0.8,1,,1,,"))
    #expect(rows[4].hasPrefix("1772434804000,2026-03-02T07:00:04.000Z,12,12,,,,4,2,,,1,,1,1,"))
    #expect(rows[5].hasPrefix("1772434805000,2026-03-02T07:00:05.000Z,,,,,,,1,,,1,gap,1,,"))
    #expect(rows.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count == 16 })
  }

  @Test("without a record each is a whole file")
  func empty() {
    func text(_ format: TrackExport.Format) -> String {
      var export = TrackExport(format)
      let head = export.head
      return head + export.walks.map { _ in export.endWalk() }.joined() + export.tail
    }
    #expect(text(.gpx).hasSuffix("v2\">\n</gpx>\n"))
    #expect(JSONReader.parse(Array(text(.geojson).utf8))?["features"]?.array == [])
    #expect(text(.csv).split(separator: "\n").count == 1)
  }

  @Test("what is no record's line is none")
  func other() {
    #expect(ExportedRecord(line: "") == nil && ExportedRecord(line: "{}") == nil)
    #expect(ExportedRecord(line: #"{"timestamp":"soon"}"#) == nil)
  }
}
