import TrackerBase
import TrackerBoard

/// The accelerometer, and what it says of the vehicle.
extension Tracker {
  mutating func accelerationNews(_ news: AccelerationNews, at now: Moment) {
    perform(acceleration.reported(news, at: now.boot_ms), at: now)
    route(at: now)
  }

  /// After each event, whatever has changed what the vehicle does.
  mutating func watchAcceleration(at now: Moment) {
    guard settings.accelerometer.exists else { return }
    let name = journey.watchesMotion ? journey.motion.name : nil
    let pause_ms = milliseconds(journey.motion.settings.probeInterval_s)
    perform(acceleration.follow(name, pause_ms: pause_ms, at: now.boot_ms), at: now)
    route(at: now)
  }

  func describeAcceleration(_ status: inout TrackerStatus) {
    guard settings.accelerometer.exists else { return }
    var lines = status.lines ?? LinesStatus()
    lines.accelerometer = acceleration.use
    (lines.accelerationSigns, lines.accelerationThreshold_mps2) = (
      acceleration.signs, acceleration.threshold_mps2
    )
    status.lines = lines
  }

  private mutating func perform(_ wanted: [AccelerationWatch.Action], at now: Moment) {
    for action in wanted {
      switch action {
      case .order(let order): actions.append(.acceleration(order))
      case .signOfLife: journey.signOfLife(.acceleration, at: time(now))
      case .happened(let incident): happened(incident, at: now)
      case .refused(let words):
        log(.warning, "accelerometer: it is looked at now and then, and tells nothing: \(words)")
      case .failed(let words): warn(.inputLine, at: now, "accelerometer: \(words)")
      }
    }
  }

  private mutating func happened(_ incident: Incident, at now: Moment) {
    switch incident {
    case .crash(let over_mps2):
      log(.warning, "the vehicle was hit by more than \(SettingText.number(over_mps2)) m/s²")
    case .tow(let tilt_deg):
      warn(
        .towed, at: now,
        "the parked vehicle is tilted by \(SettingText.number(tilt_deg))°: is it being towed?")
    case .harshBraking: break
    }
    recordNews(.incident(incident), at: now)
    statusWanted(at: now)
  }
}
