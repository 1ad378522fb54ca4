/// What a fleet did to its server. Times count from the instant: windows open or end, the server is back.
struct FleetResult: Equatable, Sendable {
  let plan: FleetPlan
  /// Requests in each second from the instant to the end.
  private(set) var requests: [Int] = []
  /// Those of them that were not served.
  private(set) var refused: [Int] = []
  /// Requests in each second of the outage.
  private(set) var requestsWhileAway: [Int] = []
  /// Devices that made their first request since the instant, in each second.
  private(set) var firstRequests: [Int] = []
  /// Requests of each device since the instant, ascending.
  private(set) var requestsOfDevices: [Int] = []
  /// When each device had delivered what it held at the instant, ascending; those that never did are left out.
  private(set) var drained_ms: [Int64] = []
  /// Of all devices, from the start of the model.
  private(set) var made = 0
  private(set) var delivered = 0
  private(set) var queuedAtEnd = 0
  /// The shortest time between two requests of one device, and from a failure to the next request.
  private(set) var closest_ms: Int64?
  private(set) var closestAfterFailure_ms: Int64?
  /// Requests that came before the server's Retry-After was over.
  private(set) var undercuts = 0

  init(plan: FleetPlan) { self.plan = plan }

  mutating func requested(isServed: Bool, at now_ms: Int64) {
    let since_ms = now_ms - plan.instant_ms
    if since_ms >= 0 {
      FleetResult.count(Int(since_ms / 1000), in: &requests)
      if !isServed { FleetResult.count(Int(since_ms / 1000), in: &refused) }
    } else if plan.isAway(at: now_ms) {
      FleetResult.count(Int((now_ms - FleetPlan.lead_ms) / 1000), in: &requestsWhileAway)
    }
  }

  mutating func finish(_ logs: [FleetDeviceLog], made: [Int], _ delivered: [Int], at end_ms: Int64) {
    let seconds = Int((end_ms - plan.instant_ms) / 1000)
    FleetResult.pad(&requests, to: seconds)
    FleetResult.pad(&refused, to: requests.count)
    FleetResult.pad(&requestsWhileAway, to: plan.scenario == .outage ? Int(plan.outage_s) : 0)
    for first_ms in logs.compactMap(\.firstRequest_ms) {
      FleetResult.count(Int((first_ms - plan.instant_ms) / 1000), in: &firstRequests)
    }
    requestsOfDevices = logs.map(\.requests).sorted()
    drained_ms = logs.compactMap(\.drainedAt_ms).map { $0 - plan.instant_ms }.sorted()
    self.made = made.reduce(0, +)
    self.delivered = delivered.reduce(0, +)
    queuedAtEnd = zip(made, delivered).reduce(0) { $0 + $1.0 - $1.1 }
    closest_ms = logs.compactMap(\.closest_ms).min()
    closestAfterFailure_ms = logs.compactMap(\.closestAfterFailure_ms).min()
    undercuts = logs.reduce(0) { $0 + $1.undercuts }
  }

  private static func count(_ second: Int, in seconds: inout [Int]) {
    pad(&seconds, to: second + 1)
    seconds[second] += 1
  }

  private static func pad(_ seconds: inout [Int], to count: Int) {
    if seconds.count < count { seconds += Array(repeating: 0, count: count - seconds.count) }
  }
}

/// The figures of the report.
extension FleetResult {
  var peak_rps: Int { requests.max() ?? 0 }
  var peakOfCapacity: Double { Double(peak_rps) / Double(plan.capacity_rps) }
  /// The highest mean of ten seconds in a row.
  var peak10s_rps: Double { FleetResult.highestMean(of: requests, over: 10) }
  var inFirstSecond: Int { requests.first ?? 0 }
  var requestCount: Int { requests.reduce(0, +) }
  var refusedCount: Int { refused.reduce(0, +) }
  var firstRequestsPeak_rps: Int { firstRequests.max() ?? 0 }
  /// When every device that sends anything has tried.
  var allTried_s: Int { firstRequests.count }
  var awayPeak_rps: Int { requestsWhileAway.max() ?? 0 }

  /// When that share of the devices had delivered what they held at the instant; nil if it was never reached.
  func drained_s(share: Double) -> Double? {
    let index = max(0, Int((share * Double(plan.devices)).rounded(.up)) - 1)
    return index < drained_ms.count ? Double(drained_ms[index]) / 1000 : nil
  }

  /// Requests that this share of the devices did not exceed.
  func requestsOfDevice(share: Double) -> Int {
    guard !requestsOfDevices.isEmpty else { return 0 }
    return requestsOfDevices[max(0, Int((share * Double(requestsOfDevices.count)).rounded(.up)) - 1)]
  }

  private static func highestMean(of seconds: [Int], over length: Int) -> Double {
    var (sum, highest) = (0, 0)
    for second in seconds.indices {
      sum += seconds[second]
      if second >= length { sum -= seconds[second - length] }
      highest = max(highest, sum)
    }
    return Double(highest) / Double(length)
  }
}
