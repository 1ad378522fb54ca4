import TrackerBase

/// The columns that are read; a header may name others.
enum CSVColumn: String, CaseIterable {
  case time_unix_ms, lat, lon, alt_m, speed_mps, course_deg, hacc_m, mode, sats, hdop, ignition

  /// `unix_ms` is what the exports call the time, since gpsbabel takes each name with "time" in it for a time of day.
  init?(name: ArraySlice<UInt8>) {
    let name = String(decoding: name.trimmed, as: UTF8.self)
    self.init(rawValue: name == "unix_ms" ? CSVColumn.time_unix_ms.rawValue : name)
  }

  /// No recorder writes so many.
  private static let mostColumns = 1000

  /// By position; nil for a column that is not read.
  static func columns(_ header: ArraySlice<UInt8>) throws(CSVError) -> [CSVColumn?] {
    if header.contains(UInt8(ascii: "\r")) {
      throw CSVError(reason: "lines end with CR alone; convert them to LF (tr '\\r' '\\n' < OLD > NEW)")
    }
    let names = header.split(
      separator: UInt8(ascii: ","), maxSplits: mostColumns, omittingEmptySubsequences: false)
    guard names.count <= mostColumns else {
      throw CSVError(
        reason: "the header names more than \(mostColumns) columns; leave away what is not needed")
    }
    let columns = names.map(CSVColumn.init(name:))
    for column in allCases where columns.filter({ $0 == column }).count > 1 {
      throw CSVError(reason: "the header names \(column.rawValue) twice")
    }
    for column in [time_unix_ms, lat, lon] where !columns.contains(column) {
      throw CSVError(
        reason: "the header has no column \(column.rawValue). time_unix_ms, lat and lon are needed, "
          + "separated by commas.")
    }
    return columns
  }
}

/// One row as far as it has been read. Empty values stay nil.
struct CSVRow {
  private(set) var ignition: Bool?
  private var read = GPSReport(mode: 0)
  private var mode: Int?

  /// The year 9999, as far as gpsd's times are taken too.
  private static let latest_ms: Int64 = 253_402_300_799_999

  /// As seconds they are of 1973 to 5138, as milliseconds before GPS was.
  private static let seconds: Range<Int64> = 100_000_000..<100_000_000_000

  mutating func set(_ column: CSVColumn, to text: ArraySlice<UInt8>) throws(CSVError) {
    if text.isEmpty { return }
    func number(_ range: ClosedRange<Double>) throws(CSVError) -> Double {
      guard let value = NumberText.double(text), range.contains(value) else {
        let (low, high) = (Int(range.lowerBound), Int(range.upperBound))
        throw CSVError(reason: "\(column.rawValue) is not a number from \(low) to \(high)\(column.advice)")
      }
      return value
    }
    func integer(_ range: ClosedRange<Int64>, _ words: String) throws(CSVError) -> Int {
      guard let value = NumberText.integer(text), range.contains(value) else {
        throw CSVError(reason: "\(column.rawValue) is not \(words)\(column.advice)")
      }
      return Int(value)
    }
    switch column {
    case .time_unix_ms:
      let time = Int64(try integer(0...CSVRow.latest_ms, "a whole number of milliseconds since 1970"))
      if CSVRow.seconds.contains(time) {
        throw CSVError(reason: "time_unix_ms is in seconds: it wants milliseconds")
      }
      read.time_ms = time
    case .lat: read.latitude_deg = try number(-90...90)
    case .lon: read.longitude_deg = try number(-180...180)
    case .alt_m: read.altitude_m = try number(-100_000...100_000)
    case .speed_mps: read.speed_mps = try number(0...1000)
    case .course_deg: read.course_deg = GPSReport.course_deg(try number(0...360))
    case .hacc_m: read.accuracy_m = try number(0...100_000_000)
    case .mode: mode = try integer(0...3, "0, 1, 2 or 3")
    case .sats: read.satellites = try integer(0...1000, "a whole number from 0 to 1000")
    case .hdop: read.hdop = GPSReport.hdop(try number(0...100_000))
    case .ignition: ignition = try integer(0...1, "0 or 1") == 1
    }
  }

  func report() throws(CSVError) -> GPSReport {
    let hasPosition = read.latitude_deg != nil
    guard hasPosition == (read.longitude_deg != nil) else {
      throw CSVError(reason: "has only one of lat and lon. Give both, or neither and mode 1.")
    }
    var report = read
    report.mode = mode ?? (!hasPosition ? 1 : read.altitude_m == nil ? 2 : 3)
    guard hasPosition || report.mode < 2 else {
      throw CSVError(reason: "mode \(report.mode) needs lat and lon; without a fix mode is 1")
    }
    return report.withinMode
  }
}

extension CSVColumn {
  /// What to do about a value that is out of range.
  fileprivate var advice: String {
    switch self {
    case .time_unix_ms: "; correct it or delete the row"
    case .lat, .lon: "; correct it, or leave both empty if there was no fix"
    default: "; leave it empty if it is not known"
    }
  }
}
