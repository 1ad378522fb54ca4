import TrackerBase

/// Tells by the signals of one GPS session whether somebody jams them, and whether the antenna is gone. On the boot clock.
///
/// The sky was **good**: for half a minute and more, `goodLevel_dBHz` and `goodCount` satellites on the mean. From there
/// it may **fall**: `fall_dB` within `atOnce_ms`. What a fall says depends on how the vehicle moved when it began:
///
/// - It **stood**: roofs do not come to vehicles. Satellites that are still heard, all of them weakly, are jamming; none
///   at all for `silence_ms` is an antenna that was unplugged, or a jammer that leaves nothing: C/N0 cannot tell these.
/// - It **drove** at `driving_mps` and more: a tunnel takes every satellite within seconds, and nobody drives into a
///   garage like that. Half of the satellites still heard after `drivingPatience_ms`, all of them weakly, are jamming. None
///   heard is a tunnel, a jammer or an antenna: nothing is said.
/// - **Between**: garages and car parks look like a jammer then, since a good receiver hears weak satellites through a
///   roof. Nothing is said, until the vehicle drives at `driving_mps` and the satellites are still weak.
///
/// Beside that, an antenna is gone that the receiver itself calls open or short, and one with which nothing at all has
/// been heard for `ignitionSilence_ms` of GPS with the ignition on, over any number of sessions: no tunnel is so long,
/// and nobody lets the engine run in a garage for so long.
struct SkyWatch: Equatable, Sendable {
  enum Change: Equatable, Sendable {
    /// - Parameter fall_dB: how much less is heard of the best satellites.
    case jammed(fall_dB: Double)
    case jammingOver(lasted_ms: Int64)
    case antennaGone(AntennaCause)
    case antennaBack
  }

  /// How the vehicle moved when the signals fell.
  private enum Motion: Equatable, Sendable { case stood, drove, between }

  private struct Sample: Equatable, Sendable {
    var at_ms: Int64
    /// 0 where nothing, or too little, is heard.
    var level_dBHz: Double
    var heard: Int
  }

  private struct Fall: Equatable, Sendable {
    /// Of the good sky before.
    var level_dBHz: Double
    var heard: Double
    var motion: Motion
    /// All are weak, and enough of them are heard, since then.
    var weakSince_ms: Int64?
    /// As well, and the vehicle drives.
    var weakDrivingSince_ms: Int64?
    var goodSince_ms: Int64?

    /// nil: the sky is good again.
    func following(_ sample: Sample, isDriving: Bool) -> Fall? {
      var next = self
      let isGood = sample.level_dBHz > level_dBHz - SkyWatch.recovered_dB
      next.goodSince_ms = isGood ? goodSince_ms ?? sample.at_ms : nil
      if let since_ms = next.goodSince_ms, sample.at_ms - since_ms >= SkyWatch.recovery_ms { return nil }
      let isEnough = sample.heard >= SkyView.needed && Double(sample.heard) >= heard / 2
      let isWeak = sample.level_dBHz <= level_dBHz - SkyWatch.fall_dB && isEnough
      next.weakSince_ms = isWeak ? weakSince_ms ?? sample.at_ms : nil
      next.weakDrivingSince_ms = isWeak && isDriving ? weakDrivingSince_ms ?? sample.at_ms : nil
      return next
    }

    /// When it began, if it is jamming.
    func jammedSince_ms(at now_ms: Int64) -> Int64? {
      switch motion {
      case .stood:
        if let weakSince_ms, now_ms - weakSince_ms >= SkyWatch.standingPatience_ms { return weakSince_ms }
      case .drove:
        if let weakSince_ms, now_ms - weakSince_ms >= SkyWatch.drivingPatience_ms { return weakSince_ms }
      case .between: break
      }
      guard let since_ms = weakDrivingSince_ms, now_ms - since_ms >= SkyWatch.drivingPatience_ms else {
        return nil
      }
      return since_ms
    }
  }

  private enum State: Equatable, Sendable {
    case watching
    case fallen(Fall)
    case jammed(Fall, since_ms: Int64)
  }

  static let goodLevel_dBHz = 35.0
  static let goodCount = 5.0
  static let fall_dB = 10.0
  /// Back above this: it is over.
  static let recovered_dB = 5.0
  /// The good sky is that of the time between these two before now.
  static let memory_ms: Int64 = 40_000
  static let recent_ms: Int64 = 10_000
  static let atOnce_ms: Int64 = 5000
  static let driving_mps = 8.0
  static let standing_ms: Int64 = 10_000
  static let standingPatience_ms: Int64 = 5000
  static let drivingPatience_ms: Int64 = 8000
  static let recovery_ms: Int64 = 3000
  static let silence_ms: Int64 = 60_000
  static let ignitionSilence_ms: Int64 = 3_600_000
  /// Reports without a word of satellites for so long: none is heard.
  static let unsaid_ms: Int64 = 10_000
  /// Reports farther apart leave out what was between.
  static let gap_ms: Int64 = 5000

  private var state = State.watching
  private var samples: [Sample] = []
  private var lastSkyAt_ms: Int64?
  /// Of the session, as it was said last.
  private(set) var view: SkyView?
  private var sessionBegan_ms: Int64 = 0
  private var lastReport_ms: Int64?
  /// As the reports of the session say it.
  private var lastSpeed: Double?
  private var movedAt_ms: Int64?
  private var firstFixAt_ms: Int64?
  /// Nothing is heard, since then.
  private var silentSince_ms: Int64?
  /// GPS with the ignition on in which nothing was heard, since something was.
  private var ignitionSilence_ms: Int64 = 0
  private var hasEverHeard: Bool
  private(set) var antennaCause: AntennaCause?
  private var antennaUnsaidSince_ms: Int64?

  /// - Parameter hasEverHeard: the receiver has told C/N0 before: one that never does is not judged.
  init(hasEverHeard: Bool = false) { self.hasEverHeard = hasEverHeard }

  var isJammed: Bool { if case .jammed = state { true } else { false } }

  /// What was seen of another session says nothing of this one, but for an antenna that is gone.
  mutating func sessionStarted(at now_ms: Int64) -> [Change] {
    var next = SkyWatch(hasEverHeard: hasEverHeard)
    (next.sessionBegan_ms, next.ignitionSilence_ms) = (now_ms, ignitionSilence_ms)
    next.antennaCause = antennaCause
    var changes: [Change] = []
    if case .jammed(_, let since_ms) = state {
      changes.append(.jammingOver(lasted_ms: (lastReport_ms ?? now_ms) - since_ms))
    }
    self = next
    return changes
  }

  /// - Parameter ignitionIsOn: nil where no line says it.
  mutating func reportArrived(_ report: GPSReport, ignitionIsOn: Bool?, at now_ms: Int64) -> [Change] {
    let since_ms = lastReport_ms.map { now_ms - $0 } ?? 0
    lastReport_ms = now_ms
    noteMotion(report, at: now_ms)
    guard let sample = sample(of: report, at: now_ms) else { return antenna(report, at: now_ms) }
    let isSilent = hasEverHeard && sample.heard == 0
    if isSilent, ignitionIsOn == true, since_ms <= SkyWatch.gap_ms { ignitionSilence_ms += since_ms }
    if sample.heard > 0 { ignitionSilence_ms = 0 }
    let isDriving = report.mode >= 2 && (report.speed_mps ?? 0) >= SkyWatch.driving_mps
    silentSince_ms = isSilent ? silentSince_ms ?? now_ms : nil
    let changes = signals(sample, isDriving: isDriving, at: now_ms)
    return changes + antenna(report, at: now_ms)
  }

  private mutating func noteMotion(_ report: GPSReport, at now_ms: Int64) {
    guard report.mode >= 2, let speed_mps = report.speed_mps else { return }
    firstFixAt_ms = firstFixAt_ms ?? now_ms
    lastSpeed = speed_mps
    if speed_mps >= Fix.standing_mps { movedAt_ms = now_ms }
  }

  private var motion: Motion {
    guard let lastSpeed, let firstFixAt_ms, let lastReport_ms else { return .between }
    if lastSpeed >= SkyWatch.driving_mps { return .drove }
    let stoodSince_ms = movedAt_ms ?? firstFixAt_ms
    return lastReport_ms - stoodSince_ms >= SkyWatch.standing_ms ? .stood : .between
  }

  /// nil where the report leaves open what is heard.
  private mutating func sample(of report: GPSReport, at now_ms: Int64) -> Sample? {
    if let sky = report.sky {
      if sky.cn0_dBHz != nil { hasEverHeard = true }
      (view, lastSkyAt_ms) = (sky, now_ms)
      return Sample(at_ms: now_ms, level_dBHz: sky.cn0_dBHz ?? 0, heard: sky.heard)
    }
    guard report.mode < 2, now_ms - (lastSkyAt_ms ?? sessionBegan_ms) >= SkyWatch.unsaid_ms else {
      return nil
    }
    view = hasEverHeard ? SkyView(heard: 0) : nil
    return Sample(at_ms: now_ms, level_dBHz: 0, heard: 0)
  }

  // MARK: Jamming

  private mutating func signals(_ sample: Sample, isDriving: Bool, at now_ms: Int64) -> [Change] {
    switch state {
    case .watching:
      if let fall = fall(to: sample, at: now_ms) {
        state = .fallen(fall)
        samples = []
        return follow(fall, sample, isDriving: isDriving, at: now_ms)
      }
      samples.append(sample)
      samples.removeAll { now_ms - $0.at_ms > SkyWatch.memory_ms }
      return []
    case .fallen(let fall): return follow(fall, sample, isDriving: isDriving, at: now_ms)
    case .jammed(let fall, let since_ms):
      guard let fall = fall.following(sample, isDriving: isDriving) else {
        state = .watching
        return [.jammingOver(lasted_ms: now_ms - since_ms)]
      }
      state = .jammed(fall, since_ms: since_ms)
      return []
    }
  }

  private mutating func follow(
    _ fall: Fall, _ sample: Sample, isDriving: Bool, at now_ms: Int64
  ) -> [Change] {
    guard let fall = fall.following(sample, isDriving: isDriving) else {
      state = .watching
      return []
    }
    state = .fallen(fall)
    guard let since_ms = fall.jammedSince_ms(at: now_ms) else { return [] }
    state = .jammed(fall, since_ms: since_ms)
    return [.jammed(fall_dB: Resolution.tenths(fall.level_dBHz - sample.level_dBHz))]
  }

  /// From a good sky, at once; nil: none.
  private func fall(to sample: Sample, at now_ms: Int64) -> Fall? {
    let before = samples.prefix { now_ms - $0.at_ms >= SkyWatch.recent_ms }
    guard let first = before.first, now_ms - first.at_ms >= SkyWatch.memory_ms * 3 / 4 else { return nil }
    let level_dBHz = before.reduce(0) { $0 + $1.level_dBHz } / Double(before.count)
    let heard = before.reduce(0) { $0 + Double($1.heard) } / Double(before.count)
    guard level_dBHz >= SkyWatch.goodLevel_dBHz, heard >= SkyWatch.goodCount,
      sample.level_dBHz <= level_dBHz - SkyWatch.fall_dB,
      let lastGood = samples.last(where: { $0.level_dBHz > level_dBHz - SkyWatch.recovered_dB })
    else { return nil }
    // A receiver that hears nothing may say nothing.
    let isUnsaid = samples.last == lastGood && sample.heard == 0
    let most_ms = SkyWatch.atOnce_ms + (isUnsaid ? SkyWatch.unsaid_ms : 0)
    guard now_ms - lastGood.at_ms <= most_ms else { return nil }
    return Fall(level_dBHz: level_dBHz, heard: heard, motion: motion)
  }

  // MARK: The antenna

  private mutating func antenna(_ report: GPSReport, at now_ms: Int64) -> [Change] {
    if let fault = report.antennaFault {
      antennaUnsaidSince_ms = nil
      return gone(fault == .open ? .open : .short)
    }
    switch antennaCause {
    case nil: return isSilent(at: now_ms) ? gone(.silent) : []
    case .silent?:
      guard let view = report.sky, view.heard >= SkyView.needed else { return [] }
      antennaCause = nil
      return [.antennaBack]
    case .open?, .short?:
      // gpsd leaves it out where all is well.
      let since_ms = antennaUnsaidSince_ms ?? now_ms
      antennaUnsaidSince_ms = since_ms
      guard now_ms - since_ms >= SkyWatch.unsaid_ms else { return [] }
      (antennaCause, antennaUnsaidSince_ms) = (nil, nil)
      return [.antennaBack]
    }
  }

  private mutating func gone(_ cause: AntennaCause) -> [Change] {
    defer { antennaCause = cause }
    return antennaCause == cause ? [] : [.antennaGone(cause)]
  }

  private func isSilent(at now_ms: Int64) -> Bool {
    if ignitionSilence_ms >= SkyWatch.ignitionSilence_ms { return true }
    guard let silentSince_ms, case .fallen(let fall) = state, fall.motion == .stood else { return false }
    return now_ms - silentSince_ms >= SkyWatch.silence_ms
  }
}
