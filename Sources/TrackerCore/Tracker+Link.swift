import TrackerBase

/// The way to the servers: which modem, and whether it is abroad.
extension Tracker {
  mutating func linkReported(_ modems: [Modem], at now: Moment) {
    self.modems.reported(modems)
    journey.cellsShown(modems.compactMap(\.cell), at: time(now))
  }

  /// After each event: a modem has reported, or a request has gone another way.
  mutating func watchLink(at now: Moment) {
    guard modems.look(dispatch.interface) else { return }
    log(
      .notice,
      modems.isRoaming
        ? "the modem is roaming: sync.roaming is in force" : "the modem is no longer roaming: sync as at home"
    )
    pace(at: now)
    statusWanted(at: now)
  }

  func describeLink(_ status: inout TrackerStatus) {
    let link = LinkStatus(modems.used(dispatch.interface), isRoaming: modems.isRoaming)
    status.link = link == LinkStatus() ? nil : link
  }
}
