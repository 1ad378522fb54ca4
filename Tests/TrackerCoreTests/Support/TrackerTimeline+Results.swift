@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// What came of it.
extension TrackerTimeline {
  /// N1: each record that was committed is in the queue, at the server or in quarantine.
  func nothingIsLost() -> Bool {
    let known = Set(disk.queue.map { Identity($0) }).union(identities.keys)
    return disk.committed.allSatisfy {
      known.contains(Identity($0)) || disk.quarantined.contains($0.sequence)
    }
  }

  func records(_ kind: Record.Kind) -> [Record] { disk.committed.filter { $0.kind == kind } }

  var summaries: [TripSummary] {
    disk.committed.compactMap { if case .trip(let summary) = $0.content { summary } else { nil } }
  }

  /// The trips' summaries, in seconds of the timeline.
  var trips: [(start_s: Double, end_s: Double, distance_m: Double, cause: TripSummary.EndCause)] {
    summaries.map { trip in
      (
        Double(trip.start_ms - epoch_ms) / 1000, Double(trip.end_ms - epoch_ms) / 1000, trip.distance_m,
        trip.endCause
      )
    }
  }

  var powerOns: Int { log.filter { $0.hasSuffix("GPS on") }.count }
}
