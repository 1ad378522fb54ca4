import Testing
import TrackerBase

@testable import TrackerLab

@Suite struct LineErrorTests {
  private func point(_ s: Int64, north_m: Double, east_deg: Double = 8) -> TrackPoint {
    TrackPoint(
      time_ms: s * 1000, position: Position(latitude_deg: north_m / 111_195, longitude_deg: east_deg))
  }

  @Test("the distance is to the place on the line at the fix's own time")
  func synchronised() {
    let kept = [point(0, north_m: 0), point(100, north_m: 1000)]
    // On the line, but 50 s early: where the line says 250 m, it is already at 750 m.
    let error = LineError(
      of: [point(25, north_m: 750)], against: kept, within: [Span(start_ms: 0, end_ms: 100_000)])
    #expect(abs(error.worst_m - 500) < 1 && error.fixes == 1)
    #expect(error.worstAt == point(25, north_m: 750))
  }

  @Test("fixes outside the trips and beyond the line do not count")
  func outside() {
    let kept = [point(10, north_m: 0), point(20, north_m: 100)]
    let fixes = [5, 10, 15, 20, 25, 200].map { point(Int64($0), north_m: 5000) }
    let error = LineError(of: fixes, against: kept, within: [Span(start_ms: 0, end_ms: 100_000)])
    // At 10, 15 and 20 s.
    #expect(error.fixes == 3)
  }

  @Test("quantiles")
  func quantiles() {
    let kept = [point(0, north_m: 0), point(1000, north_m: 0)]
    let fixes = (1...100).map { point(Int64($0), north_m: Double($0)) }
    let error = LineError(of: fixes, against: kept, within: [Span(start_ms: 0, end_ms: 1_000_000)])
    #expect(abs(error.median_m - 51) < 0.1 && abs(error.p95_m - 96) < 0.1 && abs(error.worst_m - 100) < 0.1)
  }

  @Test("the antimeridian is no obstacle")
  func antimeridian() {
    let kept = [point(0, north_m: 0, east_deg: 179.999), point(10, north_m: 0, east_deg: -179.999)]
    let error = LineError(
      of: [point(5, north_m: 0, east_deg: 180)], against: kept, within: [Span(start_ms: 0, end_ms: 10_000)])
    #expect(error.worst_m < 0.1)
  }
}
