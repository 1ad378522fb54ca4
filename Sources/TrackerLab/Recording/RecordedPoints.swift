import TrackerBase

/// The recorded fixes that have a time, in its order.
struct RecordedPoints: RandomAccessCollection {
  private var points: [(point: TrackPoint, report: Int)]

  init(_ entries: [RecordedTrack.Entry]) {
    points = entries.enumerated().compactMap { index, entry in TrackPoint(entry.report).map { ($0, index) } }
    points.sort { ($0.point.time_ms, $0.report) < ($1.point.time_ms, $1.report) }
  }

  var startIndex: Int { 0 }
  var endIndex: Int { points.count }

  /// The report's index in the recording.
  func report(at index: Int) -> Int { points[index].report }

  subscript(index: Int) -> TrackPoint { points[index].point }
}
