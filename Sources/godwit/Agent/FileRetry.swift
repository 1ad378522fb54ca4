import TrackerAgent
import TrackerBase
import TrackerIO

/// Reports files that could not be used, and tries them again.
final class FileRetry: Source {
  static let interval_ms: Int64 = 30_000

  /// nil while all files are fine.
  private let timer: BootTimer?
  private var news: [Event]
  private let retry: () -> [Event]

  /// - Parameters:
  ///   - news: what to report, once. Empty: nothing is tried again.
  ///   - retry: the news that it brings, when it has brought any it has taken this one's place.
  init(_ news: [Event], retry: @escaping () -> [Event]) throws(HostError) {
    (self.news, self.retry) = (news, retry)
    timer = news.isEmpty ? nil : try BootTimer()
    timer?.arm(after_ms: 0)
  }

  var descriptors: [PollDescriptor] { timer.map { [PollDescriptor(descriptor: $0.descriptor)] } ?? [] }

  func receive(ready: [Int32]) -> [Event] {
    guard let timer, ready.contains(timer.descriptor) else { return [] }
    timer.acknowledge()
    timer.arm(after_ms: FileRetry.interval_ms)
    if news.isEmpty { return retry() }
    defer { news = [] }
    return news
  }
}
