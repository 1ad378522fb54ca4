import TrackerBase

/// From gpsd's reports to fixes: one receiver, one report an epoch, a date, the filter, a session that has settled, and
/// a window that is open.
package struct Receiver: Sendable {
  let settings: GPSSettings
  package private(set) var clock: ClockKeeper
  package private(set) var window: WindowKeeper
  package private(set) var module: GPSModule
  private(set) var choice: ReceiverChoice
  private var epochs = EpochMerger()
  private var filter: FixFilter
  /// Reports that wait until their date is decided upon.
  private(set) var held = HeldReports()
  package private(set) var quality = FixQuality()
  package private(set) var reception: Reception
  private let notBefore_ms: Int64
  private var hasRepairedDate = false
  /// The process ends before the receiver's date was believed: it dates what was held, as not trusted.
  private(set) var usesClaimedTime = false
  /// A window was open under the settings before these: that it is open now is no news.
  private var wasOpen = false
  private(set) var figures = GPSStatus()
  private var wanted = Wanted<ReceiverAction>()

  /// - Parameters:
  ///   - notBefore_ms: when this program was built, for repairing GPS dates.
  ///   - lastPlace: where the process before this one had the vehicle.
  package init(
    settings: Settings, schedule: Schedule, zone: (any ZoneRules)?, notBefore_ms: Int64,
    isSynchronised: Bool, saved: SavedState, bootID: String, lastPlace: Fix?
  ) {
    self.settings = settings.gps
    self.notBefore_ms = notBefore_ms
    clock = ClockKeeper(
      isSynchronised: isSynchronised, settings: settings.clock,
      maxAge_ms: milliseconds(settings.gps.maxFixAge_s), notBefore_ms: notBefore_ms,
      saved: saved.value("clock"),
      bootID: bootID)
    window = WindowKeeper(schedule: schedule, zone: zone, settings: settings.clock)
    module = GPSModule(settings: settings.gps)
    choice = ReceiverChoice(settings: settings.gps)
    filter = FixFilter(settings: settings.gps)
    reception = Reception(zone: zone, saved: saved)
    if let lastPlace { filter.begin(at: lastPlace) }
  }

  /// In a running process: the GPS session, what is known of place and time, and what was counted go on.
  package mutating func goOn(from old: Receiver, clock settings: ClockSettings, at now_ms: Int64) {
    reception = Reception(continuing: old.reception, zoneOf: reception)
    clock = ClockKeeper(
      continuing: old.clock, settings: settings, maxAge_ms: milliseconds(self.settings.maxFixAge_s))
    module = GPSModule(settings: self.settings, continuing: old.module, at: now_ms)
    choice = ReceiverChoice(settings: self.settings, continuing: old.choice, at: now_ms)
    filter = FixFilter(settings: self.settings, continuing: old.filter)
    (held, quality) = (old.held, old.quality)
    (figures, hasRepairedDate, wasOpen) = (old.figures, old.hasRepairedDate, old.window.isOpen)
  }

  package var hasWanted: Bool { !wanted.isEmpty }

  /// What is wanted since this was last asked, the first one last.
  package mutating func take() -> [ReceiverAction] { wanted.take() }

  /// What was taken has been seen to.
  package mutating func giveBack(_ taken: consuming [ReceiverAction]) { wanted.giveBack(taken) }

  private mutating func warn(_ name: WarningName, _ text: String) { wanted.append(.warn(name, text)) }

  private mutating func log(_ level: RunSettings.LogLevel, _ text: String) {
    wanted.append(.log(level, text))
  }

  // MARK: Reports

  /// - Returns: what is to be dated, each after the one before has been followed.
  package mutating func reportArrived(_ report: GPSReport, ignitionIsOn: Bool?, at now_ms: Int64)
    -> EpochMerger.Merged
  {
    let (isUsed, change) = choice.reportArrived(report, at: now_ms)
    if let change { receiverChanged(change, at: now_ms) }
    guard isUsed else {
      figures.reportsOfOthers += 1
      return .nothing
    }
    module.reportArrived(at: now_ms)
    figures.satellites = report.satellites
    reception.reportArrived(
      report, isOther: usesOther, ignitionIsOn: ignitionIsOn, at: now_ms, &wanted)
    quality.reportArrived(report, at: now_ms, &wanted)
    let mergedBefore = epochs.merged
    let merged = epochs.add(report)
    figures.mergedReports += epochs.merged - mergedBefore
    clock.reportArrived(at: now_ms)
    return merged
  }

  private mutating func receiverChanged(_ change: ReceiverChoice.Change, at now_ms: Int64) {
    switch change {
    case .tookOver(let used, let lost):
      receiverChanged(at: now_ms)
      log(.notice, "no usable fix from the receiver \(lost): \(used) is used")
    case .back(let used):
      receiverChanged(at: now_ms)
      log(.notice, "the receiver \(used) has fixes, and is used again")
    case .missing(let used, let preferred):
      let minutes = SettingText.number(settings.firstFixTimeout_s / 60)
      warn(
        .otherReceiver,
        "gps.device: no usable fix from \(preferred) for \(minutes) minutes, while \(used) has some and is used: \(module.advice(on: preferred))"
      )
    }
  }

  private mutating func receiverChanged(at now_ms: Int64) {
    figures.receiverChanges += 1
    reception.receiverChanged(at: now_ms, &wanted)
    filter.unknownAccuracy.receiverChanged()
  }

  /// What is not dated is judged as it is: the filter refuses it. - Parameter report: gets the date that counts.
  package mutating func date(_ report: inout GPSReport, _ wishes: inout some ScheduleWishes, at now: Moment) {
    guard FixFilter.isDated(report), let said_ms = report.time_ms else {
      return judge(quality.datedByArrival(report, clock, at: now, &wanted), at: now.boot_ms)
    }
    quality.timeArrived()
    let time_ms = repaired(said_ms)
    report.time_ms = time_ms
    let (dating, news) = clock.date(time_ms, at: now)
    if let news { clockChanged(news, &wishes, at: now) }
    let wantsLook = window.clockMoved(to: clock.trusted_ms(at: now), at: now)
    switch dating {
    case .own:
      releaseHeld(at: now)
      closeWindow(before: time_ms, &wishes, at: now)
      quality.noteDelay(of: time_ms, clock, at: now, &wanted)
      judge(report, at: now.boot_ms)
    case .corrected(let right_ms):
      releaseHeld(at: now, before: time_ms)
      report.time_ms = right_ms
      closeWindow(before: right_ms, &wishes, at: now)
      judge(report, at: now.boot_ms)
    case .undecided:
      module.fixHeld(at: now.boot_ms)
      if held.hold(report, at: now.boot_ms) { refused(.undated) }
    case .repeated: refused(.duplicate)
    }
    if isLearningTime || wantsLook { lookAtWindow(&wishes, at: now) }
  }

  /// Within the 1024 weeks from this program's build.
  private mutating func repaired(_ said_ms: Int64) -> Int64 {
    let time_ms = GPSDate.repaired(said_ms, notBefore_ms: notBefore_ms)
    if time_ms != said_ms, !hasRepairedDate {
      hasRepairedDate = true
      warn(.weekRollover, "GPS dates are 1024 weeks \(time_ms > said_ms ? "early" : "late"): repaired")
    }
    return time_ms
  }

  /// With a date that counts. - Parameter arrivedAt_ms: boot time, if that was earlier.
  private mutating func judge(_ report: GPSReport, arrivedAt_ms: Int64? = nil, at now_ms: Int64) {
    let refusedBefore = filter.speedsRefused
    let verdict = filter.judge(report, at: now_ms)
    figures.speedsRefused += filter.speedsRefused - refusedBefore
    figures.accuracyAssumed = filter.unknownAccuracy.assumed
    if filter.unknownAccuracy.takeNews(at: now_ms) { log(.notice, UnknownAccuracy.words(settings)) }
    let arrivedAt_ms = arrivedAt_ms ?? now_ms
    switch verdict {
    case .noFix:
      figures.reportsWithoutFix += 1
      module.noFix(hearsSky: reception.hearsSky)
    case .rejected(let reason): refused(reason)
    case .jump(let fix, let isNew): jumped(to: fix, isNew: isNew, at: now_ms)
    case .fix(let fix): fixArrived(fix, at: arrivedAt_ms)
    case .returned(let fix, let last):
      wanted.append(.forget(after: last))
      fixArrived(fix, at: arrivedAt_ms)
    case .moved(let fix):
      log(
        .notice,
        "the place followed so far was wrong, or the vehicle was carried: it is followed from where it is now"
      )
      wanted.append(.placeWasWrong)
      fixArrived(fix, at: arrivedAt_ms)
    }
  }

  private mutating func refused(_ reason: FixRejection) {
    figures.rejected[reason, default: 0] += 1
    module.fixRefused(reason)
  }

  /// The module works, wherever it is; nothing else follows.
  private mutating func jumped(to fix: Fix, isNew: Bool, at now_ms: Int64) {
    refused(.elsewhere)
    _ = module.fixArrived(fix, at: now_ms, &wanted)
    guard isNew, window.isOpen else { return }
    warn(
      .jump,
      "the GPS reports a place too far away to be reached: the first such fix is kept with a flag, none is followed"
    )
    wanted.append(.jump(fix))
  }

  private mutating func fixArrived(_ fix: Fix, at arrivedAt_ms: Int64) {
    figures.fixes += 1
    guard module.fixArrived(fix, at: arrivedAt_ms, &wanted) else { return figures.heldUntilSettled += 1 }
    let missed = module.worksAgain()
    wanted.append(window.isOpen ? .fix(fix, after: missed) : .fixOutside(fix))
  }

  // MARK: Reports that wait for the time

  /// Once the time is known, or no more is wanted of the GPS.
  ///
  /// - Parameters:
  ///   - next_ms: the date of the report that comes now, if it is wrong.
  ///   - isLast: there is no later.
  package mutating func releaseHeld(at now: Moment, before next_ms: Int64? = nil, isLast: Bool = false) {
    guard !held.isEmpty else { return }
    usesClaimedTime = isLast && window.isOpen && clock.dating_ms(at: now) == nil
    let claimed_ms = usesClaimedTime ? clock.claimed_ms(at: now) : nil
    guard let known_ms = clock.dating_ms(at: now) ?? claimed_ms else { return isLast ? dropHeld() : () }
    let verdicts = held.decide(
      offset_ms: known_ms - now.boot_ms, maxAge_ms: milliseconds(settings.maxFixAge_s),
      next_ms: next_ms.map { $0 - now.boot_ms })
    for verdict in verdicts {
      switch verdict {
      case .stale: refused(.stale)
      case .use(let report, let arrivedAt_ms):
        // It may have come before the window began, and the window may have ended since.
        guard let time_ms = report.time_ms, window.isOpen, window.allows(time_ms) else {
          refused(.undated)
          continue
        }
        judge(report, arrivedAt_ms: arrivedAt_ms, at: now.boot_ms)
      }
    }
  }

  private mutating func dropHeld() {
    figures.rejected[.undated, default: 0] += held.reports.count
    let lost = counted(held.reports.count, "fix is", "fixes are")
    log(.warning, "\(lost) lost: their receiver's date was not believed until now")
    held = HeldReports()
  }

  // MARK: The time and the window

  private mutating func clockChanged(
    _ news: ClockKeeper.News, _ wishes: inout some ScheduleWishes, at now: Moment
  ) {
    switch news {
    case .doubted:
      return warn(.clockJump, "the receiver's date is off by \(news.words): not believed, unless it stays so")
    case .learnt: log(.notice, "the time is known from GPS")
    case .jumped(let by_ms):
      warn(.clockJump, "the time has jumped by \(news.words): GPS has said so for long enough")
      if abs(by_ms) > ClockKeeper.near_ms { wanted.append(.timeJumped) }
      filter.clockJumped(by: by_ms)
    // A recording is played faster or slower than it was driven: the drive goes on.
    case .followed: log(.info, "the time follows the receiver by \(news.words), as clock.confirm_s = 0 says")
    }
    if clock.differs_ms(at: now) != nil {
      warn(.clockDiffers, "the system clock counts as synchronised, but differs from GPS time")
    }
    wanted.append(.timeBecameKnown)
    lookAtWindow(&wishes, at: now)
  }

  /// After a stall reports are read late: those of the window's time belong to it, and the first one after ends it.
  private mutating func closeWindow(
    before time_ms: Int64, _ wishes: inout some ScheduleWishes, at now: Moment
  ) {
    guard window.isOpen, let end_ms = window.nextChange_ms, time_ms >= end_ms,
      let deadline_ms = window.deadline_ms, now.boot_ms >= deadline_ms
    else { return }
    lookAtWindow(&wishes, at: now)
  }

  /// - Parameter wishes: what goes before the schedule.
  package mutating func lookAtWindow(_ wishes: inout some ScheduleWishes, at now: Moment) {
    let before = window.state
    let changes = wishes.tick(trusted_ms: clock.trusted_ms(at: now), at: now.boot_ms)
    if !changes.isEmpty { wanted.append(.wishesChanged(changes)) }
    window.evaluate(clock, override: wishes.override, at: now)
    if window.state == .closed { wanted.append(.noWindow(wishes.closingCause)) }
    switch (before, window.state) {
    // At the start the state is closed, and stays so without having been announced.
    case (.closed, .closed) where wasOpen, (.learningTime, .closed) where wasOpen: windowClosed(wishes)
    case (.open, .open), (.closed, .closed), (.learningTime, .learningTime): break
    case (_, .open):
      log(.notice, "window open")
      if !wasOpen { recordWindow(.windowOpened(until_ms: window.nextChange_ms)) }
      wasOpen = false
      module.windowOpened()
      wanted.append(.windowOpened)
    case (.open, .closed):
      wanted.append(.watchEnded(wishes.closingCause))
      windowClosed(wishes)
    case (.learningTime, .closed): log(.notice, "no window is open")
    case (_, .learningTime):
      if before == .open { wanted.append(.watchEnded(wishes.closingCause)) }
      module.windowOpened()
      if clock.trust(at: now) == .untrusted {
        warn(.clockUnknown, "the time is unknown: GPS on to learn it")
      } else {
        log(.info, "the time rests on GPS alone, and it was off for long: a look whether it is still right")
      }
    }
  }

  private mutating func windowClosed(_ wishes: some ScheduleWishes) {
    wasOpen = false
    log(.notice, "window closed")
    recordWindow(.windowClosed(cause: wishes.closingCause, until_ms: window.nextChange_ms))
    wanted.append(.windowClosed)
  }

  /// A schedule that is always open has no windows to report.
  private mutating func recordWindow(_ change: StatusEvent) {
    if !window.isAlwaysOpen { wanted.append(.news(.status(change))) }
  }

  // MARK: The module

  /// What the time of day brings.
  ///
  /// - Parameter isSynchronised: the wall clock was set, and this is what the kernel says of it now; nil: it was not.
  package mutating func tick(
    clockSet isSynchronised: Bool? = nil, _ wishes: inout some ScheduleWishes, at now: Moment
  ) {
    let deadline_ms = earliest(wishes.deadline_ms, window.deadline_ms)
    if let isSynchronised {
      clock.synchronised(isSynchronised)
      if clock.trust(at: now) == .synchronised { wanted.append(.timeBecameKnown) }
      lookAtWindow(&wishes, at: now)
    } else if let deadline_ms, now.boot_ms >= deadline_ms {
      lookAtWindow(&wishes, at: now)
    }
    clock.tick(at: now.boot_ms)
    module.retryPower(at: now.boot_ms, &wanted)
  }

  /// What the module waits for.
  package mutating func tickModule(at now_ms: Int64) {
    if module.tick(at: now_ms, &wanted) { sessionStarted(at: now_ms) }
  }

  /// Power follows purpose: on inside a window while it is wanted, or to learn the time.
  ///
  /// - Parameter isWanted: inside a window.
  package mutating func want(_ isWanted: Bool, at now_ms: Int64) {
    if module.want(isWanted, at: now_ms, &wanted) { sessionStarted(at: now_ms) }
  }

  /// See `Event.gpsDriver`.
  package mutating func driverNamed(_ name: String, of device: String, at now_ms: Int64) {
    module.driverNamed(name, of: device, at: now_ms, &wanted)
  }

  /// See `Event.gpsDevices`.
  package mutating func devicesNamed(_ paths: [String], areAll: Bool, at now_ms: Int64) {
    module.devicesNamed(paths, areAll: areAll, at: now_ms)
  }

  package mutating func frameArrived(_ bytes: [UInt8]) { module.frameArrived(bytes, &wanted) }

  package mutating func linkLost(_ words: String, at now_ms: Int64) {
    module.linkLost(words, at: now_ms, &wanted)
  }

  package mutating func powerFailed(_ words: String, at now_ms: Int64) {
    module.powerFailed(words, at: now_ms, &wanted)
  }

  /// After each event.
  package mutating func watchModule(at now: Moment) {
    module.watchOutage(at: now.boot_ms, &wanted)
    reception.count(
      isOn: module.isPowered, hotStart_ms: module.takeHotStart(), trusted_ms: clock.trusted_ms(at: now),
      at: now.boot_ms, &wanted)
  }

  package mutating func forgetFirstFix() { module.forgetFirstFix() }
  package mutating func lookAtOnce(at now_ms: Int64) { module.lookAtOnce(at: now_ms) }
  package mutating func saveClock(at now: Moment) { clock.save(at: now) }

  private mutating func sessionStarted(at now_ms: Int64) {
    choice.sessionStarted(at: now_ms)
    epochs = EpochMerger()
    filter.sessionStarted()
    clock.sessionStarted()
    reception.sessionStarted(at: now_ms, &wanted)
  }
}
