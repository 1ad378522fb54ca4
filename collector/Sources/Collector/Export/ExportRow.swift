/// A record on its way into a file.
struct ExportRow: Equatable, Sendable {
  /// Where the next page begins.
  struct Place: Equatable, Sendable {
    var time_ms: Int64
    var id: Int64
  }

  var place: Place
  var latitude: Double
  var longitude: Double
  var altitude_m: Double?
  var accuracy_m: Double?
  var speed_mps: Double?
  var heading_deg: Double?
  var isMoving: Bool?
  var event: String
  var extras: String
  var uuid: String
  /// Only from formats that carry it.
  var satellites: Int64?
  var trip: Int64?
  var hdop: Double?
  /// A fix that was kept and is not part of the way.
  var isJump: Bool

  var time_ms: Int64 { place.time_ms }
  var hasPosition: Bool { latitude != 0 || longitude != 0 }
}

/// Pages of records by time, so that a year of them needs no more memory than a thousand, and uploads come between.
protocol ExportStorage: Sendable {
  /// - Parameter place: of the last record of the page before; nil: from the beginning of the span.
  /// - Returns: nil if the device is unknown.
  func rows(
    device: String, from from_ms: Int64, to to_ms: Int64, after place: ExportRow.Place?, limit: Int
  ) async throws -> [ExportRow]?
}

/// Numbers as every reader takes them: without an exponent, which XML's decimals do not know.
enum Fixed {
  /// Nil for what is no such number: not finite, or beyond what 18 digits hold.
  static func text(_ value: Double, decimals: Int) -> String? {
    let factor = (0..<decimals).reduce(1.0) { product, _ in product * 10 }
    guard let scaled = Int64(exactly: (abs(value) * factor).rounded()) else { return nil }
    guard decimals > 0 else { return value < 0 && scaled > 0 ? "-\(scaled)" : "\(scaled)" }
    let digits = String(scaled)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return "\(value < 0 && scaled > 0 ? "-" : "")\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }
}
