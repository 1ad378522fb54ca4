import TrackerBase

/// Guesses a driver's hand from the vehicle's speed, with the whole recording in view.
enum IgnitionGuess {
  /// Slower than this a vehicle stands; a receiver at rest reports up to about half of it.
  static let moving_mps = 1.5
  static let onBefore_ms: Int64 = 5_000
  static let offAfter_ms: Int64 = 20_000
  /// At shorter stops the engine runs on.
  static let shortStop_ms: Int64 = 180_000

  static func edges(of track: RecordedTrack) -> [RecordedTrack.IgnitionEdge] {
    var drives: [Span] = []
    for (index, entry) in track.entries.enumerated() where speed_mps(at: index, in: track) >= moving_mps {
      if let last = drives.last, entry.at_ms - last.end_ms < shortStop_ms {
        drives[drives.count - 1].end_ms = entry.at_ms
      } else {
        drives.append(Span(start_ms: entry.at_ms, end_ms: entry.at_ms))
      }
    }
    return drives.flatMap { drive in
      [
        RecordedTrack.IgnitionEdge(at_ms: drive.start_ms - onBefore_ms, isOn: true),
        RecordedTrack.IgnitionEdge(at_ms: drive.end_ms + offAfter_ms, isOn: false),
      ]
    }
  }

  /// The receiver's, else that of the way over the last 10 s.
  private static func speed_mps(at index: Int, in track: RecordedTrack) -> Double {
    let entry = track.entries[index]
    if let speed_mps = entry.report.speed_mps { return speed_mps }
    let before = track.entries[..<index].last { entry.at_ms - $0.at_ms >= 10_000 }
    guard let before, let start = before.report.position, let end = entry.report.position else { return 0 }
    return start.distance_m(to: end) * 1000 / Double(entry.at_ms - before.at_ms)
  }
}
