import TrackerBase
@testable import TrackerLab

/// 2025-06-02 06:00:00 UTC, a Monday.
let reportStart_ms: Int64 = 1_748_844_000_000

extension Span {
  /// Seconds from the start of the recording.
  static func s(_ start_s: Int64, _ end_s: Int64) -> Span {
    Span(start_ms: reportStart_ms + start_s * 1000, end_ms: reportStart_ms + end_s * 1000)
  }
}

extension TrackPoint {
  /// Where the sample vehicle is after `s` seconds: a zigzag at about 15 m/s, from 47° N 8° E by default.
  static func zigzag(_ s: Int64, west_deg: Double = 8, step_deg: Double = 0.0002) -> TrackPoint {
    let north_deg = Double(abs(s % 1200 - 600)) * 0.0001
    let east_deg = west_deg + Double(s) * step_deg
    let longitude_deg = east_deg > 180 ? east_deg - 360 : east_deg
    return TrackPoint(
      time_ms: reportStart_ms + s * 1000,
      position: Position(latitude_deg: 47 + north_deg, longitude_deg: longitude_deg))
  }
}

extension ReplayResult {
  /// A recording of `points` by itself: nothing kept, nothing done.
  static func bare(
    _ points: [TrackPoint], name: String = "tuesday.csv", settings: String = "defaults",
    changed: [String] = []
  ) -> ReplayResult {
    let reports = points.map { point in
      GPSReport(
        mode: 3, time_ms: point.time_ms, latitude_deg: point.position.latitude_deg,
        longitude_deg: point.position.longitude_deg, accuracy_m: 5)
    }
    guard let track = RecordedTrack(name: name, reports: reports) else { fatalError("no points") }
    return ReplayResult(
      track: track, settingsName: settings, settingsHash: "0123456789abcdef", changedSettings: changed,
      span: Span(start_ms: track.start_ms, end_ms: track.end_ms))
  }

  /// An hour with two trips, a stop between them, a failed request, and something of everything else.
  static func full(
    name: String = "tuesday.csv", settings: String = "defaults", changed: [String] = [],
    gpsOn_s: Double = 2400
  ) -> ReplayResult {
    let points = (0...3600).map { TrackPoint.zigzag($0 < 1200 ? $0 : max(1200, $0 - 1200)) }
    var result = bare(
      points.enumerated().map {
        TrackPoint(time_ms: reportStart_ms + Int64($0) * 1000, position: $1.position)
      },
      name: name, settings: settings, changed: changed)
    result.trips = [
      ReplayedTrip(id: 1, span: .s(0, 1200), distance_m: 18_200, topSpeed_mps: 20, endCause: .stayed),
      ReplayedTrip(id: 2, span: .s(2400, 3600), distance_m: 18_300, topSpeed_mps: 25, endCause: nil),
    ]
    let keptAt = [0, 300, 600, 900, 1200, 1800, 2400, 3000, 3600]
    result.kept = keptAt.map {
      TrackPoint(time_ms: reportStart_ms + Int64($0) * 1000, position: points[$0].position)
    }
    result.jumps = [TrackPoint(time_ms: reportStart_ms + 700_000, position: points[900].position)]
    result.stops = [(.s(1200, 2400), points[1200].position)]
    result.stationaryRadius_m = 25
    result.gpsOn = [.s(0, 1500), .s(2400, 3600)]
    result.windows = [.s(0, 3600)]
    result.motion = [
      NamedSpan(name: "unknown", span: .s(0, 20)), NamedSpan(name: "moving", span: .s(20, 1200)),
      NamedSpan(name: "stationary", span: .s(1200, 2400)), NamedSpan(name: "moving", span: .s(2400, 3600)),
    ]
    result.gaps = [
      NamedSpan(name: "acquiring", span: .s(0, 20)), NamedSpan(name: "parked", span: .s(1200, 2400)),
      NamedSpan(name: "no_sky", span: .s(2500, 2600)), NamedSpan(name: "no_sky", span: .s(2700, 2740)),
    ]
    result.requests = [
      ReplayedRequest(span: .s(301, 302), records: 5, bytes: 900, status: 200, isDelivered: true),
      ReplayedRequest(span: .s(900, 901), records: 9, bytes: 1500, status: 503, isDelivered: false),
      ReplayedRequest(span: .s(958, 959), records: 9, bytes: 1500, status: 200, isDelivered: true),
    ]
    result.error.fixes = 2402
    result.error.p95_m = 7.13
    result.error.worst_m = 9.84
    result.error.worstAt = TrackPoint(time_ms: reportStart_ms + 450_000, position: points[450].position)
    result.departures = [
      ReplayedDeparture(
        trip: 2, cause: .probe, left: .s(2340, 2430), trackBegan_ms: reportStart_ms + 2_430_000,
        leftByRecording_ms: reportStart_ms + 2_400_000, unseen_m: 430)
    ]
    result.unseen_m = 430
    result.totals = totals(gpsOn_s: gpsOn_s)
    return result
  }

  private static func totals(gpsOn_s: Double) -> ReplayTotals {
    var totals = ReplayTotals()
    totals.gpsOn_s = gpsOn_s
    totals.gpsSessions = 2
    totals.probes = 4
    totals.rejected = ["accuracy": 3]
    totals.keptFixes = 9
    totals.distance_m = 36_500
    totals.delivered = 14
    totals.requests = 3
    totals.requestsFailed = 1
    totals.bytesByFormat = ["geomony": 3900]
    totals.commits = 7
    totals.energy.gps_mAh = 20
    totals.energy.board_mAh = 110
    totals.energy.radio_mAh = 2.5
    totals.warnings = ["sync_failed": 1]
    return totals
  }
}
