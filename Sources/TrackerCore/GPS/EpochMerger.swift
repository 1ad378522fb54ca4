/// Makes one report of each epoch.
///
/// After a phase without a fix gpsd 3.22 reports every epoch twice: first what the position sentence said, with
/// a speed that gpsd reckons from the noise of two positions, then again with the receiver's own speed and
/// course. A parked vehicle would seem to creep. Once that is seen, the first of each pair is held until the
/// second is there, and goes its way alone if another epoch comes instead.
struct EpochMerger: Equatable, Sendable {
  private var lastTime_ms: Int64?
  private var held: GPSReport?
  private var isDoubling = false
  /// Reports that another of the same epoch made superfluous.
  private(set) var merged = 0

  mutating func add(_ report: GPSReport) -> [GPSReport] {
    guard report.mode >= 2, let time_ms = report.time_ms else { return release() + [report] }
    if let first = held, first.time_ms == time_ms {
      held = nil
      merged += 1
      return [report]
    }
    if time_ms == lastTime_ms {
      isDoubling = true
      merged += 1
      return []
    }
    lastTime_ms = time_ms
    guard isDoubling else { return [report] }
    // The last epoch's second report did not come: the doubling is over.
    if held != nil {
      isDoubling = false
      return release() + [report]
    }
    held = report
    return []
  }

  private mutating func release() -> [GPSReport] {
    defer { held = nil }
    return held.map { [$0] } ?? []
  }
}
