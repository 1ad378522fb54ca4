import TrackerAgent
import TrackerLab

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// A sleep of the whole board, in the world's time.
struct WorldSleep {
  var begin_ms: Int64
  var alarm_ms: Int64
  /// When it is on again, and by what.
  var on_ms: Int64
}

/// The board's power: with persons who log in, alarms that do not hold, systems that refuse or do not go off, alarms
/// that are lost, and a supply that is cut and comes back. It also looks at what must hold when the order comes.
final class FaultyBoard: BoardPort {
  private let world: SimulatedWorld
  private let life: Life
  private let news: Newsstand
  /// Of the settings in force.
  private let schedule: () -> Schedule
  private let settings: () -> SleepSettings
  var tracker: () -> Tracker? = { nil }
  private var alarm_ms: Int64?

  init(
    world: SimulatedWorld, life: Life, news: Newsstand, schedule: @escaping () -> Schedule,
    settings: @escaping () -> SleepSettings
  ) {
    (self.world, self.life, self.news) = (world, life, news)
    (self.schedule, self.settings) = (schedule, settings)
  }

  var descriptors: [PollDescriptor] { [] }
  func receive(ready: [Int32]) -> [Event] { [] }

  func perform(_ order: BoardOrder) -> [Event] {
    guard life.effect() else { return [] }
    let luck = world.boardLuck.uniform()
    switch order {
    case .look: return [.board(look(luck))]
    case .setAlarm(let in_ms, _):
      guard luck > 0.1 else {
        met("alarm failed")
        return [.board(.alarmFailed("simulated: it reads back nothing"))]
      }
      alarm_ms = world.clock.now_ms + in_ms
      let alarm_s = (SimulatedWorld.start_ms + world.rtcAhead_ms + (alarm_ms ?? 0)) / 1000
      return [.board(.alarmSet(alarm_s: alarm_s))]
    case .clearAlarm:
      if world.sleep != nil {
        world.violations.note("sleep", "without an alarm: it was taken back after the order")
      }
      alarm_ms = nil
      return []
    case .sleep: return sleep(luck)
    }
  }

  /// In the quiet hours somebody stays at the box: all is to be delivered then.
  private func look(_ luck: Double) -> BoardNews {
    guard world.clock.now_ms < world.plan.quietFrom_ms - 3_600_000 else {
      return .looked(.person, words: "somebody is there")
    }
    guard luck > 0.15 else {
      met("person")
      return .looked(.person, words: "somebody is logged in")
    }
    return .looked(nil)
  }

  private func sleep(_ luck: Double) -> [Event] {
    checkOrder()
    guard luck > 0.2, let alarm_ms else {
      met("sleep refused")
      return luck > 0.1 ? [.board(.refused("simulated: not now"))] : []
    }
    let now_ms = world.clock.now_ms
    var on_ms = alarm_ms
    let fate = world.boardLuck.uniform()
    if fate < 0.15 {
      met("supply back")
      on_ms = now_ms + Int64(world.boardLuck.uniform() * Double(max(0, alarm_ms - now_ms)))
    } else if fate < 0.35 {
      met("alarm lost")
      on_ms = alarm_ms + 600_000 + Int64(world.boardLuck.uniform() * 7_200_000)
    } else if fate < 0.45 {
      met("cut going down")
      life.endNow()
    } else {
      met("slept")
    }
    on_ms = min(max(on_ms, now_ms + 15_000), world.plan.quietFrom_ms)
    world.sleep = WorldSleep(begin_ms: now_ms, alarm_ms: alarm_ms, on_ms: on_ms)
    world.sleeps_ms.append(now_ms)
    news.add(.stopping)
    guard luck > 0.9 else { return [.board(.accepted)] }
    // logind is gone before it has said so.
    met("no answer, and off")
    return [.board(.unanswered("simulated: no answer"))]
  }

  private func met(_ what: String) { world.noteMet(what) }

  /// What point 3 of the order promises: never at the wrong time.
  private func checkOrder() {
    let (now, settings) = (world.clock.moment, settings())
    func wrong(_ words: String) { world.violations.note("sleep", words) }
    guard let tracker = tracker() else { return wrong("by nobody") }
    guard let trusted_ms = tracker.receiver.clock.trusted_ms(at: now) else {
      return wrong("without the time")
    }
    if alarm_ms == nil { wrong("without an alarm") }
    if now.boot_ms < milliseconds(settings.minAwake_s) { wrong("\(now.boot_ms / 1000) s after the boot") }
    let recent = world.sleeps_ms.count { world.clock.now_ms - $0 < 3_600_000 }
    // Dates are all that outlives a sleep.
    let isDated = ["clockStep", "wrongDate", "reboot"].allSatisfy { world.met[$0] == nil }
    if isDated, recent >= settings.mostPerHour { wrong("after \(recent) within an hour") }
    if tracker.runState.override != nil { wrong("against an operator, or in safe mode") }
    if tracker.dispatch.storageFailed { wrong("with records in memory alone") }
    if world.receiver.isPowered { wrong("with the GPS on") }
    let schedule = schedule()
    let wall_s = trusted_ms.flooredDivision(by: 1000)
    if schedule.isOpen(at: wall_s, in: FixedZone.utc) { return wrong("inside of a window") }
    guard let opens_s = schedule.nextChange(after: wall_s, in: FixedZone.utc) else {
      return wrong("for ever")
    }
    let left_ms = opens_s * 1000 - trusted_ms
    if let alarm_ms, alarm_ms - world.clock.now_ms > left_ms { wrong("beyond the next window") }
    if (world.stored("sleep") ?? .null) == .null { wrong("and storage does not know of it") }
  }
}
