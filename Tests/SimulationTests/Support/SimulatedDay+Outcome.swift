extension SimulatedDay {
  struct Outcome: Equatable {
    var violations: [String] = []
    /// The device's last log lines.
    var log: [String] = []
    var days = 0
    var steps = 0
    var lives = 0
    var records = 0
    var requests = 0
    var quarantined = 0
    var droppedFromMemory = 0
    /// How often each fault and each blow took effect.
    var met: [String: Int] = [:]

    mutating func add(_ other: Outcome) {
      days += other.days
      steps += other.steps
      lives += other.lives
      records += other.records
      requests += other.requests
      quarantined += other.quarantined
      met.merge(other.met, uniquingKeysWith: +)
    }

    var summary: String {
      "\(days) days: \(lives) lives, \(steps) steps, \(records) records committed, \(requests) requests, "
        + "\(quarantined) in quarantine"
    }
  }
}
