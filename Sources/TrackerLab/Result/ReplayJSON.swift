import TrackerBase
import TrackerJourney
import TrackerWire

/// Results as JSON. Keys are only ever added; docs/simulate.md lists them.
public enum ReplayJSON {
  /// One object for one result, else an array of them.
  public static func text(_ results: [ReplayResult]) -> String {
    var json = JSONWriter(reservingCapacity: results.reduce(4096) { $0 + 96 * $1.kept.count })
    if results.count == 1 {
      write(results[0], to: &json)
    } else {
      json.beginArray()
      for result in results { write(result, to: &json) }
      json.endArray()
    }
    return json.text
  }

  /// - Parameter withLines: with all kept fixes.
  static func write(_ result: ReplayResult, withLines: Bool = true, to json: inout JSONWriter) {
    json.beginObject()
    json.member("schema", "godwit-replay/1")
    json.member("name", result.track.name)
    json.member("settings_name", result.settingsName)
    json.member("settings", result.settingsHash)
    json.array("changed_settings", result.changedSettings) { $1.string($0) }
    json.array("changed_assumptions", result.changedAssumptions) { $1.string($0) }
    json.member("start_ms", result.span.start_ms)
    json.member("end_ms", result.span.end_ms)
    json.array("trips", result.trips, write)
    json.array("departures", result.departures, write)
    if let week = result.learnedWeek { write(week, to: &json) }
    json.array("geofence_events", result.geofenceEvents, write)
    if withLines {
      json.array("track", result.kept, write)
      json.array("jumps", result.jumps, write)
    }
    json.array("gps_on", result.gpsOn) { span, json in object(span, nil, to: &json) }
    json.array("board_off", result.boardOff) { span, json in object(span, nil, to: &json) }
    json.array("windows", result.windows) { span, json in object(span, nil, to: &json) }
    json.array("motion", result.motion) { object($0.span, ("state", $0.name), to: &$1) }
    json.array("gaps", result.gaps) { object($0.span, ("cause", $0.name), to: &$1) }
    writeTotals(result, to: &json)
    json.endObject()
  }

  private static func writeTotals(_ result: ReplayResult, to json: inout JSONWriter) {
    let totals = result.totals
    json.object("totals") { json in
      json.member("gps_on_s", totals.gpsOn_s)
      json.member("gps_sessions", totals.gpsSessions)
      json.member("probes", totals.probes)
      json.member("probes_unanswered", totals.probesUnanswered)
      json.member("windows", result.windows.count)
      json.member("energy_mah", totals.energy.total_mAh)
      json.member("energy_gps_mah", totals.energy.gps_mAh)
      json.member("energy_board_mah", totals.energy.board_mAh)
      json.member("energy_modem_mah", totals.energy.modem_mAh)
      json.member("energy_radio_mah", totals.energy.radio_mAh)
      json.member("energy_day_mah", totals.chargeADay_mAh)
      if let days = totals.battery_days { json.member("battery_days", days) }
      json.member("board_off_s", result.boardOff.total_s)
      json.member("skipped_lines", result.track.skippedLines)
      json.member("reports", totals.reports)
      json.member("fixes", totals.fixes)
      json.member("assumed_fixes", totals.assumedFixes)
      counts("rejected", totals.rejected, to: &json)
      json.member("distance_m", totals.distance_m)
      json.member("kept_fixes", totals.keptFixes)
      if let perKm = totals.keptPerKm { json.member("kept_per_km", perKm) }
      writeErrors(result, to: &json)
      json.member("records", totals.records)
      json.member("events", totals.events)
      json.member("delivered", totals.delivered)
      json.member("queued_at_end", totals.queuedAtEnd)
      json.member("requests", totals.requests)
      json.member("requests_failed", totals.requestsFailed)
      counts("bytes", totals.bytesByFormat, to: &json)
      writeFormats(totals, to: &json)
      json.member("queue_commits", totals.commits)
      counts("warnings", totals.warnings, to: &json)
    }
  }

  private static func writeFormats(_ totals: ReplayTotals, to json: inout JSONWriter) {
    json.object("formats") { json in
      for format in totals.formats {
        json.key(format.format.rawValue)
        json.beginObject()
        json.member("bytes_in_hundreds", format.inHundreds)
        json.member("bytes_in_fives", format.inFives)
        json.member("not_carried", format.notCarried)
        json.endObject()
      }
    }
  }

  private static func writeErrors(_ result: ReplayResult, to json: inout JSONWriter) {
    json.member("unseen_m", result.unseen_m)
    let (error, seen) = (result.wholeError, result.error)
    if seen.fixes > 0 {
      json.member("seen_error_m_p50", seen.median_m)
      json.member("seen_error_m_p95", seen.p95_m)
      json.member("seen_error_m_max", seen.worst_m)
    }
    guard error.fixes > 0 else { return }
    json.member("error_m_p50", error.median_m)
    json.member("error_m_p95", error.p95_m)
    json.member("error_m_max", error.worst_m)
    if let worst = error.worstAt { json.member("error_max_at_ms", worst.time_ms) }
  }

  private static func write(_ trip: ReplayedTrip, to json: inout JSONWriter) {
    json.beginObject()
    json.member("id", trip.id)
    json.member("start_ms", trip.span.start_ms)
    json.member("end_ms", trip.span.end_ms)
    json.member("distance_m", trip.distance_m)
    if trip.estimated_m > 0 { json.member("estimated_m", trip.estimated_m) }
    json.member("top_speed_mps", trip.topSpeed_mps)
    if let cause = trip.endCause { json.member("end_cause", cause.rawValue) }
    json.member("open", trip.endCause == nil)
    json.endObject()
  }

  private static func write(_ departure: ReplayedDeparture, to json: inout JSONWriter) {
    json.beginObject()
    json.member("trip", departure.trip)
    json.member("cause", departure.cause.rawValue)
    json.member("left_after_ms", departure.left.start_ms)
    json.member("left_before_ms", departure.left.end_ms)
    if let left_ms = departure.leftByRecording_ms { json.member("left_ms", left_ms) }
    if let began_ms = departure.trackBegan_ms { json.member("track_began_ms", began_ms) }
    if let delay_s = departure.delay_s { json.member("delay_s", delay_s) }
    json.member("unseen_m", departure.unseen_m)
    json.endObject()
  }

  private static func write(_ week: LearnedWeek, to json: inout JSONWriter) {
    json.object("learned_week") { json in
      json.member("departures", week.departures)
      json.array("per_hour", week.perHour) { day, json in
        json.beginArray()
        for rate in day { json.number(rate) }
        json.endArray()
      }
    }
  }

  private static func write(_ event: ReplayedGeofenceEvent, to json: inout JSONWriter) {
    json.beginObject()
    json.member("time_unix_ms", event.time_ms)
    json.member("action", event.event.action.rawValue)
    json.member("geofence", event.event.geofence)
    json.endObject()
  }

  private static func write(_ point: TrackPoint, to json: inout JSONWriter) {
    json.beginObject()
    json.member("time_unix_ms", point.time_ms)
    json.member("lat", point.position.latitude_deg)
    json.member("lon", point.position.longitude_deg)
    json.endObject()
  }

  private static func object(_ span: Span, _ name: (String, String)?, to json: inout JSONWriter) {
    json.beginObject()
    if let name { json.member(name.0, name.1) }
    json.member("start_ms", span.start_ms)
    json.member("end_ms", span.end_ms)
    json.endObject()
  }

  private static func counts(_ key: String, _ counts: [String: Int], to json: inout JSONWriter) {
    json.object(key) { json in
      for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
        json.key(name)
        json.integer(count)
      }
    }
  }
}
