import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Sync: byte budgets")
struct SyncBudgetTests {
  static let day_ms: Int64 = 86_400_000
  /// 2025-06-02 06:00:00 UTC.
  static let noon_ms = epoch_ms

  private func budget(day_kb: Double = 0, month_mb: Double = 0, saved: DayAndMonth<Int64>? = nil)
    -> ByteBudget
  {
    ByteBudget(day_kb: day_kb, month_mb: month_mb, saved: saved, at: 0)
  }

  @Test(
    "four fifths are for all, the rest for events and the status, then nothing goes",
    arguments: [(79_999, .all), (80_000, .events), (99_999, .events), (100_000, .none), (300_000, .none)]
      as [(Int64, Allowance.Level)])
  func levels(bytes: Int64, level: Allowance.Level) {
    var budget = budget(day_kb: 100)
    budget.turn(trusted_ms: epoch_ms, at: 0)
    budget.spend(bytes)
    #expect(budget.allowance(trusted_ms: epoch_ms, at: 0).level == level)
  }

  @Test("a day ends at midnight, a month with its last day (UTC), and the longer wait counts")
  func renewal() {
    var budget = budget(day_kb: 100, month_mb: 1)
    budget.turn(trusted_ms: epoch_ms, at: 5000)
    budget.spend(100_000)
    #expect(budget.allowance(trusted_ms: epoch_ms, at: 5000).renewsAt_ms == 5000 + 18 * 3_600_000)
    budget.spend(900_000)
    // From June 2nd, 06:00, to July 1st.
    let wait_ms = 28 * SyncBudgetTests.day_ms + 18 * 3_600_000
    #expect(budget.allowance(trusted_ms: epoch_ms, at: 5000).renewsAt_ms == 5000 + wait_ms)
    budget.turn(trusted_ms: epoch_ms + wait_ms - 1, at: wait_ms)
    #expect(budget.day.used == 0 && budget.month.used == 1_000_000)
    budget.turn(trusted_ms: epoch_ms + wait_ms, at: wait_ms)
    #expect(budget.month.used == 0)
  }

  @Test("a restart goes on where the last process was, within the day")
  func saved() {
    var before = budget(day_kb: 100)
    before.turn(trusted_ms: epoch_ms, at: 0)
    before.spend(90_000)
    var after = budget(day_kb: 100, saved: before.saved)
    after.turn(trusted_ms: epoch_ms + 3_600_000, at: 0)
    #expect(after.day.used == 90_000)
    after.turn(trusted_ms: epoch_ms + 18 * 3_600_000, at: 0)
    #expect(after.day.used == 0 && after.month.used == 90_000)
    #expect(DayAndMonth<Int64>(saved: ["day": ["used": -5]]) == nil)
  }

  @Test("while the time is not known a day lasts 24 hours of running, and counts on when the date comes")
  func untrusted() {
    var budget = budget(day_kb: 100)
    budget.turn(trusted_ms: nil, at: 0)
    budget.spend(100_000)
    let allowance = budget.allowance(trusted_ms: nil, at: 1000)
    #expect(allowance == Allowance(level: .none, renewsAt_ms: SyncBudgetTests.day_ms))
    var known = budget
    known.turn(trusted_ms: epoch_ms, at: 1000)
    #expect(known.day.used == 100_000)
    budget.turn(trusted_ms: nil, at: SyncBudgetTests.day_ms)
    #expect(budget.day.used == 0)
    #expect(self.budget(day_kb: 1, saved: DayAndMonth(saved: ["day": ["used": 7]])).day.used == 7)
  }

  @Test("a date that was wrong once, far ahead, closes the budget for no longer than it is believed")
  func wrongDate() {
    var budget = budget(day_kb: 100)
    budget.turn(trusted_ms: epoch_ms + 9000 * SyncBudgetTests.day_ms, at: 0)
    budget.spend(100_000)
    budget.turn(trusted_ms: epoch_ms, at: 1000)
    #expect(budget.allowance(trusted_ms: epoch_ms, at: 1000).level == .all)
  }

  @Test("in the reserve events go alone, and positions with the next day")
  func reserve() {
    var timeline = SyncTimeline()
    timeline.machine.allowance = Allowance(level: .events, renewsAt_ms: 1_000_000)
    timeline.add(50, at: 0)
    timeline.run(to: 400)
    #expect(timeline.requests.isEmpty)
    timeline.add(1, urgent: true, at: 400)
    timeline.run(to: 900)
    #expect(timeline.order == [51] && timeline.requests.map(\.pick) == [.events])
    timeline.machine.allowance = Allowance()
    timeline.run(to: 1400)
    #expect(timeline.queue.isEmpty)
  }

  @Test("used up: no request, not for an event, not for an operator, until the next day")
  func usedUp() {
    var timeline = SyncTimeline(status: true)
    timeline.machine.allowance = Allowance(level: .none, renewsAt_ms: 5_000_000)
    timeline.add(50, urgent: true, at: 0)
    timeline.event(at: 10) { $0.flush(at: $1) }
    timeline.event(at: 20) { $0.linkRestored(at: $1, chance: 0) }
    #expect(timeline.machine.deadline_ms == 5_000_000)
    #expect(timeline.machine.nextAttempt_ms == 5_000_000)
    timeline.run(to: 4999)
    #expect(timeline.requests.isEmpty)
    timeline.machine.allowance = Allowance()
    timeline.run(to: 5001)
    #expect(timeline.queue.isEmpty)
  }

  @Test("a whole day with a budget: the figures of the replies are counted, over kills too, nothing is lost")
  func wholeDay() throws {
    var drive = Drive()
    drive.go(9500, speed_mps: 15)
    let day = try TrackerTimeline(drive) {
      $0.motion.gpsOffWhenParked = false
      $0.track.sampling = .all
      $0.sync.budgetDay_kb = 100
    }
    // 1 kB a request.
    day.server = { batch, _ in .of(200, sent: batch.map(\.sequence), bytesUp: 1000) }
    for s in stride(from: 1000.0, through: 9000, by: 1000) {
      day.run(to: s)
      if s == 3000 { day.kill(restartAfter: 0) }
    }
    let status = try #require(day.tracker.status(at: day.now).sync.budget)
    #expect(status.level == .none || status.level == .events)
    #expect((80_000...101_000).contains(status.day_bytes ?? 0))
    #expect(day.requests.count >= 80 && day.requests.count <= 103, "\(day.requests.count)")
    #expect(day.nothingIsLost() && !day.disk.queue.isEmpty)
    // Midnight; the next day is a cheap one.
    day.server = { batch, _ in .of(200, sent: batch.map(\.sequence), bytesUp: 100) }
    day.run(to: 66_000)
    #expect(day.disk.queue.isEmpty)
  }

  @Test("when it is used up there is one warning, and the status says so")
  func warning() throws {
    let day = try TrackerTimeline(.parked) { $0.sync.budgetDay_kb = 1 }
    day.server = { batch, _ in .of(200, sent: batch.map(\.sequence), bytesUp: 5000) }
    day.run(to: 4000)
    #expect(day.tracker.warnings.entries[.budget]?.count == 1)
    #expect(day.tracker.status(at: day.now).sync.budget?.level == Allowance.Level.none)
    #expect(day.requests.count == 1)
  }
}
