/// A month of records' own times, UTC.
struct RecordMonth: Hashable, Comparable, Sendable {
  private let year: Int
  private let month: Int

  /// From 2000 to 2099: no device's clock means anything beyond, and such records lie together in the partition `record_other`.
  private static let times_ms: Range<Int64> = 946_684_800_000..<4_102_444_800_000

  /// nil for times that get no partition of their own.
  init?(_ time_ms: Int64) {
    guard Self.times_ms.contains(time_ms) else { return nil }
    let parts = Timestamp.text(time_ms).split(separator: "-")
    guard parts.count == 3, let year = Int(parts[0]), let month = Int(parts[1]) else { return nil }
    (self.year, self.month) = (year, month)
  }

  /// - Parameter name: of the month's table, whichever of the two.
  init?(table name: String) {
    let parts = name.split(separator: "_")
    guard parts.count == 3, let year = Int(parts[1]), let month = Int(parts[2]), (1...12).contains(month)
    else {
      return nil
    }
    (self.year, self.month) = (year, month)
    guard name == table || name == expiredTable else { return nil }
  }

  private init(_ year: Int, _ month: Int) { (self.year, self.month) = (year, month) }

  var table: String { "record_\(Self.two(year))_\(Self.two(month))" }
  /// Of a month that is no part of `record` any more.
  var expiredTable: String { "expired_\(Self.two(year))_\(Self.two(month))" }
  var partition: String {
    "CREATE TABLE IF NOT EXISTS \(table) PARTITION OF record FOR VALUES FROM (\(begin_ms)) TO (\(end_ms))"
  }
  var begin_ms: Int64 {
    Timestamp.milliseconds("\(year)-\(Self.two(month))-01T00:00:00Z") ?? 0
  }
  var end_ms: Int64 { next.begin_ms }
  var next: RecordMonth { month == 12 ? RecordMonth(year + 1, 1) : RecordMonth(year, month + 1) }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  static func < (one: RecordMonth, other: RecordMonth) -> Bool {
    (one.year, one.month) < (other.year, other.month)
  }
}

extension RecordMonth: CustomStringConvertible {
  var description: String { "\(year)-\(Self.two(month))" }
}
