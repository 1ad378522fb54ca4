import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// The whole tracker on a board that sleeps. A timeline begins at six in the morning.
@Suite("A board that sleeps")
struct SleepTrackerTests {
  private static let rules = ["sun-sat 06:00-08:00", "sun-sat 18:00-23:00"]
  private static let closes_s = 7200.0
  private static let opens_s = 43_200.0

  private func day(
    rules: [String] = rules, _ drive: Drive = .parked, _ change: @escaping (inout Settings) -> Void = { _ in }
  ) throws -> TrackerTimeline {
    try TrackerTimeline(drive, rules: rules) {
      $0.host.sleep.mode = .rtc
      change(&$0)
    }
  }

  @Test("a day with two windows: off between them, back in time, and the gap says what woke the board")
  func night() throws {
    let day = try day()
    var saved: [JSONValue] = []
    day.board = { [unowned day] order, s in
      if order == .sleep { saved.append(day.disk.state["sleep"] ?? .null) }
      return order.answers(at: s)
    }
    day.run(to: Self.closes_s + 30)
    #expect(day.sleeps == 1 && !day.isPowered)
    // The record of it and the alarm were on storage before, and the server has both record and status.
    #expect(saved.count == 1 && saved[0]["reason"] == "window_closed")
    #expect(day.disk.queue.isEmpty)
    let told = day.received.values.compactMap { record -> Int64? in
      if case .status(.asleep(.windowClosed, let until_ms)) = record.content { until_ms } else { nil }
    }
    #expect(told == [epoch_ms + milliseconds(Self.opens_s - 120)])
    let last = try #require(day.orders.last { $0.withStatus })
    #expect(last.withStatus && day.sleepStatus?.state == .asleep)
    #expect(day.sleepStatus?.until_ms == told.first && day.sleepStatus?.because == .windowClosed)

    let off_s = Self.opens_s - 120 + 8 + 15 - day.now_s
    day.goOff(for: off_s)
    #expect(day.sleepStatus?.wake == .alarm && day.sleepStatus?.state == .awake)
    let gap = try #require(day.gaps(.boardOff).first ?? gapInMemory(day))
    #expect(gap.wake == .alarm)
    #expect(abs(gap.begin_ms - epoch_ms - milliseconds(Self.closes_s)) < 40_000, "\(gap)")
    // By the start of the process, since that followed at once.
    #expect(abs(gap.end_ms - epoch_ms - milliseconds(Self.opens_s - 120 + 8 + 15)) <= 1000, "\(gap)")
    // In the window at its first second.
    day.run(to: Self.opens_s + 1)
    #expect(day.isPowered)
    day.run(to: Self.opens_s + 200)
    // From the alarm: 8 s of firmware, 15 s of boot, 30 s to the first fix; and a quarter.
    #expect(day.sleepStatus?.lead_s == 66)
    day.run(to: Self.opens_s + 5 * 3600 + 60)
    #expect(day.sleeps == 2)
    #expect(day.lastAlarm_s.map { abs($0 - (7 * 3600 - 66)) < 60 } == true)
    #expect(day.nothingIsLost())
  }

  private func gapInMemory(_ day: TrackerTimeline) -> TrackGap? {
    day.tracker.dispatch.outbox.pending.lazy.compactMap {
      if case .gap(let gap) = $0.content, gap.cause == .boardOff { gap } else { nil }
    }.first
  }

  @Test("what the board draws asleep is in the day's charge: also once the time is known only later")
  func charge() throws {
    let day = try day { ($0.energy.board_ma, $0.energy.boardOff_ma) = (100, 6) }
    day.runToSleep(by: Self.closes_s + 60)
    let before_mah = try #require(day.tracker.status(at: day.now).energy?.today_mah[.board])
    day.goOff(for: 10 * 3600, isSynchronised: false)
    let untold_mah = try #require(day.tracker.status(at: day.now).energy?.today_mah[.board])
    day.happen(.clockStepped(isSynchronised: true))
    day.run(to: day.now_s + 1)
    let after_mah = try #require(day.tracker.status(at: day.now).energy?.today_mah[.board])
    #expect(untold_mah - before_mah < 2)
    #expect(abs(after_mah - before_mah - 60) < 2, "\(before_mah) \(untold_mah) \(after_mah)")
  }

  @Test("off, and the board is not asked for anything")
  func off() throws {
    let day = try TrackerTimeline(.parked, rules: Self.rules)
    day.run(to: Self.closes_s + 3600)
    #expect(day.boardOrders == [] && day.sleepStatus == nil)
  }

  // MARK: Never

  @Test("without a trusted clock")
  func noClock() throws {
    let day = try TrackerTimeline(.parked, rules: Self.rules, isSynchronised: false) {
      ($0.host.sleep.mode, $0.clock.whenUnknown) = (.rtc, .closed)
    }
    day.run(to: 36_000)
    #expect(day.boardOrders == [] && day.sleepStatus?.heldBy == .clock)
  }

  @Test("with no next change")
  func noChange() throws {
    let day = try day(rules: ["2025-06-02 06:00-08:00"])
    day.run(to: Self.closes_s + 3600)
    #expect(day.boardOrders == [] && day.sleepStatus?.heldBy == .noNextChange)
  }

  @Test("if the alarm does not read back")
  func alarm() throws {
    let day = try day()
    day.board = { order, s in
      if case .setAlarm = order { return [.alarmFailed("the alarm reads back empty")] }
      return order.answers(at: s)
    }
    day.run(to: Self.closes_s + 3600)
    #expect(day.sleeps == 0 && day.sleepStatus?.heldBy == .alarm)
    #expect(day.sleepStatus?.state == .awake)
    let warning = day.tracker.warnings.entries[.sleep]
    // After ten minutes, twenty and forty.
    #expect(warning?.count == 3)
  }

  @Test("within min_awake_s of a boot, and never more than so many an hour: an installer always gets in")
  func sleepLoop() throws {
    let day = try day { ($0.host.sleep.minAwake_s, $0.host.sleep.mostPerHour) = (60, 2) }
    day.run(to: Self.closes_s + 60)
    #expect(day.sleeps == 1)
    var starts: [Double] = []
    // Something starts it again and again.
    while day.now_s < Self.closes_s + 2 * 3600 {
      let sleepsBefore = day.sleeps
      day.goOff(for: 20)
      starts.append(day.now_s - 15)
      while day.sleeps == sleepsBefore, day.now_s < Self.closes_s + 2 * 3600 { day.run(to: day.now_s + 1) }
      #expect(day.now_s - starts[starts.count - 1] >= 60)
    }
    #expect((4...6).contains(day.sleeps), "\(day.sleeps) within two hours")
  }

  @Test("while an operator's track or pause is in force")
  func intents() throws {
    for request in [
      IntentWish.track(length_ms: 7_200_000), .pause(length_ms: nil), .pause(length_ms: 3_600_000),
    ] {
      let day = try day()
      day.run(to: 3600)
      day.happen(.intentAsked(request))
      day.run(to: Self.closes_s + 1200)
      // The pause of an hour is over with the window.
      let isOver = request == .pause(length_ms: 3_600_000)
      #expect((day.sleeps > 0) == isOver, "\(request): \(day.why)")
      if isOver { continue }
      #expect(day.sleepStatus?.heldBy == .operatorsWish)
      day.happen(.intentAsked(.resume))
      day.run(to: Self.closes_s + 1300)
      #expect(day.sleeps == 1, "\(request)")
    }
  }

  @Test("while somebody waits for a fix")
  func locate() throws {
    let day = try day { $0.gps.locateOutsideWindows = true }
    day.coldStart_s = 1000
    day.run(to: Self.closes_s - 10)
    day.happen(.command(.locateAsked(request: 1, timeout_ms: 600_000)))
    day.run(to: Self.closes_s + 500)
    #expect(day.sleeps == 0 && day.sleepStatus?.heldBy == .command)
    day.run(to: Self.closes_s + 700)
    #expect(day.sleeps == 1)
  }

  @Test("while the supply is too low, or the ignition is on")
  func supply() throws {
    let day = try day {
      ($0.ignition.chip, $0.ignition.line) = ("chip", "GPIO5")
    }
    day.happen(.undervoltage(true))
    day.run(to: Self.closes_s + 600)
    #expect(day.sleeps == 0 && day.sleepStatus?.heldBy == .undervoltage)
    day.happen(.ignitionEdge(level: true))
    day.run(to: day.now_s + 10)
    day.happen(.undervoltage(false))
    day.run(to: day.now_s + 600)
    #expect(day.sleeps == 0 && day.sleepStatus?.heldBy == .ignition)
    day.happen(.ignitionEdge(level: false))
    day.run(to: day.now_s + 60)
    #expect(day.sleeps == 1, "\(day.why)")
  }

  @Test("while records are in memory alone")
  func storage() throws {
    let day = try day()
    day.run(to: 7000)
    day.storageFails = true
    day.run(to: Self.closes_s + 600)
    #expect(day.sleeps == 0 && day.sleepStatus?.heldBy == .storage)
    day.storageFails = false
    day.run(to: Self.closes_s + 1200)
    #expect(day.sleeps == 1)
  }

  @Test("while somebody is logged in, or an upgrade runs, or an inhibitor is held: looked at each minute")
  func outside() throws {
    let day = try day()
    day.board = { order, s in
      if order == .look, s < Self.closes_s + 300 { return [.looked(.person, words: "alice is logged in")] }
      return order.answers(at: s)
    }
    day.run(to: Self.closes_s + 290)
    #expect(day.sleeps == 0 && day.sleepStatus?.heldBy == .person)
    #expect((4...6).contains(day.boardOrders.count))
    #expect(day.log.filter { $0.contains("alice") }.count == 1)
    day.run(to: Self.closes_s + 400)
    #expect(day.sleeps == 1)
  }

  // MARK: The way there

  @Test("a request that finds nothing, since what it was for has left the queue meanwhile, is not due again")
  func nothingLeft() {
    var sync = SyncMachine(settings: Settings.with().sync, at: 0)
    _ = sync.queueChanged(count: 1, urgent: true, at: 0)
    guard case .sending = sync.state else {
      Issue.record("\(sync.state)")
      return
    }
    _ = sync.queueChanged(count: 0, urgent: false, at: 10)
    let nothing = UploadReply(status: 0, failure: .nothingToSend, sent: [])
    _ = sync.uploadFinished(nothing, at: 20, chance: 0)
    #expect(sync.waitingSince_ms == nil)
  }

  @Test("no network: asleep after drain_s, with everything on the card, and delivered after the wake")
  func noNetwork() throws {
    let day = try day { $0.host.sleep.drain_s = 60 }
    day.server = { _, _ in .of(0, failure: .connect) }
    day.run(to: Self.closes_s + 61)
    #expect(day.sleeps == 1)
    #expect(!day.disk.queue.isEmpty)
    day.goOff(for: Self.opens_s - 100 - day.now_s)
    day.server = { batch, _ in .of(200, sent: batch.map { $0.sequence }) }
    day.run(to: Self.opens_s + 900)
    #expect(day.nothingIsLost() && day.received.values.contains { $0.kind == .status })
  }

  @Test("the ignition comes on between the alarm and the order: no sleep, and no alarm")
  func ignitionInTime() throws {
    let day = try day { ($0.ignition.chip, $0.ignition.line) = ("chip", "GPIO5") }
    day.happen(.ignitionEdge(level: false))
    day.storageFails = false
    day.board = { [unowned day] order, s in
      if case .setAlarm = order { day.storageFails = true }
      return order.answers(at: s)
    }
    day.run(to: Self.closes_s + 120)
    #expect(day.sleeps == 0)
    #expect(day.boardOrders.last == .clearAlarm, "storage did not take it")
    #expect(day.sleepStatus?.state == .awake)
  }

  @Test(
    "a process that ends after the order leaves the alarm to the board, and sleeps later if that stays on")
  func killed() throws {
    let day = try day()
    // The first life knows no id of its boot.
    day.kill()
    day.board = { order, s in order == .sleep ? [] : order.answers(at: s) }
    day.run(to: Self.closes_s + 30)
    #expect(day.boardOrders.last == .sleep)
    let before = day.boardOrders.count
    day.kill(isCrash: true)
    day.run(to: day.now_s + 60)
    #expect(day.boardOrders.count == before && day.sleepStatus?.state == .asleep)
    day.run(to: day.now_s + 60)
    #expect(day.boardOrders.count == before && day.sleepStatus?.heldBy == .powerOff)
    day.board = { order, s in order.answers(at: s) }
    day.run(to: day.now_s + 620)
    #expect(day.sleeps == 2 && day.sleepStatus?.wake == nil && day.gaps(.boardOff) == [])
  }

  @Test(
    "a power cut after the alarm was set, or while it sleeps: the board was off, and the supply woke it",
    arguments: [false, true])
  func cut(isAsleep: Bool) throws {
    let day = try day()
    day.run(to: Self.closes_s + 30)
    #expect(day.sleeps == 1)
    if isAsleep { day.happen(.stopping) }
    day.boardPower.start = BoardStart(rtc_s: rtcAtStart_s + Int64(day.now_s + 3600))
    day.reboot(after: 3600, isSynchronised: true, bootClock_s: 15)
    day.run(to: day.now_s + 60)
    #expect(day.gaps(.boardOff).map(\.wake) == [.power])
    #expect(day.sleepStatus?.wake == .power)
    #expect(day.nothingIsLost())
  }

  @Test("an alarm that is lost is told, and the window that was missed is a gap")
  func alarmLost() throws {
    let day = try day()
    day.run(to: Self.closes_s + 30)
    day.goOff(for: Self.opens_s + 3600 - day.now_s)
    day.run(to: day.now_s + 60)
    #expect(day.tracker.warnings.entries[.wakeLate]?.count == 1)
    #expect(day.gaps(.boardOff).map(\.wake) == [.power])
  }

  @Test("parked with a wire: asleep inside of the window, and the ignition wakes it")
  func wire() throws {
    var drive = Drive()
    drive.go(600, speed_mps: 15)
    drive.park(30_000)
    let day = try day(rules: ["sun-sat 06:00-14:00"], drive) {
      ($0.host.sleep.wire, $0.ignition.chip, $0.ignition.line) = (true, "chip", "GPIO5")
    }
    day.happen(.ignitionEdge(level: true))
    day.run(to: 600)
    #expect(day.sleepStatus?.heldBy == .ignition)
    day.happen(.ignitionEdge(level: false))
    day.runToSleep(by: 1800)
    #expect(day.sleeps == 1 && day.sleepStatus?.because == .parked)
    // The next opening, not the end of this window.
    #expect(day.lastAlarm_s.map { $0 > 80_000 } == true)
    day.goOff(for: 1800, ignitionIsOn: true)
    #expect(day.sleepStatus?.wake == .wire)
  }

  @Test("the window is moved from afar while the servers take what waits: the alarm is for the new one")
  func windowMoved() throws {
    let day = try day { $0.host.sleep.drain_s = 300 }
    day.server = { _, _ in .of(0, failure: .connect) }
    day.run(to: Self.closes_s + 60)
    #expect(day.sleepStatus?.state == .asleep && day.sleeps == 0)
    try day.reload(rules: ["sun-sat 06:00-08:00", "sun-sat 10:00-23:00"])
    day.runToSleep(by: Self.closes_s + 600)
    #expect(day.sleeps == 1)
    // Two minutes before ten.
    let alarm_s = try #require(day.lastAlarm_s)
    #expect(abs(day.now_s + alarm_s - (4 * 3600 - 120)) < 10, "\(alarm_s)")
  }

  @Test("the window is moved after the order: the board goes off, with the alarm that it has")
  func windowMovedTooLate() throws {
    let day = try day()
    day.runToSleep(by: Self.closes_s + 60)
    let alarm_s = try #require(day.lastAlarm_s)
    try day.reload(rules: ["sun-sat 06:00-08:00", "sun-sat 10:00-23:00"])
    day.run(to: day.now_s + 5)
    #expect(day.sleeps == 1 && day.boardOrders.last == .sleep && day.lastAlarm_s == alarm_s)
    day.goOff(for: alarm_s + 8 + 15)
    #expect(day.sleepStatus?.wake == .alarm)
  }

  @Test("suspended: the same process goes on, and the gap says so")
  func suspended() throws {
    let day = try day { ($0.host.sleep.state, $0.energy.board_ma) = (.mem, 100) }
    day.run(to: Self.closes_s + 30)
    let before_mah = try #require(day.tracker.status(at: day.now).energy?.today_mah[.board])
    #expect(day.sleeps == 1 && day.tracker.noTrackCause == .boardOff)
    let slept_s = Self.opens_s - 120 - day.now_s
    day.leap(by: slept_s)
    day.happen(.board(.resumed(slept_ms: milliseconds(slept_s))))
    day.run(to: Self.opens_s + 10)
    #expect(day.isPowered)
    day.run(to: Self.opens_s + 60)
    #expect(day.gaps(.boardOff).map(\.wake) == [.alarm])
    // Three minutes, and not ten hours.
    let after_mah = try #require(day.tracker.status(at: day.now).energy?.today_mah[.board])
    #expect(abs(after_mah - before_mah - 5) < 1, "\(after_mah - before_mah) mAh")
    // By the fix after it, half a minute after the window's beginning, and not by the last one before the sleep.
    #expect(day.sleepStatus?.lead_s == 37)
  }

  @Test("woken every four hours for a sign of life, and asleep again after min_awake_s")
  func heartbeat() throws {
    let day = try day(rules: ["mon 06:00-08:00"]) { $0.host.sleep.wakeEvery_s = 14_400 }
    day.run(to: Self.closes_s + 30)
    #expect(day.lastAlarm_s.map { abs($0 - 14_400) < 5 } == true)
    day.goOff(for: 14_400)
    #expect(day.sleepStatus?.wake == .alarm)
    let requests = day.requests.count
    day.run(to: day.now_s + 284)
    #expect(day.sleeps == 1 && day.requests.count > requests, "the server hears of it")
    day.run(to: day.now_s + 30)
    #expect(day.sleeps == 2, "\(day.why)")
  }
}
