import Foundation

/// A report as it is shown, summed up and written to a file: columns whose names have their units, and rows.
struct ReportTable: Encodable, Equatable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case summary, trips, stops, sites, events, days
  }

  /// Longer reports are refused: a shorter span or fewer vehicles are asked for.
  static let most = 100_000

  var columns: [String]
  var rows: [[JSONValue]] = []
  /// Of each column; null where a sum says nothing.
  var sums: [JSONValue] = []

  private static let summed: Set<String> = [
    "trips", "stops", "distance_m", "driving_s", "idle_s", "engine_s", "duration_s",
  ]

  init(_ columns: [String], _ rows: [[JSONValue]]) {
    (self.columns, self.rows) = (columns, rows)
    sums = columns.indices.map { index in
      guard Self.summed.contains(columns[index]) else { return .null }
      return .rounded(rows.reduce(0) { $0 + ($1[index].double ?? 0) })
    }
  }

  // MARK: As a file

  /// Times of the zone, without it: what spreadsheets take for times.
  func csv(in zone: TimeZone) -> String {
    func line(_ cells: [String]) -> String { cells.map(Self.cell).joined(separator: ",") + "\r\n" }
    return rows.reduce(into: line(columns)) { text, row in
      text += line(zip(columns, row).map { Self.text($1, in: zone, isTime: Self.times.contains($0)) })
    }
  }

  private static let times: Set<String> = [
    "begin", "end", "entered", "left", "time", "first_start", "last_end",
  ]

  private static func text(_ value: JSONValue, in zone: TimeZone, isTime: Bool) -> String {
    switch value {
    case .null: return ""
    case .bool(let value): return value ? "1" : "0"
    case .integer(let value): return String(value)
    case .number(let value): return Fixed.text(value, decimals: 6).map(Self.short) ?? ""
    case .string(let text):
      guard isTime, let time_ms = Timestamp.milliseconds(text) else { return text }
      let offset_s = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time_ms) / 1000))
      return String(Timestamp.text(time_ms + Int64(offset_s) * 1000).prefix(19)).replacing("T", with: " ")
    case .array, .object: return value.text
    }
  }

  private static func short(_ number: String) -> String {
    guard number.contains(".") else { return number }
    let digits = number.reversed().drop { $0 == "0" }
    return String((digits.first == "." ? digits.dropFirst() : digits).reversed())
  }

  /// RFC 4180. What a spreadsheet would take for a formula gets an apostrophe; a negative number is none.
  private static func cell(_ text: String) -> String {
    let isFormula = text.first.map { "=+-@\t\r".contains($0) } == true && Double(text) == nil
    let plain = isFormula ? "'" + text : text
    guard plain.contains(where: { ",\"\r\n".contains($0) || $0 == "\r\n" }) else { return plain }
    return "\"" + plain.replacing("\"", with: "\"\"") + "\""
  }
}

extension JSONValue {
  static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
  static func time(_ time_ms: Int64?) -> JSONValue { text(time_ms.map(Timestamp.text)) }
  /// To a tenth.
  static func rounded(_ number: Double?) -> JSONValue {
    number.map { .number(($0 * 10).rounded() / 10) } ?? .null
  }
  /// Of a place: to seven decimals, about a centimetre.
  static func degrees(_ number: Double?) -> JSONValue { number.map { .number($0) } ?? .null }
}
