import TrackerBase

/// How well the receiver hears: signals of one session, jamming and antenna; its health over weeks; what it did today.
package struct Reception: Sendable {
  private var sky = SkyWatch()
  private var health = GPSHealth()
  private var day = GPSDay()
  private let zone: any ZoneRules
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

  /// In a running process, with other settings.
  init(continuing old: Reception, zoneOf new: Reception) {
    zone = new.zone
    (sky, health, day) = (old.sky, old.health, old.day)
    (hearsSky, saysSky) = (old.hearsSky, old.saysSky)
    day.zoneChanged()
  }

  package var isJammed: Bool { sky.isJammed }
  package var isAntennaGone: Bool { sky.antennaCause != nil }
  package var isFailing: Bool { health.isFailing }

  /// On the wall clock, seconds since 1970-01-01.
  func local_s(at unix_ms: Int64) -> Int64 { unix_ms / 1000 + Int64(zone.offset_s(at: unix_ms / 1000)) }

  // MARK: What happens

  mutating func sessionStarted(at now_ms: Int64, _ wanted: inout Wanted<ReceiverAction>) {
    day.sessionStarted()
    (hearsSky, saysSky) = (nil, false)
    report(sky.sessionStarted(at: now_ms), &wanted)
  }

  /// Another one hears differently: what was seen of the last one says nothing of it.
  mutating func receiverChanged(at now_ms: Int64, _ wanted: inout Wanted<ReceiverAction>) {
    report(sky.sessionStarted(at: now_ms), &wanted)
  }

  /// - Parameters:
  ///   - isOther: it is not the preferred receiver, whose health is watched.
  ///   - ignitionIsOn: nil where no line says it.
  mutating func reportArrived(
    _ report: GPSReport, isOther: Bool, ignitionIsOn: Bool?, at now_ms: Int64,
    _ wanted: inout Wanted<ReceiverAction>
  ) {
    if let heard = report.sky?.heard {
      (hearsSky, saysSky) = (heard > 0, true)
    } else if !saysSky {
      // A fix is a proof, and only as long as it lasts.
      hearsSky = report.mode >= 2 ? true : nil
    }
    // Not in one line with what follows, or all of it would be copied first.
    let changes = sky.reportArrived(report, ignitionIsOn: ignitionIsOn, at: now_ms)
    self.report(changes, &wanted)
    if let cn0_dBHz = report.sky?.cn0_dBHz, report.mode >= 2, !isOther, !sky.isJammed {
      health.heard(cn0_dBHz, speed_mps: report.speed_mps, at: now_ms)
    }
  }

  /// After each event.
  ///
  /// - Parameter hotStart_ms: the module has just had its first fix, after so long.
  mutating func count(
    isOn: Bool, hotStart_ms: Int64?, trusted_ms: Int64?, at now_ms: Int64,
    _ wanted: inout Wanted<ReceiverAction>
  ) {
    day.count(isOn: isOn, trusted_ms: trusted_ms, in: zone, at: now_ms)
    if let hotStart_ms { health.started(after: hotStart_ms) }
    guard let number = day.number, health.dayBegan(number) else { return }
    if health.isFailing {
      let (level, loss) = (Reception.text(health.level_dBHz), Reception.text(health.loss_dB))
      wanted.append(
        .warn(
          .weak,
          "the receiver hears \(level) dB-Hz, \(loss) dB less than in its best time: look at the antenna, its plug and its view of the sky"
        ))
    } else {
      wanted.append(.log(.notice, "the receiver hears as well as before again"))
    }
  }

  private func report(_ changes: [SkyWatch.Change], _ wanted: inout Wanted<ReceiverAction>) {
    for change in changes {
      switch change {
      case .jammed(let fall_dB):
        wanted.append(
          .warn(
            .jamming,
            "all satellites are heard \(SettingText.number(fall_dB)) dB less than a moment ago: something near jams the GPS"
          ))
        wanted.append(.news(.warning(.gpsJamming(fall_dB: fall_dB))))
      case .jammingOver(let lasted_ms):
        wanted.append(.log(.notice, "the GPS is no longer jammed, after \(lasted_ms / 1000) s"))
        wanted.append(.news(.status(.jammingOver(lasted_s: lasted_ms / 1000))))
      case .antennaGone(let cause):
        wanted.append(.warn(.antenna, cause.words))
        wanted.append(.news(.warning(.gpsAntenna(cause: cause))))
      case .antennaBack:
        wanted.append(.log(.notice, "the GPS hears satellites again: its antenna works"))
        wanted.append(.news(.status(.antennaBack)))
      }
    }
  }

  // MARK: What others see

  func save(to state: inout StateDraft) {
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
