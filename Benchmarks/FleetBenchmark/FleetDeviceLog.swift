/// What one device did.
struct FleetDeviceLog {
  /// Since the instant.
  private(set) var requests = 0
  private(set) var firstRequest_ms: Int64?
  /// When all that it held at the instant was delivered.
  var drainedAt_ms: Int64?
  /// The shortest time from one request to the next, and from a failure to the next request.
  private(set) var closest_ms: Int64?
  private(set) var closestAfterFailure_ms: Int64?
  /// Requests that came before the server's Retry-After was over.
  private(set) var undercuts = 0
  private var lastRequest_ms: Int64?
  private var failedAt_ms: Int64?
  private var askedToWait_ms: Int64 = 0

  mutating func requested(at now_ms: Int64, retryAfter_s: Int?, countsFrom instant_ms: Int64) {
    if let lastRequest_ms { closest_ms = min(closest_ms ?? .max, now_ms - lastRequest_ms) }
    if let failedAt_ms {
      let wait_ms = now_ms - failedAt_ms
      closestAfterFailure_ms = min(closestAfterFailure_ms ?? .max, wait_ms)
      if wait_ms < askedToWait_ms { undercuts += 1 }
    }
    lastRequest_ms = now_ms
    failedAt_ms = nil
    askedToWait_ms = Int64(retryAfter_s ?? 0) * 1000
    guard now_ms >= instant_ms else { return }
    requests += 1
    if firstRequest_ms == nil { firstRequest_ms = now_ms }
  }

  mutating func failed(at now_ms: Int64) { failedAt_ms = now_ms }
}
