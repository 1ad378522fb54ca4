import TrackerAgent
import TrackerBase

/// What a line or a modem reports in the recording, each at its time.
final class VirtualEvents: Source, Happening {
  private let events: [(at_ms: Int64, event: Event)]
  private let clock: VirtualClock
  private let offset_ms: Int64
  private var next = 0

  /// - Parameters:
  ///   - events: in order, in the recording's time.
  ///   - offset_ms: the recording's time at which the world's time is 0.
  init(_ events: [(at_ms: Int64, event: Event)], clock: VirtualClock, offset_ms: Int64) {
    (self.events, self.clock, self.offset_ms) = (events, clock, offset_ms)
  }

  var descriptors: [PollDescriptor] { [] }

  var nextNews_ms: Int64? { next < events.count ? max(0, events[next].at_ms - offset_ms) : nil }

  func receive(ready: [Int32]) -> [Event] {
    var news: [Event] = []
    while let due_ms = nextNews_ms, due_ms <= clock.now_ms {
      news.append(events[next].event)
      next += 1
    }
    return news
  }
}
