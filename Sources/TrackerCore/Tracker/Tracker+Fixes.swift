/// A report's way: one receiver, one an epoch, filter, session, motion, trip, track.
extension Tracker {
  mutating func reportArrived(_ report: GPSReport, at now: Moment, chance: Double) {
    let (isUsed, change) = receiver.reportArrived(report, at: now.boot_ms)
    if let change { receiverChanged(change, at: now) }
    guard isUsed else { return counters.reportsOfOthers += 1 }
    session.reportArrived(at: now.boot_ms)
    counters.satellites = report.satellites
    watchDimensions(report, at: now)
    let mergedBefore = epochs.merged
    let reports = epochs.add(report)
    counters.mergedReports += epochs.merged - mergedBefore
    clock.reportArrived(at: now.boot_ms)
    for report in reports { date(report, at: now, chance: chance) }
  }

  private mutating func receiverChanged(_ change: ReceiverChoice.Change, at now: Moment) {
    switch change {
    case .tookOver(let used, let lost):
      counters.receiverChanges += 1
      log(.notice, "no usable fix from the receiver \(lost): \(used) is used")
    case .back(let used):
      counters.receiverChanges += 1
      log(.notice, "the receiver \(used) has fixes, and is used again")
    case .missing(let used, let preferred):
      let minutes = SettingText.number(settings.gps.firstFixTimeout_s / 60)
      warn(
        .otherReceiver, at: now,
        "gps.device: no usable fix from \(preferred) for \(minutes) minutes, while \(used) has some and is used: \(advice(on: preferred))"
      )
    }
  }

  /// gpsd of Debian has 4 devices at most.
  static let mostDevices = 32

  private func advice(on preferred: String) -> String {
    if gpsdDevices.isEmpty || gpsdDevices.contains(preferred) { return "look at its antenna and its wiring" }
    let names = gpsdDevices.sorted().map(SettingText.shown).joined(separator: ", ")
    return "gpsd has no device of that name, but \(names): write one of these, or give it to gpsd"
  }

  /// What is not dated is judged as it is: the filter refuses it.
  private mutating func date(_ report: GPSReport, at now: Moment, chance: Double) {
    guard FixFilter.isDated(report), let said_ms = report.time_ms else {
      return judge(datedByArrival(report, at: now), at: now)
    }
    timeless = TimelessFixes()
    var report = report
    let time_ms = repaired(said_ms, at: now)
    report.time_ms = time_ms
    let (dating, news) = clock.date(time_ms, at: now)
    if let news { clockChanged(news, at: now, chance: chance) }
    var wantsLook = window.clockMoved(clock, at: now)
    switch dating {
    case .own:
      releaseHeld(at: now)
      closeWindow(before: time_ms, at: now, chance: chance)
      judge(report, at: now)
    case .corrected(let right_ms):
      releaseHeld(at: now, before: time_ms)
      report.time_ms = right_ms
      closeWindow(before: right_ms, at: now, chance: chance)
      judge(report, at: now)
    case .undecided: hold(report, at: now)
    case .repeated: counters.rejected[.duplicate, default: 0] += 1
    }
    if case .learningTime = window.state { wantsLook = true }
    if wantsLook { updateWindow(at: now, chance: chance) }
  }

  /// A receiver that never gives a time: its positions have that of their arrival, where a clock tells it.
  private mutating func datedByArrival(_ report: GPSReport, at now: Moment) -> GPSReport {
    guard FixFilter.isPlace(report), timeless.add(at: now.boot_ms) else { return report }
    let time_ms = clock.dating_ms(at: now)
    if timeless.isNews(isDated: time_ms != nil) {
      if time_ms == nil {
        warn(
          .noTime, at: now,
          "the receiver gives positions without a time, and no clock tells it: they are refused until the system's clock is synchronised"
        )
      } else {
        log(.notice, "the receiver gives positions without a time: they have that of their arrival")
      }
    }
    // How long it has waited in the socket, nothing says.
    guard !clock.mayHaveWaited(at: now.boot_ms) else { return report }
    var dated = report
    dated.time_ms = time_ms
    return dated
  }

  /// With a date that counts. - Parameter arrivedAt_ms: boot time, if that was earlier.
  mutating func judge(_ report: GPSReport, arrivedAt_ms: Int64? = nil, at now: Moment) {
    let refusedBefore = filter.speedsRefused
    let verdict = filter.judge(report, at: now.boot_ms)
    counters.speedsRefused += filter.speedsRefused - refusedBefore
    let arrivedAt_ms = arrivedAt_ms ?? now.boot_ms
    switch verdict {
    case .noFix: counters.reportsWithoutFix += 1
    case .rejected(let reason): counters.rejected[reason, default: 0] += 1
    case .jump(let fix, let isNew): jumped(to: fix, isNew: isNew, at: now)
    case .fix(let fix): fixArrived(fix, arrivedAt_ms: arrivedAt_ms, at: now)
    case .returned(let fix, let last):
      // The way to the other place and back was driven by nobody.
      if trip != nil {
        odometer.forget(after: last)
        track.forget(after: last.time_ms)
      }
      fixArrived(fix, arrivedAt_ms: arrivedAt_ms, at: now)
    case .moved(let fix):
      placeWasWrong(at: now)
      fixArrived(fix, arrivedAt_ms: arrivedAt_ms, at: now)
    }
  }

  mutating func gpsLost(_ words: String, at now: Moment) {
    guard session.isPowered else { return }
    counters.pauseCause = .gpsLost
    warn(.gpsdLost, at: now, words)
    perform(session.linkLost(at: now.boot_ms), at: now)
  }

  /// The receiver works, wherever it is; nothing else follows.
  private mutating func jumped(to fix: Fix, isNew: Bool, at now: Moment) {
    counters.rejected[.elsewhere, default: 0] += 1
    perform(session.fixArrived(fix, at: now.boot_ms).actions, at: now)
    guard isNew, window.isOpen else { return }
    warn(
      .jump, at: now,
      "the GPS tells of a place too far away to be reached: the first such fix is kept with a flag, none is followed"
    )
    record(.position(isJump: true), fix: fix, at: now)
  }

  /// The other place has been told for so long that it is believed. A trip ends where it was last followed, and what
  /// the vehicle does in the new place is found out as after a first start: nothing of the way between is counted.
  private mutating func placeWasWrong(at now: Moment) {
    log(
      .notice,
      "the place followed so far was wrong, or the vehicle was carried: it is followed from where it is now")
    endTrip(at: lastFix, cause: .placeChanged, now: now)
    odometer.begin(at: nil)
    motion.placeWasWrong()
    geofences.watchEnded()
    guard window.isOpen, lines.ignition.level == true else { return }
    perform(motion.ignitionChanged(on: true, at: now.boot_ms), at: now)
  }

  private mutating func fixArrived(_ fix: Fix, arrivedAt_ms: Int64, at now: Moment) {
    counters.fixes += 1
    let arrival = session.fixArrived(fix, at: arrivedAt_ms)
    perform(arrival.actions, at: now)
    guard arrival.usable else {
      counters.heldUntilSettled += 1
      return
    }
    counters.pauseCause = nil
    guard window.isOpen else { return }
    decideResumedTrip(fix, at: now)
    lastFix = fix
    guard watchesMotion else { return takePosition(fix, at: now) }
    let wasMoving = motion.isMoving
    let changes = motion.fixArrived(fix, at: now.boot_ms)
    if wasMoving, motion.isMoving { follow(fix, at: now) }
    perform(changes, at: now)
    watchGeofences(fix, at: now)
  }

  /// After a stall reports are read late: those of the window's time belong to it, and the first one after ends it.
  private mutating func closeWindow(before time_ms: Int64, at now: Moment, chance: Double) {
    guard window.isOpen, let end_ms = window.nextChange_ms, time_ms >= end_ms,
      let deadline_ms = window.deadline_ms, now.boot_ms >= deadline_ms
    else { return }
    updateWindow(at: now, chance: chance)
  }

  /// A trip that was open when the last process ended goes on, unless too much time went by unseen.
  private mutating func decideResumedTrip(_ fix: Fix, at now: Moment) {
    guard resumedTrip, let trip else { return }
    resumedTrip = false
    let unseen_ms = fix.time_ms - trip.lastFix_ms
    guard unseen_ms > milliseconds(settings.motion.lostTripTimeout_s) || unseen_ms < 0 else { return }
    endTrip(at: nil, cause: .processEnded, now: now)
    motion.watchEnded()
  }

  private mutating func watchSpeed(_ fix: Fix, at now: Moment) {
    if let change = speedWatch.add(fix) { tell(change, at: now) }
  }

  mutating func tell(_ change: SpeedWatch.Action, at now: Moment) {
    switch change {
    case .over(let fix):
      record(.speed(.over(limit_mps: Resolution.tenths(settings.track.speedLimit_mps))), fix: fix, at: now)
    case .under(let fix, let at_ms, let top_mps, let duration_s):
      let event = SpeedEvent.under(
        top_mps: Resolution.tenths(top_mps), duration_s: Resolution.tenths(duration_s))
      record(.speed(event), fix: fix, dated: at_ms, at: now)
    }
  }

  /// One fix of a trip: distance, then the track.
  mutating func follow(_ fix: Fix, at now: Moment) {
    let halted = motion.isHalted
    let step_m = odometer.add(fix, halted: halted)
    watchTow(at: now)
    trip?.date(by: fix, at: now.boot_ms)
    trip?.include(fix, distance_m: step_m, halted: halted)
    watchSpeed(fix, at: now)
    for kept in track.add(fix, arrival: motion.arrival) { record(.position(), fix: kept, at: now) }
    outbox.changed(at: now.boot_ms)
  }
}
