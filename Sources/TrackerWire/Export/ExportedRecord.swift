import TrackerBase

/// One record as other programs are to get it, read from the line in which the queue hands it out.
public struct ExportedRecord: Sendable {
  public let time_ms: Int64
  /// Empty for a position.
  let event: String
  let position: Position?
  let altitude_m: Double?
  let speed_mps: Double?
  let course_deg: Double?
  let accuracy_m: Double?
  let satellites: Int64?
  let hdop: Double?
  let isMoving: Bool?
  let trip: Int64?
  /// Kept, and no part of the way.
  let isJump: Bool
  let uuid: String
  let extras: JSONValue

  public var hasPosition: Bool { position != nil }

  /// - Returns: nil for what is no such line.
  public init?(line: some StringProtocol) {
    guard let json = JSONReader.parse(Array(line.utf8)),
      let time_ms = json["timestamp"]?.string.flatMap({ ISO8601.unix_ms($0) })
    else { return nil }
    // -1 stands for what is not known; a height has no such number, and is 0 then.
    func known(_ key: String) -> Double? { json[key]?.number.flatMap { $0 >= 0 ? $0 : nil } }
    self.time_ms = time_ms
    event = json["event"]?.string ?? ""
    if let latitude_deg = json["latitude"]?.number, let longitude_deg = json["longitude"]?.number {
      position = Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
    } else {
      position = nil
    }
    altitude_m = json["altitude"]?.number.flatMap { $0 == 0 ? nil : $0 }
    speed_mps = known("speed")
    course_deg = known("heading")
    accuracy_m = known("accuracy")
    extras = json["extras"]?.string.flatMap { JSONReader.parse(Array($0.utf8)) } ?? .null
    satellites = json["satellites"]?.integer
    hdop = extras["hdop"]?.number
    isMoving = json["is_moving"]?.bool
    trip = extras["trip"]?.integer
    isJump = extras["jump"] != nil
    uuid = json["uuid"]?.string ?? ""
  }

  var isEvent: Bool { !event.isEmpty }
  var time: String { ISO8601.text(ms: time_ms) }
}

/// At most so many decimals, none that is 0, and never an exponent: what every reader of numbers reads.
func plainDecimal(_ value: Double, decimals: Int) -> String {
  var digits = fixed(value, decimals: decimals)
  guard digits.contains(".") else { return digits }
  while digits.hasSuffix("0") { digits.removeLast() }
  if digits.hasSuffix(".") { digits.removeLast() }
  return digits
}
