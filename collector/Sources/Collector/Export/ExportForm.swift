/// A form of file: text before, for each record, and after. Stateful, since a track has segments.
protocol ExportForm: Sendable {
  static var type: String { get }
  /// So many times all rows come.
  static var walks: Int { get }
  var head: String { get }
  var tail: String { get }
  mutating func text(_ row: ExportRow) -> String
  mutating func endWalk()
}

extension ExportForm {
  static var walks: Int { 1 }
  mutating func endWalk() {}
}

/// For a spreadsheet, for gpsbabel, and for `godwit simulate --track`; the columns of `godwit export` (docs/queue.md).
struct CSVExport: ExportForm {
  static let type = "text/csv; charset=utf-8; header=present"
  let head =
    "unix_ms,iso_time,lat,lon,alt_m,speed_mps,course_deg,hacc_m,mode,sats,hdop,is_moving,event,trip,jump,uuid\n"
  let tail = ""

  func text(_ row: ExportRow) -> String {
    func number(_ value: Double?, _ decimals: Int) -> String {
      value.flatMap { Fixed.text($0, decimals: decimals) } ?? ""
    }
    let (latitude, longitude) = row.hasPosition ? (row.latitude, row.longitude) : (nil, nil)
    let cells: [String] = [
      String(row.time_ms), Timestamp.text(row.time_ms), number(latitude, 7), number(longitude, 7),
      number(row.altitude_m, 1), number(row.speed_mps, 2), number(row.heading_deg, 1),
      number(row.accuracy_m, 1), !row.hasPosition ? "1" : row.altitude_m == nil ? "2" : "3",
      row.satellites.map(String.init) ?? "", number(row.hdop, 1), row.isMoving.map { $0 ? "1" : "0" } ?? "",
      Self.plain(row.event), row.trip.map(String.init) ?? "", row.isJump ? "1" : "", row.uuid,
    ]
    return cells.joined(separator: ",") + "\n"
  }

  /// A device may send what it likes, and a spreadsheet take it for a formula.
  private static func plain(_ event: String) -> String {
    String(event.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }.prefix(40))
  }
}

/// As `godwit export` writes it: events with a place as waypoints, then a track for each trip, broken at a gap. A jump is
/// not part of a track. GPX has all waypoints before all tracks, so the rows come twice.
struct GPXExport: ExportForm {
  static let type = "application/gpx+xml; charset=utf-8"
  static let walks = 2

  let head: String
  private var walk = 1
  private var trip: Int64?
  private var isOpen = false

  init(device: String) {
    head = """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="godwit-collector" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
      <metadata><name>\(Self.escaped(device))</name></metadata>

      """
  }

  var tail: String { (isOpen ? "</trkseg></trk>\n" : "") + "</gpx>\n" }

  mutating func endWalk() { walk += 1 }

  mutating func text(_ row: ExportRow) -> String {
    if walk == 1 { return row.event.isEmpty ? "" : waypoint(row) }
    let isPoint = row.event.isEmpty && !row.isJump && row.hasPosition
    var text = ""
    if isOpen, row.event == "gap" || isPoint && row.trip != trip {
      text += "</trkseg></trk>\n"
      isOpen = false
    }
    guard isPoint, let place = Self.place(row) else { return text }
    if !isOpen {
      text += "<trk><name>\(row.trip.map { "Trip \($0)" } ?? "Without a trip")</name><trkseg>\n"
      (isOpen, trip) = (true, row.trip)
    }
    text += "<trkpt \(place)\(Self.time(row))"
    if let satellites = row.satellites { text += "<sat>\(satellites)</sat>" }
    if let hdop = row.hdop.flatMap({ Fixed.text($0, decimals: 1) }) { text += "<hdop>\(hdop)</hdop>" }
    let speed = row.speed_mps.flatMap { Fixed.text($0, decimals: 2) }
    let course = row.heading_deg.flatMap { Fixed.text($0, decimals: 1) }
    if speed != nil || course != nil {
      text += "<extensions><gpxtpx:TrackPointExtension>"
      if let speed { text += "<gpxtpx:speed>\(speed)</gpxtpx:speed>" }
      if let course { text += "<gpxtpx:course>\(course)</gpxtpx:course>" }
      text += "</gpxtpx:TrackPointExtension></extensions>"
    }
    return text + "</trkpt>\n"
  }

  /// Nothing for an event without a place.
  private func waypoint(_ row: ExportRow) -> String {
    guard row.hasPosition, let place = Self.place(row) else { return "" }
    let extras = row.extras.isEmpty ? "" : "<desc>\(Self.escaped(row.extras))</desc>"
    return "<wpt \(place)\(Self.time(row))<name>\(Self.escaped(row.event))</name>\(extras)</wpt>\n"
  }

  /// Nil for numbers that are none.
  private static func place(_ row: ExportRow) -> String? {
    guard let latitude = Fixed.text(row.latitude, decimals: 7),
      let longitude = Fixed.text(row.longitude, decimals: 7)
    else { return nil }
    return "lat=\"\(latitude)\" lon=\"\(longitude)\">"
  }

  private static func time(_ row: ExportRow) -> String {
    let height = row.altitude_m.flatMap { Fixed.text($0, decimals: 1) }.map { "<ele>\($0)</ele>" } ?? ""
    return "\(height)<time>\(Timestamp.text(row.time_ms))</time>"
  }

  /// XML 1.0 has no place for most control characters, escaped or not.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default:
        if scalar.value >= 0x20, scalar.value != 0xfffe, scalar.value != 0xffff {
          result.unicodeScalars.append(scalar)
        }
      }
    }
  }
}

/// Each record as a feature (RFC 7946), events too, with all that is known of it. One without a position has none.
struct GeoJSONExport: ExportForm {
  static let type = "application/geo+json; charset=utf-8"
  let head: String
  let tail = "\n]}\n"
  private var isFirst = true

  init(device: String) {
    head = "{\"type\":\"FeatureCollection\",\"device\":\(JSONValue.string(device).text),\"features\":["
  }

  mutating func text(_ row: ExportRow) -> String {
    var properties: [String: JSONValue] = ["time": .string(Timestamp.text(row.time_ms))]
    properties["event"] = row.event.isEmpty ? nil : .string(row.event)
    properties["speed_mps"] = row.speed_mps.map { .number($0) }
    properties["course_deg"] = row.heading_deg.map { .number($0) }
    properties["accuracy_m"] = row.accuracy_m.map { .number($0) }
    properties["is_moving"] = row.isMoving.map { .bool($0) }
    properties["extras"] = row.extras.isEmpty ? nil : JSONValue(text: row.extras)
    var place: [JSONValue] = [.number(row.longitude), .number(row.latitude)]
    if let altitude_m = row.altitude_m { place.append(.number(altitude_m)) }
    let geometry: JSONValue =
      row.hasPosition ? .object(["type": .string("Point"), "coordinates": .array(place)]) : .null
    let feature: JSONValue = .object([
      "type": .string("Feature"), "geometry": geometry, "properties": .object(properties),
    ])
    defer { isFirst = false }
    return (isFirst ? "\n" : ",\n") + feature.text
  }
}
