import TrackerBase

extension Replay {
  /// How exact the kept line is where the GPS saw the way, and what it did not see.
  func measureLine(_ world: ReplayWorld, into result: inout ReplayResult) {
    let points = RecordedPoints(track.entries)
    let seen = world.receiver.seen
    let isSeen = { seen[points.report(at: $0)] }
    let trips = result.trips.map(\.span)
    result.wholeError = LineError(of: points, against: result.kept, within: trips)
    readDepartures(world.queue.history, points, into: &result)
    let tracks = Replay.tracks(result)
    result.error = LineError(
      of: points.indices.lazy.filter(isSeen).map { points[$0] }, against: result.kept, within: tracks)
    result.unseen_m = result.departures.map(\.unseen_m).reduce(0, +)
    for track in tracks {
      let from = points.partitioningIndex { $0.time_ms >= track.start_ms }
      let end = points.partitioningIndex { $0.time_ms > track.end_ms }
      guard from < end else { continue }
      result.unseen_m += ReplayedDeparture.length_m(points[from..<end]) {
        !isSeen($0) || !isSeen($1)
      }
    }
  }

  /// The trips from where their tracks begin: what was driven before is told of the departures.
  private static func tracks(_ result: ReplayResult) -> [Span] {
    let began_ms = Dictionary(
      result.departures.map { ($0.trip, $0.trackBegan_ms) }, uniquingKeysWith: { first, _ in first })
    return result.trips.map { trip in
      let start_ms = max(trip.span.start_ms, (began_ms[trip.id] ?? nil) ?? .min)
      return Span(start_ms: min(start_ms, trip.span.end_ms), end_ms: trip.span.end_ms)
    }
  }

  private func readDepartures(_ records: [Record], _ points: RecordedPoints, into result: inout ReplayResult)
  {
    var began_ms: [Int64: Int64] = [:]
    for record in records {
      guard case .position(isJump: false, _) = record.content, let trip = record.tripID, let fix = record.fix
      else { continue }
      began_ms[trip] = min(began_ms[trip] ?? .max, fix.time_ms)
    }
    for record in records {
      guard let trip = record.tripID,
        var departure = ReplayedDeparture(record, trip: trip, trackBegan_ms: began_ms[trip])
      else { continue }
      departure.measure(by: points, radius_m: settings.motion.stationaryRadius_m)
      result.departures.append(departure)
    }
  }
}
