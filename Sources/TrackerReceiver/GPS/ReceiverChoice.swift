import TrackerBase

/// Which of gpsd's receivers is followed where there are several. They are metres apart, and a track of two of them would
/// jump to and fro: what the others report goes no further than this.
///
/// Another takes over once the one in use has given no fix for `device_timeout_s`; the preferred one is used again once it
/// has given fixes for as long. A fix that is said again is none. One that gives no times is as good as none where another
/// gives some, and as good as any where nobody does. On the boot clock.
struct ReceiverChoice: Equatable, Sendable {
  enum Change: Equatable, Sendable {
    /// `lost` gives no fix: `used` has one.
    case tookOver(used: String, lost: String)
    /// The preferred one is used again.
    case back(used: String)
    /// The preferred one still has no fix, while another gives what is used.
    case missing(used: String, preferred: String)
  }

  private enum Worth { case none, undated, dated }

  private struct Said: Equatable {
    var device: String?
    var time_ms: Int64
  }

  /// The preferred one's fixes while another is used.
  private struct Run: Equatable {
    var since_ms: Int64
    var last_ms: Int64
  }

  /// By the path that gpsd has for it; nil: no receiver is preferred, and none has given a fix yet.
  private(set) var used: String?
  private let preferred: String
  private let timeout_ms: Int64
  @Shared private var settings: GPSSettings
  /// The one in use last gave a fix, or the session began: with a time, and whether with one or without.
  private var datedAt_ms: Int64 = 0
  private var fixAt_ms: Int64 = 0
  /// What each one said last. gpsd has room for few: they are found sooner than hashed.
  private var said: [Said] = []
  static let mostReceivers = 16
  private var run: Run?
  /// For so long the preferred one has had no fix while another is used; nil once that is reported.
  private var missingSince_ms: Int64?
  private let patience_ms: Int64

  init(settings: GPSSettings) {
    preferred = settings.device
    used = preferred.isEmpty ? nil : preferred
    timeout_ms = milliseconds(min(settings.deviceTimeout_s, settings.silenceTimeout_s))
    patience_ms = milliseconds(settings.firstFixTimeout_s)
    self.settings = settings
  }

  /// What is used goes on, unless another is preferred now.
  mutating func adopt(_ settings: GPSSettings, at now_ms: Int64) {
    let used = settings.device == preferred ? used : nil
    self = ReceiverChoice(settings: settings)
    self.used = used ?? self.used
    sessionStarted(at: now_ms)
  }

  /// The one in use has its time to find a fix.
  mutating func sessionStarted(at now_ms: Int64) {
    (datedAt_ms, fixAt_ms) = (now_ms, now_ms)
    (run, said) = (nil, [])
    missingSince_ms = preferred.isEmpty || used == preferred ? nil : now_ms
  }

  /// What names no receiver, as a recording may, counts as of the one in use.
  ///
  /// - Returns: whether the report is of the receiver in use, which may be another one from this report on.
  mutating func reportArrived(_ report: GPSReport, at now_ms: Int64) -> (isUsed: Bool, change: Change?) {
    let (isUsed, change) = judge(report, at: now_ms)
    return (isUsed, change ?? missing(at: now_ms))
  }

  private mutating func judge(_ report: GPSReport, at now_ms: Int64) -> (isUsed: Bool, change: Change?) {
    let worth = worth(of: report)
    let named = report.device
    guard let device = named, let used, device != used else {
      if worth != .none { use(self.used ?? named, worth, at: now_ms) }
      return (true, nil)
    }
    // Measured by what the one in use gives.
    let lastAt_ms = worth == .dated ? datedAt_ms : fixAt_ms
    let hasFix = worth == .dated || worth == .undated && now_ms - datedAt_ms >= timeout_ms
    if device == preferred { preferredReported(hasFix: hasFix, at: now_ms) }
    guard hasFix else { return (false, nil) }
    let isBack = device == preferred && run.map { now_ms - $0.since_ms >= timeout_ms } ?? false
    guard isBack || now_ms - lastAt_ms >= timeout_ms else { return (false, nil) }
    if used == preferred { missingSince_ms = lastAt_ms }
    use(device, worth, at: now_ms)
    run = nil
    guard device == preferred else { return (true, .tookOver(used: device, lost: used)) }
    missingSince_ms = nil
    return (true, .back(used: device))
  }

  private mutating func use(_ device: String?, _ worth: Worth, at now_ms: Int64) {
    (used, fixAt_ms) = (device, now_ms)
    if worth == .dated { datedAt_ms = now_ms }
  }

  private mutating func worth(of report: GPSReport) -> Worth {
    switch FixFilter.judgeAlone(report, settings) {
    case .fix(let fix):
      return saysAgain(fix.time_ms, report.device) ? .none : .dated
    case .rejected(.noTime): return .undated
    case .noFix, .rejected: return .none
    }
  }

  private mutating func saysAgain(_ time_ms: Int64, _ device: String?) -> Bool {
    guard let place = said.firstIndex(where: { $0.device == device }) else {
      if said.count >= Self.mostReceivers { said = [] }
      said.append(Said(device: device, time_ms: time_ms))
      return false
    }
    defer { said[place].time_ms = time_ms }
    return said[place].time_ms == time_ms
  }

  private mutating func missing(at now_ms: Int64) -> Change? {
    guard let used, let since_ms = missingSince_ms, now_ms - since_ms >= patience_ms else { return nil }
    missingSince_ms = nil
    return .missing(used: used, preferred: preferred)
  }

  /// A pause of half the time-out begins the run anew.
  private mutating func preferredReported(hasFix: Bool, at now_ms: Int64) {
    guard hasFix else { return run = nil }
    if missingSince_ms != nil { missingSince_ms = now_ms }
    if let run, now_ms - run.last_ms < timeout_ms / 2 {
      self.run = Run(since_ms: run.since_ms, last_ms: now_ms)
    } else {
      run = Run(since_ms: now_ms, last_ms: now_ms)
    }
  }
}
