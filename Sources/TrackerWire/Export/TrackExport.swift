import TrackerBase

/// Records as a file for other programs, made piece by piece: the file may be larger than memory.
public struct TrackExport {
  public enum Format: String, CaseIterable, Sendable {
    case gpx, geojson, csv
  }

  public let format: Format
  /// Of the line that is open: positions of one trip, without a gap.
  private var line: [ExportedRecord] = []
  private var isFirst = true

  public init(_ format: Format) { self.format = format }

  /// What is asked for in each walk through the records: GPX has all places before all ways.
  public var walks: [Walk] {
    switch format {
    case .gpx: [.events, .positions]
    case .geojson, .csv: [.all]
    }
  }

  public enum Walk: Sendable {
    case events, positions, all
  }

  public var head: String {
    switch format {
    case .gpx: GPXText.head
    case .geojson: "{\"type\":\"FeatureCollection\",\"features\":[\n"
    case .csv: CSVText.head
    }
  }

  public mutating func add(_ record: ExportedRecord, in walk: Walk) -> String {
    switch format {
    case .csv: return CSVText.row(record)
    case .gpx where walk == .events: return record.isEvent ? GPXText.waypoint(record) : ""
    case .gpx, .geojson: break
    }
    let isPoint = record.isEvent || record.isJump
    var text = ""
    if breaksLine(record) { text = endLine() }
    if !isPoint, record.position != nil { line.append(record) }
    if isPoint, format == .geojson { text += feature(GeoJSONText.point(record)) }
    return text
  }

  /// What is open after the last record of a walk.
  public mutating func endWalk() -> String { endLine() }

  public var tail: String {
    switch format {
    case .gpx: "</gpx>\n"
    case .geojson: "\n]}\n"
    case .csv: ""
    }
  }

  /// Another trip begins, or nobody knows the way from the position before.
  private func breaksLine(_ record: ExportedRecord) -> Bool {
    guard let last = line.last else { return false }
    return record.event == Record.Kind.gap.eventName || !record.isEvent && record.trip != last.trip
  }

  private mutating func endLine() -> String {
    defer { line = [] }
    guard !line.isEmpty else { return "" }
    switch format {
    case .gpx: return GPXText.track(line)
    case .geojson: return feature(GeoJSONText.line(line))
    case .csv: return ""
    }
  }

  private mutating func feature(_ json: String?) -> String {
    guard let json else { return "" }
    defer { isFirst = false }
    return (isFirst ? "" : ",\n") + json
  }
}

/// The columns that `godwit simulate` reads, and some more; the collector's export has the same (docs/queue.md). gpsbabel
/// takes a column for a time of day if its name contains "time", so only the ISO 8601 one does.
private enum CSVText {
  static let head =
    "unix_ms,iso_time,lat,lon,alt_m,speed_mps,course_deg,hacc_m,mode,sats,hdop,is_moving,event,trip,jump,uuid\n"

  static func row(_ record: ExportedRecord) -> String {
    let position = record.position
    let fields = [
      "\(record.time_ms)", record.time, position.map { plainDecimal($0.latitude_deg, decimals: 7) },
      position.map { plainDecimal($0.longitude_deg, decimals: 7) },
      record.altitude_m.map { plainDecimal($0, decimals: 1) },
      record.speed_mps.map { plainDecimal($0, decimals: 2) },
      record.course_deg.map { plainDecimal($0, decimals: 1) },
      record.accuracy_m.map { plainDecimal($0, decimals: 1) },
      position == nil ? "1" : record.altitude_m == nil ? "2" : "3", record.satellites.map { "\($0)" },
      record.hdop.map { plainDecimal($0, decimals: 1) }, record.isMoving.map { $0 ? "1" : "0" }, record.event,
      record.trip.map { "\($0)" }, record.isJump ? "1" : "", record.uuid,
    ]
    return fields.map { $0 ?? "" }.joined(separator: ",") + "\n"
  }
}

/// RFC 7946.
private enum GeoJSONText {
  /// A line of one position is a point.
  static func line(_ records: [ExportedRecord]) -> String {
    JSONWriter.object { json in
      json.member("type", "Feature")
      json.object("geometry") { json in
        json.member("type", records.count > 1 ? "LineString" : "Point")
        json.key("coordinates")
        if records.count > 1 { json.beginArray() }
        for record in records { write(record, to: &json) }
        if records.count > 1 { json.endArray() }
      }
      json.object("properties") { json in
        if let trip = records[0].trip { json.member("trip", trip) }
        json.member("begin", records[0].time)
        json.member("end", records[records.count - 1].time)
        json.key("times")
        json.beginArray()
        for record in records { json.string(record.time) }
        json.endArray()
      }
    }
  }

  /// An event or a jump, with its place where it has one.
  static func point(_ record: ExportedRecord) -> String {
    JSONWriter.object { json in
      json.member("type", "Feature")
      if record.position == nil {
        json.key("geometry")
        json.value(.null)
      } else {
        json.object("geometry") { json in
          json.member("type", "Point")
          json.key("coordinates")
          write(record, to: &json)
        }
      }
      json.object("properties") { json in
        json.member("event", record.isEvent ? record.event : "jump")
        json.member("time", record.time)
        json.member("uuid", record.uuid)
        if case .object(let members) = record.extras {
          for member in members where !["event", "time", "uuid"].contains(member.key) {
            json.key(member.key)
            json.value(member.value)
          }
        }
      }
    }
  }

  private static func write(_ record: ExportedRecord, to json: inout JSONWriter) {
    guard let position = record.position else { return }
    json.beginArray()
    json.raw(plainDecimal(position.longitude_deg, decimals: 7))
    json.raw(plainDecimal(position.latitude_deg, decimals: 7))
    if let altitude_m = record.altitude_m { json.raw(plainDecimal(altitude_m, decimals: 1)) }
    json.endArray()
  }
}

/// GPX 1.1 (topografix.com/GPX/1/1), with speed and course where Garmin's extension has them.
private enum GPXText {
  static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="godwit" xmlns="http://www.topografix.com/GPX/1/1" \
    xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">

    """

  /// Nothing for an event without a place.
  static func waypoint(_ record: ExportedRecord) -> String {
    guard let position = record.position else { return "" }
    var text = "<wpt \(attributes(position))>\(height(record))<time>\(record.time)</time>"
    text += "<name>\(escaped(record.event))</name>"
    if record.extras != .null {
      var json = JSONWriter()
      json.value(record.extras)
      text += "<desc>\(escaped(json.text))</desc>"
    }
    return text + "</wpt>\n"
  }

  static func track(_ records: [ExportedRecord]) -> String {
    let name = records[0].trip.map { "Trip \($0)" } ?? "Without a trip"
    let points = records.compactMap { record in
      record.position.map {
        "<trkpt \(attributes($0))>\(height(record))<time>\(record.time)</time>\(quality(record))\(motion(record))</trkpt>\n"
      }
    }
    return "<trk><name>\(name)</name><trkseg>\n\(points.joined())</trkseg></trk>\n"
  }

  private static func attributes(_ position: Position) -> String {
    "lat=\"\(plainDecimal(position.latitude_deg, decimals: 7))\" "
      + "lon=\"\(plainDecimal(position.longitude_deg, decimals: 7))\""
  }

  private static func height(_ record: ExportedRecord) -> String {
    record.altitude_m.map { "<ele>\(plainDecimal($0, decimals: 1))</ele>" } ?? ""
  }

  private static func quality(_ record: ExportedRecord) -> String {
    (record.satellites.map { "<sat>\($0)</sat>" } ?? "")
      + (record.hdop.map { "<hdop>\(plainDecimal($0, decimals: 1))</hdop>" } ?? "")
  }

  private static func motion(_ record: ExportedRecord) -> String {
    let speed = record.speed_mps.map { "<gpxtpx:speed>\(plainDecimal($0, decimals: 2))</gpxtpx:speed>" } ?? ""
    let course =
      record.course_deg.map { "<gpxtpx:course>\(plainDecimal($0, decimals: 1))</gpxtpx:course>" } ?? ""
    if (speed + course).isEmpty { return "" }
    return
      "<extensions><gpxtpx:TrackPointExtension>\(speed)\(course)</gpxtpx:TrackPointExtension></extensions>"
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      // XML 1.0 has no place for them.
      case "\u{0}"..<"\u{9}", "\u{B}"..<"\u{D}", "\u{E}"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
