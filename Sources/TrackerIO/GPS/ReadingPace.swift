import TrackerCore

/// How much of gpsd's reports may wait in the socket.
///
/// A wake-up finds cold caches and costs several times what the report costs for whose sake it is. Once fixes have come
/// one after the other for longer than most probes last, the kernel wakes the loop when some seconds of them are there
/// (`SO_RCVLOWAT`), and so with one that has just come. Whatever else wakes the loop has it read them first: a commit
/// takes all with it that has arrived, and an ignition line finds the fixes before it judged.
struct ReadingPace {
  /// Half of what lies between two commits by default: one reading, and then the commit's.
  static let wait_ms: Int64 = 5500
  static let trial_ms: Int64 = 30_000
  /// What gpsd may not be rid of for longer than this, is read whatever has come.
  static let limit_ms: Int64 = 7000
  /// Fixes further apart are not followed at this pace, nor is a date that jumps.
  static let mostApart_ms: Int64 = 2000
  /// One reading, and far from what fills a socket: gpsd closes one that is full.
  static let mostBytes: Int64 = 16 * 1024

  /// So many received bytes wake the loop.
  private(set) var bytes = 1
  /// Reports may wait.
  var isWaiting: Bool { bytes > 1 }

  private let trial_ms: Int64
  private var since_ms: Int64
  private var received: Int64 = 0
  private var last_ms: Int64?

  init(at now_ms: Int64, trial_ms: Int64 = ReadingPace.trial_ms) {
    self.trial_ms = trial_ms
    since_ms = now_ms
  }

  /// Each report is read as it comes, until it has been seen anew that they come regularly.
  mutating func begin(at now_ms: Int64) {
    (bytes, received, last_ms, since_ms) = (1, 0, nil, now_ms)
  }

  /// - Parameters:
  ///   - count: bytes that were read.
  ///   - events: what they said.
  mutating func read(_ count: Int, _ events: [GPSDEvent], at now_ms: Int64) {
    let isFirst = last_ms == nil
    for case .report(let report) in events {
      guard report.mode >= 2, let time_ms = report.time_ms, follows(time_ms) else { return begin(at: now_ms) }
      last_ms = time_ms
    }
    if isFirst {
      // The trial begins with the first report.
      (since_ms, received) = (now_ms, 0)
      return
    }
    received += Int64(count)
    let passed_ms = now_ms - since_ms
    guard passed_ms > 0, passed_ms >= trial_ms else { return }
    let wanted = received * ReadingPace.wait_ms / passed_ms
    bytes = Int(min(max(wanted, 1), ReadingPace.mostBytes))
    (since_ms, received) = (now_ms, 0)
  }

  private func follows(_ time_ms: Int64) -> Bool {
    guard let last_ms else { return true }
    return (0...ReadingPace.mostApart_ms).contains(time_ms - last_ms)
  }
}
