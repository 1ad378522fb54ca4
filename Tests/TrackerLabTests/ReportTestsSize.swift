import Testing
import TrackerCore
@testable import TrackerLab

@Suite("The report's size")
struct ReportTestsSize {
  /// Ten hours at 1 Hz, every fix kept, and everything else as busy as it can be.
  private var busy: ReplayResult {
    let points = (0..<36_000).map { TrackPoint.zigzag($0, step_deg: 0.00002) }
    var result = ReplayResult.bare(points)
    result.kept = points
    result.jumps = points
    result.trips = (0..<30).map { index in
      let start_s = Int64(index) * 1200
      return ReplayedTrip(
        id: Int64(index), span: .s(start_s, start_s + 1100), distance_m: 16_000, topSpeed_mps: 20,
        endCause: .stayed)
    }
    result.stops = (0..<30).map { (.s($0 * 1200 + 1100, $0 * 1200 + 1200), points[Int($0) * 1200].position) }
    let often = (0..<3600).map { Span.s($0 * 10, $0 * 10 + 5) }
    result.gpsOn = often
    result.windows = often
    result.motion = often.enumerated().map {
      NamedSpan(name: $0 % 2 == 0 ? "moving" : "stationary", span: $1)
    }
    result.gaps = often.enumerated().map {
      NamedSpan(name: ["parked", "no_sky", "acquiring"][$0 % 3], span: $1)
    }
    result.queue = points.enumerated().map { QueueDepth(time_ms: $1.time_ms, records: $0 % 97) }
    result.requests = often.enumerated().map { index, span in
      ReplayedRequest(span: span, records: 5, bytes: 500, status: 200, isDelivered: index % 3 != 0)
    }
    return result
  }

  @Test("ten hours at 1 Hz stay below 400 kB, however much is kept")
  func bound() {
    let page = ReplayReport.html([busy])
    #expect(page.utf8.count < 400_000)
    #expect(MarkupCheck(page).problems == [])
  }

  @Test("a week of a parked vehicle and one drive is a small page")
  func week() {
    let parked = (0..<7 * 1440).map {
      TrackPoint(time_ms: reportStart_ms + $0 * 60_000, position: TrackPoint.zigzag(0).position)
    }
    var result = ReplayResult.bare(parked)
    result.motion = [NamedSpan(name: "stationary", span: result.span)]
    let page = ReplayReport.html([result])
    #expect(page.utf8.count < 30_000)
    #expect(page.contains(">9 Jun</text>"))
  }
}
