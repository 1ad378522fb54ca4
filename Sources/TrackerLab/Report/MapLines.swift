import TrackerCore

/// Lines and dots of the map, without the points that nobody would see.
enum MapLines {
  /// More points are not drawn, for a line or for dots.
  static let mostPoints = 3000
  /// Points closer to the last one than this share one pixel of a wide screen.
  private static let pixel = 8.0

  /// Runs whose points lie at least a pixel apart, wider if there are too many; the first of each run stays.
  static func thinned(_ runs: [[PlanePoint]]) -> [[PlanePoint]] {
    var apart = pixel
    var result = runs.map { thinned($0, apart: apart) }
    while result.reduce(0, { $0 + $1.count }) > mostPoints, apart < Double(MapPlane.width) {
      apart *= 1.5
      result = runs.map { thinned($0, apart: apart) }
    }
    return result
  }

  private static func thinned(_ run: [PlanePoint], apart: Double) -> [PlanePoint] {
    var kept: [PlanePoint] = []
    for point in run {
      guard let last = kept.last else {
        kept.append(point)
        continue
      }
      let (dx, dy) = (Double(point.x - last.x), Double(point.y - last.y))
      if dx * dx + dy * dy >= apart * apart { kept.append(point) }
    }
    if kept.count > 1, let end = run.last { kept[kept.count - 1] = end }
    return kept
  }

  /// One dot for each pixel at most, larger pixels if there are too many.
  static func thinned(dots: [PlanePoint], most: Int = mostPoints) -> [PlanePoint] {
    var side = pixel
    while true {
      var taken: Set<PlanePoint> = []
      let left = dots.filter {
        taken.insert(PlanePoint(x: Int(Double($0.x) / side), y: Int(Double($0.y) / side))).inserted
      }
      if left.count <= most { return left }
      side *= 1.5
    }
  }

  /// SVG path data: an absolute start for each run, then relative steps.
  static func path(_ runs: [[PlanePoint]]) -> HTML {
    var text = ""
    for run in runs {
      guard var last = run.first else { continue }
      // A line of no length with round ends is a dot.
      text += "M\(last.x) \(last.y)\(run.count == 1 ? "h0" : "l")"
      var separator = ""
      for point in run.dropFirst() {
        let (dx, dy) = (point.x - last.x, point.y - last.y)
        text += dx < 0 ? "\(dx)" : "\(separator)\(dx)"
        text += dy < 0 ? "\(dy)" : " \(dy)"
        separator = " "
        last = point
      }
    }
    return "\(text)"
  }
}

extension RecordedTrack {
  /// In a longer pause nobody knows the way.
  private static let longestStep_ms: Int64 = 300_000

  /// The fixes that the agent would take, in runs without a long pause between them.
  func lines(gps: GPSSettings) -> [[TrackPoint]] {
    var filter = FixFilter(settings: gps)
    var runs: [[TrackPoint]] = []
    var last_ms = Int64.min
    for entry in entries {
      let report = entry.report
      guard case .fix(let fix) = filter.judge(report, at: report.time_ms ?? 0) else { continue }
      if last_ms == .min || entry.at_ms - last_ms > RecordedTrack.longestStep_ms { runs.append([]) }
      runs[runs.count - 1].append(TrackPoint(time_ms: entry.at_ms, position: fix.position))
      last_ms = entry.at_ms
    }
    return runs
  }
}
