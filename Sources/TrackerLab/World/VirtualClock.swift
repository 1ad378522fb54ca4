import TrackerAgent
import TrackerBase

/// Both clocks of the replayed device. Virtual time passes only where the agent waits.
public final class VirtualClock {
  /// The world's time, from 0.
  public private(set) var now_ms: Int64 = 0
  /// The world's time of the last boot.
  public private(set) var bootedAt_ms: Int64 = 0
  /// What the wall clock shows beyond the world's time.
  public var wallOffset_ms: Int64

  public init(wall_ms: Int64) { wallOffset_ms = wall_ms }

  public var moment: Moment { Moment(boot_ms: now_ms - bootedAt_ms, wall_ms: now_ms + wallOffset_ms) }

  public func advance(to time_ms: Int64) { now_ms = max(now_ms, time_ms) }

  /// The boot clock begins anew.
  public func reboot() { bootedAt_ms = now_ms }
}

/// Something in the world that happens at times of its own.
public protocol Happening: AnyObject {
  /// The world's time of the next thing that the agent must be woken for; nil if none is on its way.
  var nextNews_ms: Int64? { get }
}

/// Waits by letting virtual time jump to what comes first.
public final class VirtualHost: HostPort {
  private let clock: VirtualClock
  private let happenings: [any Happening]
  private var random: SeededRandom
  /// The replay ends here, whatever the agent waits for.
  private let end_ms: Int64
  /// While the board sleeps nothing wakes the agent before that time.
  public var asleepUntil_ms: () -> Int64? = { nil }

  public init(clock: VirtualClock, happenings: [any Happening], seed: UInt64, end_ms: Int64) {
    self.clock = clock
    self.happenings = happenings
    random = SeededRandom(seed: seed)
    self.end_ms = end_ms
  }

  public func now() -> Moment { clock.moment }
  public func chance() -> Double { random.uniform() }

  public func wait(for descriptors: [PollDescriptor], until boot_ms: Int64?) -> [Int32] {
    if let until_ms = asleepUntil_ms() {
      clock.advance(to: min(until_ms, end_ms))
      return []
    }
    var next_ms = min(boot_ms.map { $0 + clock.bootedAt_ms } ?? end_ms, end_ms)
    for happening in happenings {
      if let news_ms = happening.nextNews_ms, news_ms < next_ms { next_ms = news_ms }
    }
    clock.advance(to: next_ms)
    return []
  }
}
