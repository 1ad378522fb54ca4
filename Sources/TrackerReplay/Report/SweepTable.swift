import TrackerCore

/// One track with several values of one setting: what each costs, and what it brings.
public struct SweepTable {
  let results: [ReplayResult]

  /// - Parameter results: of one track, named `key=value`.
  public init(results: [ReplayResult]) { self.results = results }

  /// `motion.probe_interval_s`
  var key: String {
    String((results.first?.settingsName ?? "").prefix { $0 != "=" })
  }

  static func value(of result: ReplayResult) -> String {
    String(result.settingsName.drop { $0 != "=" }.dropFirst())
  }

  static let titles = [
    "GPS on, h", "its charge, mAh", "fixes kept", "worst error, m", "late, s", "unseen, km", "sent, kB",
  ]

  /// In the order of the titles.
  static func cells(_ result: ReplayResult) -> [String] {
    let bytes = result.totals.bytesByFormat.values.reduce(0, +)
    return [
      fixed(result.totals.gpsOn_s / 3600, decimals: 2), fixed(result.totals.energy.gps_mAh, decimals: 1),
      "\(result.totals.keptFixes)", result.error.fixes > 0 ? fixed(result.error.worst_m, decimals: 1) : "–",
      result.meanDelay_s.map { fixed($0, decimals: 0) } ?? "–", fixed(result.unseen_m / 1000, decimals: 2),
      fixed(Double(bytes) / 1000, decimals: 1),
    ]
  }

  /// For a terminal.
  public var text: String {
    guard let first = results.first else { return "" }
    let rows = [[key] + SweepTable.titles] + results.map { [SweepTable.value(of: $0)] + SweepTable.cells($0) }
    return "\(first.track.name): late is the mean of \(measured(first))\n"
      + ReplayText.table(rows).joined(separator: "\n") + "\n"
  }

  private func measured(_ result: ReplayResult) -> String {
    let measured = counted(result.departures.count { $0.delay_s != nil }, "departure")
    let gaps = result.unmeasuredDepartures
    if gaps == 0 { return measured }
    return "\(measured); \(counted(gaps, "other lies in a gap", "others lie in gaps")) of the recording"
  }

  var html: HTML {
    var table = HTMLTable(
      "What each value costs and brings", first: key, SweepTable.titles.map { .init(title: $0) })
    table.stacksWhenNarrow = true
    table.rows = results.map { result in
      [HTML.code(SweepTable.value(of: result))] + SweepTable.cells(result).map { "\($0)" }
    }
    return table.html
  }
}

extension ReplayReport {
  /// Results of tracks, each with several values of one setting, which are their names.
  public static func html(sweep results: [ReplayResult]) -> String {
    let sections = byTrack(results).map { indices -> HTML in
      let own = indices.map { results[$0] }
      let table = SweepTable(results: own)
      return """
        <section>
        <h2>\(own[0].track.name)</h2>
        <p class="note">\(own[0].clock.fromTo(own[0].span)), \(ReportText.duration(own[0].span.length_s))</p>
        \(SweepPlot(results: own, id: "s\(indices[0] + 1)").html)\(table.html)\(OverlayMap(own, id: "s\(indices[0] + 1)").html)</section>

        """
    }
    return page(title: title(results), zones: zones(results), overview: "", HTML(sections)).text
  }
}
