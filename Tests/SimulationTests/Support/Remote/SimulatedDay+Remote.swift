import TrackerLab

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Invariants of what is ordered from afar: docs/remote.md.
extension SimulatedDay {
  func hit(_ process: DeviceProcess, _ act: RemoteAct) {
    world.noteMet(act.name)
    switch act {
    case .version(let version, let draw): world.remote.order(version, draw: draw)
    case .order(let order, let draw):
      world.remote.order(order, draw: draw, wall_ms: world.clock.moment.wall_ms)
    case .otherBoard:
      world.board += 1
      process.life.endNow()
    case .twin:
      let last = process.agent.tracker.dispatch.outbox.lastSequence
      world.servers[0].twinSends(under: process.queue.queueID, from: last + 1)
    }
  }

  func checkRemote(_ tracker: Tracker, _ process: DeviceProcess) {
    checkSettings(tracker, process)
    checkTrial(tracker)
  }

  /// The file's settings, or a version that the server has sent and that is good.
  private func checkSettings(_ tracker: Tracker, _ process: DeviceProcess) {
    let (remote, use) = (world.remote, tracker.overlay.use)
    let overlay = use.version.flatMap { remote.overlays[$0] }
    if let version = use.version, overlay == nil || !remote.delivered.contains(version) {
      world.violations.note("settings", "version \(version) is in force, and was never accepted")
    }
    // They change by being exchanged as a whole.
    if process.exchanges != exchangesSeen {
      exchangesSeen = process.exchanges
      if FaultyOverlay.InForce(process.fileSettings, under: overlay).settings != tracker.settings {
        let words = "those in force are not the file's under version \(use.version ?? 0)"
        world.violations.note("settings", words)
      }
    }
    let state = tracker.overlay.state
    let kept = state.kept?.version ?? 0
    if kept < remote.keptAsTold {
      world.violations.note("settings", "version \(remote.keptAsTold) was told as kept, and \(kept) is")
    }
    if let refused = state.refused, remote.overlays[refused.version] != nil,
      !refused.reason.hasPrefix("trial failed: no sync "), !refused.reason.contains(" was started ")
    {
      world.violations.note("settings", "good version \(refused.version) is refused: \(refused.reason)")
    }
  }

  /// While a trial's settings are in force they are kept or gone in time. After a reboot it begins anew.
  private func checkTrial(_ tracker: Tracker) {
    let inForce = tracker.overlay.use.version
    if let trial, inForce != trial.version, tracker.overlay.state.refused?.version == trial.version {
      world.noteMet("rolled back")
    }
    guard let inForce, inForce != tracker.overlay.state.kept?.version else {
      trial = nil
      return
    }
    if trial?.version != inForce || trial?.bootID != world.bootID {
      trial = (inForce, world.bootID, world.clock.now_ms)
    }
    let age_ms = world.clock.now_ms - (trial?.since_ms ?? world.clock.now_ms)
    if age_ms > milliseconds(tracker.settings.sync.configTrial_s) + 30_000 {
      world.violations.note("trial", "version \(inForce) is on trial since \(age_ms / 1000) s")
    }
  }

  /// A command of the server may power the GPS while no window is open.
  func mayLocate(_ tracker: Tracker) -> Bool {
    guard tracker.settings.gps.locateOutsideWindows, tracker.runState.override == nil else { return false }
    return tracker.commands.isLocating && world.clock.now_ms <= world.remote.locatesUntil_ms
  }
}
