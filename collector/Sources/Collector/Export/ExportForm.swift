/// A form of file: text before, for each record, and after. Stateful, since a track has segments.
protocol ExportForm: Sendable {
  static var type: String { get }
  var head: String { get }
  var tail: String { get }
  mutating func text(_ row: ExportRow) -> String
}

/// For a spreadsheet, and for `godwit simulate --track`, whose columns it has (docs/simulate.md).
struct CSVExport: ExportForm {
  static let type = "text/csv; charset=utf-8; header=present"
  let head = "time_unix_ms,time,lat,lon,alt_m,speed_mps,course_deg,hacc_m,is_moving,event,trip\r\n"
  let tail = ""

  func text(_ row: ExportRow) -> String {
    func number(_ value: Double?, _ decimals: Int) -> String {
      value.flatMap { Fixed.text($0, decimals: decimals) } ?? ""
    }
    let (latitude, longitude) = row.hasPosition ? (row.latitude, row.longitude) : (nil, nil)
    let cells = [
      String(row.time_ms), Timestamp.text(row.time_ms), number(latitude, 7), number(longitude, 7),
      number(row.altitude_m, 1), number(row.speed_mps, 2), number(row.heading_deg, 1),
      number(row.accuracy_m, 2),
      row.isMoving.map { $0 ? "1" : "0" } ?? "", Self.plain(row.event), row.trip.map(String.init) ?? "",
    ]
    return cells.joined(separator: ",") + "\r\n"
  }

  /// A device may send what it likes, and a spreadsheet take it for a formula.
  private static func plain(_ event: String) -> String {
    String(event.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }.prefix(40))
  }
}

/// The track: a segment for each trip. Events are no part of it.
struct GPXExport: ExportForm {
  static let type = "application/gpx+xml; charset=utf-8"

  let head: String
  private var trip: Int64?
  private var isOpen = false

  init(device: String) {
    head = """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="godwit-collector" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
      <trk><name>\(Self.escaped(device))</name>

      """
  }

  var tail: String { (isOpen ? "</trkseg>\n" : "") + "</trk>\n</gpx>\n" }

  mutating func text(_ row: ExportRow) -> String {
    guard row.hasPosition, row.event.isEmpty || row.event == "motionchange",
      let latitude = Fixed.text(row.latitude, decimals: 7),
      let longitude = Fixed.text(row.longitude, decimals: 7)
    else { return "" }
    var text = ""
    let trip = row.trip
    if !isOpen || trip != self.trip {
      text += isOpen ? "</trkseg>\n<trkseg>\n" : "<trkseg>\n"
      (isOpen, self.trip) = (true, trip)
    }
    text += "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">"
    if let altitude = row.altitude_m.flatMap({ Fixed.text($0, decimals: 1) }) {
      text += "<ele>\(altitude)</ele>"
    }
    text += "<time>\(Timestamp.text(row.time_ms))</time>"
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
