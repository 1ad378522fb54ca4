import TrackerBase

/// How well the receiver hears: signals of one session, jamming and antenna; its health over weeks; what it did today.
package struct Reception: Sendable {
  private var sky = SkyWatch()
  private var health = GPSHealth()
  private var day = GPSDay()
  private var zone: any ZoneRules
  /// Whether a satellite was heard last; nil: the module has said nothing of it since it was switched on.
  private(set) var hearsSky: Bool?
  private var saysSky = false

  /// - Parameter zone: nil if it cannot be read: days are those of UTC then.
  init(zone: (any ZoneRules)?, saved: SavedState) {
    self.zone = zone ?? FixedZone.utc
    if let health: GPSHealth = saved.value("gps_health") { self.health = health }
    if let before: SavedGPSDay = saved.value("gps_day") { day.add(before) }
    sky = SkyWatch(hasEverHeard: health.level_dBHz != nil)
  }

  mutating func adopt(_ zone: (any ZoneRules)?) {
    self.zone = zone ?? FixedZone.utc
    day.zoneChanged()
  }

  package var isJammed: Bool { sky.isJammed }
  package var isAntennaGone: Bool { sky.antennaCause != nil }
  package var isFailing: Bool { health.isFailing }

  // MARK: What happens

  mutating func sessionStarted(at now_ms: Int64) -> [Want] {
    day.sessionStarted()
    (hearsSky, saysSky) = (nil, false)
    return wants(of: sky.sessionStarted(at: now_ms))
  }

  /// Another one hears differently: what was seen of the last one says nothing of it.
  mutating func receiverChanged(at now_ms: Int64) -> [Want] { wants(of: sky.sessionStarted(at: now_ms)) }

  /// - Parameters:
  ///   - isOther: it is not the preferred receiver, whose health is watched.
  ///   - ignitionIsOn: nil where no line says it.
  mutating func reportArrived(
    _ report: GPSReport, isOther: Bool, ignitionIsOn: Bool?, at now_ms: Int64
  ) -> [Want] {
    if let heard = report.sky?.heard {
      (hearsSky, saysSky) = (heard > 0, true)
    } else if !saysSky {
      // A fix is a proof, and only as long as it lasts.
      hearsSky = report.mode >= 2 ? true : nil
    }
    let changes = sky.reportArrived(report, ignitionIsOn: ignitionIsOn, at: now_ms)
    if let cn0_dBHz = report.sky?.cn0_dBHz, report.mode >= 2, !isOther, !sky.isJammed {
      health.heard(cn0_dBHz, speed_mps: report.speed_mps, at: now_ms)
    }
    return wants(of: changes)
  }

  /// After each event.
  ///
  /// - Parameter hotStart_ms: the module has just had its first fix, after so long.
  mutating func count(
    isOn: Bool, hotStart_ms: Int64?, trusted_ms: Int64?, at now_ms: Int64
  ) -> [Want] {
    day.count(isOn: isOn, trusted_ms: trusted_ms, in: zone, at: now_ms)
    if let hotStart_ms { health.started(after: hotStart_ms) }
    guard let number = day.number, health.dayBegan(number) else { return [] }
    guard health.isFailing else { return [.log(.notice, "the receiver hears as well as before again")] }
    let (level, loss) = (Reception.text(health.level_dBHz), Reception.text(health.loss_dB))
    return [
      .warn(
        .weak,
        "the receiver hears \(level) dB-Hz, \(loss) dB less than in its best time: look at the antenna, its plug and its view of the sky"
      )
    ]
  }

  private func wants(of changes: [SkyWatch.Change]) -> [Want] {
    changes.flatMap { change -> [Want] in
      switch change {
      case .jammed(let fall_dB):
        let words =
          "all satellites are heard \(SettingText.number(fall_dB)) dB less than a moment ago: something near jams the GPS"
        return [.warn(.jamming, words), .record(.warning(.gpsJamming(fall_dB: fall_dB)))]
      case .jammingOver(let lasted_ms):
        return [
          .log(.notice, "the GPS is no longer jammed, after \(lasted_ms / 1000) s"),
          .record(.status(.jammingOver(lasted_s: lasted_ms / 1000))),
        ]
      case .antennaGone(let cause):
        return [.warn(.antenna, cause.words), .record(.warning(.gpsAntenna(cause: cause)))]
      case .antennaBack:
        return [
          .log(.notice, "the GPS hears satellites again: its antenna works"), .record(.status(.antennaBack)),
        ]
      }
    }
  }

  // MARK: What others see

  func save(to state: inout Commit) {
    state.set("gps_health", health.hasLearnt ? health : nil)
    state.set("gps_day", day.saved)
  }

  /// - Parameter isOn: the module has power.
  func describe(_ gps: inout GPSStatus, isOn: Bool, trusted_ms: Int64?, at now_ms: Int64) {
    var today = day
    today.count(isOn: isOn, trusted_ms: trusted_ms, in: zone, at: now_ms)
    (gps.onToday_s, gps.sessionsToday) = (today.on_ms / 1000, today.sessions)
    if isOn, let view = sky.view { (gps.heard, gps.cn0_dBHz) = (view.heard, view.cn0_dBHz) }
    guard let level_dBHz = health.level_dBHz else { return }
    gps.health = GPSHealthStatus(
      level_dBHz: level_dBHz, loss_dB: health.loss_dB, startRatio: health.startRatio)
  }

  private static func text(_ number: Double?) -> String {
    SettingText.number(Resolution.tenths(number ?? 0))
  }
}

extension AntennaCause {
  fileprivate var words: String {
    switch self {
    case .open: "the receiver says that no antenna is connected: look at its plug and its cable"
    case .short: "the receiver says that its antenna is shorted: look at its plug and its cable"
    case .silent:
      "no satellite is heard any more, and no roof explains it: the antenna is unplugged or broken, or a strong jammer is near"
    }
  }
}
