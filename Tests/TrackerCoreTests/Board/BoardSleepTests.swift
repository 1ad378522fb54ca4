import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// The machine alone: what it is shown, and what it wants.
@Suite("The board's sleep")
struct BoardSleepTests {
  private static let hour_ms: Int64 = 3_600_000

  private func machine(_ change: (inout SleepSettings) -> Void = { _ in }) -> BoardSleep {
    var settings = SleepSettings()
    settings.mode = .rtc
    change(&settings)
    return BoardSleep(settings: settings, history: SleepHistory())
  }

  /// Closed for ten hours from `s` on.
  private func closed(
    _ s: Double, opensIn_s: Double = 36_000, _ change: (inout BoardSleep.View) -> Void = { _ in }
  )
    -> BoardSleep.View
  {
    let now_ms = Moment.at(s).wall_ms
    var view = BoardSleep.View(
      reason: .windowClosed, trusted_ms: now_ms, opens_ms: now_ms + milliseconds(opensIn_s))
    change(&view)
    return view
  }

  private func at(_ s: Double) -> Int64 { Moment.at(s).boot_ms }

  @Test("off: nothing is ever asked for")
  func off() {
    var machine = machine { $0.mode = .off }
    #expect(machine.look(closed(1000), at: at(1000)) == [])
    #expect(machine.hold == nil && machine.plan == nil)
  }

  @Test("the whole way: asked, told, drained, alarm, storage, off")
  func way() throws {
    var machine = machine()
    #expect(machine.look(closed(400), at: at(400)) == [.order(.look)])
    let told = machine.heard(.looked(nil), closed(400), at: at(400))
    let plan = try #require(machine.plan)
    #expect(told == [.announce(plan)] && machine.isAnnounced)
    // Two minutes before the window: nothing is learnt yet.
    #expect(plan.until_ms == epoch_ms + 400_000 + 36_000_000 - 120_000)
    // What was recorded of it is not on storage yet, or a request is under way.
    #expect(machine.look(closed(401, opensIn_s: 35_999), at: at(401)) == [])
    let idle = closed(401, opensIn_s: 35_999) { ($0.mayDrain, $0.isDrained) = (true, true) }
    #expect(machine.look(idle, at: at(401)) == [.drain])
    // Once: whoever asks a server at every turn is a storm.
    let waiting = closed(401, opensIn_s: 35_999) { $0.mayDrain = true }
    #expect(machine.look(waiting, at: at(401)) == [])
    let drained = closed(402, opensIn_s: 35_998) { $0.isDrained = true }
    #expect(
      machine.look(drained, at: at(402)) == [.order(.setAlarm(in_ms: 35_878_000, at_ms: plan.until_ms))])
    #expect(machine.saved(bootID: "b") == nil, "no alarm is set yet")
    #expect(machine.heard(.alarmSet(alarm_s: 77), drained, at: at(402)) == [.save(atOnce: true)])
    #expect(
      machine.saved(bootID: "b")
        == SavedSleep(
          bootID: "b", reason: .windowClosed, begin_ms: plan.begin_ms, until_ms: plan.until_ms, alarm_s: 77))
    #expect(machine.committed(drained, at: at(403)) == [.order(.sleep)])
    #expect(machine.heard(.accepted, drained, at: at(404)) == [] && machine.hold == nil)
  }

  @Test("servers that do not take it in time: it sleeps with the records on the card")
  func notDrained() {
    var machine = machine { $0.drain_s = 60 }
    _ = machine.look(closed(400), at: at(400))
    _ = machine.heard(.looked(nil), closed(400), at: at(400))
    #expect(machine.deadline_ms == at(460))
    #expect(machine.look(closed(459, opensIn_s: 35_941), at: at(459)) == [])
    let late = machine.look(closed(460, opensIn_s: 35_940), at: at(460))
    #expect(late == [.order(.setAlarm(in_ms: 35_820_000, at_ms: epoch_ms + 36_280_000))])
  }

  @Test(
    "never while the tracker has something to do",
    arguments: [
      SleepHold.operatorsWish, .safeMode, .undervoltage, .command, .trial, .storage, .ignition,
    ])
  func held(hold: SleepHold) {
    var machine = machine()
    #expect(machine.look(closed(400) { $0.hold = hold }, at: at(400)) == [])
    #expect(machine.hold == hold && machine.deadline_ms == nil)
    // As soon as it is gone.
    #expect(machine.look(closed(401), at: at(401)) == [.order(.look)])
  }

  @Test("never without a trusted clock, inside of a window, or without a time to wake at")
  func nothingKnown() {
    var machine = machine()
    #expect(machine.look(closed(400) { $0.trusted_ms = nil }, at: at(400)) == [] && machine.hold == .clock)
    #expect(machine.look(closed(400) { $0.reason = nil }, at: at(400)) == [] && machine.hold == .window)
    #expect(
      machine.look(closed(400) { $0.opens_ms = nil }, at: at(400)) == [] && machine.hold == .noNextChange)
  }

  @Test("a schedule that never opens again is no reason to sleep, even with a sign of life now and then")
  func neverOpens() {
    var machine = machine { $0.wakeEvery_s = 7200 }
    #expect(
      machine.look(closed(400) { $0.opens_ms = nil }, at: at(400)) == [] && machine.hold == .noNextChange)
    // Parked, the wire wakes it, and the sign of life.
    let parked = closed(400) { ($0.reason, $0.opens_ms) = (.parked, nil) }
    #expect(machine.look(parked, at: at(400)) == [.order(.look)])
    #expect(machine.plan?.until_ms == epoch_ms + 400_000 + 7_200_000)
  }

  @Test("not within min_awake_s of a boot", arguments: [(299.0, false), (300, true)])
  func justAwake(s: Double, sleeps: Bool) {
    var machine = machine()
    #expect(machine.look(closed(s), at: at(s)).isEmpty != sleeps)
    if !sleeps { #expect(machine.hold == .justAwake && machine.deadline_ms == at(300)) }
  }

  @Test("not for less than min_s beyond shutdown and start", arguments: [(1949.0, false), (1950, true)])
  func tooShort(opensIn_s: Double, sleeps: Bool) {
    var machine = machine()
    #expect(machine.look(closed(400, opensIn_s: opensIn_s), at: at(400)).isEmpty != sleeps)
    if !sleeps { #expect(machine.hold == .tooShort) }
  }

  @Test("never more than most_per_hour, whatever wakes it")
  func tooOften() throws {
    var history = SleepHistory()
    for s in [0.0, 600, 1200, 1800] { history.began(at: Moment.at(s).wall_ms) }
    var settings = SleepSettings()
    settings.mode = .rtc
    var machine = BoardSleep(settings: settings, history: history)
    // The boot clock began anew: only the history knows of the hour.
    #expect(machine.look(closed(2400), at: 400_000) == [] && machine.hold == .tooOften)
    #expect(machine.deadline_ms == 1_600_000, "until the oldest is an hour old")
    #expect(machine.look(closed(3600), at: 1_600_000) == [.order(.look)])
  }

  @Test("a clock that was set back forgets no sleep, until the board has been awake for an hour")
  func setBack() {
    var history = SleepHistory()
    for s in [0.0, 600] { history.began(at: Moment.at(s).wall_ms) }
    let dayBefore_ms = Moment.at(1200).wall_ms - 86_400_000
    #expect(history.recent(at: dayBefore_ms, awakeFor_ms: 600_000).count == 2)
    #expect(history.recent(at: dayBefore_ms, awakeFor_ms: 3_600_000).isEmpty)
    #expect(history.recent(at: Moment.at(3700).wall_ms, awakeFor_ms: 600_000).count == 1)
  }

  @Test(
    "persons, upgrades and inhibitors: looked at again a minute later",
    arguments: [SleepHold.person, .upgrade, .inhibitor])
  func outside(hold: SleepHold) {
    var machine = machine()
    _ = machine.look(closed(400), at: at(400))
    let words = machine.heard(.looked(hold, words: "alice is logged in"), closed(400), at: at(400))
    #expect(words == [.log("the board stays awake: alice is logged in")])
    #expect(machine.hold == hold && machine.deadline_ms == at(460))
    #expect(machine.look(closed(459), at: at(459)) == [])
    #expect(machine.look(closed(460), at: at(460)) == [.order(.look)])
    // Said once.
    #expect(machine.heard(.looked(hold, words: "alice is logged in"), closed(460), at: at(460)) == [])
  }

  @Test("an alarm that does not read back: no sleep, a warning, and another try in ten minutes")
  func alarmFails() {
    var machine = asleepUpTo(.settingAlarm)
    let done = machine.heard(.alarmFailed("it reads back 0"), closed(402), at: at(402))
    #expect(done == [.warn("it reads back 0"), .order(.clearAlarm), .save(atOnce: false), .calledOff])
    #expect(machine.hold == .alarm && machine.deadline_ms == at(1002) && machine.saved(bootID: "b") == nil)
  }

  @Test("a system that refuses, or does not go off: the alarm is taken back, and the servers are told")
  func refused() {
    var machine = asleepUpTo(.goingDown)
    #expect(
      machine.heard(.refused("no polkit rule"), closed(404), at: at(404))
        == [.warn("no polkit rule"), .order(.clearAlarm), .save(atOnce: false), .calledOff])
    var silent = asleepUpTo(.goingDown)
    _ = silent.heard(.accepted, closed(404), at: at(404))
    #expect(silent.look(closed(493), at: at(493)) == [])
    let late = silent.look(closed(494), at: at(494))
    #expect(late.first == .warn("the board was to go off, and is still on after 90 s"))
    #expect(silent.hold == .powerOff)
  }

  private enum Stage { case asking, draining, settingAlarm, committing, goingDown }

  private func asleepUpTo(_ stage: Stage, _ change: (inout SleepSettings) -> Void = { _ in }) -> BoardSleep {
    var machine = machine(change)
    _ = machine.look(closed(400), at: at(400))
    if stage == .asking { return machine }
    _ = machine.heard(.looked(nil), closed(400), at: at(400))
    if stage == .draining { return machine }
    for _ in 0..<2 {
      _ = machine.look(closed(400) { ($0.mayDrain, $0.isDrained) = (true, true) }, at: at(400))
    }
    if stage == .settingAlarm { return machine }
    _ = machine.heard(.alarmSet(alarm_s: 77), closed(400), at: at(400))
    if stage == .committing { return machine }
    _ = machine.committed(closed(400), at: at(400))
    return machine
  }

  @Test("what comes up on the way calls it off, at every step before the order")
  func calledOff() {
    for stage in [Stage.asking, .draining, .settingAlarm, .committing] {
      var machine = asleepUpTo(stage)
      let done = machine.look(closed(401) { $0.hold = .ignition }, at: at(401))
      #expect(machine.hold == .ignition && machine.plan == nil, "\(stage)")
      let hasAlarm = stage == .settingAlarm || stage == .committing
      #expect(done.contains(.order(.clearAlarm)) == hasAlarm, "\(stage)")
      #expect(done.contains(.calledOff) == (stage != .asking), "\(stage)")
      // An answer that comes too late means nothing.
      #expect(machine.heard(.looked(nil), closed(401), at: at(401)) == [])
      #expect(machine.heard(.alarmSet(alarm_s: 1), closed(401), at: at(401)) == [])
      #expect(machine.committed(closed(401), at: at(401)) == [])
    }
  }

  @Test("the clock is set on the way: the plan was of another time", arguments: [7200.0, -7200, 40_000])
  func clockSet(by s: Double) {
    var machine = asleepUpTo(.draining)
    let view = closed(401 + s, opensIn_s: s == -7200 ? 43_200 : 600)
    _ = machine.look(view, at: at(401))
    #expect(machine.plan == nil && machine.hold != nil)
  }

  @Test(
    "the clock is set between alarm and order: the alarm is of another time", arguments: [3.0, -3, 40_000])
  func clockSetWithAlarm(by s: Double) {
    for stage in [Stage.settingAlarm, .committing] {
      var machine = asleepUpTo(stage)
      let done = machine.look(closed(401 + s, opensIn_s: 86_400), at: at(401))
      #expect(machine.plan == nil && done.contains(.order(.clearAlarm)), "\(stage)")
    }
  }

  @Test(
    "a card that takes hours to store the alarm: what came up meanwhile, and an alarm that is near, count")
  func slowCard() {
    var ignition = asleepUpTo(.committing)
    let held = ignition.committed(closed(401) { $0.hold = .ignition }, at: at(401))
    #expect(held.first == .order(.clearAlarm) && ignition.hold == .ignition)
    // The alarm would go off while the board goes down, and nothing would start it again.
    var slow = asleepUpTo(.committing)
    let late_s = 400 + 36_000 - 120.0 - 60
    #expect(slow.committed(closed(late_s, opensIn_s: 180), at: at(late_s)).first == .order(.clearAlarm))
    #expect(slow.hold == .tooShort)
    var inTime = asleepUpTo(.committing)
    #expect(inTime.committed(closed(430, opensIn_s: 35_970), at: at(430)) == [.order(.sleep)])
  }

  @Test("an order that was given takes no alarm back, whatever comes after it: the board may still go off")
  func alarmStays() {
    var accepted = asleepUpTo(.goingDown)
    _ = accepted.heard(.accepted, closed(401), at: at(401))
    var silent = asleepUpTo(.goingDown)
    for (name, done) in [
      ("still on", accepted.look(closed(491), at: at(491))),
      ("no answer", silent.look(closed(490), at: at(490))),
    ] {
      #expect(!done.contains(.order(.clearAlarm)) && done.contains(.calledOff), "\(name): \(done)")
    }
    var unanswered = asleepUpTo(.goingDown)
    let done = unanswered.heard(.unanswered("systemd-logind does not answer"), closed(411), at: at(411))
    #expect(
      done == [.warn("systemd-logind does not answer"), .save(atOnce: false), .calledOff]
        && unanswered.hold == .powerOff)
    // Not even told: nothing to come back from.
    var asked = asleepUpTo(.asking)
    #expect(asked.heard(.unanswered("x"), closed(401), at: at(401)) == [.warn("x")])
  }

  @Test(
    "settings that are exchanged on the way: begun anew; after the order, the board goes off with its alarm")
  func reloaded() throws {
    var settings = SleepSettings()
    for (mode, stage) in [
      (SleepSettings.Mode.rtc, Stage.committing), (.off, .committing), (.off, .settingAlarm),
    ] {
      settings.mode = mode
      var old = asleepUpTo(stage)
      #expect(old.settingsGo(at: at(401)) == [.order(.clearAlarm), .save(atOnce: false), .calledOff])
      var next = old
      next.adopt(settings)
      #expect(next.hasWork == (mode == .rtc) && next.plan == nil && next.saved(bootID: "b") == nil)
    }
    var down = asleepUpTo(.goingDown)
    #expect(down.settingsGo(at: at(401)) == [])
    var next = down
    next.adopt(settings)
    #expect(next.look(closed(401), at: at(401)) == [])
    #expect(next.saved(bootID: "b") == down.saved(bootID: "b") && next.plan == down.plan)
  }

  @Test("a sign of life as often as min_s: half a minute later, rather than never")
  func shortSign() {
    var machine = machine { ($0.min_s, $0.wakeEvery_s) = (1800, 1800) }
    #expect(machine.look(closed(400), at: at(400)) == [.order(.look)])
    #expect(machine.plan?.until_ms == epoch_ms + 400_000 + 1_830_000)
  }

  @Test(
    "an alarm that is still to come is taken back: it would start a board that somebody switches off",
    arguments: [(8, WakeCause.alarm), (-3600, .power)] as [(Int64, WakeCause)])
  func earlyWake(after_s: Int64, cause: WakeCause) {
    let saved = SavedSleep(
      bootID: "last", reason: .windowClosed, begin_ms: epoch_ms, until_ms: epoch_ms + 36_000_000,
      alarm_s: 1_036_000)
    var machine = machine()
    let done = machine.start(
      saved, bootID: "this", BoardStart(rtc_s: 1_036_000 + after_s),
      time_ms: epoch_ms + 36_000_000 + after_s * 1000, isTrusted: false, at: 0)
    #expect(machine.lastWake?.cause == cause)
    #expect(done.contains(.order(.clearAlarm)) == (cause != .alarm))
  }

  @Test("two windows a minute apart are one to the board")
  func minuteApart() {
    var machine = machine()
    #expect(machine.look(closed(400, opensIn_s: 60), at: at(400)) == [] && machine.hold == .tooShort)
    #expect(machine.look(closed(430, opensIn_s: 30), at: at(430)) == [] && machine.hold == .tooShort)
    #expect(machine.deadline_ms == nil, "the window's own beginning is the next thing")
  }

  @Test("a suspended board says what woke it, and stays awake for min_awake_s")
  func resumed() throws {
    var machine = asleepUpTo(.goingDown) { $0.state = .mem }
    _ = machine.heard(.accepted, closed(401), at: at(401))
    #expect(machine.isSuspended)
    let plan = try #require(machine.plan)
    let woken_s = 400 + 36_000 - 120.0
    let done = machine.heard(
      .resumed(slept_ms: plan.until_ms - plan.begin_ms), closed(woken_s, opensIn_s: 120), at: at(woken_s))
    guard case .woke(let wake) = done.first else { throw Missing() }
    #expect(wake.cause == .alarm && !machine.isSuspended)
    #expect(done.dropFirst() == [.order(.clearAlarm), .save(atOnce: false)])
    #expect(machine.look(closed(woken_s + 299), at: at(woken_s + 299)) == [] && machine.hold == .justAwake)
  }

  private struct Missing: Error {}

  @Test("the lead is learnt: the longest of the last five, and a quarter more, within bounds")
  func lead() {
    var lead = SleepLead()
    #expect(lead.expected_ms(before: 120_000) == 120_000)
    for needed_ms: Int64 in [90_000, 40_000, 60_000] { lead.note(needed_ms) }
    #expect(lead.expected_ms(before: 120_000) == 112_500)
    for _ in 0..<4 { lead.note(40_000) }
    #expect(lead.expected_ms(before: 120_000) == 75_000)
    lead.note(40_000)
    #expect(lead.expected_ms(before: 120_000) == 50_000)
    lead.note(9_999_999)
    #expect(lead.expected_ms(before: 120_000) == 1_800_000)
  }

  @Test("what is saved is read back; what makes no sense is not")
  func saved() {
    var history = SleepHistory()
    history.lead.note(40_000)
    history.began(at: epoch_ms)
    #expect(SleepHistory(saved: history.saved) == history)
    for odd: JSONValue in ["a", ["leads_ms": [1]], ["leads_ms": "x"], ["begun_ms": [.null]]] {
      #expect(SleepHistory(saved: odd) == nil)
    }
    let saved = SavedSleep(bootID: "0123456789abc", reason: .parked, begin_ms: 1, until_ms: 2)
    #expect(SavedSleep(saved: saved.saved) == saved)
    for odd: JSONValue in ["", [:], ["reason": "walking"], ["reason": "parked", "begin_ms": "x"]] {
      #expect(SavedSleep(saved: odd) == nil)
    }
  }
}
