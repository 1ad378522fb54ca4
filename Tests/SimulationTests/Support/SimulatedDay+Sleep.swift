@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

extension SimulatedDay {
  /// What waits for a time that has passed would turn the loop for ever.
  func checkProgress(_ tracker: Tracker) {
    let now_ms = world.clock.now_ms
    stalled = (now_ms, stalled.at_ms == now_ms ? stalled.steps + 1 : 0)
    guard stalled.steps > 2000 else { return }
    world.violations.note(
      "stall",
      "2000 turns at \(now_ms) ms: boot clock \(world.clock.moment.boot_ms), deadline \(tracker.deadline_ms ?? -1), receiver \(tracker.receiver.deadline_ms ?? -1), motion \(tracker.journey.motion.deadline_ms ?? -1), dispatch \(tracker.dispatch.deadline_ms ?? -1), sleep \(tracker.sleep.deadline_ms ?? -1) \(tracker.sleep.state) \(tracker.sleep.hold as Any)"
    )
  }

  /// A board that was told to goes off, and something starts it.
  func sleep() {
    guard let sleep = world.sleep else { return }
    world.sleep = nil
    world.clock.advance(to: sleep.on_ms)
    world.reboot()
    // Set by the clock with the alarm; nobody vouches for it.
    world.clock.wallOffset_ms = SimulatedWorld.start_ms + clockWentWrong(from: sleep)
    world.isSynchronised = false
    clockSetAt_ms = world.clock.now_ms + 30_000
    world.clock.advance(to: world.clock.now_ms + 12_000)
    world.noteLog("— the board is on again")
    // Off it has kept no GPS on.
    closedSince_ms = nil
  }

  /// The clock with the alarm is set to and fro while the board is off, or forgets all with its battery. - Returns: how
  /// far it is ahead of the time.
  private func clockWentWrong(from sleep: WorldSleep) -> Int64 {
    world.rtcAhead_ms = 0
    guard !looksAtCoverage else { return 0 }
    let luck = world.boardLuck.uniform()
    if luck < 0.15 {
      world.noteMet("clock set asleep")
      world.rtcAhead_ms = Int64((world.boardLuck.uniform() - 0.5) * 2 * 86_400_000)
    } else if luck < 0.3 {
      world.noteMet("clock flat")
      // At its beginning, in the year 1970 or 2000.
      let zero_ms: Int64 = luck < 0.22 ? 0 : 946_684_800_000
      world.rtcAhead_ms = zero_ms - SimulatedWorld.start_ms - world.clock.now_ms
    }
    return world.rtcAhead_ms
  }
}
