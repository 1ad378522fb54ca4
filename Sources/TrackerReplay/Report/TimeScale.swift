import TrackerCore

/// From time to place on the timeline.
struct TimeScale {
  struct Tick: Equatable {
    var time_ms: Int64
    var label: String
    /// Shown on a telephone too.
    var isMajor: Bool
  }

  let span: Span
  /// Closer than this is one place: a pixel of a wide screen.
  let pixel_ms: Int64

  private static let mostTicks: Int64 = 12
  private static let mostMajorTicks = 5
  private static let steps_s: [Int64] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
  ]

  init(_ span: Span) {
    self.span = Span(start_ms: span.start_ms, end_ms: max(span.end_ms, span.start_ms + 1000))
    pixel_ms = max(1, (self.span.end_ms - span.start_ms) / 1200)
  }

  /// 0...1; what lies outside is at the edge.
  func share(_ time_ms: Int64) -> Double {
    let clamped_ms = min(max(time_ms, span.start_ms), span.end_ms)
    return Double(clamped_ms - span.start_ms) / Double(span.end_ms - span.start_ms)
  }

  func left(_ time_ms: Int64) -> String { ReportText.percent(share(time_ms)) }

  /// 0...10000, as on the map.
  func unit(_ time_ms: Int64) -> Int { Int((share(time_ms) * 10_000).rounded()) }

  /// Between two ticks.
  var step_ms: Int64 {
    let wanted_s = (span.end_ms - span.start_ms) / 1000 / TimeScale.mostTicks
    if let step_s = TimeScale.steps_s.first(where: { $0 >= wanted_s }) { return step_s * 1000 }
    return (wanted_s + 86_399) / 86_400 * 86_400_000
  }

  var ticks: [Tick] {
    let step_ms = step_ms
    let times_ms = Array(stride(from: first_ms(step_ms), through: span.end_ms, by: Int(step_ms)))
    let each = max(1, (times_ms.count + TimeScale.mostMajorTicks - 1) / TimeScale.mostMajorTicks)
    return times_ms.enumerated().map { index, time_ms in
      Tick(time_ms: time_ms, label: label(time_ms, step_ms: step_ms), isMajor: index % each == 0)
    }
  }

  /// The dates under the times: at the start and at each midnight, unless the ticks are dates themselves.
  var dates: [Tick] {
    let day_ms: Int64 = 86_400_000
    if step_ms >= day_ms { return [] }
    var dates = stride(from: first_ms(day_ms), to: span.end_ms, by: Int(day_ms)).map { time_ms in
      Tick(time_ms: time_ms, label: ReportText.day(time_ms), isMajor: true)
    }
    if dates.first.map({ share($0.time_ms) > 0.15 }) ?? true {
      dates.insert(
        Tick(time_ms: span.start_ms, label: ReportText.day(span.start_ms), isMajor: true), at: 0)
    }
    return dates
  }

  private func first_ms(_ step_ms: Int64) -> Int64 {
    let floored_ms = span.start_ms.flooredDivision(by: step_ms) * step_ms
    return floored_ms == span.start_ms ? floored_ms : floored_ms + step_ms
  }

  private func label(_ time_ms: Int64, step_ms: Int64) -> String {
    if step_ms >= 86_400_000 { return ReportText.day(time_ms) }
    let clock = ReportText.clock(time_ms)
    return step_ms < 60_000 ? clock : String(clock.prefix(5))
  }

  /// In time order; what the picture cannot show apart is one span.
  func merged(_ spans: [Span]) -> [Span] {
    var merged: [Span] = []
    for span in spans.sorted(by: { $0.start_ms < $1.start_ms }) {
      if let last = merged.last, span.start_ms - last.end_ms < pixel_ms {
        merged[merged.count - 1].end_ms = max(last.end_ms, span.end_ms)
      } else {
        merged.append(span)
      }
    }
    return merged
  }
}
