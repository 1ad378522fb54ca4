@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// What tests look into.
extension Tracker {
  /// Of any tracker.
  static var savedKinds: SavedKinds {
    get throws {
      let configuration = Configuration(settings: Settings(), schedule: try Schedule(rules: []), zone: nil)
      return Tracker(
        configuration, restored: Restored(), notBefore_ms: 0, isSynchronised: true,
        at: Moment(boot_ms: 0, wall_ms: 0)
      ).kinds
    }
  }

  var settings: Settings { dispatch.settings }
  var receiver: TrackerReceiver.Receiver { part() }
  var journey: Journey { part() }
  var dispatch: Dispatch { part() }
  var supply: Supply { part() }
  var battery: BatteryWatch { supply.battery }
  var gaps: TrackGaps { part(Gaps.self).gaps }
  var commands: CommandInbox { part(Commands.self).inbox }
  var overlay: OverlayMachine { part(RemoteSettings.self).machine }
  var acceleration: AccelerationWatch { part(Accelerometer.self).watch }
  var sleep: BoardSleep { part(Sleep.self).machine }

  var wantsGPS: Bool { receiver.wantsGPS(facts) }

  /// What a commit would have now.
  func saved(at now: Moment) -> Commit {
    parts.reduce(into: Commit()) { $1.save(to: &$0, facts, at: now) }
  }

  func time(_ now: Moment) -> RecordTime {
    var facts = facts
    receiver.publish(to: &facts, at: now)
    return facts.time
  }
}
