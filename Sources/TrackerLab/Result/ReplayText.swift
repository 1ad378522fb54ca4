import TrackerBase
import TrackerJourney
import TrackerWire

/// Results as text for a terminal.
public enum ReplayText {
  /// One result: its totals, trips and gaps.
  public static func summary(_ result: ReplayResult) -> String {
    let from = ISO8601.text(ms: result.span.start_ms)
    let to = ISO8601.text(ms: result.span.end_ms)
    var lines = ["\(result.track.name), \(from) to \(to), settings \(result.settingsName)"]
    lines += result.changedSettings.map { "  set  \($0)" }
    lines += result.changedAssumptions.map { "  assumed  \($0)" }
    if result.track.skippedLines > 0 {
      let words = counted(
        result.track.skippedLines, "line of the recording is malformed, and was skipped",
        "lines of the recording are malformed, and were skipped")
      let first = result.track.firstSkipped.map { "; the first: \($0)" } ?? ""
      lines.append("  \(words)\(first)")
    }
    let rows = result.figures.map { [$0.label, $0.text, $0.unit] }
    lines += table(rows)
    lines += result.trips.map { trip in
      let start = ISO8601.text(ms: trip.span.start_ms)
      let km = fixed(trip.distance_m / 1000, decimals: 2)
      return "  trip \(trip.id)  \(start)  \(fixed(trip.span.length_s / 60, decimals: 1)) min  \(km) km  "
        + (trip.endCause.map { "ended: \($0.rawValue)" } ?? "still open")
    }
    lines += departureLines(result)
    lines += result.geofenceEvents.map {
      "  \($0.event.action.rawValue)  \(ISO8601.text(ms: $0.time_ms))  \($0.event.geofence)"
    }
    lines += gapLines(result)
    lines += result.learnedWeek.map(weekLines) ?? []
    return lines.joined(separator: "\n") + "\n"
  }

  /// Results of one track side by side; differences are to the first one.
  public static func comparison(_ results: [ReplayResult]) -> String {
    guard let base = results.first else { return "" }
    var rows = [[base.track.name] + results.map(\.settingsName) + differenceTitles(results)]
    rows += results.figureRows.map { figures in
      let changes = figures.dropFirst().map { difference(from: figures[0], to: $0) }
      return [figures[0].title] + figures.map(\.text) + changes
    }
    return (settingsLines(results) + table(rows)).joined(separator: "\n") + "\n"
  }

  private static func differenceTitles(_ results: [ReplayResult]) -> [String] {
    results.count == 2 ? ["change"] : results.dropFirst().map { "change to \($0.settingsName)" }
  }

  private static func settingsLines(_ results: [ReplayResult]) -> [String] {
    results.map { result in
      let changes =
        result.changedSettings.isEmpty ? "the defaults" : result.changedSettings.joined(separator: ", ")
      return "\(result.settingsName): \(changes)"
    } + (results.first?.changedAssumptions ?? []).map { "assumed: \($0)" }
  }

  private static func difference(from before: ReplayFigure, to after: ReplayFigure) -> String {
    guard let old = before.value, let new = after.value else { return "" }
    if before.text == after.text { return "=" }
    let sign = new > old ? "+" : ""
    let absolute = sign + fixed(new - old, decimals: before.decimals)
    return old == 0
      ? absolute : "\(absolute) (\(sign)\(fixed((new - old) / old.magnitude * 100, decimals: 0)) %)"
  }

  private static func departureLines(_ result: ReplayResult) -> [String] {
    result.departures.map { departure in
      let (from, to) = (ISO8601.text(ms: departure.left.start_ms), ISO8601.text(ms: departure.left.end_ms))
      let left = from == to ? "left \(from), seen" : "left from \(from) to \(to)"
      let late = departure.delay_s.map { "track \(fixed($0, decimals: 0)) s late" }
      let delay = late ?? (departure.trackBegan_ms == nil ? "no track" : "the recording has a gap")
      let km = fixed(departure.unseen_m / 1000, decimals: 2)
      return
        "  departure \(departure.trip), by \(departure.cause.rawValue): \(left); \(delay), \(km) km unseen"
    }
  }

  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  private static func weekLines(_ week: LearnedWeek) -> [String] {
    let learned = "  learned of \(counted(Int(week.departures.rounded()), "departure"))"
    let words =
      week.areFew
      ? "\(learned), too few yet to look less often than the settings say"
      : "\(learned): how many it expects an hour while parked, by day and local hour"
    if week.areFew { return [words] }
    let head = [""] + (0..<24).map { "\($0)" }
    let rows = zip(weekdays, week.perHour).map { day, rates in
      [day] + rates.map { $0 < 0.05 ? "." : fixed($0, decimals: 1) }
    }
    return [words] + table([head] + rows)
  }

  private static func gapLines(_ result: ReplayResult) -> [String] {
    let names = Set(result.gaps.map(\.name)).sorted()
    return names.map { name in
      let spans = result.gaps.filter { $0.name == name }.map(\.span)
      let minutes = fixed(spans.total_s / 60, decimals: 1)
      return "  no track, \(name): \(counted(spans.count, "time")), \(minutes) min"
    }
  }

  /// The first column to the left, the others to the right.
  static func table(_ rows: [[String]]) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { index, cell in
        let space = String(repeating: " ", count: widths[index] - cell.count)
        return index == 0 ? cell + space : space + cell
      }
      return "  " + cells.joined(separator: "  ")
    }
  }
}
