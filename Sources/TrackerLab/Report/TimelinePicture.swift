import TrackerCore

/// What happened when: one strip under another, and the times below.
struct TimelinePicture {
  let result: ReplayResult
  let id: String
  private let scale: TimeScale

  init(_ result: ReplayResult, id: String) {
    self.result = result
    self.id = id
    scale = TimeScale(result.span, clock: result.clock)
  }

  var html: HTML {
    """
    <figure class="timeline">
    \(schedule.html)\(power.html)\(motion.html)\(gaps.html)\(queue.html)\(sync.html)\(axis)
    <figcaption>From left to right the whole recording, in the time of \(result.clock.name): when the schedule allowed a track, when the GPS \
    had power, whether the vehicle moved, why no track was made, how many records waited, and when they were \
    sent.</figcaption>
    </figure>

    """
  }

  private func strip(_ name: String, _ summary: String, _ id: String, height: Int = 22) -> TimelineStrip {
    TimelineStrip(name, summary, id: "\(self.id)-\(id)", scale: scale, height: height)
  }

  private func total(_ spans: [Span]) -> String { ReportText.duration(spans.total_s) }

  private var schedule: TimelineStrip {
    let summary =
      result.windows.isEmpty
      ? "never open"
      : "open \(total(result.windows)) in \(counted(result.windows.count, "window"))"
    var strip = strip("Schedule", summary, "schedule", height: 12)
    strip.add(bars: result.windows, style: "open", name: "open")
    return strip
  }

  private var power: TimelineStrip {
    let sessions = counted(result.totals.gpsSessions, "session")
    let summary = "on \(ReportText.duration(result.totals.gpsOn_s)) in \(sessions)"
    var strip = strip("GPS power", summary, "power")
    strip.add(shares: result.gpsOn, style: "power", name: "on")
    return strip
  }

  private var motion: TimelineStrip {
    let moving = result.motion.filter { $0.name == "moving" }.map(\.span)
    var strip = strip("Motion", "moving \(total(moving))", "motion")
    let looks: [(state: String, style: HTML, share: Double)] = [
      ("stationary", "stationary", 0.25), ("unknown", "unknown", 0.6), ("moving", "moving", 1),
    ]
    for (state, style, share) in looks {
      let spans = result.motion.filter { $0.name == state }.map(\.span)
      strip.add(bars: spans, style: style, share: share, name: ReportWords.motion(state))
    }
    return strip
  }

  private var gaps: TimelineStrip {
    let missing = ReportText.duration(result.unexplainedGap_s)
    var strip = strip("No track", "neither parked nor outside the schedule: \(missing)", "gaps")
    let byCause = Dictionary(grouping: result.gaps, by: \.name)
    for (cause, gaps) in byCause.sorted(by: { $0.key < $1.key }) {
      let (style, share) = TimelinePicture.look(gap: cause)
      strip.add(bars: gaps.map(\.span), style: style, share: share, name: ReportWords.gap(cause))
    }
    return strip
  }

  /// The worse, the taller; what is expected hardly shows.
  private static func look(gap cause: String) -> (style: HTML, share: Double) {
    switch cause {
    case "parked": ("stationary", 0.2)
    case "window_closed": ("closed", 0.2)
    case "acquiring": ("acquiring", 0.5)
    case "learning_time": ("learning", 0.5)
    case "no_sky", "no_fix": ("nosky", 0.8)
    default: ("lost", 1)
    }
  }

  private var queue: TimelineStrip {
    let most = result.queue.map(\.records).max() ?? 0
    let summary = "at most \(counted(most, "record")), \(result.totals.queuedAtEnd) at the end"
    var strip = strip("Waiting to be sent", summary, "queue", height: 40)
    if most > 0 { strip.add(stretched: queueArea(most: most), style: "queue") }
    return strip
  }

  /// Steps; of what falls into one pixel, the most counts.
  private func queueArea(most: Int) -> HTML {
    var columns: [(x: Int, records: Int)] = []
    for depth in result.queue {
      let x = scale.unit(
        (depth.time_ms - scale.span.start_ms).flooredDivision(by: scale.pixel_ms) * scale.pixel_ms
          + scale.span.start_ms)
      if let last = columns.last, last.x == x {
        columns[columns.count - 1].records = max(last.records, depth.records)
      } else {
        columns.append((x, depth.records))
      }
    }
    var path = "M\(columns.first?.x ?? 0) 100"
    for column in columns { path += "H\(column.x)V\(100 - column.records * 100 / most)" }
    return "\(path)H10000V100z"
  }

  private var sync: TimelineStrip {
    let failed = result.requests.filter { !$0.isDelivered }
    let summary = "\(counted(result.requests.count, "request")), \(failed.count) failed"
    var strip = strip("Sending", summary, "sync")
    let delivered = result.requests.filter(\.isDelivered).map { $0.span }
    let ticks = scale.merged(delivered).map { "M\(scale.unit($0.start_ms)) 15V85" }.joined()
    if !delivered.isEmpty {
      strip.add(stretched: "\(ticks)", style: "sent")
      strip.addLegend("<path class=\"sent\" d=\"M7 2V14\"/>", "delivered")
    }
    for request in shown(failed) {
      let reason = request.status == 0 ? "no reply" : "status \(request.status)"
      let time = result.clock.dateTime(request.span.start_ms)
      strip.add(crossAt: request.span.start_ms, style: "failed", title: "failed \(time): \(reason)")
    }
    if !failed.isEmpty {
      strip.addLegend("<use href=\"#cross\" class=\"failed\" x=\"7\" y=\"8\"/>", "failed")
    }
    return strip
  }

  /// One for each four pixels: a cross is wider than that.
  private func shown(_ requests: [ReplayedRequest]) -> [ReplayedRequest] {
    var shown: [ReplayedRequest] = []
    for request in requests {
      if let last = shown.last, request.span.start_ms - last.span.start_ms < 4 * scale.pixel_ms { continue }
      shown.append(request)
    }
    return shown
  }

  private var axis: HTML {
    let times = scale.ticks.map { label($0, y: 13, style: $0.isMajor ? "" : " class=\"minor\"") }
    let dates = scale.dates.map { label($0, y: 30, style: " class=\"date\"") }
    return """
      <svg class="axis" height="34" aria-hidden="true">\(HTML(times))\(HTML(dates))</svg>
      """
  }

  /// At the edges a label leans inwards.
  private func label(_ tick: TimeScale.Tick, y: Int, style: HTML) -> HTML {
    let share = scale.share(tick.time_ms)
    let anchor: HTML =
      share < 0.05 ? " text-anchor=\"start\"" : share > 0.95 ? " text-anchor=\"end\"" : ""
    return "<text x=\"\(scale.left(tick.time_ms))\" y=\"\(y)\"\(style)\(anchor)>\(tick.label)</text>"
  }
}
