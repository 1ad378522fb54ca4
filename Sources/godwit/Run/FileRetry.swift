import TrackerAgent
import TrackerCore
import TrackerIO

/// Tells of files that could not be used, and tries them again.
final class FileRetry: Source {
  static let interval_ms: Int64 = 30_000

  private let timer: BootTimer
  private var news: [Event]
  private let retry: () -> [Event]
  private let isNeeded: Bool

  /// - Parameters:
  ///   - news: what to tell, once. Empty: nothing is tried again.
  ///   - retry: the news that it brings, when it has brought any it has taken this one's place.
  init(_ news: [Event], retry: @escaping () -> [Event]) throws(HostError) {
    (self.news, self.retry, isNeeded) = (news, retry, !news.isEmpty)
    timer = try BootTimer()
    if isNeeded { arm(after_ms: 0) }
  }

  var descriptors: [PollDescriptor] { isNeeded ? [PollDescriptor(descriptor: timer.descriptor)] : [] }

  func receive(ready: [Int32]) -> [Event] {
    guard isNeeded, ready.contains(timer.descriptor) else { return [] }
    timer.acknowledge()
    arm(after_ms: FileRetry.interval_ms)
    if news.isEmpty { return retry() }
    defer { news = [] }
    return news
  }

  // Failing to set a timer that exists is no case to plan for.
  private func arm(after_ms: Int64) { try? timer.arm(at: HostClock.now().boot_ms + after_ms) }
}
