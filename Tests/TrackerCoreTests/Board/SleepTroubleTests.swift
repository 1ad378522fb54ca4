import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// What goes wrong on the way to sleep and back, for the machine alone.
@Suite("The board's sleep in trouble")
struct SleepTroubleTests {
  private func settings(_ change: (inout SleepSettings) -> Void = { _ in }) -> SleepSettings {
    var settings = SleepSettings()
    settings.mode = .rtc
    change(&settings)
    return settings
  }

  private func closed(_ s: Double, opensIn_s: Double = 36_000) -> BoardSleep.View {
    let now_ms = Moment.at(s).wall_ms
    return BoardSleep.View(
      reason: .windowClosed, trusted_ms: now_ms, opens_ms: now_ms + milliseconds(opensIn_s), mayDrain: true,
      isDrained: true)
  }

  private func at(_ s: Double) -> Int64 { Moment.at(s).boot_ms }

  /// At second 400, with the alarm still to be set.
  private func settingAlarm(opensIn_s: Double = 36_000) -> BoardSleep {
    var machine = BoardSleep(settings: settings(), history: SleepHistory())
    let view = closed(400, opensIn_s: opensIn_s)
    _ = machine.look(view, at: at(400))
    _ = machine.heard(.looked(nil), view, at: at(400))
    for _ in 0..<2 { _ = machine.look(view, at: at(400)) }
    return machine
  }

  private func goingDown() -> BoardSleep {
    var machine = settingAlarm()
    _ = machine.heard(.alarmSet(alarm_s: 77), closed(400), at: at(400))
    _ = machine.committed(closed(400), at: at(400))
    return machine
  }

  @Test("switched off by settings while it goes down, and still on: after its time nothing is due any more")
  func switchedOff() {
    var next = goingDown()
    next.adopt(settings { $0.mode = .off })
    #expect(next.hasWork && next.deadline_ms == at(490))
    #expect(next.look(closed(489), at: at(489)) == [])
    // The alarm stays: it may still go off.
    #expect(next.look(closed(490), at: at(490)) == [.save(atOnce: false), .calledOff])
    #expect(!next.hasWork && next.deadline_ms == nil && next.hold == nil && next.plan == nil)
    #expect(next.look(closed(491), at: at(491)) == [])
  }

  @Test("a process that ends and begins again while the board goes down keeps the alarm: it may still go off")
  func restarted() {
    let saved = goingDown().saved(bootID: "this")
    var next = BoardSleep(settings: settings(), history: SleepHistory())
    let start = BoardStart(rtc_s: 1)
    #expect(next.start(saved, bootID: "this", start, time_ms: epoch_ms, isTrusted: true, at: at(406)) == [])
    #expect(next.look(closed(407), at: at(407)) == [])
    #expect(next.saved(bootID: "this") == saved && next.lastWake == nil)
    let late = next.look(closed(496), at: at(496))
    #expect(!late.contains(.order(.clearAlarm)) && late.contains(.calledOff), "\(late)")
    #expect(next.look(closed(1096), at: at(1096)) == [.order(.look)], "and begins anew")
    // Where it is never to sleep again, nothing is to start it.
    var off = BoardSleep(settings: settings { $0.mode = .off }, history: SleepHistory())
    #expect(
      off.start(saved, bootID: "this", start, time_ms: epoch_ms, isTrusted: true, at: at(406)).first
        == .order(.clearAlarm))
  }

  @Test("a clock that takes no alarm beyond a day is asked for one within it, at once")
  func shortReach() throws {
    let weekend_s = 3 * 86_400.0
    var machine = settingAlarm(opensIn_s: weekend_s)
    let done = machine.heard(.alarmFailed("Invalid argument"), closed(401, opensIn_s: weekend_s), at: at(401))
    #expect(
      done == [
        .order(.clearAlarm), .save(atOnce: false), .calledOff,
        .log("Invalid argument. Once more, with an alarm within 23 hours"),
      ])
    #expect(machine.look(closed(401, opensIn_s: weekend_s), at: at(401)) == [.order(.look)])
    let plan = try #require(machine.plan)
    #expect(plan.until_ms - plan.begin_ms == 23 * 3_600_000)
    // One that takes none at all is not asked again and again.
    _ = machine.heard(.looked(nil), closed(401, opensIn_s: weekend_s), at: at(401))
    for _ in 0..<2 { _ = machine.look(closed(401, opensIn_s: weekend_s), at: at(401)) }
    let failed = machine.heard(.alarmFailed("x"), closed(402, opensIn_s: weekend_s), at: at(402))
    #expect(failed.first == .warn("x") && machine.deadline_ms == at(1002))
  }

  @Test("somebody else suspends the machine on the way, and wakes it: it stays awake for min_awake_s")
  func suspendedByOthers() {
    var machine = settingAlarm()
    let done = machine.heard(.resumed(slept_ms: 5000), closed(410), at: at(410))
    #expect(done.contains(.order(.clearAlarm)) && done.contains(.calledOff) && machine.hold == .justAwake)
    #expect(machine.look(closed(709), at: at(709)) == [])
    #expect(machine.look(closed(710), at: at(710)) == [.order(.look)])
  }

  @Test(
    "a HAT's alarm on a board that does not know the time: what woke it is said once the time is known",
    arguments: [(36_000.0, WakeCause.alarm), (3600, .power)])
  func judgedLater(after_s: Double, cause: WakeCause) throws {
    let saved = SavedSleep(
      bootID: "last", reason: .windowClosed, begin_ms: epoch_ms, until_ms: epoch_ms + 36_000_000)
    var machine = BoardSleep(settings: settings { $0.mode = .command }, history: SleepHistory())
    // The clock goes on from where the board went off.
    let told = machine.start(
      saved, bootID: "this", BoardStart(), time_ms: epoch_ms + 20_000,
      isTrusted: false, at: at(20))
    #expect(told == [.save(atOnce: false)] && machine.lastWake == nil && !machine.awaitsFirstFix)
    var view = BoardSleep.View()
    #expect(machine.look(view, at: at(30)) == [] && machine.lastWake == nil)
    view.trusted_ms = epoch_ms + milliseconds(after_s) + 60_000
    let known = machine.look(view, at: at(60))
    guard case .woke(let wake)? = known.first else {
      Issue.record("\(known)")
      return
    }
    #expect(wake.cause == cause && wake.at_ms == epoch_ms + milliseconds(after_s))
    #expect(known.contains(.order(.clearAlarm)) == (cause != .alarm))
    // By when the process began, not by when it got to know the time.
    if cause == .alarm {
      _ = machine.firstFix(after_ms: 30_000)
      #expect(machine.history.lead.measured_ms == [50_000])
    }
  }
}
