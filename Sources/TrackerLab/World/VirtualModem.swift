import TrackerAgent
import TrackerBase

/// A modem that tells its serving cell.
public final class VirtualModem: Source, Happening {
  private let changes: [CellRecording.Change]
  private let clock: VirtualClock
  private let offset_ms: Int64
  private var next = 0

  /// - Parameter offset_ms: the recording's time at which the world's time is 0.
  public init(changes: [CellRecording.Change], clock: VirtualClock, offset_ms: Int64) {
    self.changes = changes
    self.clock = clock
    self.offset_ms = offset_ms
  }

  public var descriptors: [PollDescriptor] { [] }

  public var nextNews_ms: Int64? { next < changes.count ? max(0, changes[next].at_ms - offset_ms) : nil }

  public func receive(ready: [Int32]) -> [Event] {
    var news: [Event] = []
    while let due_ms = nextNews_ms, due_ms <= clock.now_ms {
      news.append(.link([Modem(cell: changes[next].cell)]))
      next += 1
    }
    return news
  }
}
