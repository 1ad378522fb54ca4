/// A cell of a mobile network, as the modem names the one that serves it. It is a place: it stands in no log, no status
/// and no record, only in the saved state.
public struct Cell: Hashable, Sendable {
  /// Mobile country code and mobile network code.
  public var country: Int
  public var network: Int
  /// Tracking area (LTE and later), or location area.
  public var area: UInt64
  public var id: UInt64

  public init(country: Int, network: Int, area: UInt64, id: UInt64) {
    (self.country, self.network, self.area, self.id) = (country, network, area, id)
  }
}

/// In the saved state as one word: `1-1-c3-12ab`.
extension Cell {
  /// Of countries and of networks.
  public static let codes = 0...999

  /// As files have it: country and network in decimal figures, area and id in hexadecimal ones. - Returns: nil: it is
  /// none.
  public init?(words: [some StringProtocol]) {
    guard words.count == 4, let country = Int(words[0]), let network = Int(words[1]),
      let area = UInt64(words[2], radix: 16), let id = UInt64(words[3], radix: 16),
      Cell.codes.contains(country), Cell.codes.contains(network)
    else { return nil }
    self.init(country: country, network: network, area: area, id: id)
  }

  public var saved: JSONValue {
    .string("\(country)-\(network)-\(String(area, radix: 16))-\(String(id, radix: 16))")
  }

  public init?(saved: JSONValue) {
    guard let word = saved.string else { return nil }
    self.init(words: word.split(separator: "-", omittingEmptySubsequences: false))
  }
}
