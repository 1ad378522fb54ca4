import TrackerAgent
import TrackerBase
import TrackerIO

/// What the process' surroundings do to it, as events, and the log on its way out.
final class HostProblems: Source {
  private let output: TextOutput
  private var pending: [Event] = []
  private var reportedLost = 0
  private var reportedLostAt_ms: Int64 = .min / 2

  /// A log that nobody reads loses lines all the time: the status learns of it so often.
  static let lostInterval_ms: Int64 = 60_000

  init(log output: TextOutput) { self.output = output }

  /// The tracker learns of it in the next turn of the loop.
  func report(_ trouble: HostProblem) { pending.append(.hostProblem(trouble)) }

  var descriptors: [PollDescriptor] { output.isWaiting ? [output.poll] : [] }

  func receive(ready: [Int32]) -> [Event] {
    if output.isWaiting, ready.contains(output.poll.descriptor) { output.flush() }
    noteLost()
    let news = pending
    pending = []
    return news
  }

  private func noteLost() {
    let lost = output.lostLines - reportedLost
    if lost == 0 { return }
    let now_ms = HostClock.now().boot_ms
    guard now_ms - reportedLostAt_ms >= HostProblems.lostInterval_ms else { return }
    (reportedLost, reportedLostAt_ms) = (output.lostLines, now_ms)
    report(.logLost(lines: lost))
  }
}
