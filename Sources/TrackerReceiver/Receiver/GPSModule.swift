import TrackerBase

/// The GPS module behind its power line and gpsd's connection: sessions, failures and the dynamic model, with what is to
/// be said of them.
package struct GPSModule: Sendable {
  @Shared private var settings: GPSSettings
  private var session: GPSSession
  private var model: DynamicModelSetting
  /// What gpsd has, by its last list and what it has reported since.
  private var devices: Set<String> = []
  private var hasDeviceList = false
  /// gpsd has no device for it, and that was reported.
  package private(set) var lack: GPSSession.MissingDevice?
  /// Since the start of the process.
  private var reports = 0
  /// The power line refused: it is set again then, to what is wanted by that time.
  private var powerRetryAt_ms: Int64?
  /// Why nothing can be used that it gives; nil while something can.
  package private(set) var pauseCause: NoTrackCause?
  private var outage: GPSOutage?
  /// Since the last fix that was used.
  private var missed = MissedFixes()
  private var sessions = 0
  private var on_ms: Int64 = 0
  private var onSince_ms: Int64?
  package private(set) var lastTTFF_ms: Int64?
  /// Of a start after a fix less than two hours old, until it is taken.
  private var hotStart_ms: Int64?

  /// A module that stays on by mistake is off again within 5 s of the line's recovery.
  static let powerRetry_ms: Int64 = 4000
  static let fewReports = 10
  private static let otherCauses =
    "Sentences are cut where the receiver's rate is too high for its line's baud rate, and where another program reads the line: a second gpsd, a serial console, a modem manager. sudo godwit doctor looks for these"
  /// gpsd of Debian has 4 devices at most.
  static let mostDevices = 32

  init(settings: GPSSettings, isAlwaysOn: Bool) {
    self.settings = settings
    session = GPSSession(settings: settings, isAlwaysOn: isAlwaysOn)
    model = DynamicModelSetting(settings: settings)
  }

  /// gpsd's connection is to be opened again.
  mutating func adopt(_ settings: GPSSettings, isAlwaysOn: Bool, at now_ms: Int64) {
    if settings != self.settings { model = DynamicModelSetting(settings: settings) }
    self.settings = settings
    session.adopt(settings, isAlwaysOn: isAlwaysOn, at: now_ms)
    model.disconnected()
    (devices, hasDeviceList, lack) = ([], false, nil)
  }

  var isPowered: Bool { session.isPowered }

  /// It has power, or may have: a line that refused has not switched it off yet.
  package var isOn: Bool { isPowered || isPowerRefused }

  /// Wanted, and off for its shortest time, or as a pause after a failure.
  package var isResting: Bool { if case .resting = session.state { true } else { false } }

  package var isPowerRefused: Bool { powerRetryAt_ms != nil }

  /// The first fixes of a session are held back until one is good enough.
  package var hasSettled: Bool {
    if case .powered(let powered) = session.state { powered.settled } else { false }
  }

  /// The dynamic model is not set, and was to be.
  package var lacksModel: Bool { model.progress == .failed || model.progress == .pending }

  var deadline_ms: Int64? {
    earliest(session.deadline_ms, powerRetryAt_ms, model.deadline_ms)
  }

  func expectedTTFF_ms(at now_ms: Int64) -> Int64? { session.expectedTTFF_ms(at: now_ms) }

  // MARK: Power

  mutating func want(_ isWanted: Bool, at now_ms: Int64) -> [Want] {
    wants(of: session.wantChanged(to: isWanted, at: now_ms), at: now_ms)
  }

  mutating func tick(at now_ms: Int64) -> [Want] {
    retryPower(at: now_ms) + wants(of: session.tick(at: now_ms), at: now_ms)
      + wants(of: model.tick(at: now_ms))
  }

  private mutating func retryPower(at now_ms: Int64) -> [Want] {
    guard let powerRetryAt_ms, now_ms >= powerRetryAt_ms else { return [] }
    self.powerRetryAt_ms = nil
    return [.perform(.setPower(session.isPowered))]
  }

  mutating func powerFailed(_ words: String, at now_ms: Int64) -> [Want] {
    powerRetryAt_ms = now_ms + GPSModule.powerRetry_ms
    return [.warn(.powerLine, "GPS power: \(words)")]
  }

  /// The next session counts as the first one.
  mutating func windowOpened() { session.windowOpened() }

  /// Something has happened that a pause after failures must not miss.
  mutating func lookAtOnce(at now_ms: Int64) { session.endPause(at: now_ms) }

  // MARK: gpsd

  mutating func linkLost(_ words: String, at now_ms: Int64) -> [Want] {
    guard isPowered else { return [] }
    pauseCause = .gpsdLost
    return [.warn(.gpsdLost, words)] + wants(of: session.linkLost(at: now_ms), at: now_ms)
  }

  mutating func driverNamed(_ name: String, of device: String, at now_ms: Int64) -> [Want] {
    isPowered ? wants(of: model.driverNamed(name, of: device, at: now_ms)) : []
  }

  mutating func frameArrived(_ bytes: [UInt8]) -> [Want] { wants(of: model.frameArrived(bytes)) }

  /// - Parameter areAll: gpsd has no other.
  mutating func devicesNamed(_ paths: [String], areAll: Bool, at now_ms: Int64) {
    if areAll { (devices, hasDeviceList) = ([], true) }
    for path in paths where devices.count < GPSModule.mostDevices { devices.insert(path) }
    let missing = missingDevice
    if missing == nil { lack = nil }
    session.devicesListed(missing: missing, at: now_ms)
  }

  private var missingDevice: GPSSession.MissingDevice? {
    if devices.isEmpty { return .every }
    return !hasDeviceList || settings.device.isEmpty || devices.contains(settings.device) ? nil : .preferred
  }

  private var deviceNames: String { devices.sorted().map(SettingText.shown).joined(separator: ", ") }

  /// Why no fix can be used, as far as it is known.
  package var lacks: String? {
    switch pauseCause {
    case .gpsdLost: "gpsd cannot be reached"
    case .gpsSilent: "the GPS sends nothing"
    default: missed.cause?.words(settings)
    }
  }

  /// What to do where nothing comes of a device.
  func advice(on preferred: String) -> String {
    if devices.isEmpty || devices.contains(preferred) { return "look at its antenna and its wiring" }
    return "gpsd has no device of that name, but \(deviceNames): write one of these, or give it to gpsd"
  }

  mutating func reportArrived(at now_ms: Int64) {
    reports += 1
    if lack == .every { lack = nil }
    session.reportArrived(at: now_ms)
  }

  /// A fix whose date is not known yet.
  mutating func fixHeld(at now_ms: Int64) { session.fixHeld(at: now_ms) }

  /// - Returns: whether it may be used, or is one of the first, held back ones.
  mutating func fixArrived(_ fix: Fix, at now_ms: Int64) -> (isUsable: Bool, wants: [Want]) {
    let arrival = session.fixArrived(fix, at: now_ms)
    return (arrival.usable, wants(of: arrival.actions, at: now_ms))
  }

  /// What it gave has no position. - Parameter hearsSky: nil: it does not say it.
  mutating func noFix(hearsSky: Bool?) { missed.noFix(hearsSky: hearsSky) }

  mutating func fixRefused(_ reason: FixRejection) { missed.refused(reason) }

  /// Something that it gave is used. - Returns: why nothing was before; nil where nothing came.
  mutating func worksAgain() -> NoTrackCause? {
    defer { (pauseCause, missed) = (nil, MissedFixes()) }
    return missed.cause?.names.cause
  }

  /// Fixes come, and all are refused.
  package var refusal: NoTrackCause? {
    if case .refused? = missed.cause { missed.cause?.names.cause } else { nil }
  }

  /// After each event: a failure that was reported begins an outage, and the next usable fix ends it.
  mutating func watchOutage(at now_ms: Int64) -> [Want] {
    switch (pauseCause, outage) {
    case (let cause?, nil):
      outage = GPSOutage(cause: cause, since_ms: now_ms)
      return [.record(.warning(.gpsLost(cause: cause)))]
    case (nil, let ended?):
      outage = nil
      let lost_s = (now_ms - ended.since_ms) / 1000
      return [
        .log(.notice, "GPS back after \(lost_s) s"),
        .record(.status(.gpsBack(cause: ended.cause, lost_s: lost_s))),
      ]
    case (_?, _?), (nil, nil): return []
    }
  }

  // MARK: What comes of it

  private mutating func wants(of steps: [GPSSession.Action], at now_ms: Int64) -> [Want] {
    steps.flatMap { step -> [Want] in
      switch step {
      case .setPower(let on): return powerChanged(on, at: now_ms)
      case .connect: return [.perform(.connectGPS)]
      case .disconnect:
        model.disconnected()
        return [.perform(.disconnectGPS)]
      case .reopening: return [.warn(.gpsSilent, "no data from gpsd: the connection is opened again")]
      case .failed(.noFix, let pause_ms): return noFix("GPS off, again in \(pause_ms / 1000) s")
      case .listensOn: return noFix("the GPS stays on")
      case .failed(.silent, let pause_ms):
        pauseCause = .gpsSilent
        let words = "the GPS is silent: power off, again in \(pause_ms / 1000) s"
        return [.warn(.gpsSilent, words + adviceOnSilence)]
      case .failed(.unreachable, let pause_ms):
        pauseCause = .gpsdLost
        return [.warn(.gpsdLost, "gpsd does not answer: GPS off, again in \(pause_ms / 1000) s")]
      case .noDevice(let missing):
        lack = missing
        if missing == .every { pauseCause = .gpsSilent }
        return [.warn(.gpsdDevice, words(onMissing: missing))]
      case .firstFix(let first): return [firstFix(first)]
      }
    }
  }

  /// - Parameter what: follows of it.
  private mutating func noFix(_ what: String) -> [Want] {
    let cause = missed.cause ?? .noSky
    pauseCause = cause.names.cause
    return [.warn(cause.names.warning, "no fix: \(what); \(cause.words(settings))")]
  }

  private mutating func firstFix(_ first: GPSSession.FirstFix) -> Want {
    let words = "first fix \(first.afterPowerOn_ms / 1000) s after power-on"
    if first.isSpoilt {
      return .log(.info, words + ", which does not count: gpsd was away or silent meanwhile")
    }
    lastTTFF_ms = first.afterPowerOn_ms
    if first.gap == .hours { hotStart_ms = first.afterPowerOn_ms }
    return .log(.info, words)
  }

  /// As in a process that has just begun.
  mutating func forgetFirstFix() { lastTTFF_ms = nil }

  private func words(onMissing missing: GPSSession.MissingDevice) -> String {
    switch missing {
    case .every: MissingDeviceWords.every
    case .preferred: MissingDeviceWords.preferred(settings.device, names: deviceNames)
    }
  }

  private var adviceOnSilence: String {
    // Of a line that cuts sentences, gpsd understands some at first.
    guard reports < Self.fewReports else { return "; look at its supply and its wiring. \(Self.otherCauses)" }
    guard !devices.isEmpty else { return "" }
    return
      "; gpsd has \(deviceNames), and next to nothing readable was ever heard there: is it the right device, powered and wired? \(Self.otherCauses). sudo godwit-setup --list names what is known of common boards"
  }

  mutating func takeHotStart() -> Int64? {
    defer { hotStart_ms = nil }
    return hotStart_ms
  }

  private mutating func powerChanged(_ on: Bool, at now_ms: Int64) -> [Want] {
    powerRetryAt_ms = nil
    if on {
      model.poweredOn()
      missed = MissedFixes()
      sessions += 1
      onSince_ms = now_ms
    } else if let since_ms = onSince_ms {
      on_ms += now_ms - since_ms
      onSince_ms = nil
    }
    return [.perform(.setPower(on)), .log(.info, on ? "GPS on" : "GPS off")]
      + (on ? [.tell(.sessionBegan)] : [])
  }

  private func wants(of steps: [DynamicModelSetting.Action]) -> [Want] {
    steps.flatMap { step -> [Want] in
      switch step {
      case .hearFrames(let on): return [.perform(.hearFrames(on))]
      case .send(let requests, let device):
        return requests.map { .perform(.sendFrames($0.flatMap(\.bytes), device: device)) }
      case .succeeded:
        return [.log(.info, "the receiver has the dynamic model \"\(settings.dynamicModel.rawValue)\"")]
      case .failed(let device, let kept, let isNew):
        let words = "gps.dynamic_model: \(device) " + (kept.map(stays) ?? GPSModule.saysNothing)
        return [isNew ? .warn(.dynamicModel, words) : .log(.info, words)]
      }
    }
  }

  private func stays(at kept: UInt8) -> String {
    "stays at \"\(DynamicModel.name(of: kept))\": it may not know \"\(settings.dynamicModel.rawValue)\", or something else sets it too"
  }

  private static let saysNothing =
    "answers nothing: gpsd sends nothing to it where it runs with its option -b or may not write to the device; else look at the wire to the receiver's RX"

  func describe(_ gps: inout GPSStatus, at now_ms: Int64) {
    gps.isPowered = isPowered
    gps.on_s = (on_ms + (onSince_ms.map { now_ms - $0 } ?? 0)) / 1000
    gps.sessions = sessions
    gps.timeToFirstFix_s = lastTTFF_ms.map { Double($0) / 1000 }
    for gap in StartGap.allCases {
      gps.startTimes_s[gap] = session.startTimes[gap].map { Double($0) / 1000 }
    }
    gps.dynamicModel = model.progress
    gps.gpsdDevices = hasDeviceList ? devices.sorted() : nil
  }
}
