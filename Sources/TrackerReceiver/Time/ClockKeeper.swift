import TrackerBase

/// What the agent knows of the time of day. The system clock is never set.
///
/// The kernel's word (synchronised by chrony) is taken first, unless no clock can be right that says so; else GPS
/// time. A receiver's date is believed at once only where a second source says the same; alone it must go on saying so,
/// longer for a far jump than for a first date (`docs/schedule.md` has the table).
public struct ClockKeeper: Equatable, Sendable {
  /// What a report's date is worth.
  public enum Dating: Equatable, Sendable {
    /// It is right, as far as anyone knows.
    case own
    /// It contradicts what is believed: the report has this time instead, by the boot clock.
    case corrected(time_ms: Int64)
    /// Nobody knows yet: the report waits until it is decided.
    case undecided
    /// What was said last, once more.
    case repeated
  }

  public enum News: Equatable, Sendable {
    /// The time has become known from GPS.
    case learnt
    /// The receiver contradicts what is believed, by so much.
    case doubted(by_ms: Int64)
    /// What is believed has moved by so much.
    case jumped(by_ms: Int64)
    /// Likewise, with `confirm_s = 0`: fixes have had their own dates all the time.
    case followed(by_ms: Int64)

    var words: String {
      switch self {
      case .learnt: return ""
      case .doubted(let by_ms), .jumped(let by_ms), .followed(let by_ms):
        let seconds = by_ms.magnitude / 1000
        return (by_ms < 0 ? "-" : "+") + (seconds < 172_800 ? "\(seconds) s" : "\(seconds / 86_400) days")
      }
    }
  }

  /// Time by the boot clock.
  private struct Belief: Equatable {
    /// GPS time minus boot clock.
    var offset_ms: Int64
    var agreedAt_ms: Int64
  }

  /// What the receiver says, and for how long it has said so without a break.
  private struct Candidate: Equatable {
    var offset_ms: Int64
    var since_ms: Int64
  }

  /// Two sources that agree must do so for so long, and so well.
  static let shortest_ms: Int64 = 2000
  static let tolerance_ms: Int64 = 2000
  /// A boot clock drifts by less than 200 ppm.
  static let drift: Int64 = 5000
  /// A clock that nobody keeps vouches for a date by so much, one that is kept right by less.
  static let looseWall_ms: Int64 = 10_000
  static let keptWall_ms: Int64 = 4000
  /// Of GPS time: a receiver that does not know them is not late, but wrong.
  static let leapSeconds_ms: Int64 = 18_000
  /// A jump by less is a near one: it opens and closes nothing that matters.
  static let near_ms: Int64 = 60_000
  /// A date that nothing supports, or that jumps far, must be said so many times longer.
  static let farTimes: Int64 = 4
  /// The GPS is kept on for a decision at most so many times as long as a first date needs.
  static let judgingTimes: Int64 = 5
  /// No board lies in a drawer for longer: a date so much later than the last one is far.
  static let longestOff_ms: Int64 = 400 * 86_400_000
  /// No board runs for longer without a restart: a saved boot time beyond it is damage.
  static let longestBoot_ms: Int64 = 100 * 365 * 86_400_000
  /// What waits in a socket's buffer is not older: gpsd leaves a client that reads nothing before.
  static let longestBuffer_ms: Int64 = 3_600_000
  /// A doubt is reported at most so often.
  static let reportAgain_ms: Int64 = 3_600_000
  /// Old fixes are one fix said again, or late, unless their date goes on.
  static let datesToGoOn = 3
  /// A date that is so much later than the boot clock since the one before has waited somewhere with it.
  static let burst_ms: Int64 = 500
  static let saveInterval_ms: Int64 = 600_000
  static let retryUnknown_ms: Int64 = 900_000

  public private(set) var isSynchronised: Bool
  private var belief: Belief?
  private var candidate: Candidate?
  private var settings: ClockSettings
  private var maxAge_ms: Int64
  private let notBefore_ms: Int64
  private let bootID: String
  private var lastKnown_ms: Int64?  // As a process before this one knew it.
  /// What outlives the process, made anew now and then.
  private(set) var saved: SavedClock?
  private var savedAt_ms: Int64?
  private var session = Session()
  /// The GPS stays on until then, for a decision.
  private(set) var judgingUntil_ms: Int64?
  private var judgeAgainAt_ms = Int64.min
  private var reportedAt_ms: Int64?

  /// What is known of the reports since power-on.
  private struct Session: Equatable {
    /// No date has been found right.
    var isFresh = true
    var contradictions = 0
    /// Fixes come late, and go on doing so.
    var isLagging = false
    var lastReportAt_ms: Int64?
    /// Reports may have waited in the socket for so long …
    var stall_ms: Int64 = 0
    /// … and those that have are read by then.
    var caughtUpAt_ms = Int64.min
    var lastDated_ms: Int64?
    var lastSaid_ms: Int64?
    var lastSaidAt_ms: Int64 = 0
  }

  /// - Parameters:
  ///   - maxAge_ms: a fix may be so old, unless it has waited in the socket.
  ///   - notBefore_ms: when this program was built; no clock that is right says less.
  ///   - saved: as `saved` was.
  init(
    isSynchronised: Bool, settings: ClockSettings = ClockSettings(), maxAge_ms: Int64 = 10_000,
    notBefore_ms: Int64 = .min, saved: SavedClock? = nil, bootID: String = ""
  ) {
    self.isSynchronised = isSynchronised
    (self.settings, self.maxAge_ms, self.notBefore_ms) = (settings, maxAge_ms, notBefore_ms)
    (self.saved, self.bootID) = (saved, bootID)
    guard let saved else { return }
    lastKnown_ms = saved.known_ms
    guard SavedBoot.isThis(saved.bootID, bootID: bootID), isPlausible(saved.offset_ms + saved.agreedAt_ms)
    else { return }
    belief = Belief(offset_ms: saved.offset_ms, agreedAt_ms: saved.agreedAt_ms)
  }

  mutating func adopt(_ settings: ClockSettings, maxAge_ms: Int64) {
    (self.settings, self.maxAge_ms) = (settings, maxAge_ms)
  }

  public mutating func synchronised(_ yes: Bool) { isSynchronised = yes }

  public func trust(at now: Moment) -> ClockTrust {
    if kernelOffset_ms(at: now) != nil { return .synchronised }
    return belief == nil ? .untrusted : .gps
  }

  /// GPS time by the boot clock, once it is believed: right even while the wall clock is wrong.
  public func gps_ms(at now: Moment) -> Int64? { belief.map { now.boot_ms + $0.offset_ms } }

  /// Unix milliseconds if the time is trusted.
  public func trusted_ms(at now: Moment) -> Int64? {
    kernelOffset_ms(at: now) == nil ? gps_ms(at: now) : now.wall_ms
  }

  /// What a report of that time would be dated by, if anything is known: GPS time before the kernel's.
  func dating_ms(at now: Moment) -> Int64? { knownOffset_ms(at: now).map { now.boot_ms + $0 } }

  /// What the receiver says, though it is not believed yet.
  func claimed_ms(at now: Moment) -> Int64? { candidate.map { now.boot_ms + $0.offset_ms } }

  /// Whether a report that comes now may have waited in the socket for longer than a fix may be old: such a burst is
  /// read at once.
  func mayHaveWaited(at now_ms: Int64) -> Bool {
    session.stall_ms > maxAge_ms && now_ms <= session.caughtUpAt_ms - session.stall_ms
  }

  /// How far the kernel's word is from GPS time, if that is far.
  package func differs_ms(at now: Moment) -> Int64? {
    guard let kernel_ms = kernelOffset_ms(at: now), let belief, !isNear(kernel_ms, belief.offset_ms) else {
      return nil
    }
    return kernel_ms - belief.offset_ms
  }

  /// Boot time at which the receiver last said what is believed.
  var agreedAt_ms: Int64? { belief?.agreedAt_ms }

  /// Whether the GPS should stay on, so that the receiver's date can be decided upon.
  public var isJudging: Bool { judgingUntil_ms != nil }

  // MARK: what happens

  /// Power-on: what the receiver said before, it may not say again.
  public mutating func sessionStarted() {
    session = Session()
    (candidate, judgingUntil_ms) = (nil, nil)
  }

  /// Any report, with or without a date.
  public mutating func reportArrived(at now_ms: Int64) {
    let gap_ms = now_ms - (session.lastReportAt_ms ?? now_ms)
    if gap_ms > ClockKeeper.tolerance_ms {
      (session.stall_ms, session.caughtUpAt_ms) = (gap_ms, now_ms + gap_ms + ClockKeeper.tolerance_ms)
    }
    session.lastReportAt_ms = now_ms
  }

  public mutating func tick(at now_ms: Int64) {
    guard let judgingUntil_ms, now_ms >= judgingUntil_ms else { return }
    self.judgingUntil_ms = nil
    let pause_ms = milliseconds(settings.recheck_s)
    judgeAgainAt_ms = now_ms + (belief == nil ? min(pause_ms, ClockKeeper.retryUnknown_ms) : pause_ms)
  }

  /// A fix, and what its receiver takes for the time.
  public mutating func date(_ time_ms: Int64, at now: Moment) -> (Dating, News?) {
    if session.lastSaid_ms == time_ms { return (.repeated, nil) }
    let isBurst = isBurst(time_ms, at: now.boot_ms)
    let isCatchingUp = isBurst && time_ms > session.lastDated_ms ?? .min
    // Said before, and said again in one go: a date that is wrong runs as fast as the boot clock.
    if isBurst, !isCatchingUp { session.contradictions = 0 }
    (session.lastSaid_ms, session.lastSaidAt_ms) = (time_ms, now.boot_ms)
    let offset_ms = time_ms - now.boot_ms
    follow(offset_ms, at: now.boot_ms)
    guard let known_ms = knownOffset_ms(at: now) else { return unsupported(offset_ms, at: now) }
    if abs(offset_ms - known_ms) <= tolerance_ms(at: now) {
      return (.own, agreed(offset_ms, dated: time_ms, at: now))
    }
    let isBuffered = isCatchingUp && (0...ClockKeeper.longestBuffer_ms).contains(known_ms - offset_ms)
    if isLate(time_ms, known_ms: known_ms, at: now) || isBuffered {
      session.lastDated_ms = time_ms
      return (.own, nil)
    }
    return contradicted(time_ms, known_ms: known_ms, at: now)
  }

  /// Keeps what is to outlive the process: what GPS has said, since a kernel alone has been wrong before.
  mutating func save(at now: Moment) {
    guard let belief, savedAt_ms.map({ now.boot_ms - $0 >= ClockKeeper.saveInterval_ms }) ?? true else {
      return
    }
    savedAt_ms = now.boot_ms
    saved = SavedClock(
      bootID: SavedBoot.text(bootID), offset_ms: belief.offset_ms, agreedAt_ms: belief.agreedAt_ms,
      known_ms: now.boot_ms + belief.offset_ms)
  }
}

// MARK: Judgement

extension ClockKeeper {
  private mutating func follow(_ offset_ms: Int64, at now_ms: Int64) {
    if let candidate, abs(offset_ms - candidate.offset_ms) <= ClockKeeper.tolerance_ms { return }
    candidate = Candidate(offset_ms: offset_ms, since_ms: now_ms)
  }

  /// Nothing is known that could support or contradict it.
  private mutating func unsupported(_ offset_ms: Int64, at now: Moment) -> (Dating, News?) {
    if let news = adopt(offset_ms, at: now) { return (.own, news) }
    judge(offset_ms, at: now)
    return (settings.confirm_s == 0 ? .own : .undecided, nil)
  }

  private mutating func agreed(_ offset_ms: Int64, dated time_ms: Int64, at now: Moment) -> News? {
    (session.isFresh, session.isLagging, session.contradictions, session.stall_ms) = (false, false, 0, 0)
    session.lastDated_ms = time_ms
    judgingUntil_ms = nil
    guard var belief else { return adopt(offset_ms, at: now) }
    // A hundredth of the time that has passed: a receiver that creeps cannot lead the clock away.
    let most_ms = 1 + max(0, now.boot_ms - belief.agreedAt_ms) / 100
    belief.offset_ms += min(max(offset_ms - belief.offset_ms, -most_ms), most_ms)
    belief.agreedAt_ms = now.boot_ms
    self.belief = belief
    save(at: now)
    return nil
  }

  private mutating func contradicted(
    _ time_ms: Int64, known_ms: Int64, at now: Moment
  ) -> (Dating, News?) {
    let offset_ms = time_ms - now.boot_ms
    let isLag = isLag(offset_ms, known_ms: known_ms, at: now)
    if !isLag || kernelOffset_ms(at: now) == nil, let news = adopt(offset_ms, at: now) { return (.own, news) }
    if settings.confirm_s == 0 { return (.own, nil) }
    if !isLag { judge(offset_ms, at: now) }
    session.contradictions += 1
    // An old fix, or a date that is wrong: the next ones decide.
    let isPast = offset_ms < known_ms
    let goesOn = !session.isFresh && !isPast || session.contradictions >= ClockKeeper.datesToGoOn
    guard goesOn else { return (.undecided, nil) }
    session.isLagging = isLag
    let news = isLag ? nil : doubted(by_ms: offset_ms - known_ms, at: now.boot_ms)
    // The kernel against GPS, and neither has been right before.
    if belief == nil, isJudging, !isLag { return (.undecided, news) }
    let corrected_ms = max(now.boot_ms + known_ms, (session.lastDated_ms ?? .min / 2) + 1)
    session.lastDated_ms = isLag ? time_ms : corrected_ms
    return (isLag ? .own : .corrected(time_ms: corrected_ms), news)
  }

  private mutating func doubted(by_ms: Int64, at now_ms: Int64) -> News? {
    guard now_ms - (reportedAt_ms ?? .min / 2) >= ClockKeeper.reportAgain_ms else { return nil }
    reportedAt_ms = now_ms
    return .doubted(by_ms: by_ms)
  }

  /// The GPS stays on for it, if a decision can come of that.
  private mutating func judge(_ offset_ms: Int64, at now: Moment) {
    guard judgingUntil_ms == nil, now.boot_ms >= judgeAgainAt_ms, agreement_ms(for: offset_ms, at: now) != nil
    else { return }
    judgingUntil_ms = now.boot_ms + milliseconds(settings.confirm_s) * ClockKeeper.judgingTimes
  }

  /// - Returns: nil if the receiver has not said so for long enough.
  private mutating func adopt(_ offset_ms: Int64, at now: Moment) -> News? {
    guard let candidate, let needed_ms = agreement_ms(for: offset_ms, at: now),
      now.boot_ms - candidate.since_ms >= needed_ms
    else { return nil }
    let by_ms = belief.map { offset_ms - $0.offset_ms }
    belief = Belief(offset_ms: offset_ms, agreedAt_ms: now.boot_ms)
    (session.isFresh, session.contradictions) = (false, 0)
    session.lastDated_ms = now.boot_ms + offset_ms
    (judgingUntil_ms, reportedAt_ms, savedAt_ms) = (nil, nil, nil)
    save(at: now)
    return by_ms.map { settings.confirm_s == 0 ? .followed(by_ms: $0) : .jumped(by_ms: $0) } ?? .learnt
  }

  /// For how long the receiver must say so before it is believed; nil: never, two sources are against it.
  private func agreement_ms(for offset_ms: Int64, at now: Moment) -> Int64? {
    let first_ms = milliseconds(settings.confirm_s)
    let far_ms = first_ms * ClockKeeper.farTimes
    if first_ms == 0 { return ClockKeeper.shortest_ms }
    let kernel_ms = kernelOffset_ms(at: now)
    if let kernel_ms, abs(kernel_ms - offset_ms) <= ClockKeeper.keptWall_ms { return ClockKeeper.shortest_ms }
    guard let belief else {
      let wall_ms = now.wall_ms - now.boot_ms
      if abs(wall_ms - offset_ms) <= ClockKeeper.looseWall_ms { return ClockKeeper.shortest_ms }
      let isLikely = isLikely(now.boot_ms + offset_ms)
      if kernel_ms != nil { return isLikely ? far_ms : nil }
      return isLikely ? first_ms : far_ms
    }
    if let kernel_ms, abs(kernel_ms - belief.offset_ms) <= ClockKeeper.keptWall_ms { return nil }
    return isNear(belief.offset_ms, offset_ms) ? first_ms : far_ms
  }

  private func isNear(_ one_ms: Int64, _ other_ms: Int64) -> Bool {
    abs(one_ms - other_ms) <= ClockKeeper.near_ms
  }

  /// As seen from the last time that was known: time does not go back, and no board is off for years.
  private func isLikely(_ time_ms: Int64) -> Bool {
    guard let lastKnown_ms else { return true }
    return time_ms >= lastKnown_ms - ClockKeeper.near_ms
      && time_ms <= lastKnown_ms + ClockKeeper.longestOff_ms
  }

  /// After a stall of ours reports come from the socket's buffer, and a session's first fix may be a little old. Both
  /// are as true as they were.
  private func isLate(_ time_ms: Int64, known_ms: Int64, at now: Moment) -> Bool {
    let late_ms = now.boot_ms + known_ms - time_ms
    guard late_ms > 0 else { return false }
    if session.isFresh { return late_ms <= maxAge_ms }
    guard now.boot_ms <= session.caughtUpAt_ms else { return false }
    return late_ms <= session.stall_ms + ClockKeeper.tolerance_ms && time_ms > session.lastDated_ms ?? .min
  }

  /// A fix that something has held back for less than a minute: no receiver has a date that is wrong like that.
  private func isLag(_ offset_ms: Int64, known_ms: Int64, at now: Moment) -> Bool {
    let late_ms = (kernelOffset_ms(at: now) ?? known_ms) - offset_ms
    let isLeap = abs(late_ms - ClockKeeper.leapSeconds_ms) <= 1000
    return late_ms > 0 && late_ms <= ClockKeeper.near_ms && (session.isLagging || !isLeap)
  }

  /// Dates that run faster than the boot clock come out of a buffer: a clock that is wrong runs as fast as others.
  private func isBurst(_ time_ms: Int64, at now_ms: Int64) -> Bool {
    guard let said_ms = session.lastSaid_ms else { return false }
    return time_ms - said_ms > now_ms - session.lastSaidAt_ms + ClockKeeper.burst_ms
  }

  /// GPS time has been followed since it was believed; the boot clock has drifted since.
  private func tolerance_ms(at now: Moment) -> Int64 {
    let since_ms = belief.map { max(0, now.boot_ms - $0.agreedAt_ms) } ?? 0
    return ClockKeeper.tolerance_ms + since_ms / ClockKeeper.drift
  }

  private func knownOffset_ms(at now: Moment) -> Int64? { belief?.offset_ms ?? kernelOffset_ms(at: now) }

  private func kernelOffset_ms(at now: Moment) -> Int64? {
    isSynchronised && isPlausible(now.wall_ms) ? now.wall_ms - now.boot_ms : nil
  }

  private func isPlausible(_ time_ms: Int64) -> Bool {
    GPSDate.isPlausible(time_ms, notBefore_ms: notBefore_ms)
  }
}
