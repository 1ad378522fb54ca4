@testable import TrackerAgent
@testable import TrackerCore

// Only beside the storage port that returns one event, and TempStub.swift: goes with them.
extension FakeStorage {
  func commit(_ commit: Commit) -> Event {
    let events: [Event] = self.commit(commit)
    return events[0]
  }
}

extension Schedule {
  init(rules: [String]) throws { self.init() }
}

enum FixedZone {
  static let utc = UTC()
}

struct UTC: ZoneRules {
  func offset_s(at unix_s: Int64) -> Int { 0 }
}
