import TrackerBase

/// Why a modem's serving cell is not to be had.
public enum CellProblem: Hashable, Sendable, CustomStringConvertible {
  /// ModemManager is not on the bus, or there is no bus.
  case noModemManager
  case notOffered
  /// Somebody has it gather positions, and not announce them.
  case silentPositions
  /// With its words.
  case refused(String)

  public var description: String {
    switch self {
    case .noModemManager: "ModemManager is not there: departures are seen by the GPS alone"
    case .notOffered:
      "the modem does not tell ModemManager its serving cell: departures are seen by the GPS alone"
    case .silentPositions:
      "ModemManager gathers positions for somebody and does not announce them, and would with the serving cell: "
        + "departures are seen by the GPS alone. To have both announced: mmcli -m any --location-set-enable-signal"
    case .refused(let words):
      "ModemManager refuses to announce the serving cell (\(words)): departures are seen by the GPS alone. "
        + "docs/motion.md says which right that needs"
    }
  }
}

/// Whether ModemManager announces a modem's serving cell, and what is missing for it (ModemManager D-Bus reference, 1.20,
/// `Modem.Location`; MMModemLocationSource).
enum CellAnnouncement: Equatable {
  case given
  /// `Setup` with these sources: what others have set, and the cell.
  case missing(sources: UInt32)
  case withheld(CellProblem)

  private static let cell: Int64 = 1
  /// GPS raw, GPS NMEA, CDMA base stations. The others say how the GPS works, and announce nothing.
  private static let positions: Int64 = 2 | 4 | 8

  /// - Parameter location: the properties of the interface; nil: the modem has none.
  init(_ location: BusValue?) {
    let known = (
      location?["Capabilities"]?.integer, location?["Enabled"]?.integer, location?["SignalsLocation"]
    )
    guard case (let offered?, let enabled?, .flag(let signals)?) = known,
      offered & CellAnnouncement.cell != 0
    else {
      self = .withheld(.notOffered)
      return
    }
    let wanted = enabled | CellAnnouncement.cell
    if signals, wanted == enabled {
      self = .given
    } else if !signals, enabled & CellAnnouncement.positions != 0 {
      self = .withheld(.silentPositions)
    } else {
      self = .missing(sources: UInt32(truncatingIfNeeded: wanted))
    }
  }
}

extension Cell {
  /// - Parameter location: the property `Location`: by source in figures, the cell as `MCC,MNC,LAC,CI,TAC`, the last three
  ///   in hexadecimal figures. Of LTE the area is the TAC, of older networks the LAC, and the other one is 0.
  init?(_ location: BusValue?) {
    let parts = location?["1"]?.text?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    guard parts.count >= 4, let country = Int(parts[0]), let network = Int(parts[1]),
      Cell.codes.contains(country), Cell.codes.contains(network),
      let locationArea = UInt64(parts[2], radix: 16), let id = UInt64(parts[3], radix: 16),
      !Cell.unknown.contains(id)
    else { return nil }
    let trackingArea = parts.count > 4 ? UInt64(parts[4], radix: 16) ?? 0 : 0
    self.init(
      country: country, network: network, area: trackingArea != 0 ? trackingArea : locationArea, id: id)
  }

  /// As modems write a cell that they do not know, with 28 and with 32 bits.
  private static let unknown: Set<UInt64> = [0, 0xFFF_FFFF, 0xFFFF_FFFF]
}
