import TrackerCore

/// What several settings make of each drive of one track: the trips that overlap are one drive.
struct DriveTable {
  let results: [ReplayResult]

  /// With more drives the map and the sums say more.
  static let most = 200

  /// From the first to the last that any of the settings takes for one trip.
  struct Drive: Equatable {
    var span: Span
    /// For each of the settings.
    var trips: [[ReplayedTrip]]
  }

  var drives: [Drive] {
    let all = results.enumerated().flatMap { index, result in result.trips.map { (index, $0) } }
      .sorted { ($0.1.span.start_ms, $0.0) < ($1.1.span.start_ms, $1.0) }
    var drives: [Drive] = []
    for (index, trip) in all {
      if let last = drives.last, trip.span.start_ms <= last.span.end_ms {
        drives[drives.count - 1].span.end_ms = max(last.span.end_ms, trip.span.end_ms)
      } else {
        drives.append(Drive(span: trip.span, trips: Array(repeating: [], count: results.count)))
      }
      drives[drives.count - 1].trips[index].append(trip)
    }
    return drives
  }

  var html: HTML {
    var columns: [HTMLTable.Column] = []
    for result in results {
      let name = result.settingsName
      columns += ["start", "distance", "late by", "nobody saw"].map { .init(title: "\(name): \($0)") }
    }
    var table = HTMLTable("Drive by drive", first: "Drive", columns, ifEmpty: "there was none")
    table.stacksWhenNarrow = true
    let drives = drives
    table.rows = drives.prefix(DriveTable.most).map(row)
    let more = drives.count - DriveTable.most
    return """
      <div class="comparison">\(table.html)<p class="note">Times and distances after the first settings have their \
      difference behind them.\(more > 0 ? " \(counted(more, "further drive is", "further drives are")) left out." : "")</p></div>

      """
  }

  private func row(_ drive: Drive) -> [HTML] {
    let base = drive.trips[0]
    let cells = zip(results, drive.trips).enumerated().flatMap { index, pair -> [HTML] in
      let (result, trips) = pair
      guard let first = trips.first else { return ["no trip", "", "", ""] }
      let metres = trips.reduce(0) { $0 + $1.distance_m }
      let departures = result.departures.filter { departure in trips.contains { $0.id == departure.trip } }
      let delay_s = departures.compactMap(\.delay_s).max()
      let before = index == 0 ? nil : base.first
      return [
        "\(result.clock.time(first.span.start_ms, within: result.span))\(difference(first.span.start_ms, before?.span.start_ms))",
        "\(ReportText.distance(metres))\(difference(metres: metres, before == nil ? nil : base.reduce(0) { $0 + $1.distance_m }))",
        "\(delay_s.map(ReportText.duration) ?? "–")",
        "\(ReportText.distance(departures.reduce(0) { $0 + $1.unseen_m }))",
      ]
    }
    return ["\(results[0].clock.time(drive.span.start_ms, within: results[0].span))"] + cells
  }

  private func difference(_ time_ms: Int64, _ base_ms: Int64?) -> HTML {
    guard let base_ms, abs(time_ms - base_ms) >= 500 else { return "" }
    let sign = time_ms < base_ms ? "−" : "+"
    return " <small>\(sign)\(ReportText.duration(Double(abs(time_ms - base_ms)) / 1000))</small>"
  }

  private func difference(metres: Double, _ base_m: Double?) -> HTML {
    guard let base_m, abs(metres - base_m) >= 1 else { return "" }
    return " <small>\(metres < base_m ? "−" : "+")\(ReportText.distance(abs(metres - base_m)))</small>"
  }
}
