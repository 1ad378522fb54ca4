extension SimulatedDay {
  struct Outcome: Equatable, Sendable {
    var violations: [String] = []
    /// The device's last log lines.
    var log: [String] = []
    var steps = 0
    var lives = 0
    var records = 0
    var requests = 0
    var quarantined = 0
    var droppedFromMemory = 0
    /// How often each fault and each blow took effect.
    var met: [String: Int] = [:]

    var summary: String {
      "a day: \(lives) lives, \(steps) steps, \(records) records committed, \(requests) requests, "
        + "\(quarantined) in quarantine"
    }
  }
}
