import TrackerCore

/// The tables of one result.
struct ResultTables {
  let result: ReplayResult
  let id: String

  var trips: HTML {
    var table = HTMLTable(
      "Trips", first: "Trip",
      [
        .init(title: "Start"), .init(title: "End"), .init(title: "Duration"),
        .init(title: "Distance"), .init(title: "Top speed"), .init(title: "Ended", isNumeric: false),
      ], ifEmpty: "none")
    table.stacksWhenNarrow = true
    table.rows = result.trips.map { trip in
      [
        "<a href=\"#\(id)-trip\(trip.id)\">\(trip.id)</a>",
        "\(result.clock.time(trip.span.start_ms, within: result.span))",
        "\(result.clock.time(trip.span.end_ms, within: result.span))",
        "\(ReportText.duration(trip.span.length_s))", "\(ReportText.distance(trip.distance_m))",
        "\(ReportText.speed(trip.topSpeed_mps))", "\(ReportWords.end(trip.endCause))",
      ]
    }
    return table.html
  }

  var departures: HTML {
    var table = HTMLTable(
      "Departures", first: "Trip",
      [
        .init(title: "Noticed by", isNumeric: false), .init(title: "Left after"),
        .init(title: "Left before"), .init(title: "Track begins"), .init(title: "Late by"),
        .init(title: "Way that nobody saw"),
      ], ifEmpty: "none")
    table.stacksWhenNarrow = true
    table.rows = result.departures.map { departure in
      [
        "\(departure.trip)", "\(ReportWords.departure(departure.cause))",
        "\(result.clock.time(departure.left.start_ms, within: result.span))",
        "\(result.clock.time(departure.left.end_ms, within: result.span))",
        "\(departure.trackBegan_ms.map { result.clock.time($0, within: result.span) } ?? "–")",
        "\(ReportText.delay(departure))", "\(ReportText.distance(departure.unseen_m))",
      ]
    }
    return table.html
  }

  /// Nothing at all where nothing is learned.
  var learnedWeek: HTML {
    guard let week = result.learnedWeek else { return "" }
    var table = HTMLTable(
      "Learned of \(week.departuresInWords): how many it expects an hour while parked",
      first: "Local hour", (0..<24).map { .init(title: "\($0)") })
    table.rows = zip(ReportText.weekdays, week.perHour).map { day, rates in
      ["\(day)"] + rates.map { $0 < 0.05 ? "" : "\(fixed($0, decimals: 1))" }
    }
    return table.html
  }

  /// The small ones, side by side where there is room.
  var others: HTML {
    "<div class=\"tables\">\n\(gaps)\(geofences)\(energy)\(bytes)\(rejected)\(warnings)</div>\n"
  }

  private var gaps: HTML {
    var table = HTMLTable(
      "Times without a track", first: "Cause",
      [.init(title: "Times"), .init(title: "Total"), .init(title: "Longest")],
      ifEmpty: "none")
    let byCause = Dictionary(grouping: result.gaps, by: \.name).mapValues { $0.map(\.span.length_s) }
    let sorted = byCause.map { (cause: $0, total_s: $1.reduce(0, +), all_s: $1) }
      .sorted { ($1.total_s, $0.cause) < ($0.total_s, $1.cause) }
    table.rows = sorted.map { gap in
      [
        "\(ReportWords.gap(gap.cause))", "\(gap.all_s.count)", "\(ReportText.duration(gap.total_s))",
        "\(ReportText.duration(gap.all_s.max() ?? 0))",
      ]
    }
    return table.html
  }

  /// Nothing at all where the user has none.
  private var geofences: HTML {
    guard !result.geofences.isEmpty else { return "" }
    var table = HTMLTable(
      "Geofence events", first: "Geofence",
      [.init(title: "Entered"), .init(title: "Left"), .init(title: "Dwelt")], ifEmpty: "none")
    let byName = Dictionary(grouping: result.geofenceEvents, by: \.event.geofence)
    table.rows = byName.sorted { $0.key < $1.key }.map { name, events in
      let times = { (action: GeofenceEvent.Action) -> HTML in
        "\(events.filter { $0.event.action == action }.count)"
      }
      return ["\(name)", times(.enter), times(.exit), times(.dwell)]
    }
    return table.html
  }

  private var energy: HTML {
    let energy = result.totals.energy
    var table = HTMLTable(
      "Charge by consumer", first: "Consumer", [.init(title: "Charge"), .init(title: "Share")])
    let parts = [
      ("GPS module", energy.gps_mAh), ("Board", energy.board_mAh), ("Modem, idle", energy.modem_mAh),
      ("Radio", energy.radio_mAh),
    ]
    table.rows = (parts + [("All", energy.total_mAh)]).map { name, charge_mAh in
      let share = energy.total_mAh > 0 ? charge_mAh / energy.total_mAh * 100 : 0
      return ["\(name)", "\(fixed(charge_mAh, decimals: 1)) mAh", "\(fixed(share, decimals: 0)) %"]
    }
    return table.html
  }

  private var bytes: HTML {
    var table = HTMLTable(
      "Sent by format", first: "Format", [.init(title: "Bytes")], ifEmpty: "nothing")
    table.rows = result.totals.bytesByFormat.sorted { $0.key < $1.key }
      .map { ["\($0.key)", "\(ReportText.bytes($0.value))"] }
    return table.html
  }

  private var rejected: HTML {
    counts(
      result.totals.rejected, "Rejected fixes", first: "Why", ifEmpty: "none",
      ReportWords.rejection)
  }

  private var warnings: HTML {
    counts(
      result.totals.warnings, "Warnings", first: "Warning", ifEmpty: "none", ReportWords.warning)
  }

  private func counts(
    _ counts: [String: Int], _ caption: String, first: String, ifEmpty: String, _ words: (String) -> String
  ) -> HTML {
    var table = HTMLTable(caption, first: first, [.init(title: "Times")], ifEmpty: ifEmpty)
    table.rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { ["\(words($0.key))", "\($0.value)"] }
    return table.html
  }
}
