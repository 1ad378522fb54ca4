import TrackerAgent
import TrackerBase

/// The board, which sleeps as the tracker orders it: its alarm always fires, and an ignition wire starts it where there
/// is one. What the process knows stays, as on a machine that is suspended; a start takes its time all the same.
final class VirtualBoard: BoardPort {
  private let clock: VirtualClock
  private let assumptions: BoardAssumptions
  /// The world's times at which the ignition goes on; empty without a wire that starts the board.
  private let starts_ms: [Int64]
  private var alarm_ms: Int64?
  /// In the world's time: off from then on, started, and the agent runs.
  private var down: (off_ms: Int64, on_ms: Int64, ready_ms: Int64)?
  /// When it was off, in the world's time.
  private(set) var off: [Span] = []

  init(_ assumptions: BoardAssumptions, starts_ms: [Int64], clock: VirtualClock) {
    (self.assumptions, self.starts_ms, self.clock) = (assumptions, starts_ms, clock)
  }

  var descriptors: [PollDescriptor] { [] }

  /// Nothing happens to the agent before that time.
  var asleepUntil_ms: Int64? { down?.ready_ms }

  func perform(_ order: BoardOrder) -> [Event] {
    switch order {
    case .look: return [.board(.looked(nil))]
    case .setAlarm(let in_ms, _):
      alarm_ms = clock.now_ms + in_ms
      return [.board(.alarmSet(alarm_s: nil))]
    case .clearAlarm:
      alarm_ms = nil
      return []
    case .sleep:
      let off_ms = clock.now_ms + milliseconds(assumptions.shutdown_s)
      let wire_ms = starts_ms.first { $0 > clock.now_ms }
      let on_ms = max(off_ms, min(alarm_ms ?? .max / 2, wire_ms ?? .max / 2))
      down = (off_ms, on_ms, on_ms + milliseconds(assumptions.boot_s))
      return [.board(.accepted)]
    }
  }

  func receive(ready: [Int32]) -> [Event] {
    guard let down, clock.now_ms >= down.ready_ms else { return [] }
    off.append(Span(start_ms: down.off_ms, end_ms: down.on_ms))
    self.down = nil
    return [.board(.resumed(slept_ms: down.ready_ms - down.off_ms))]
  }

  /// The replay ends, also in the middle of a sleep.
  func end() {
    if let down, down.off_ms < clock.now_ms {
      off.append(Span(start_ms: down.off_ms, end_ms: min(down.on_ms, clock.now_ms)))
    }
    down = nil
  }
}
