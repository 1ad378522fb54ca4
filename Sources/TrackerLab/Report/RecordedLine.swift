import TrackerCore

/// A place on a line, when it was there, and how fast.
struct LinePoint: Equatable {
  var time_ms: Int64
  var position: Position
  var speed_mps: Double?

  init(_ point: TrackPoint, speed_mps: Double? = nil) {
    (time_ms, position, self.speed_mps) = (point.time_ms, point.position, speed_mps)
  }
}

extension RecordedTrack {
  /// In a longer pause nobody knows the way.
  private static let longestStep_ms: Int64 = 300_000

  /// The fixes that the agent would take, in lines without a long pause between their points.
  func lines(gps: GPSSettings) -> [[LinePoint]] {
    var filter = FixFilter(settings: gps)
    var lines: [[LinePoint]] = []
    var last_ms = Int64.min
    for entry in entries {
      let report = entry.report
      guard case .fix(let fix) = filter.judge(report, at: report.time_ms ?? 0) else { continue }
      if last_ms == .min || entry.at_ms - last_ms > RecordedTrack.longestStep_ms { lines.append([]) }
      let point = TrackPoint(time_ms: entry.at_ms, position: fix.position)
      lines[lines.count - 1].append(LinePoint(point, speed_mps: report.speed_mps))
      last_ms = entry.at_ms
    }
    return lines
  }
}

/// Lines without the points that nobody would miss.
enum RecordedLine {
  /// Each line without the points that lie within a metre of the straight way between their neighbours, each at its
  /// time, and whose speed is within 1 m/s of the one between theirs; wider if more than `most` points are left.
  static func thinned(_ lines: [[LinePoint]], most: Int) -> [[LinePoint]] {
    var tolerance_m = 1.0
    while true {
      let thin = lines.map { thinned($0, tolerance_m: tolerance_m) }
      if tolerance_m > 10_000 || thin.reduce(0, { $0 + $1.count }) <= most { return thin }
      tolerance_m *= 2
    }
  }

  /// The swing filter of Elmeleegy and others, 2009 (doi:10.14778/1687627.1687645), for north, east and speed,
  /// with the line's own points as ends.
  private static func thinned(_ line: [LinePoint], tolerance_m: Double) -> [LinePoint] {
    guard var anchor = line.first, line.count > 2 else { return line }
    let scale = MetresPerDegree(at: anchor.position)
    var (kept, last) = ([anchor], anchor)
    var slopes = Slopes()
    for point in line.dropFirst() where point.time_ms > last.time_ms {
      var changes = scale.changes(from: anchor, to: point)
      if !slopes.allow(changes) {
        kept.append(last)
        (anchor, slopes) = (last, Slopes())
        changes = scale.changes(from: anchor, to: point)
      }
      slopes.narrow(changes, by: tolerance_m * 1000 / Double(point.time_ms - anchor.time_ms))
      last = point
    }
    return kept + [last]
  }

  private struct MetresPerDegree {
    let north: Double
    let east: Double

    init(at place: Position) {
      let beside = Position(latitude_deg: place.latitude_deg, longitude_deg: place.longitude_deg + 0.01)
      let above = Position(latitude_deg: place.latitude_deg + 0.01, longitude_deg: place.longitude_deg)
      (north, east) = (place.distance_m(to: above) * 100, place.distance_m(to: beside) * 100)
    }

    /// A second: metres north, metres east, speed.
    func changes(from start: LinePoint, to end: LinePoint) -> SIMD3<Double> {
      let seconds = Double(end.time_ms - start.time_ms) / 1000
      let north_m = (end.position.latitude_deg - start.position.latitude_deg) * north
      let east_m = start.position.eastward_deg(to: end.position) * east
      let faster_mps = (end.speed_mps ?? 0) - (start.speed_mps ?? 0)
      return SIMD3(north_m, east_m, faster_mps) / seconds
    }
  }

  /// The slopes that pass all points since the anchor near enough.
  private struct Slopes {
    private var least = SIMD3(repeating: -Double.infinity)
    private var most = SIMD3(repeating: Double.infinity)

    func allow(_ slope: SIMD3<Double>) -> Bool { all(least .<= slope) && all(slope .<= most) }

    mutating func narrow(_ slope: SIMD3<Double>, by tolerance: Double) {
      (least, most) = (pointwiseMax(least, slope - tolerance), pointwiseMin(most, slope + tolerance))
    }
  }
}
