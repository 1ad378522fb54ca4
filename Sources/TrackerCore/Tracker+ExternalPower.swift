import TrackerBase
import TrackerBoard

/// Whether the vehicle's supply is connected. What follows from it comes at once: nobody knows for how long the board has
/// power of its own.
extension Tracker {
  mutating func externalPowerEdge(_ level: Bool, at now: Moment) {
    for change in supply.external.edge(level, at: now.boot_ms) { supplyChanged(change, at: now) }
    guard supply.external.stormIsNews(at: now.boot_ms) else { return }
    warn(
      .lineBounces, at: now,
      "the external power's line does not come to rest and is not believed meanwhile: look at its wiring")
  }

  mutating func externalPowerLineFailed(_ words: String, at now: Moment) {
    warn(.inputLine, at: now, "\(InputLine.externalPower.words) line: \(words)")
    if let change = supply.external.lineFailed() { supplyChanged(change, at: now) }
  }

  mutating func supplyTick(at now: Moment) {
    if let change = supply.external.tick(at: now.boot_ms) { supplyChanged(change, at: now) }
  }

  mutating func supplyChanged(_ change: ExternalPower.Change, at now: Moment) {
    let volts = supply.external.isByLine ? nil : supply.external.volts.map { Resolution.tenths($0) }
    let by = volts.map { "\(SettingText.number($0)) V" } ?? "by its line"
    switch change {
    case .lost(let isReported):
      warn(
        .powerLost, at: now,
        "the vehicle's supply is lost, \(by): is the cable cut, or the battery disconnected?")
      if !isReported { recordNews(.warning(.powerLost(volts: volts)), at: now) }
    case .back:
      log(.notice, "the vehicle's supply is back, \(by)")
      recordNews(.status(.powerBack(volts: volts)), at: now)
    }
    stateChanged(at: now)
    statusWanted(at: now)
    hurry(at: now)
  }

  func describeExternalPower(_ status: inout TrackerStatus) {
    let external = supply.external
    status.isExternalPowerThere = external.isThere
    guard external.hasLine else { return }
    var lines = status.lines ?? LinesStatus()
    lines.bounces += external.bounces
    lines.storms += external.storms
    status.lines = lines
  }
}
