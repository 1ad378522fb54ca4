import TrackerBase

/// Reports whose date nobody could judge when they came.
struct HeldReports: Equatable, Sendable {
  struct Held: Equatable, Sendable {
    var report: GPSReport
    /// Boot time.
    var arrivedAt_ms: Int64
  }

  /// What became of one.
  enum Verdict: Equatable {
    case use(GPSReport, arrivedAt_ms: Int64)
    /// A daemon's or a module's last fix, handed out again.
    case stale
  }

  /// At 25 Hz, the longest that a date is judged at the default of `clock.confirm_s`.
  static let capacity = 12_000

  private(set) var reports: [Held] = []

  var isEmpty: Bool { reports.isEmpty }

  /// - Returns: whether another one had to go for it.
  mutating func hold(_ report: GPSReport, at now_ms: Int64) -> Bool {
    reports.append(Held(report: report, arrivedAt_ms: now_ms))
    guard reports.count > HeldReports.capacity else { return false }
    reports.removeFirst()
    return true
  }

  /// The time is known: each has its own date where that was right, else the time of its arrival.
  ///
  /// - Parameters:
  ///   - offset_ms: of the time to the boot clock.
  ///   - next_ms: the same of the report that comes now, by its own date; nil if that is right.
  mutating func decide(offset_ms: Int64, maxAge_ms: Int64, next_ms: Int64? = nil) -> [Verdict] {
    defer { reports = [] }
    var verdicts: [Verdict] = []
    var last_ms = Int64.min
    let offsets = reports.map { ($0.report.time_ms ?? 0) - $0.arrivedAt_ms } + [next_ms].compactMap { $0 }
    for (index, held) in reports.enumerated() {
      let right_ms = held.arrivedAt_ms + offset_ms
      var report = held.report
      let own_ms = report.time_ms ?? right_ms
      let isOwn = right_ms - own_ms <= maxAge_ms && own_ms - right_ms <= ClockKeeper.tolerance_ms
      if !isOwn, own_ms < right_ms, !HeldReports.goesOn(index, offsets) {
        verdicts.append(.stale)
        continue
      }
      let time_ms =
        isOwn && own_ms > last_ms ? own_ms : max(right_ms, last_ms == .min ? right_ms : last_ms + 1)
      report.time_ms = time_ms
      last_ms = time_ms
      verdicts.append(.use(report, arrivedAt_ms: held.arrivedAt_ms))
    }
    return verdicts
  }

  /// Whether it is one of three whose dates go on: they are new, only dated wrongly.
  private static func goesOn(_ index: Int, _ offsets: [Int64]) -> Bool {
    let run = ClockKeeper.datesToGoOn
    return (max(0, index - run + 1)...index).contains { start in
      guard start + run <= offsets.count else { return false }
      let offsets = offsets[start..<(start + run)]
      return offsets.allSatisfy { abs($0 - offsets[start]) <= ClockKeeper.tolerance_ms }
        && zip(offsets, offsets.dropFirst()).allSatisfy { $1 - $0 <= ClockKeeper.burst_ms }
    }
  }
}
