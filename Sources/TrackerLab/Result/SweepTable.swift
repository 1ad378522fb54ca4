import TrackerBase
import TrackerWire

/// One track with several values of one setting: what each costs, and what it brings.
public struct SweepTable {
  let results: [ReplayResult]

  /// - Parameter results: of one track, named `key=value`.
  public init(results: [ReplayResult]) { self.results = results }

  /// `motion.probe_interval_s`
  private var key: String {
    String((results.first?.settingsName ?? "").prefix { $0 != "=" })
  }

  private static func value(of result: ReplayResult) -> String {
    String(result.settingsName.drop { $0 != "=" }.dropFirst())
  }

  /// Short headings, and the figures below them.
  private static let columns = [
    ("GPS on, h", "GPS on, h"), ("its charge, mAh", "charge, GPS, mAh"), ("fixes kept", "fixes kept"),
    ("worst error, m", "worst error where seen, m"), ("late, s", "late start, mean, s"),
    ("unseen, km", "way that nobody saw, km"),
  ]

  private static func cells(_ result: ReplayResult) -> [String] {
    let figures = result.figures
    let bytes = result.totals.bytesByFormat.values.reduce(0, +)
    return columns.map { column in figures.first { $0.title == column.1 }?.text ?? "–" }
      + [fixed(Double(bytes) / 1000, decimals: 1)]
  }

  /// For a terminal.
  public var text: String {
    guard let first = results.first else { return "" }
    let rows =
      [[key] + SweepTable.columns.map(\.0) + ["sent, kB"]]
      + results.map { [SweepTable.value(of: $0)] + SweepTable.cells($0) }
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
