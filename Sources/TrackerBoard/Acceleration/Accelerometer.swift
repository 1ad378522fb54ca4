import TrackerBase

/// The accelerometer, and what it says of the vehicle.
package struct Accelerometer: Part {
  private(set) var watch: AccelerationWatch
  private var exists: Bool

  package init(settings: AccelerometerSettings, saved: SavedState) {
    (watch, exists) = (AccelerationWatch(settings: settings, saved: saved), settings.exists)
  }

  package mutating func adopt(_ configuration: Configuration, at now: Moment) {
    watch.adopt(configuration.settings.accelerometer)
    exists = configuration.settings.accelerometer.exists
  }

  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    guard case .acceleration(let news) = event else { return nil }
    return watch.reported(news, at: now.boot_ms).flatMap(wants(of:))
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    // Whatever has changed what the vehicle does.
    guard exists, case .settled = news else { return nil }
    let name = facts.watchesMotion ? facts.motion : nil
    return watch.follow(name, pause_ms: facts.probePause_ms, at: now.boot_ms).flatMap(wants(of:))
  }

  private func wants(of action: AccelerationWatch.Action) -> [Want] {
    switch action {
    case .order(let order): return [.perform(.acceleration(order))]
    case .signOfLife: return [.tell(.signOfLife(.acceleration))]
    case .happened(let incident): return wants(of: incident) + [.record(.incident(incident)), .report]
    case .refused(let words):
      return [.log(.warning, "accelerometer: it is looked at now and then, and tells nothing: \(words)")]
    case .failed(let words): return [.warn(.inputLine, "accelerometer: \(words)")]
    }
  }

  private func wants(of incident: Incident) -> [Want] {
    switch incident {
    case .crash(let over_mps2):
      return [.log(.warning, "the vehicle was hit by more than \(SettingText.number(over_mps2)) m/s²")]
    case .tow(let tilt_deg):
      let words = "the parked vehicle is tilted by \(SettingText.number(tilt_deg))°: is it being towed?"
      return [.warn(.towed, words)]
    case .harshBraking: return []
    }
  }

  package func lasts(_ warning: WarningName, at now: Moment) -> Bool {
    warning == .inputLine && watch.hasFailed
  }

  package var deadline_ms: Int64? { watch.deadline_ms }

  package func save(to commit: inout Commit, _ facts: Facts, at now: Moment) {
    commit.set("acceleration", watch.noise)
  }

  package static var kinds: SavedKinds { ["acceleration": ParkedNoise.self] }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    guard exists else { return }
    status.lines = status.lines ?? LinesStatus()
    status.lines?.accelerometer = watch.use
    status.lines?.accelerationSigns = watch.signs
    status.lines?.accelerationThreshold_mps2 = watch.threshold_mps2
  }
}
