import TrackerWire

/// A fleet's result for a person.
enum FleetText {
  /// Of the histogram, in characters and lines.
  private static let width = 56
  private static let longest = 40

  static func text(_ result: FleetResult) -> String {
    let figures = rows(result)
    let widest = figures.map(\.0.count).max() ?? 0
    var lines = heading(result)
    lines += figures.map { "  " + $0.0 + String(repeating: " ", count: widest - $0.0.count + 2) + $0.1 }
    lines += [""] + histogram(result)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func heading(_ result: FleetResult) -> [String] {
    let (plan, sync) = (result.plan, result.plan.settings)
    let instant =
      switch plan.scenario {
      case .windowOpens: "all windows open at once, \(plan.queued) records queued each"
      case .windowEnds: "all windows end at once, \(plan.queued) records queued each"
      case .outage: "\(awayWords(plan.away)) for \(time(Double(plan.outage_s))), then back"
      }
    let retryAfter = plan.retryAfter_s.map { ", Retry-After \($0) s" } ?? ""
    return [
      "\(plan.devices) devices, a server for \(plan.capacity_rps) requests a second\(retryAfter); seed \(plan.seed)",
      instant,
      "splay_s \(sync.splay_s), sync_interval_s \(sync.interval_s), sync_threshold \(sync.threshold), "
        + "max_batch_size \(sync.maxBatchSize), sync_retry_base_s \(sync.retryBase_s), "
        + "sync_retry_max_s \(sync.retryMax_s)",
    ]
  }

  private static func awayWords(_ away: FleetPlan.Away) -> String {
    switch away {
    case .refused: "the server refuses connections"
    case .busy: "the server answers 503"
    case .offline: "no device has a network"
    }
  }

  private static func rows(_ result: FleetResult) -> [(String, String)] {
    let share = result.requestCount > 0 ? Double(result.refusedCount) / Double(result.requestCount) : 0
    var rows = [
      ("first second", "\(result.inFirstSecond) requests"),
      (
        "first request of each device",
        "at most \(result.firstRequestsPeak_rps) in a second, the last within \(time(Double(result.allTried_s)))"
      ),
      (
        "busiest second",
        "\(result.peak_rps) requests, \(fixed(result.peakOfCapacity, decimals: 2)) of the capacity"
      ),
      ("busiest 10 s", "\(fixed(result.peak10s_rps, decimals: 1)) requests a second"),
      (
        "not served", "\(result.refusedCount) of \(result.requestCount) requests (\(percent(share)))"
      ),
      ("delivered at 50 %", drained(result, 0.5)),
      ("delivered at 99 %", drained(result, 0.99)),
      ("delivered at 100 %", drained(result, 1)),
      (
        "requests of a device",
        "median \(result.requestsOfDevice(share: 0.5)), 99 % \(result.requestsOfDevice(share: 0.99)), "
          + "most \(result.requestsOfDevice(share: 1))"
      ),
      (
        "closest two of a device",
        "\(seconds(result.closest_ms)); after a failure \(seconds(result.closestAfterFailure_ms))"
      ),
      ("records", "\(result.made) made = \(result.delivered) delivered + \(result.queuedAtEnd) queued"),
    ]
    if result.plan.retryAfter_s != nil { rows.append(("before Retry-After was over", "\(result.undercuts)")) }
    if result.plan.scenario == .outage {
      let mean =
        Double(result.requestsWhileAway.reduce(0, +)) / Double(max(1, result.requestsWhileAway.count))
      rows.append(
        ("tried while away", "\(fixed(mean, decimals: 1)) a second, at most \(result.awayPeak_rps)"))
    }
    return rows
  }

  private static func drained(_ result: FleetResult, _ share: Double) -> String {
    result.drained_s(share: share).map { time($0) } ?? "never"
  }

  private static func seconds(_ ms: Int64?) -> String {
    ms.map { fixed(Double($0) / 1000, decimals: 3) + " s" } ?? "–"
  }

  private static func percent(_ share: Double) -> String { fixed(share * 100, decimals: 1) + " %" }

  /// `1 h 02 min 05 s`, from the first part that is not 0; below a minute with one decimal.
  static func time(_ time_s: Double) -> String {
    if time_s < 60 { return fixed(time_s, decimals: 1) + " s" }
    let whole = Int(time_s.rounded())
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60)
    if hours == 0 { return "\(minutes) min \(two(seconds)) s" }
    return "\(hours) h \(two(minutes)) min \(two(seconds)) s"
  }

  /// One line a step of time: `#` up to its mean, `-` up to its busiest second, `|` the capacity.
  private static func histogram(_ result: FleetResult) -> [String] {
    let steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200]
    let step = steps.first { result.requests.count <= $0 * longest } ?? 14400
    let scale = Double(width) / Double(max(1, result.peak_rps, result.plan.capacity_rps))
    let capacity = Int(Double(result.plan.capacity_rps) * scale)
    var lines = ["  from      mean  most  requests a second (# mean, - busiest second, | capacity)"]
    for start in stride(from: 0, to: result.requests.count, by: step) {
      let slice = result.requests[start..<min(start + step, result.requests.count)]
      let mean = Double(slice.reduce(0, +)) / Double(slice.count)
      let most = slice.max() ?? 0
      let bar = bar(mean: Int(mean * scale), most: Int(Double(most) * scale), capacity: capacity)
      lines.append(
        "  " + clock(start) + right(fixed(mean, decimals: 1), 7) + right("\(most)", 6) + "  " + bar)
    }
    return lines
  }

  private static func bar(mean: Int, most: Int, capacity: Int) -> String {
    var bar: [Character] = Array(repeating: "#", count: mean)
    bar += Array(repeating: "-", count: max(0, most - mean))
    if capacity >= bar.count { bar += Array(repeating: " ", count: capacity - bar.count + 1) }
    bar[capacity] = "|"
    return String(bar)
  }

  private static func clock(_ time_s: Int) -> String {
    return right("\(time_s / 3600):\(two(time_s / 60 % 60)):\(two(time_s % 60))", 8)
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
