import TrackerBase

/// What motion knows beside where the vehicle is: how it shall judge, what its receiver can do, what it has learned.
package struct Knowledge: Equatable, Sendable {
  @Shared package internal(set) var settings: MotionSettings
  /// A line will report the departure: probes are only a heartbeat.
  package var hasSentinel = false
  var view = ReceiverView()
  package var habits = Habits()
  var cells = CellWatch()

  init(settings: MotionSettings) { self.settings = settings }

  mutating func note(_ facts: Facts, zone: (any ZoneRules)?, ignitionIsOn: Bool) {
    view = facts.view
    view.localOffset_s = facts.trusted_ms.map { time_ms in
      (zone ?? FixedZone.utc).local_s(at: time_ms / 1000) - facts.time.boot_ms / 1000
    }
    view.ignitionIsOn = ignitionIsOn
  }

  static let leastPause_s = 15.0
  /// No look costs less: the power line, the module's start, and a second until its next report.
  static let leastCost_s = 4.0
  /// Where nothing was heard in two probes, one that hears no satellite for so long ends: a module that starts again
  /// hears the first within some seconds.
  static let deafProbe_ms: Int64 = 8000

  // MARK: When the GPS looks

  func probeAtOnce(at now_ms: Int64) -> Stationary.Probe {
    settings.gpsOffWhenParked ? .waiting(until_ms: now_ms, since_ms: now_ms) : .always
  }

  /// Where nothing is known, pauses grow with the time that the vehicle has stood: what a late probe costs is a share
  /// of it.
  func supposedPause_ms(stoodFor_ms: Int64) -> Int64 {
    let share_ms = Int64(saturating: Double(stoodFor_ms) * settings.probeShare)
    return min(
      max(milliseconds(settings.probeInterval_s), share_ms), milliseconds(settings.probeIntervalMax_s))
  }

  /// nil: nothing is to be learned, or the local time is not known.
  func learnedProbe_ms(since_ms: Int64, from begin_ms: Int64, isDark: Bool) -> Int64? {
    guard settings.probeWorth > 0, let local_s = local_s(at: begin_ms) else { return nil }
    let pace = pace(most_s: settings.probeIntervalMax_s, isDark: isDark)
    let pause_s = told(pace).pause_s { ahead_s in
      let stood_ms = begin_ms - since_ms + Int64(saturating: ahead_s * 1000)
      let supposed_s = Double(supposedPause_ms(stoodFor_ms: stood_ms)) / 1000
      return habits.departures.rate(
        at: local_s + Int64(saturating: ahead_s), supposed: pace.rate(pause_s: supposed_s))
    }
    return begin_ms + milliseconds(pause_s)
  }

  func pace(most_s: Double, isDark: Bool) -> ProbePace {
    let look_ms = isDark ? Knowledge.deafProbe_ms : view.expectedLook_ms
    return ProbePace(
      worth: settings.probeWorth, cost_s: max(Knowledge.leastCost_s, Double(look_ms) / 1000 + 1),
      least_s: min(Knowledge.leastPause_s, settings.probeInterval_s, most_s), most_s: most_s)
  }

  /// Probes beside a modem that tells of departures.
  private func told(_ pace: ProbePace) -> ProbePace {
    guard let told_s = cells.told_s, settings.probeWorthWithCells > 0 else { return pace }
    var told = pace
    (told.told_s, told.worth) = (told_s, settings.probeWorthWithCells)
    return told
  }

  /// A departure that was told lies no farther back than twice what it takes on the mean.
  var toldAfter_ms: Int64? { cells.newSince_ms.map { $0 - 2 * milliseconds(cells.delay.mean_s) } }

  // MARK: For how long

  /// How long a probe waits for a fix: longer than the module has needed.
  func patience_ms(isLong: Bool) -> Int64 { settings.patience_ms(isLong: isLong, view) }

  // MARK: Habits

  func local_s(at now_ms: Int64) -> Int64? { view.localOffset_s.map { now_ms / 1000 + $0 } }

  /// - Parameter lasted_s: since it came to rest.
  mutating func learnHalt(_ lasted_s: Double, wentOn: Bool) {
    if lasted_s > Doze.halt_s { habits.halted(for: lasted_s - Doze.halt_s, wentOn: wentOn) }
  }
}

extension MotionSettings {
  /// A module that starts slower than a probe lasts would never see the vehicle leave: so many times longer.
  private static let longProbe = 2.0

  func patience_ms(isLong: Bool, _ view: ReceiverView) -> Int64 {
    let patience_ms = milliseconds(probeTimeout_s * (isLong ? MotionSettings.longProbe : 1))
    // A probe that ended while its fixes settle would never be answered.
    return max(patience_ms, view.expectedTTFF_ms + view.expectedTTFF_ms / 2) + view.lateSettling_ms
  }
}
