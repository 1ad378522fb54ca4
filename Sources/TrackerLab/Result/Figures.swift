import TrackerWire

/// One figure of a result, for a person.
public struct ReplayFigure: Equatable, Sendable {
  public var label: String
  public var unit: String
  /// Nil where there is nothing to measure.
  public var value: Double?
  public var decimals: Int

  /// `2.60`
  public var text: String { value.map { fixed($0, decimals: decimals) } ?? "–" }

  /// `GPS on, h`
  var title: String { unit.isEmpty ? label : "\(label), \(unit)" }
}

extension ReplayResult {
  /// The totals, most wanted first.
  public var figures: [ReplayFigure] {
    func figure(_ label: String, _ value: Double?, _ unit: String = "", _ decimals: Int = 0) -> ReplayFigure {
      ReplayFigure(label: label, unit: unit, value: value, decimals: decimals)
    }
    func count(_ label: String, _ value: Int) -> ReplayFigure { figure(label, Double(value)) }
    let measured = error.fixes > 0
    return [
      figure("recorded", span.length_s / 3600, "h", 2),
      figure("GPS on", totals.gpsOn_s / 3600, "h", 2),
      figure("GPS on", span.length_s > 0 ? totals.gpsOn_s / span.length_s * 100 : nil, "%", 1),
      count("GPS sessions", totals.gpsSessions),
      count("probes while parked", totals.probes),
      figure("charge in all", totals.energy.total_mAh, "mAh", 1),
      figure("charge, GPS", totals.energy.gps_mAh, "mAh", 1),
      figure("charge, radio", totals.energy.radio_mAh, "mAh", 1),
      figure("charge a day", totals.chargeADay_mAh, "mAh", 0),
      figure("battery lasts", totals.battery_days, "days", 1),
      figure("board off", boardOff.total_s / 3600, "h", 2),
      figure("schedule open", windows.total_s / 3600, "h", 2),
      count("windows", windows.count),
      count("trips", trips.count),
      figure("distance", totals.distance_m / 1000, "km", 2),
      count("fixes used", totals.fixes),
      count("fixes kept", totals.keptFixes),
      figure("kept per km", totals.keptPerKm, "", 2),
      figure("worst error where seen", measured ? error.worst_m : nil, "m", 1),
      figure("error at 95 % there", measured ? error.p95_m : nil, "m", 1),
      figure("way that nobody saw", unseen_m / 1000, "km", 2),
      figure("late start, mean", meanDelay_s, "s"),
      figure("late start, most", delays_s.max(), "s"),
      count("starts not recorded", unmeasuredDepartures),
      count("records", totals.records),
      count("delivered", totals.delivered),
      count("queued at the end", totals.queuedAtEnd),
      count("requests", totals.requests),
      count("requests failed", totals.requestsFailed),
    ]
      + totals.bytesByFormat.sorted { $0.key < $1.key }.map {
        figure("bytes sent, \($0.key)", Double($0.value) / 1000, "kB", 1)
      }
      + [
        count("queue commits", totals.commits),
        figure("time without track", unexplainedGap_s / 60, "min", 1),
      ]
  }

  private var delays_s: [Double] { departures.compactMap(\.delay_s) }

  /// From leaving to the track; nil where no departure has both.
  var meanDelay_s: Double? {
    delays_s.isEmpty ? nil : delays_s.reduce(0, +) / Double(delays_s.count)
  }

  /// They are left out of the delays: the recording does not tell when the vehicle left.
  var unmeasuredDepartures: Int { departures.count { $0.leftByRecording_ms == nil } }

  /// The figure of this result that `other` is of another one; without a value where this one has none.
  fileprivate func figure(like other: ReplayFigure) -> ReplayFigure {
    figures.first { $0.title == other.title }
      ?? ReplayFigure(label: other.label, unit: other.unit, value: nil, decimals: other.decimals)
  }

  /// Time in which no track was made although the vehicle was neither parked nor outside the windows, nor the board asleep.
  public var unexplainedGap_s: Double {
    gaps.filter { !["parked", "window_closed", "board_off"].contains($0.name) }.map(\.span).total_s
  }
}

extension [ReplayResult] {
  /// A row for each figure that any of them has: that figure of each one.
  var figureRows: [[ReplayFigure]] {
    var kinds: [ReplayFigure] = []
    for figure in flatMap(\.figures) where !kinds.contains(where: { $0.title == figure.title }) {
      kinds.append(figure)
    }
    return kinds.map { kind in map { $0.figure(like: kind) } }
  }
}
