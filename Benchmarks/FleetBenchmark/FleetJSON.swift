import TrackerWire

/// A fleet's result as JSON. Keys are only ever added; docs/simulate.md lists them.
enum FleetJSON {
  static func text(_ result: FleetResult) -> String {
    var json = JSONWriter(reservingCapacity: 4096 + 4 * result.requests.count)
    json.beginObject()
    json.member("schema", "godwit-fleet/1")
    write(result.plan, to: &json)
    json.member("first_second", result.inFirstSecond)
    json.member("first_requests_peak_rps", result.firstRequestsPeak_rps)
    json.member("all_tried_s", result.allTried_s)
    json.member("peak_rps", result.peak_rps)
    json.member("peak_10s_rps", result.peak10s_rps)
    json.member("peak_of_capacity", result.peakOfCapacity)
    json.member("away_peak_rps", result.awayPeak_rps)
    json.member("requests", result.requestCount)
    json.member("not_served", result.refusedCount)
    for (key, share) in [("drained_50_s", 0.5), ("drained_99_s", 0.99), ("drained_100_s", 1)]
      as [(String, Double)]
    {
      optional(key, result.drained_s(share: share), to: &json)
    }
    for (key, share) in [
      ("device_requests_50", 0.5), ("device_requests_99", 0.99), ("device_requests_most", 1),
    ] as [(String, Double)] {
      json.member(key, result.requestsOfDevice(share: share))
    }
    optional("closest_s", result.closest_ms.map { Double($0) / 1000 }, to: &json)
    optional("closest_after_failure_s", result.closestAfterFailure_ms.map { Double($0) / 1000 }, to: &json)
    json.member("before_retry_after", result.undercuts)
    json.member("records_made", result.made)
    json.member("records_delivered", result.delivered)
    json.member("records_queued", result.queuedAtEnd)
    array("requests_per_second", result.requests, to: &json)
    array("not_served_per_second", result.refused, to: &json)
    json.endObject()
    return json.text
  }

  private static func write(_ plan: FleetPlan, to json: inout JSONWriter) {
    json.member("scenario", plan.scenario.rawValue)
    json.member("devices", plan.devices)
    json.member("capacity_rps", plan.capacity_rps)
    if plan.scenario == .outage {
      json.member("away", plan.away.rawValue)
      json.member("outage_s", plan.outage_s)
    }
    optional("retry_after_s", plan.retryAfter_s.map(Double.init), to: &json)
    json.member("seed", plan.seed)
  }

  private static func optional(_ key: String, _ value: Double?, to json: inout JSONWriter) {
    json.key(key)
    if let value { json.number(value) } else { json.null() }
  }

  private static func array(_ key: String, _ values: [Int], to json: inout JSONWriter) {
    json.key(key)
    json.beginArray()
    for value in values { json.integer(value) }
    json.endArray()
  }
}
