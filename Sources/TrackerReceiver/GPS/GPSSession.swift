import TrackerBase

/// From power-on to power-off of the GPS module, with what to do when it does not answer.
///
/// The tracker says whether the GPS is `wanted`; this machine powers it, connects to gpsd, notices silence and
/// failure, and goes on trying with growing pauses for as long as it is wanted.
public struct GPSSession: Equatable, Sendable {
  public enum Link: Equatable, Sendable {
    /// The module has power but is not yet asked for data.
    case settling(until_ms: Int64)
    case open
    /// gpsd went away or does not answer: connect again at that time.
    case retrying(at_ms: Int64)
  }

  public struct Powered: Equatable, Sendable {
    public var since_ms: Int64
    /// The age of the last fix at power-on.
    public var gap = StartGap.longer
    public var link: Link
    public var firstFixAt_ms: Int64?
    public var lastFixAt_ms: Int64
    public var lastReportAt_ms: Int64
    /// Connections lost or refused since the last report.
    public var linkLosses = 0
    /// The connection was opened anew because of silence, and nothing has come since.
    public var reopened = false
    /// What gpsd has no device for, since its list said so.
    public var lack: Lack?
    /// gpsd has had a device, or one has reported.
    public var hadDevice = false
    /// gpsd was away or silent before the first fix: how long the module needed for it, nobody knows.
    public var isStartSpoilt = false
    /// Fixes are held back until one is accurate enough or the time is up.
    public var settled = false
  }

  /// Receivers that gpsd should have, and has not.
  public enum MissingDevice: Equatable, Sendable {
    /// It has none at all.
    case every
    /// It has others than the one of `gps.device`.
    case preferred
  }

  public struct Lack: Equatable, Sendable {
    public var missing: MissingDevice
    /// A receiver on USB comes seconds after its power. nil: it was reported.
    public var reportAt_ms: Int64?
  }

  public enum State: Equatable, Sendable {
    /// No power, and nobody wants it.
    case off
    /// Wanted, but off: for the module's minimum off time, or as a pause after a failure.
    case resting(until_ms: Int64)
    case powered(Powered)
  }

  public enum Problem: String, Equatable, Sendable {
    /// Reports came, and no fix that can be used.
    case noFix = "no_fix"
    case silent = "gps_silent"
    /// gpsd itself is away: not the module's fault, so the pauses stay short.
    case unreachable = "gpsd_lost"
  }

  public enum Action: Equatable, Sendable {
    case setPower(Bool)
    case connect
    case disconnect
    /// A session ended without what it was for; the next begins by itself after `pause_ms`.
    case failed(Problem, pause_ms: Int64)
    /// There was no fix for too long. What has the power to listen listens on.
    case listensOn
    /// gpsd is silent: the connection is opened anew before the module is blamed.
    case reopening
    /// gpsd still has no device for it. - Parameter MissingDevice: which one.
    case noDevice(MissingDevice)
    case firstFix(FirstFix)
  }

  public struct FirstFix: Equatable, Sendable {
    public var afterPowerOn_ms: Int64
    /// The age of the fix before, at power-on.
    public var gap: StartGap
    /// gpsd was away or silent meanwhile: it says nothing of the module.
    public var isSpoilt: Bool
  }

  /// Every so many tries without a fix, one lasts as long as the first of a window.
  static let triesToLongOne = 3
  static let firstPause_ms: Int64 = 10_000
  static let maxReconnect_ms: Int64 = 8_000
  /// Whatever is asked for: an ignition that comes and goes must not keep the GPS on in a garage.
  static let leastPause_ms: Int64 = 60_000
  static let maxUnreachablePause_ms: Int64 = 30_000

  public private(set) var state: State
  /// Sessions in a row that ended without a fix.
  public private(set) var failures = 0
  /// When this machine last switched the power off, nil before the first time.
  private var offSince_ms: Int64?
  private var isFirstOfWindow = true
  public private(set) var startTimes = StartTimes()
  /// The last fix of all sessions.
  private var lastFixAt_ms: Int64?
  @Shared private var settings: GPSSettings
  private var isAlwaysOn: Bool

  /// - Parameter isAlwaysOn: the settings do not switch it off while parked.
  public init(settings: GPSSettings, isAlwaysOn: Bool = false) {
    (self.settings, self.isAlwaysOn) = (settings, isAlwaysOn)
    self.state = .off
  }

  /// gpsd's connection is to be opened again.
  mutating func adopt(_ settings: GPSSettings, isAlwaysOn: Bool, at now_ms: Int64) {
    (self.settings, self.isAlwaysOn) = (settings, isAlwaysOn)
    guard case .powered(var powered) = state else { return }
    switch powered.link {
    case .settling: break
    case .open, .retrying: powered.link = .settling(until_ms: now_ms)
    }
    state = .powered(powered)
  }

  public var isPowered: Bool {
    if case .powered = state { true } else { false }
  }

  /// The next time at which `tick` has something to do.
  public var deadline_ms: Int64? {
    switch state {
    case .off: nil
    case .resting(let until_ms): until_ms
    case .powered(let powered): deadline(of: powered)
    }
  }

  private func deadline(of powered: Powered) -> Int64? {
    switch powered.link {
    case .settling(let until_ms): until_ms
    case .retrying(let at_ms): min(at_ms, fixDeadline(powered))
    case .open: earliest(powered.lack?.reportAt_ms, failsAt(powered))
    }
  }

  /// Switching a module off and on gives gpsd no device that it never had: nothing is tried then but to wait for one.
  private func failsAt(_ powered: Powered) -> Int64? {
    if powered.lack?.missing == .every, !powered.hadDevice { return nil }
    return min(powered.lastReportAt_ms + milliseconds(settings.silenceTimeout_s), fixDeadline(powered))
  }

  private func fixDeadline(_ powered: Powered) -> Int64 {
    let isLong = powered.firstFixAt_ms == nil && (isFirstOfWindow || isLongTry(after: powered.gap))
    return powered.lastFixAt_ms + milliseconds(isLong ? settings.firstFixTimeout_s : settings.fixTimeout_s)
  }

  /// A module that always starts slowly would never get there in the time that the others need.
  private func isLongTry(after gap: StartGap) -> Bool {
    failures % GPSSession.triesToLongOne == GPSSession.triesToLongOne - 1
      || (startTimes.expected_ms(after: gap) ?? 0) > milliseconds(settings.fixTimeout_s) * 2 / 3
  }

  /// What the module is expected to need for its first fix if its power goes on now; nil: not known yet.
  public func expectedTTFF_ms(at now_ms: Int64) -> Int64? { startTimes.expected_ms(after: gap(at: now_ms)) }

  private func gap(at now_ms: Int64) -> StartGap { StartGap(lastFixAt_ms.map { now_ms - $0 }) }

  private func causeOfNoFix(_ powered: Powered) -> Problem {
    if case .retrying = powered.link { .unreachable } else { .noFix }
  }

  /// The next session counts as the first one, with its longer time-out.
  public mutating func windowOpened() { isFirstOfWindow = true }

  public mutating func wantChanged(to wanted: Bool, at now_ms: Int64) -> [Action] {
    switch (state, wanted) {
    case (.off, true): return powerOnWhenAllowed(at: now_ms)
    case (.resting, false):
      failures = 0
      state = .off
      return []
    case (.powered, false):
      failures = 0
      return powerOff(into: .off, at: now_ms)
    case (.off, false), (.resting, true), (.powered, true): return []
    }
  }

  /// A pause of more than a minute ends. What is powered goes on.
  public mutating func endPause(at now_ms: Int64) {
    guard case .resting(let until_ms) = state, let offSince_ms else { return }
    let least_ms = max(milliseconds(settings.minOff_s), GPSSession.leastPause_ms)
    state = .resting(until_ms: min(until_ms, max(now_ms, offSince_ms + least_ms)))
  }

  public mutating func tick(at now_ms: Int64) -> [Action] {
    guard let deadline_ms, now_ms >= deadline_ms else { return [] }
    switch state {
    case .off: return []
    case .resting: return powerOn(at: now_ms)
    case .powered(var powered):
      if let missing = powered.lack?.missing, let at_ms = powered.lack?.reportAt_ms, now_ms >= at_ms {
        powered.lack?.reportAt_ms = nil
        state = .powered(powered)
        return [.noDevice(missing)]
      }
      if now_ms >= fixDeadline(powered) {
        let cause = causeOfNoFix(powered)
        guard cause == .noFix, isAlwaysOn || settings.power.mode == .none else {
          return fail(cause, at: now_ms)
        }
        return listenOn(powered, at: now_ms)
      }
      switch powered.link {
      case .settling, .retrying:
        powered.link = .open
        powered.lastReportAt_ms = now_ms
        state = .powered(powered)
        return [.connect]
      case .open:
        if powered.reopened { return fail(.silent, at: now_ms) }
        powered.reopened = true
        powered.lack = nil
        powered.isStartSpoilt = true
        powered.lastReportAt_ms = now_ms
        state = .powered(powered)
        return [.disconnect, .reopening, .connect]
      }
    }
  }

  /// gpsd's connection ended or could not be opened: again after 1, 2, 4, 8, 8 … s.
  public mutating func linkLost(at now_ms: Int64) -> [Action] {
    guard case .powered(var powered) = state else { return [] }
    powered.link = .retrying(at_ms: now_ms + reconnectPause(powered.linkLosses))
    powered.linkLosses += 1
    // Its owner may be giving it a device just now: that it had none so far is no failure of the module.
    if powered.lack?.missing == .every, !powered.hadDevice { powered.lastFixAt_ms = now_ms }
    powered.lack = nil
    powered.isStartSpoilt = true
    state = .powered(powered)
    return [.disconnect]
  }

  private func reconnectPause(_ losses: Int) -> Int64 {
    min(GPSSession.maxReconnect_ms, 1000 << min(losses, 3))
  }

  /// gpsd's list of its devices has come.
  ///
  /// - Parameter missing: nil: it has what is wanted of it.
  public mutating func devicesListed(missing: MissingDevice?, at now_ms: Int64) {
    guard case .powered(var powered) = state, powered.link == .open else { return }
    let wasEvery = powered.lack?.missing == .every
    if missing != .every {
      powered.hadDevice = true
      if wasEvery {
        // Its time to report and to find a fix begins now.
        (powered.lastReportAt_ms, powered.lastFixAt_ms) = (now_ms, now_ms)
        powered.isStartSpoilt = true
      }
    }
    if powered.lack?.missing != missing {
      powered.lack = missing.map {
        Lack(missing: $0, reportAt_ms: now_ms + milliseconds(settings.silenceTimeout_s))
      }
    }
    state = .powered(powered)
  }

  /// Any report, with or without a fix: the module is alive. One that was under way when the connection ended
  /// does not bring it back.
  public mutating func reportArrived(at now_ms: Int64) {
    guard case .powered(var powered) = state, powered.link == .open else { return }
    powered.lastReportAt_ms = now_ms
    powered.reopened = false
    powered.linkLosses = 0
    powered.hadDevice = true
    state = .powered(powered)
  }

  /// - Returns: whether the fix may be used, or is one of the first, held back ones.
  public mutating func fixArrived(_ fix: Fix, at now_ms: Int64) -> (usable: Bool, actions: [Action]) {
    guard case .powered(var powered) = state else { return (false, []) }
    var actions: [Action] = []
    if powered.firstFixAt_ms == nil {
      powered.firstFixAt_ms = now_ms
      let first = FirstFix(
        afterPowerOn_ms: now_ms - powered.since_ms, gap: powered.gap, isSpoilt: powered.isStartSpoilt)
      if !first.isSpoilt { startTimes.note(first.afterPowerOn_ms, after: first.gap) }
      actions.append(.firstFix(first))
    }
    powered.lastFixAt_ms = now_ms
    lastFixAt_ms = now_ms
    let waited_ms = now_ms - (powered.firstFixAt_ms ?? now_ms)
    if fix.accuracy_m <= settings.settleAccuracy_m || waited_ms >= milliseconds(settings.settleTimeout_s) {
      powered.settled = true
      failures = 0
      isFirstOfWindow = false
    }
    state = .powered(powered)
    return (powered.settled, actions)
  }

  /// A fix whose date is not known yet: the module does what it should.
  public mutating func fixHeld(at now_ms: Int64) {
    guard case .powered(var powered) = state else { return }
    powered.lastFixAt_ms = now_ms
    state = .powered(powered)
  }

  private mutating func powerOnWhenAllowed(at now_ms: Int64) -> [Action] {
    guard let offSince_ms else { return powerOn(at: now_ms) }
    let allowedAt_ms = offSince_ms + milliseconds(settings.minOff_s)
    if now_ms >= allowedAt_ms { return powerOn(at: now_ms) }
    state = .resting(until_ms: allowedAt_ms)
    return []
  }

  private mutating func powerOn(at now_ms: Int64) -> [Action] {
    let settle_ms = settings.power.mode == .none ? 0 : Int64(settings.power.settle_ms)
    state = .powered(
      Powered(
        since_ms: now_ms, gap: gap(at: now_ms), link: .settling(until_ms: now_ms + settle_ms),
        lastFixAt_ms: now_ms, lastReportAt_ms: now_ms))
    return [.setPower(true)]
  }

  private mutating func powerOff(into next: State, at now_ms: Int64) -> [Action] {
    offSince_ms = now_ms
    state = next
    return [.disconnect, .setPower(false)]
  }

  private mutating func listenOn(_ before: Powered, at now_ms: Int64) -> [Action] {
    var powered = before
    powered.lastFixAt_ms = now_ms + pauseAfterFailure(.noFix)
    powered.isStartSpoilt = true
    state = .powered(powered)
    return [.listensOn]
  }

  /// One more failure in a row. - Returns: until the next try.
  private mutating func pauseAfterFailure(_ failure: Problem) -> Int64 {
    failures += 1
    isFirstOfWindow = false
    let doubled_ms = GPSSession.firstPause_ms << min(failures - 1, 12)
    let longest_ms =
      failure == .unreachable ? GPSSession.maxUnreachablePause_ms : milliseconds(settings.retryPauseMax_s)
    return max(milliseconds(settings.minOff_s), min(doubled_ms, longest_ms))
  }

  private mutating func fail(_ failure: Problem, at now_ms: Int64) -> [Action] {
    let pause_ms = pauseAfterFailure(failure)
    return powerOff(into: .resting(until_ms: now_ms + pause_ms), at: now_ms)
      + [.failed(failure, pause_ms: pause_ms)]
  }
}
