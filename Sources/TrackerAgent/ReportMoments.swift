import TrackerCore

/// When the reports of one reading came, which may have waited in gpsd's socket.
///
/// A receiver says its dates at a steady pace: a report comes so long after its date as the one did that waited least.
/// Where dates do not fit into the time since the last event, and after a stall, all count as come now. What is handled
/// between two reports came with the first of them: no event is earlier than the one before it.
struct ReportMoments {
  /// What has waited for longer has met a stall: the clock and the filter judge that.
  static let most_ms: Int64 = 10_000
  /// An event is handled some time after it came: less than what the clock takes for a stall.
  static let tolerance_ms: Int64 = 1000
  /// The least wait is forgotten by a thousandth of the time that passes: no clock drifts faster.
  static let forgetting: Int64 = 1000

  /// Boot time less date of the report that waited least.
  private var least_ms: Int64?
  private var forgottenAt_ms: Int64 = 0
  /// Date of the last report, and of the last one before it that had another date.
  private var (last_ms, before_ms): (Int64?, Int64?)
  /// Of the reading that is handled: boot time less date, how many reports are left that it holds for, and when the one
  /// came that is handled, at first the first.
  private var (offset_ms, left, came_ms): (Int64, Int, Int64) = (0, 0, 0)
  /// Boot time of the last event.
  private var handled_ms: Int64

  init(at now_ms: Int64) { handled_ms = now_ms }

  mutating func read(_ news: [Event], at now_ms: Int64) {
    left = 0
    var (firstDate_ms, count, isOdd) = (Int64?.none, 0, false)
    for case .gpsReport(let report) in news {
      guard let time_ms = report.time_ms, time_ms >= last_ms ?? time_ms else {
        isOdd = true
        break
      }
      firstDate_ms = firstDate_ms ?? time_ms
      if time_ms != last_ms { (before_ms, last_ms) = (last_ms, time_ms) }
      count += 1
    }
    if let firstDate_ms, let last_ms {
      let offset_ms = isOdd ? least_ms ?? now_ms - last_ms : offset_ms(at: now_ms, newest_ms: last_ms)
      let span_ms = now_ms - firstDate_ms - offset_ms
      if span_ms <= min(now_ms - handled_ms + ReportMoments.tolerance_ms, ReportMoments.most_ms) {
        (self.offset_ms, left, came_ms) = (offset_ms, count, firstDate_ms + offset_ms)
      }
    }
    if isOdd { (least_ms, last_ms, before_ms) = (nil, nil, nil) }
  }

  /// Boot time less date. The newest has not waited until the next one would have come: then its date has changed.
  private mutating func offset_ms(at now_ms: Int64, newest_ms: Int64) -> Int64 {
    let late_ms = now_ms - newest_ms
    let forgotten_ms = (now_ms - forgottenAt_ms) / ReportMoments.forgetting
    forgottenAt_ms += forgotten_ms * ReportMoments.forgetting
    let known_ms = (least_ms ?? late_ms) + forgotten_ms
    let period_ms = max(newest_ms - (before_ms ?? newest_ms), 1)
    let offset_ms = (0..<period_ms).contains(late_ms - known_ms) ? known_ms : late_ms
    least_ms = offset_ms
    return offset_ms
  }

  /// - Returns: the moment at which the event came that is handled now.
  mutating func moment(of event: Event, at now: Moment) -> Moment {
    if left == 0 {
      came_ms = now.boot_ms
    } else if case .gpsReport(let report) = event, let time_ms = report.time_ms {
      left -= 1
      came_ms = time_ms + offset_ms
    }
    handled_ms = max(handled_ms, min(came_ms, now.boot_ms))
    return now.earlier(by_ms: now.boot_ms - handled_ms)
  }
}
