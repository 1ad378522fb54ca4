import TrackerBase

/// Which modem carries the requests, and whether it is abroad.
package struct ModemWatch: Equatable, Sendable {
  /// nil: nothing has reported modems.
  private(set) var modems: [Modem]?
  /// As was last acted on.
  package private(set) var isRoaming = false

  package init(modems: [Modem]? = nil, isRoaming: Bool = false) {
    (self.modems, self.isRoaming) = (modems, isRoaming)
  }

  package mutating func reported(_ modems: [Modem]) { self.modems = modems }

  /// - Parameter interface: over which the last request went; empty before the first.
  package func used(_ interface: String) -> Modem? {
    guard let modems else { return nil }
    // Before the first request any of them may be the way; best the one that would cost most.
    if interface.isEmpty { return modems.first { $0.registration == .roaming } ?? modems.first }
    if let own = modems.first(where: { $0.interfaces.contains(interface) }) { return own }
    return interface.hasPrefix("ppp") ? modems.first { $0.interfaces.isEmpty } ?? modems.first : nil
  }

  /// - Returns: whether roaming has begun or ended.
  package mutating func look(_ interface: String) -> Bool {
    let isRoaming = used(interface)?.registration == .roaming
    defer { self.isRoaming = isRoaming }
    return isRoaming != self.isRoaming
  }

  /// Without a word of ModemManager's a modem is on whenever the board is.
  package var isModemOn: Bool { modems?.contains(where: \.isOn) ?? true }
}
