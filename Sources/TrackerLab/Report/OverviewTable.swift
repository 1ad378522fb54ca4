/// All results at a glance, with the way to each.
struct OverviewTable {
  let results: [ReplayResult]

  var html: HTML {
    var table = HTMLTable(
      "Overview", first: "Track",
      [
        .init(title: "Settings", isNumeric: false), .init(title: "GPS on"), .init(title: "Charge"),
        .init(title: "Trips"), .init(title: "Distance"), .init(title: "Fixes kept"),
        .init(title: "Worst error"), .init(title: "Sent"),
      ])
    table.stacksWhenNarrow = true
    table.rows = results.enumerated().map { index, result in
      let totals = result.totals
      let error = result.error.fixes > 0 ? "\(fixed(result.error.worst_m, decimals: 1)) m" : "–"
      return [
        "<a href=\"#r\(index + 1)\">\(result.track.name)</a>", "\(result.settingsName)",
        "\(fixed(totals.gpsOn_s / 3600, decimals: 2)) h",
        "\(fixed(totals.energy.total_mAh, decimals: 0)) mAh", "\(result.trips.count)",
        "\(ReportText.distance(totals.distance_m))", "\(totals.keptFixes)", "\(error)",
        "\(ReportText.bytes(totals.bytesByFormat.values.reduce(0, +)))",
      ]
    }
    return table.html
  }
}
