import TrackerBase

/// From gpsd's reports to fixes: one receiver, one report an epoch, a date, the filter, a session that has settled, and
/// a window that is open.
package struct Receiver: Part {
  @Shared private(set) var settings: GPSSettings
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
  private(set) var figures = GPSStatus()

  /// - Parameters:
  ///   - notBefore_ms: when this program was built, for repairing GPS dates.
  ///   - lastPlace: where the process before this one had the vehicle.
  package init(
    _ configuration: Configuration, notBefore_ms: Int64, isSynchronised: Bool, saved: SavedState,
    bootID: String, lastPlace: Fix?
  ) {
    let gps = configuration.settings.gps
    settings = gps
    self.notBefore_ms = notBefore_ms
    clock = ClockKeeper(
      isSynchronised: isSynchronised, settings: configuration.settings.clock,
      maxAge_ms: milliseconds(gps.maxFixAge_s), notBefore_ms: notBefore_ms, saved: saved.value("clock"),
      bootID: bootID)
    window = WindowKeeper(configuration)
    module = GPSModule(settings: gps, isAlwaysOn: configuration.settings.gpsIsAlwaysOn)
    choice = ReceiverChoice(settings: gps)
    filter = FixFilter(settings: gps)
    reception = Reception(zone: configuration.zone, saved: saved)
    if let lastPlace { filter.begin(at: lastPlace) }
  }

  // MARK: What happens

  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    clock.save(at: now)
    switch event {
    case .gpsReport(let report): return reportArrived(report, facts, at: now)
    case .gpsDriver(let name, let device): return module.driverNamed(name, of: device, at: now.boot_ms)
    case .gpsDevices(let paths, let areAll):
      module.devicesNamed(paths, areAll: areAll, at: now.boot_ms)
      return []
    case .gpsFrame(let bytes): return module.frameArrived(bytes)
    case .gpsLost(let words): return module.linkLost(words, at: now.boot_ms)
    case .powerFailed(let words): return module.powerFailed(words, at: now.boot_ms)
    case .timer: return tick(facts, at: now)
    case .clockStepped(let isSynchronised):
      clock.synchronised(isSynchronised)
      let isKnown = clock.trust(at: now) == .synchronised
      return (isKnown ? [.tell(.timeBecameKnown)] : []) + lookAtWindow(facts, at: now) + tick(facts, at: now)
    case .stopping: return releaseHeld(at: now, isLast: true)
    default: return nil
    }
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    switch news {
    case .begun, .wishesChanged: return lookAtWindow(facts, at: now)
    case .lookAtOnce: module.lookAtOnce(at: now.boot_ms)
    case .resumed:
      // What the module needed before it is not what it needs after it.
      module.forgetFirstFix()
    case .sessionBegan: return sessionBegan(at: now.boot_ms)
    case .settled:
      if held.isEmpty || wantsGPS(facts) { return considerGPS(facts, at: now) }
      return releaseHeld(at: now) + [.tell(.gpsConsidered)]
    case .gpsConsidered: return considerGPS(facts, at: now)
    case .ending: return module.want(false, at: now.boot_ms)
    default: return nil
    }
    return []
  }

  package mutating func adopt(_ configuration: Configuration, at now: Moment) {
    let settings = configuration.settings
    clock.adopt(settings.clock, maxAge_ms: milliseconds(settings.gps.maxFixAge_s))
    window.adopt(configuration)
    module.adopt(settings.gps, isAlwaysOn: settings.gpsIsAlwaysOn, at: now.boot_ms)
    choice.adopt(settings.gps, at: now.boot_ms)
    filter.adopt(settings.gps)
    reception.adopt(configuration.zone)
    epochs = EpochMerger()
    self.settings = settings.gps
  }

  /// What the time of day brings, and what the module waits for.
  private mutating func tick(_ facts: Facts, at now: Moment) -> [Want] {
    let isDue = window.deadline_ms.map { now.boot_ms >= $0 } ?? false
    let wants = isDue ? lookAtWindow(facts, at: now) : []
    clock.tick(at: now.boot_ms)
    return wants + module.tick(at: now.boot_ms)
  }

  /// Power follows purpose: on inside a window while it is wanted, or to learn the time.
  private mutating func considerGPS(_ facts: Facts, at now: Moment) -> [Want] {
    let wants = module.want(wantsGPS(facts), at: now.boot_ms) + module.watchOutage(at: now.boot_ms)
    return wants
      + reception.count(
        isOn: module.isPowered, hotStart_ms: module.takeHotStart(), trusted_ms: clock.trusted_ms(at: now),
        at: now.boot_ms)
  }

  func wantsGPS(_ facts: Facts) -> Bool {
    if facts.isLocating { return true }
    return switch window.state {
    case .open: facts.wantsGPS || clock.isJudging
    case .learningTime: true
    case .closed: false
    }
  }

  private mutating func sessionBegan(at now_ms: Int64) -> [Want] {
    choice.sessionStarted(at: now_ms)
    epochs = EpochMerger()
    filter.sessionStarted()
    clock.sessionStarted()
    return reception.sessionStarted(at: now_ms)
  }

  // MARK: Reports

  private mutating func reportArrived(_ report: GPSReport, _ facts: Facts, at now: Moment) -> [Want] {
    let (isUsed, change) = choice.reportArrived(report, at: now.boot_ms)
    var wants = change.map { receiverChanged($0, at: now.boot_ms) } ?? []
    guard isUsed else {
      figures.reportsOfOthers += 1
      return wants
    }
    module.reportArrived(at: now.boot_ms)
    figures.satellites = report.satellites
    wants += reception.reportArrived(
      report, isOther: usesOther, ignitionIsOn: facts.ignitionIsOn, at: now.boot_ms)
    wants += quality.reportArrived(report, at: now.boot_ms)
    let mergedBefore = epochs.merged
    let merged = epochs.add(report)
    figures.mergedReports += epochs.merged - mergedBefore
    clock.reportArrived(at: now.boot_ms)
    switch merged {
    case .nothing: return wants
    case .report: return wants + date(report, facts, at: now)
    case .both(let held): return wants + date(held, facts, at: now) + date(report, facts, at: now)
    }
  }

  private mutating func receiverChanged(_ change: ReceiverChoice.Change, at now_ms: Int64) -> [Want] {
    switch change {
    case .tookOver(let used, let lost):
      return receiverChanged(at: now_ms)
        + [.log(.notice, "no usable fix from the receiver \(lost): \(used) is used")]
    case .back(let used):
      return receiverChanged(at: now_ms)
        + [.log(.notice, "the receiver \(used) has fixes, and is used again")]
    case .missing(let used, let preferred):
      let minutes = SettingText.number(settings.firstFixTimeout_s / 60)
      let words =
        "gps.device: no usable fix from \(preferred) for \(minutes) minutes, while \(used) has some and is used: \(module.advice(on: preferred))"
      return [.warn(.otherReceiver, words)]
    }
  }

  private mutating func receiverChanged(at now_ms: Int64) -> [Want] {
    figures.receiverChanges += 1
    filter.unknownAccuracy.receiverChanged()
    return reception.receiverChanged(at: now_ms)
  }

  /// What is not dated is judged as it is: the filter refuses it.
  private mutating func date(_ said: GPSReport, _ facts: Facts, at now: Moment) -> [Want] {
    guard FixFilter.isDated(said), let said_ms = said.time_ms else {
      let (dated, wants) = quality.datedByArrival(said, clock, at: now)
      return wants + judge(dated, at: now.boot_ms)
    }
    quality.timeArrived()
    var report = said
    let (time_ms, repaired) = repaired(said_ms)
    report.time_ms = time_ms
    let (dating, news) = clock.date(time_ms, at: now)
    var wants = repaired + (news.map { clockChanged($0, facts, at: now) } ?? [])
    let wantsLook = window.clockMoved(to: clock.trusted_ms(at: now), at: now)
    switch dating {
    case .own:
      wants += releaseHeld(at: now) + closeWindow(before: time_ms, facts, at: now)
      wants += quality.noteDelay(of: time_ms, clock, at: now) + judge(report, at: now.boot_ms)
    case .corrected(let right_ms):
      wants += releaseHeld(at: now, before: time_ms)
      report.time_ms = right_ms
      wants += closeWindow(before: right_ms, facts, at: now) + judge(report, at: now.boot_ms)
    case .undecided:
      module.fixHeld(at: now.boot_ms)
      if held.hold(report, at: now.boot_ms) { refused(.undated) }
    case .repeated: refused(.duplicate)
    }
    return isLearningTime || wantsLook ? wants + lookAtWindow(facts, at: now) : wants
  }

  /// Within the 1024 weeks from this program's build.
  private mutating func repaired(_ said_ms: Int64) -> (time_ms: Int64, wants: [Want]) {
    let time_ms = GPSDate.repaired(said_ms, notBefore_ms: notBefore_ms)
    guard time_ms != said_ms, !hasRepairedDate else { return (time_ms, []) }
    hasRepairedDate = true
    let words = "GPS dates are 1024 weeks \(time_ms > said_ms ? "early" : "late"): repaired"
    return (time_ms, [.warn(.weekRollover, words)])
  }

  /// With a date that counts. - Parameter arrivedAt_ms: boot time, if that was earlier.
  private mutating func judge(_ report: GPSReport, arrivedAt_ms: Int64? = nil, at now_ms: Int64) -> [Want] {
    let refusedBefore = filter.speedsRefused
    let verdict = filter.judge(report, at: now_ms)
    figures.speedsRefused += filter.speedsRefused - refusedBefore
    figures.accuracyAssumed = filter.unknownAccuracy.assumed
    let isNews = filter.unknownAccuracy.takeNews(at: now_ms)
    let wants: [Want] = isNews ? [.log(.notice, UnknownAccuracy.words(settings))] : []
    let arrivedAt_ms = arrivedAt_ms ?? now_ms
    switch verdict {
    case .noFix:
      figures.reportsWithoutFix += 1
      module.noFix(hearsSky: reception.hearsSky)
      return wants
    case .rejected(let reason):
      refused(reason)
      return wants
    case .jump(let fix, let isNew): return wants + jumped(to: fix, isNew: isNew, at: now_ms)
    case .fix(let fix): return wants + fixArrived(fix, at: arrivedAt_ms)
    case .returned(let fix, let last):
      return wants + [.tell(.forget(after: last))] + fixArrived(fix, at: arrivedAt_ms)
    case .moved(let fix):
      let words =
        "the place followed so far was wrong, or the vehicle was carried: it is followed from where it is now"
      return wants + [.log(.notice, words), .tell(.placeWasWrong)] + fixArrived(fix, at: arrivedAt_ms)
    }
  }

  private mutating func refused(_ reason: FixRejection) {
    figures.rejected[reason, default: 0] += 1
    module.fixRefused(reason)
  }

  /// The module works, wherever it is; nothing else follows.
  private mutating func jumped(to fix: Fix, isNew: Bool, at now_ms: Int64) -> [Want] {
    refused(.elsewhere)
    let wants = module.fixArrived(fix, at: now_ms).wants
    guard isNew, window.isOpen else { return wants }
    let words =
      "the GPS reports a place too far away to be reached: the first such fix is kept with a flag, none is followed"
    return wants
      + [.warn(.jump, words), .tell(.record(.position(isJump: true), .fix(fix), dated: nil))]
  }

  private mutating func fixArrived(_ fix: Fix, at arrivedAt_ms: Int64) -> [Want] {
    figures.fixes += 1
    let (isUsable, wants) = module.fixArrived(fix, at: arrivedAt_ms)
    guard isUsable else {
      figures.heldUntilSettled += 1
      return wants
    }
    let missed = module.worksAgain()
    return wants + [.tell(window.isOpen ? .fix(fix, after: missed) : .fixOutside(fix))]
  }

  // MARK: Reports that wait for the time

  /// Once the time is known, or no more is wanted of the GPS.
  ///
  /// - Parameters:
  ///   - next_ms: the date of the report that comes now, if it is wrong.
  ///   - isLast: there is no later.
  private mutating func releaseHeld(
    at now: Moment, before next_ms: Int64? = nil, isLast: Bool = false
  ) -> [Want] {
    guard !held.isEmpty else { return [] }
    usesClaimedTime = isLast && window.isOpen && clock.dating_ms(at: now) == nil
    let claimed_ms = usesClaimedTime ? clock.claimed_ms(at: now) : nil
    guard let known_ms = clock.dating_ms(at: now) ?? claimed_ms else { return isLast ? dropHeld() : [] }
    let verdicts = held.decide(
      offset_ms: known_ms - now.boot_ms, maxAge_ms: milliseconds(settings.maxFixAge_s),
      next_ms: next_ms.map { $0 - now.boot_ms })
    return verdicts.flatMap { verdict -> [Want] in
      switch verdict {
      case .stale: refused(.stale)
      case .use(let report, let arrivedAt_ms):
        // It may have come before the window began, and the window may have ended since.
        if let time_ms = report.time_ms, window.isOpen, window.allows(time_ms) {
          return judge(report, arrivedAt_ms: arrivedAt_ms, at: now.boot_ms)
        }
        refused(.undated)
      }
      return []
    }
  }

  private mutating func dropHeld() -> [Want] {
    figures.rejected[.undated, default: 0] += held.reports.count
    let lost = counted(held.reports.count, "fix is", "fixes are")
    held = HeldReports()
    return [.log(.warning, "\(lost) lost: their receiver's date was not believed until now")]
  }

  // MARK: The time and the window

  private mutating func clockChanged(_ news: ClockKeeper.News, _ facts: Facts, at now: Moment) -> [Want] {
    var wants: [Want] = []
    switch news {
    case .doubted:
      let words = "the receiver's date is off by \(news.words): not believed, unless it stays so"
      return [.warn(.clockJump, words)]
    case .learnt: wants.append(.log(.notice, "the time is known from GPS"))
    case .jumped(let by_ms):
      let words = "the time has jumped by \(news.words): GPS has said so for long enough"
      wants.append(.warn(.clockJump, words))
      if abs(by_ms) > ClockKeeper.near_ms { wants.append(.tell(.timeJumped)) }
      filter.clockJumped(by: by_ms)
    // A recording is played faster or slower than it was driven: the drive goes on.
    case .followed:
      let words = "the time follows the receiver by \(news.words), as clock.confirm_s = 0 says"
      wants.append(.log(.info, words))
    }
    if clock.differs_ms(at: now) != nil {
      let words = "the system clock counts as synchronised, but differs from GPS time"
      wants.append(.warn(.clockDiffers, words))
    }
    // An operator's wish may end with it, which is looked at after this.
    return wants + lookAtWindow(facts, at: now) + [.tell(.timeBecameKnown)]
  }

  /// After a stall reports are read late: those of the window's time belong to it, and the first one after ends it.
  private mutating func closeWindow(before time_ms: Int64, _ facts: Facts, at now: Moment) -> [Want] {
    guard window.isOpen, let end_ms = window.nextChange_ms, time_ms >= end_ms,
      let deadline_ms = window.deadline_ms, now.boot_ms >= deadline_ms
    else { return [] }
    return lookAtWindow(facts, at: now)
  }

  private mutating func lookAtWindow(_ facts: Facts, at now: Moment) -> [Want] {
    let before = window.state
    window.evaluate(clock, override: facts.override, at: now)
    let cause = facts.closingCause
    var wants: [Want] = window.state == .closed ? [.tell(.noWindow(cause))] : []
    switch (before, window.state) {
    case (.open, .open), (.closed, .closed), (.learningTime, .learningTime): break
    case (_, .open):
      module.windowOpened()
      wants.append(.log(.notice, "window open"))
      wants += windowRecord(.windowOpened(until_ms: window.nextChange_ms)) + [.tell(.windowOpened)]
    case (.open, .closed):
      wants += [.tell(.watchEnded(cause)), .log(.notice, "window closed")]
      wants += windowRecord(.windowClosed(cause: cause, until_ms: window.nextChange_ms))
      wants.append(.tell(.windowClosed))
    case (.learningTime, .closed): wants.append(.log(.notice, "no window is open"))
    case (_, .learningTime):
      module.windowOpened()
      if before == .open { wants.append(.tell(.watchEnded(cause))) }
      let isUnknown = clock.trust(at: now) == .untrusted
      wants.append(
        isUnknown
          ? .warn(.clockUnknown, "the time is unknown: GPS on to learn it")
          : .log(
            .info, "the time rests on GPS alone, and it was off for long: a look whether it is still right"))
    }
    return wants
  }

  /// A schedule that is always open has no windows to report.
  private func windowRecord(_ change: StatusEvent) -> [Want] {
    window.isAlwaysOpen ? [] : [.record(.status(change))]
  }
}

extension Settings {
  /// The GPS is not switched off while parked.
  fileprivate var gpsIsAlwaysOn: Bool { motion.mode == .full && !motion.gpsOffWhenParked }
}
