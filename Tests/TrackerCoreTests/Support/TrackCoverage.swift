import TrackerBase
import TrackerBoard
import TrackerCore
import TrackerDispatch
import TrackerJourney
import TrackerReceiver
import TrackerRemote

/// Whether track and gaps together cover every second of a span, as a server can tell from its records alone.
struct TrackCoverage {
  let gaps: [TrackGap]
  /// GPS times of the positions of trips.
  private let positions_ms: [Int64]
  private let maxInterval_ms: Int64

  /// A date may be off by so much: a report is read so long after its second.
  static let tolerance_ms: Int64 = 2000

  /// - Parameter maxInterval_s: `track.max_interval_s`.
  init(_ records: [Record], maxInterval_s: Double) {
    gaps = records.compactMap { if case .gap(let gap) = $0.content { gap } else { nil } }
      .sorted { $0.begin_ms < $1.begin_ms }
    positions_ms = records.filter { $0.kind == .position && $0.content != .position(isJump: true) }
      .compactMap { $0.fix?.time_ms }.sorted()
    maxInterval_ms = milliseconds(maxInterval_s)
  }

  /// - Parameter openSince_ms: where a gap is still open.
  /// In seconds.
  func words(_ gap: TrackGap, since start_ms: Int64) -> String {
    "\(gap.cause.rawValue) \(Double(gap.begin_ms - start_ms) / 1000) to \(Double(gap.end_ms - start_ms) / 1000)"
  }

  /// - Returns: what is covered twice or not at all, in seconds since the span's begin.
  func problems(from start_ms: Int64, to end_ms: Int64, openSince_ms: Int64?) -> [String] {
    var problems: [String] = []
    var covered_ms = start_ms
    let open = openSince_ms.map { TrackGap(cause: .acquiring, begin_ms: $0, end_ms: max($0, end_ms)) }
    func words(_ begin_ms: Int64, _ to_ms: Int64) -> String {
      "\(Double(begin_ms - start_ms) / 1000) to \(Double(to_ms - start_ms) / 1000) s"
    }
    for gap in gaps + (open.map { [$0] } ?? []) {
      if gap.begin_ms < covered_ms - TrackCoverage.tolerance_ms {
        problems.append("\(gap.cause) \(words(gap.begin_ms, gap.end_ms)) overlaps the one before")
      }
      let inside = positions_ms.count {
        $0 > gap.begin_ms + TrackCoverage.tolerance_ms && $0 < gap.end_ms - TrackCoverage.tolerance_ms
      }
      if inside > 0, gap.cause != .probeOnly {
        problems.append("\(inside) positions within \(gap.cause) \(words(gap.begin_ms, gap.end_ms))")
      }
      if let hole = hole(from: covered_ms, to: gap.begin_ms) {
        problems.append("nothing " + words(hole.0, hole.1))
      }
      covered_ms = max(covered_ms, gap.end_ms)
    }
    if let hole = hole(from: covered_ms, to: end_ms) { problems.append("nothing " + words(hole.0, hole.1)) }
    return problems
  }

  /// A minute and more between two gaps that is no track. - Returns: the first.
  private func hole(from begin_ms: Int64, to end_ms: Int64) -> (Int64, Int64)? {
    let least_ms: Int64 = 60_000
    guard end_ms - begin_ms >= least_ms + TrackCoverage.tolerance_ms else { return nil }
    let track = positions_ms.filter {
      $0 >= begin_ms - TrackCoverage.tolerance_ms && $0 <= end_ms + TrackCoverage.tolerance_ms
    }
    guard let first = track.first, let last = track.last else { return (begin_ms, end_ms) }
    if first - begin_ms >= least_ms + TrackCoverage.tolerance_ms { return (begin_ms, first) }
    // The newest fix of a straight line is kept later.
    if end_ms - last >= maxInterval_ms + least_ms { return (last, end_ms) }
    return zip(track, track.dropFirst()).first { $1 - $0 >= maxInterval_ms + least_ms }
  }
}
