import TrackerCore

/// How much of gpsd's reports may wait in the socket.
///
/// A wake-up finds cold caches and costs several times what the report costs for whose sake it is. Once fixes have come
/// one after the other for longer than most probes last, the kernel wakes the loop when some seconds of them are there
/// (`SO_RCVLOWAT`), and so with one that has just come. Whatever else wakes the loop has it read them first: a commit
/// takes all with it that has arrived, and an ignition line finds the fixes before it judged.
struct ReadingPace {
  /// Half of what lies between two commits by default: one reading, and then the commit's.
  static let longest_ms: Int64 = 5500
  static let trial_ms: Int64 = 30_000
  /// Fixes further apart are not followed at this pace, nor is a date that jumps.
  static let mostApart_ms: Int64 = 2000
  /// One reading, and far from what fills a socket: gpsd closes one that is full.
  static let mostBytes: Int64 = 16 * 1024

  /// So many received bytes wake the loop.
  private(set) var bytes = 1
  /// Reports may wait.
  var isWaiting: Bool { bytes > 1 }

  private let most_ms: Int64
  private let trial_ms: Int64
  private var since_ms: Int64
  private var received: Int64 = 0
  private var last_ms: Int64?
  /// Between the last two dates.
  private var apart_ms: Int64 = 0

  /// - Parameter most_ms: so old a report may become here: what waits is on no storage.
  init(at now_ms: Int64, most_ms: Int64, trial_ms: Int64 = ReadingPace.trial_ms) {
    (self.most_ms, self.trial_ms) = (most_ms, trial_ms)
    since_ms = now_ms
  }

  /// The first one comes by as much later as they are apart: a quarter of that, so that one that is a little shorter than
  /// usual is not waited for.
  private var wait_ms: Int64 { min(ReadingPace.longest_ms, most_ms + apart_ms / 4) }

  /// What gpsd may not be rid of for longer than this, is read whatever has come.
  var limit_ms: Int64 { wait_ms + 1500 }

  /// Each report is read as it comes, until it has been seen anew that they come regularly.
  mutating func begin(at now_ms: Int64) {
    (bytes, received, last_ms, apart_ms, since_ms) = (1, 0, nil, 0, now_ms)
  }

  /// - Parameters:
  ///   - count: bytes that were read.
  ///   - events: what they said.
  mutating func read(_ count: Int, _ events: [GPSDEvent], at now_ms: Int64) {
    let isFirst = last_ms == nil
    for case .report(let report) in events {
      guard report.mode >= 2, let time_ms = report.time_ms, follows(time_ms) else { return begin(at: now_ms) }
      if let last_ms, time_ms > last_ms { apart_ms = time_ms - last_ms }
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
    let wanted = received * wait_ms / passed_ms
    bytes = Int(min(max(wanted, 1), ReadingPace.mostBytes))
    (since_ms, received) = (now_ms, 0)
  }

  private func follows(_ time_ms: Int64) -> Bool {
    guard let last_ms else { return true }
    return (0...ReadingPace.mostApart_ms).contains(time_ms - last_ms)
  }
}
