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
  let clock: ReportClock
  /// Closer than this is one place: a pixel of a wide screen.
  let pixel_ms: Int64

  private static let mostTicks: Int64 = 12
  private static let mostMajorTicks = 5
  private static let steps_s: [Int64] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
  ]

  init(_ span: Span, clock: ReportClock = ReportClock(zone: FixedZone.utc, name: "UTC")) {
    self.clock = clock
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
    let times_ms = roundTimes(each: step_ms)
    let each = max(1, (times_ms.count + TimeScale.mostMajorTicks - 1) / TimeScale.mostMajorTicks)
    return times_ms.enumerated().map { index, time_ms in
      Tick(time_ms: time_ms, label: label(time_ms, step_ms: step_ms), isMajor: index % each == 0)
    }
  }

  /// The dates under the times: at the start and at each midnight, unless the ticks are dates themselves.
  var dates: [Tick] {
    let day_ms: Int64 = 86_400_000
    if step_ms >= day_ms { return [] }
    var dates = roundTimes(each: day_ms).filter { $0 < span.end_ms }.map { time_ms in
      Tick(time_ms: time_ms, label: clock.day(time_ms), isMajor: true)
    }
    if dates.first.map({ share($0.time_ms) > 0.15 }) ?? true {
      dates.insert(
        Tick(time_ms: span.start_ms, label: clock.day(span.start_ms), isMajor: true), at: 0)
    }
    return dates
  }

  /// Those of the recording at which the wall shows a multiple of `step_ms`.
  private func roundTimes(each step_ms: Int64) -> [Int64] {
    let (start_ms, end_ms) = (clock.local_ms(span.start_ms), clock.local_ms(span.end_ms))
    let floored_ms = start_ms.flooredDivision(by: step_ms) * step_ms
    let first_ms = floored_ms == start_ms ? floored_ms : floored_ms + step_ms
    // What the wall shows may fall back an hour meanwhile.
    let times_ms = stride(from: first_ms, through: end_ms + 3_600_000, by: Int(step_ms))
      .map { clock.instant_ms(local_ms: $0) }.filter { $0 >= span.start_ms && $0 <= span.end_ms }
    // Of an hour that the wall leaps over, begin and end are one instant.
    return times_ms.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  private func label(_ time_ms: Int64, step_ms: Int64) -> String {
    if step_ms >= 86_400_000 { return clock.day(time_ms) }
    let text = clock.clock(time_ms)
    return step_ms < 60_000 ? text : String(text.prefix(5))
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

  /// What is to be drawn where many short spans lie close together: those that can be told apart as they are, of the
  /// others which share of each small piece they cover.
  func shares(_ spans: [Span]) -> [(span: Span, share: Double)] {
    let sorted = spans.sorted { $0.start_ms < $1.start_ms }
    var parts: [(span: Span, share: Double)] = []
    var crowd: [Span] = []
    for run in merged(sorted) {
      let inside = sorted.filter { $0.start_ms >= run.start_ms && $0.end_ms <= run.end_ms }
      if inside.count == 1, run.end_ms - run.start_ms >= pixel_ms {
        parts.append((run, 1))
      } else {
        crowd += inside
      }
    }
    return (parts + covered(crowd)).sorted { $0.span.start_ms < $1.span.start_ms }
  }

  /// A piece is some pixels wide: of one that is covered in part the height tells how much.
  private func covered(_ spans: [Span]) -> [(span: Span, share: Double)] {
    let piece_ms = 4 * pixel_ms
    var covered_ms: [Int64: Int64] = [:]
    for span in spans {
      let (start_ms, end_ms) = (max(span.start_ms, self.span.start_ms), min(span.end_ms, self.span.end_ms))
      guard start_ms < end_ms else { continue }
      for piece in start_ms / piece_ms...(end_ms - 1) / piece_ms {
        covered_ms[piece, default: 0] +=
          min(end_ms, (piece + 1) * piece_ms) - max(start_ms, piece * piece_ms)
      }
    }
    var parts: [(span: Span, share: Double)] = []
    for piece in covered_ms.keys.sorted() {
      let twentieths = (Double(covered_ms[piece] ?? 0) / Double(piece_ms) * 20).rounded(.up)
      let own = Span(
        start_ms: max(piece * piece_ms, span.start_ms), end_ms: min((piece + 1) * piece_ms, span.end_ms))
      if let last = parts.last, last.share == twentieths / 20, last.span.end_ms == own.start_ms {
        parts[parts.count - 1].span.end_ms = own.end_ms
      } else {
        parts.append((own, twentieths / 20))
      }
    }
    return parts
  }
}
