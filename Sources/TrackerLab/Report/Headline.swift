import TrackerCore

/// The large figures of one result.
struct Headline {
  let result: ReplayResult

  var html: HTML {
    let tiles = self.tiles.map { tile -> HTML in
      let style: HTML = tile.isWarning ? " class=\"warning\"" : ""
      return
        "<div\(style)><dt>\(tile.name)</dt><dd><b>\(tile.value)</b> <span>\(tile.note)</span></dd></div>\n"
    }
    return "<dl class=\"tiles\">\(HTML(tiles))</dl>\n"
  }

  private struct Tile {
    var name: String
    var value: String
    var note: String
    var isWarning = false

    init(_ name: String, _ value: String, _ note: String, isWarning: Bool = false) {
      (self.name, self.value, self.note, self.isWarning) = (name, value, note, isWarning)
    }
  }

  private var tiles: [Tile] { tracking + delivering }

  private var tracking: [Tile] {
    let length_s = result.span.length_s
    let share = length_s > 0 ? "\(fixed(totals.gpsOn_s / length_s * 100, decimals: 1)) % of the time" : ""
    let error = result.error
    let isMeasured = error.fixes > 0
    return [
      Tile("GPS on", "\(fixed(totals.gpsOn_s / 3600, decimals: 2)) h", share),
      Tile(
        "Charge used", "\(fixed(totals.energy.total_mAh, decimals: 0)) mAh",
        "GPS \(fixed(totals.energy.gps_mAh, decimals: 0)) mAh"),
      Tile(
        "GPS sessions", "\(totals.gpsSessions)",
        counted(totals.probes, "probe") + " while parked"),
      Tile("Trips", "\(result.trips.count)", ended),
      Tile("Distance", ReportText.distance(totals.distance_m), "by the odometer"),
      Tile(
        "Fixes kept", "\(totals.keptFixes)",
        totals.keptPerKm.map { "\(fixed($0, decimals: 1)) per km" } ?? "no distance to speak of"),
      Tile(
        "Worst error", isMeasured ? "\(fixed(error.worst_m, decimals: 1)) m" : "–",
        isMeasured ? "where seen; 95 % within \(fixed(error.p95_m, decimals: 1)) m" : "nothing to measure"),
      Tile("Way that nobody saw", ReportText.distance(result.unseen_m), "the GPS was off or starting"),
    ]
  }

  private var ended: String {
    if result.trips.isEmpty { return "none" }
    return result.trips.contains { $0.endCause == nil } ? "one still open" : "all ended"
  }

  private var delivering: [Tile] {
    let failed = totals.requestsFailed == 0 ? "" : ", \(totals.requestsFailed) failed"
    let missing_s = result.unexplainedGap_s
    return [
      Tile("Time without track", ReportText.duration(missing_s), "parked and closed not counted"),
      Tile(
        "Sent", ReportText.bytes(totals.bytesByFormat.values.reduce(0, +)),
        "\(counted(totals.requests, "request"))\(failed)"),
      Tile(
        "Records delivered", "\(totals.delivered)", "\(totals.queuedAtEnd) left in the queue",
        isWarning: totals.delivered == 0 && totals.queuedAtEnd > 0),
      Tile("Queue commits", "\(totals.commits)", "writes to the disk"),
      Tile("Warnings", "\(totals.warnings.values.reduce(0, +))", warned, isWarning: !totals.warnings.isEmpty),
    ]
  }

  private var warned: String { totals.warnings.isEmpty ? "none" : "see the table below" }

  private var totals: ReplayTotals { result.totals }
}
