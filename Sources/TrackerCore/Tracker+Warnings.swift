import TrackerBase

/// The log, and what goes wrong: how often, and whether it goes on.
extension Tracker {
  mutating func log(_ level: RunSettings.LogLevel, _ text: String) {
    if level <= settings.run.logLevel { actions.append(.log(level, text)) }
  }

  mutating func warn(_ name: WarningName, at now: Moment, _ text: String, times: Int = 1) {
    count(name, at: now, times: times)
    if let line = warnings.line(name, text, at: now.boot_ms) { log(.warning, line) }
  }

  private mutating func count(_ name: WarningName, at now: Moment, times: Int) {
    if warnings.wantsStatus(name, at: now.boot_ms) { statusWanted(at: now) }
    warnings.count(name, at: now.boot_ms, times: times)
  }

  mutating func hostProblem(_ trouble: HostProblem, at now: Moment) {
    switch trouble {
    // No line about it: the log itself reports it once somebody reads it.
    case .logLost(let lines): count(.logLost, at: now, times: lines)
    case .runFolder(let words): warn(.runFolder, at: now, words)
    case .fewDescriptors(let words): warn(.fewDescriptors, at: now, words)
    }
  }

  mutating func recordsDropped(_ records: Int, because cause: String, at now: Moment) {
    warn(.dropped, at: now, "\(counted(records, "record")) dropped: \(cause)", times: records)
  }

  /// The last commit has failed.
  mutating func reportLostMemory() {
    let lost = dispatch.outbox.pending.count
    if lost == 0 { return }
    let words = counted(
      lost, "record in memory is not on storage, and ends", "records in memory are not on storage, and end")
    log(.error, "\(words) with the process")
  }

  /// With the last known place. Where there is none, only if a server takes records without.
  mutating func recordNews(_ content: Record.Content, dated date: RecordTime? = nil, at now: Moment) {
    guard journey.lastFix != nil || dispatch.takesRecordsWithoutPlace else { return }
    record(content, fix: journey.lastFix, dated: date, at: now)
  }

  /// After each event.
  mutating func watchWarnings(at now: Moment) {
    // As nearly always; a set is retained to be walked.
    if warnings.open.isEmpty { return }
    for name in warnings.open { warnings.look(at: name, lasts: lasts(name, at: now), at: now.boot_ms) }
  }

  /// What reports a moment, or has no end that is known, does not last.
  private func lasts(_ name: WarningName, at now: Moment) -> Bool {
    switch name {
    case .gpsdLost: receiver.module.pauseCause == .gpsdLost
    case .gpsSilent: receiver.module.pauseCause == .gpsSilent
    case .noSky: receiver.module.pauseCause == .noSky
    case .noFix: receiver.module.pauseCause == .noFix
    case .accuracy: receiver.module.pauseCause == .accuracy
    case .fixesRefused: receiver.module.pauseCause == .fixesRefused
    case .late: receiver.quality.delay.isLate
    case .gpsdDevice: receiver.module.lack != nil
    case .otherReceiver: receiver.usesOther
    case .dynamicModel: receiver.module.lacksModel
    case .powerLine: receiver.module.isPowerRefused || setsPower
    case .inputLine: journey.lines.hasFailed || supply.external.lineHasFailed || acceleration.hasFailed
    case .lineBounces: journey.lines.isStorm || supply.external.isStorm
    case .towed: journey.lines.isTowed
    case .flatFixes: receiver.quality.flat.isReported
    case .noTime: receiver.quality.timeless.isUndated || receiver.module.pauseCause == .noTime
    case .jamming: receiver.reception.isJammed
    case .antenna: receiver.reception.isAntennaGone
    case .weak: receiver.reception.isFailing
    case .clockUnknown: receiver.isLearningTime
    case .clockDiffers: receiver.clock.differs_ms(at: now) != nil
    case .undervoltage: isUndervoltage
    case .batteryLow: battery.isLow
    case .battery: battery.volts == nil
    case .powerLost: supply.external.isLost
    case .storage: dispatch.storageFailed
    case .sync: dispatch.servers.contains { $0.figures.problem.map { $0.verdict != .unauthorised } ?? false }
    case .captivePortal: dispatch.servers.contains { $0.figures.problem == .captivePortal }
    case .unauthorised: dispatch.servers.contains { $0.figures.problem?.verdict == .unauthorised }
    case .budget: dispatch.isBudgetUsedUp
    // Until other settings are in force.
    case .settings, .zone, .geofences, .fewDescriptors: true
    case .safeMode: runState.override == .safeMode
    case .overlay: overlay.isTroubled
    case .sleep: sleep.hold == .alarm || sleep.hold == .powerOff
    case .weekRollover, .jump, .clockJump, .undated, .queueDamaged, .identityChanged, .identityConflict,
      .dropped, .tokenCommand, .refused, .logLost, .runFolder, .crashed, .wakeLate:
      false
    }
  }

  /// What was reported of the files is over. What is still wrong with them is reported anew.
  mutating func settingsWereRead(at now: Moment) {
    for name in [WarningName.settings, .zone, .geofences] where warnings.open.contains(name) {
      warnings.look(at: name, lasts: false, at: now.boot_ms)
    }
  }

  /// The line is being set again: whether it works now, its next event shows.
  private var setsPower: Bool {
    actions.contains { if case .setPower = $0 { true } else { false } }
  }
}

extension SettingFile {
  var warning: WarningName {
    switch self {
    case .zone: .zone
    case .geofences: .geofences
    }
  }
}
