/// Whether what a warning told of goes on.
extension Tracker {
  /// After each event.
  mutating func watchWarnings(at now: Moment) {
    for name in warnings.open { warnings.look(at: name, lasts: lasts(name, at: now), at: now.boot_ms) }
  }

  /// What tells of a moment, or has no end that is known, does not last.
  private func lasts(_ name: Warnings.Name, at now: Moment) -> Bool {
    switch name {
    case .gpsdLost, .gpsSilent: counters.pauseCause == .gpsLost
    case .noSky: counters.pauseCause == .noSky
    case .otherReceiver: !settings.gps.device.isEmpty && receiver.used != settings.gps.device
    case .dynamicModel: dynamicModel.progress == .failed || dynamicModel.progress == .pending
    case .powerLine: powerRetryAt_ms != nil || setsPower
    case .inputLine:
      lines.ignitionHasFailed || settings.vibration.input.exists && !lines.vibrationWorks
    case .lineBounces: lines.ignition.isStorm
    case .towed: lines.tow == .towed
    case .flatFixes: flatFixes.isTold
    case .noTime: timeless.isUndated
    case .clockUnknown: isLearningTime
    case .clockDiffers: clock.differs_ms(at: now) != nil
    case .undervoltage: counters.undervoltage
    case .batteryLow: battery.isLow
    case .battery: battery.volts == nil
    case .storage: counters.storageFailed
    case .sync: servers.contains { $0.tally.problem.map { $0.verdict != .unauthorised } ?? false }
    case .captivePortal: servers.contains { $0.tally.problem == .captivePortal }
    case .unauthorised: servers.contains { $0.tally.problem?.verdict == .unauthorised }
    case .budget: servers[0].sync.allowance.level == .none
    // Until other settings are in force.
    case .settings, .zone, .geofences, .fewDescriptors: true
    case .safeMode: standing.override == .safeMode
    case .weekRollover, .jump, .clockJump, .undated, .queueDamaged, .front, .dropped, .tokenCommand, .refused,
      .logLost, .runFolder, .crashed:
      false
    }
  }

  /// What was told of the files is over. What is still wrong with them is told anew.
  mutating func settingsWereRead(at now: Moment) {
    for name in [Warnings.Name.settings, .zone, .geofences] where warnings.open.contains(name) {
      warnings.look(at: name, lasts: false, at: now.boot_ms)
    }
  }

  private var isLearningTime: Bool { if case .learningTime = window.state { true } else { false } }

  /// The line is being set again: whether it works now, its next event tells.
  private var setsPower: Bool {
    actions.contains { if case .setPower = $0 { true } else { false } }
  }
}
