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
}
