import TrackerBase

/// The way to the servers: which modem carries the requests, and whether it is abroad.
package struct Link: Part {
  /// nil: nothing has reported modems.
  private(set) var modems: [Modem]?
  /// As was last acted on.
  private(set) var isRoaming = false

  package init() {}

  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    guard case .link(let modems) = event else { return nil }
    self.modems = modems
    return []
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    // A modem has reported, or a request has gone another way.
    guard case .settled = news, isRoaming != (used(facts.interface)?.registration == .roaming) else {
      return nil
    }
    isRoaming.toggle()
    let words =
      isRoaming
      ? "the modem is roaming: sync.roaming is in force" : "the modem is no longer roaming: sync as at home"
    return [.log(.notice, words), .tell(.paceChanged), .report]
  }

  /// - Parameter interface: over which the last request went; empty before the first.
  func used(_ interface: String) -> Modem? {
    guard let modems else { return nil }
    // Before the first request any of them may be the way; best the one that would cost most.
    if interface.isEmpty { return modems.first { $0.registration == .roaming } ?? modems.first }
    if let own = modems.first(where: { $0.interfaces.contains(interface) }) { return own }
    return interface.hasPrefix("ppp") ? modems.first { $0.interfaces.isEmpty } ?? modems.first : nil
  }

  package func publish(to facts: inout Facts, at now: Moment) {
    (facts.isRoaming, facts.isModemOn) = (isRoaming, isModemOn)
  }

  /// Without a word of ModemManager's a modem is on whenever the board is.
  var isModemOn: Bool { modems?.contains(where: \.isOn) ?? true }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    let link = LinkStatus(used(facts.interface), isRoaming: isRoaming)
    status.link = link == LinkStatus() ? nil : link
  }
}
