import TrackerBase

/// A server that answers one request after the other, `capacity_rps` in a second, with a short line before it:
/// who would wait longer than `backlog_s` is answered 503 at once, as a load balancer does.
struct FleetServer {
  private let plan: FleetPlan
  private let turn_us: Int64
  /// When all that stand in line have been served.
  private var free_us: Int64 = 0

  init(_ plan: FleetPlan) {
    self.plan = plan
    turn_us = 1_000_000 / Int64(plan.capacity_rps)
  }

  /// - Returns: the reply without the request's sequences, and how long the request had to wait for its turn.
  /// Call in order of time.
  mutating func reply(at now_ms: Int64) -> (reply: UploadReply, wait_ms: Int64) {
    if plan.isAway(at: now_ms) { return (awayReply, 0) }
    let now_us = now_ms * 1000
    let start_us = max(free_us, now_us)
    guard start_us - now_us <= milliseconds(plan.backlog_s) * 1000 else { return (busy, 0) }
    free_us = start_us + turn_us
    return (UploadReply(status: 200, sent: []), (free_us - now_us + 999) / 1000)
  }

  private var awayReply: UploadReply {
    switch plan.away {
    case .refused: UploadReply(status: 0, failure: .connect, sent: [])
    case .busy: busy
    case .offline: UploadReply(status: 0, failure: .resolve, sent: [])
    }
  }

  private var busy: UploadReply {
    UploadReply(status: 503, retryAfter_s: plan.retryAfter_s, sent: [])
  }
}
