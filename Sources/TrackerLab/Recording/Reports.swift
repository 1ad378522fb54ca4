import TrackerBase

/// Reports with the time at which each came, in columns: a million of them fit into the memory of a small board. A value
/// that no report has takes no room.
public struct Reports: RandomAccessCollection, Equatable, Sendable {
  private var at_ms: [Int64] = []
  private var modes: [UInt8] = []
  private var time_ms = Column()
  private var latitude_deg = Column()
  private var longitude_deg = Column()
  private var altitude_m = Column()
  private var speed_mps = Column()
  private var course_deg = Column()
  private var accuracy_m = Column()
  private var altitudeAccuracy_m = Column()
  private var speedAccuracy_mps = Column()
  private var courseAccuracy_deg = Column()
  private var hdop = Column()
  private var satellites = Column()
  /// Reports that hold more than numbers, by their index.
  private var whole: [Int: GPSReport] = [:]

  public init() {}

  init(_ reports: some Sequence<GPSReport>) { for report in reports { append(report) } }

  public var startIndex: Int { 0 }
  public var endIndex: Int { modes.count }

  public subscript(index: Int) -> RecordedTrack.Entry {
    RecordedTrack.Entry(at_ms: at_ms[index], report: report(at: index))
  }

  /// The time at which it came is 0 until `date` sets it.
  mutating func append(_ report: GPSReport) {
    let index = modes.count
    at_ms.append(0)
    modes.append(UInt8(clamping: report.mode))
    if report.sky != nil || report.antennaFault != nil || report.device != nil { whole[index] = report }
    time_ms.append(report.time_ms.map(Double.init), at: index)
    latitude_deg.append(report.latitude_deg, at: index)
    longitude_deg.append(report.longitude_deg, at: index)
    altitude_m.append(report.altitude_m, at: index)
    speed_mps.append(report.speed_mps, at: index)
    course_deg.append(report.course_deg, at: index)
    accuracy_m.append(report.accuracy_m, at: index)
    altitudeAccuracy_m.append(report.altitudeAccuracy_m, at: index)
    speedAccuracy_mps.append(report.speedAccuracy_mps, at: index)
    courseAccuracy_deg.append(report.courseAccuracy_deg, at: index)
    hdop.append(report.hdop, at: index)
    satellites.append(report.satellites.map(Double.init), at: index)
  }

  mutating func date(_ index: Int, at_ms: Int64) { self.at_ms[index] = at_ms }

  func cameAt_ms(_ index: Int) -> Int64 { at_ms[index] }
  func mode(_ index: Int) -> Int { Int(modes[index]) }
  func hasFix(_ index: Int) -> Bool {
    modes[index] >= 2 && latitude_deg[index] != nil && longitude_deg[index] != nil
  }

  func time_ms(_ index: Int) -> Int64? { time_ms[index].map { Int64($0) } }

  /// Of a report that has a time and a fix.
  func point(_ index: Int) -> TrackPoint {
    TrackPoint(
      time_ms: Int64(time_ms.known(index)),
      position: Position(latitude_deg: latitude_deg.known(index), longitude_deg: longitude_deg.known(index)))
  }

  func report(at index: Int) -> GPSReport {
    if let report = whole[index] { return report }
    return GPSReport(
      mode: Int(modes[index]), time_ms: time_ms(index), latitude_deg: latitude_deg[index],
      longitude_deg: longitude_deg[index], altitude_m: altitude_m[index], speed_mps: speed_mps[index],
      course_deg: course_deg[index], accuracy_m: accuracy_m[index],
      altitudeAccuracy_m: altitudeAccuracy_m[index], speedAccuracy_mps: speedAccuracy_mps[index],
      courseAccuracy_deg: courseAccuracy_deg[index], hdop: hdop[index],
      satellites: satellites[index].map { Int($0) })
  }

  public static func == (one: Reports, other: Reports) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { $0 == $1 }
  }
}

/// One value of each report; empty until the first one that has it.
private struct Column: Sendable {
  private var values: [Double] = []

  mutating func append(_ value: Double?, at index: Int) {
    if values.isEmpty {
      guard value != nil else { return }
      values = [Double](repeating: .nan, count: index)
    }
    values.append(value ?? .nan)
  }

  /// Where there is one.
  func known(_ index: Int) -> Double { values[index] }

  subscript(index: Int) -> Double? {
    guard index < values.count, !values[index].isNaN else { return nil }
    return values[index]
  }
}
