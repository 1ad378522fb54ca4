import TrackerBase

/// How a trip's beginning was seen, against what was recorded.
public struct ReplayedDeparture: Equatable, Sendable {
  public var trip: Int64
  public var cause: MotionChange.Cause
  /// The agent knows that it left between these instants; one and the same where the GPS saw it.
  public var left: Span
  /// The first fix of its track; nil without one.
  public var trackBegan_ms: Int64?
  /// The last fix of the recording in the place that it left, or the departure if its track began before; nil if there is
  /// none, or if the recording has a gap there.
  public var leftByRecording_ms: Int64?
  /// Metres driven from then on until the track began, by the recording.
  public var unseen_m = 0.0

  /// How long it drove unseen; nil where that cannot be measured.
  public var delay_s: Double? {
    guard let leftByRecording_ms, let trackBegan_ms else { return nil }
    return Double(max(0, trackBegan_ms - leftByRecording_ms)) / 1000
  }
}

extension ReplayedDeparture {
  /// - Returns: nil if the record is of no departure.
  init?(_ record: Record, trip: Int64, trackBegan_ms: Int64?) {
    guard case .motion(let change) = record.content else { return nil }
    switch change.cause {
    case .fixes, .ignition, .probe, .vibration, .cell, .voltage, .acceleration: break
    case .stayed, .noFix, .foundParked, .shifted: return nil
    }
    let begin_ms = change.leftAfter_ms ?? record.time_ms
    let left = Span(start_ms: begin_ms, end_ms: max(begin_ms, change.leftBefore_ms ?? record.time_ms))
    self.init(trip: trip, cause: change.cause, left: left, trackBegan_ms: trackBegan_ms)
  }

  /// - Parameter recorded: in time order.
  mutating func measure(by recorded: RecordedPoints, radius_m: Double) {
    // Its track has the way before the departure too.
    if let trackBegan_ms, trackBegan_ms <= left.start_ms { return leftByRecording_ms = left.start_ms }
    let from = recorded.partitioningIndex { $0.time_ms >= left.start_ms }
    let end_ms = max(left.start_ms, trackBegan_ms ?? left.end_ms)
    let end = recorded.partitioningIndex { $0.time_ms > end_ms }
    guard from < end else { return }
    let place = recorded[from].position
    let last = recorded[from..<end].lastIndex { place.distance_m(to: $0.position) <= radius_m } ?? from
    let next = last + 1 < end ? recorded[last + 1].time_ms : recorded[last].time_ms
    // In a longer gap it may have left at any time: that is no delay of the settings that are tried.
    if next - recorded[last].time_ms <= ReplayedDeparture.longestGap_ms {
      leftByRecording_ms = recorded[last].time_ms
    }
    unseen_m = ReplayedDeparture.length_m(recorded[last..<end])
  }

  /// Between two probes an agent has the module off for longer.
  static let longestGap_ms: Int64 = 10_000
  /// Shorter steps are noise.
  static let leastStep_m = 10.0

  /// The way along the points. - Parameter counts: of each step, by the indices of its ends.
  static func length_m(
    _ points: Slice<RecordedPoints>, where counts: (Int, Int) -> Bool = { _, _ in true }
  ) -> Double {
    var (last, length_m) = (points.startIndex, 0.0)
    for next in points.indices {
      let step_m = points[last].position.distance_m(to: points[next].position)
      guard step_m >= leastStep_m else { continue }
      if counts(last, next) { length_m += step_m }
      last = next
    }
    return length_m
  }
}
