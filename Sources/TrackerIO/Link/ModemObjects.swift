import TrackerBase

/// What ModemManager's objects say (ModemManager D-Bus reference, 1.20).
enum ModemObjects {
  private static let modem = "org.freedesktop.ModemManager1.Modem"

  /// - Parameter objects: the reply to `GetManagedObjects`.
  static func modems(in objects: BusValue, withCells: Bool = false) -> (paths: [String], modems: [Modem]) {
    let found = objects.members.sorted { $0.key < $1.key }.compactMap { path, interfaces in
      interfaces[modem].map { own in
        var modem = read(own, network: interfaces[modem + ".Modem3gpp"], interfaces)
        let location = location(of: path, in: objects)
        if withCells, CellAnnouncement(location) == .given { modem.cell = Cell(location?["Location"]) }
        return (path: path, modem: modem)
      }
    }
    return (found.map(\.path), found.map(\.modem))
  }

  /// Its properties; nil if the modem has none.
  static func location(of path: String, in objects: BusValue) -> BusValue? {
    objects[path]?[modem + ".Location"]
  }

  private static func read(_ own: BusValue, network: BusValue?, _ interfaces: BusValue) -> Modem {
    let quality = own["SignalQuality"]?.list.first?.integer
    return Modem(
      interfaces: networkInterfaces(own["Ports"]?.list ?? []),
      isOn: isOn(own), registration: registration(network?["RegistrationState"]?.integer),
      operatorName: network?["OperatorName"]?.text ?? "",
      technology: own["AccessTechnologies"]?.integer.flatMap(technology),
      signal_percent: quality.map { Int(max(0, min($0, 100))) },
      signal_dbm: interfaces[modem + ".Signal"].flatMap(signal_dbm))
  }

  /// Pairs of name and kind (MMModemPortType).
  private static func networkInterfaces(_ ports: [BusValue]) -> [String] {
    let net: Int64 = 2
    return ports.map(\.list).filter { $0.count == 2 && $0[1].integer == net }.compactMap { $0[0].text }
  }

  /// MMModemPowerState: 1 is off, 2 low. A modem that is only disabled still draws current.
  private static func isOn(_ own: BusValue) -> Bool { own["PowerState"]?.integer != 1 }

  /// MMModem3gppRegistrationState.
  private static func registration(_ state: Int64?) -> Modem.Registration {
    switch state {
    case 0: .idle
    // Home; for short messages only; with calls over another network.
    case 1, 6, 9: .home
    case 2: .searching
    case 3: .denied
    // Likewise.
    case 5, 7, 10: .roaming
    default: .unknown
    }
  }

  /// Of the bits, the newest (MMModemAccessTechnology).
  private static func technology(_ bits: Int64) -> Modem.Technology? {
    let newestFirst: [(bits: Int64, technology: Modem.Technology)] = [
      (1 << 15, .fiveG), (1 << 14, .ltePlain), (1 << 16, .lteM), (1 << 17, .nbIoT),
      (1 << 6 | 1 << 7 | 1 << 8 | 1 << 9, .hspa), (1 << 5, .umts),
      (1 << 10 | 1 << 11 | 1 << 12 | 1 << 13, .cdma), (1 << 4, .edge), (1 << 3, .gprs),
      (1 << 1 | 1 << 2, .gsm),
    ]
    return newestFirst.first { bits & $0.bits != 0 }?.technology
  }

  /// Of the newest technology that has one. What is not measured stands far below what a receiver can hear.
  private static func signal_dbm(_ signal: BusValue) -> Double? {
    let measures = [("Nr5g", "rsrp"), ("Lte", "rsrp"), ("Umts", "rscp"), ("Umts", "rssi"), ("Gsm", "rssi")]
    return measures.compactMap { signal[$0.0]?[$0.1]?.number }.first { (-200..<0).contains($0) }
  }
}
