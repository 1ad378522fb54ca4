/// The machines' state as it is stored: readable with the sqlite3 shell, one key a machine. What storage holds may be
/// damaged.
struct SavedState: Equatable, Sendable {
  private let entries: [String: String]

  init(_ entries: [String: String]) { self.entries = entries }

  /// Empty for nothing.
  subscript(key: String) -> String { entries[key] ?? "" }

  func words(_ key: String) -> [String] { self[key].split(separator: " ").map { String($0) } }

  func whole(_ key: String) -> Int64? { SavedState.whole(self[key]) }

  func metres(_ key: String) -> Double? { SavedState.metres(self[key]) }

  /// A date in Unix milliseconds or the number of a trip: sums with it fit.
  static func whole(_ text: String) -> Int64? {
    guard let number = Int64(text), number.magnitude <= 1_000_000_000_000_000 else { return nil }
    return number
  }

  /// Neither infinite, nor negative, nor longer than any vehicle lasts.
  static func metres(_ text: String) -> Double? {
    guard let number = Double(text), number >= 0, number <= 1e12 else { return nil }
    return number
  }

  /// Keys whose values make no sense, in order. What they held is not known any more.
  func keys(where isUnreadable: KeyValuePairs<String, Bool>) -> [String] {
    isUnreadable.filter { $0.value && !self[$0.key].isEmpty }.map(\.key)
  }
}

/// A boot's id where it is saved with each commit: the first 48 of its random bits.
enum SavedBoot {
  /// `-` for one that is not known.
  static func text(_ bootID: String) -> String { bootID.isEmpty ? "-" : String(bootID.prefix(13)) }

  /// - Parameter saved: as `text` made it.
  static func isThis(_ saved: some StringProtocol, bootID: String) -> Bool {
    !bootID.isEmpty && saved == text(bootID)
  }
}

extension Position {
  /// From two words, nil if they are no place on earth.
  init?(_ latitude: String, _ longitude: String) {
    guard let latitude_deg = Double(latitude), let longitude_deg = Double(longitude) else { return nil }
    self.init(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
    guard isOnEarth else { return nil }
  }
}
