/// What is saved under which key.
package typealias SavedKinds = [String: any Savable.Type]

/// The machines' state as it is stored: readable with the sqlite3 shell, one key a machine. What storage holds may be
/// damaged.
package struct SavedState: Equatable, Sendable {
  private let entries: [String: JSONValue]

  package init(_ entries: [String: JSONValue]) { self.entries = entries.filter { $0.value != .null } }

  /// nil where there is none, or where it makes no sense.
  package func value<Value: Savable>(_ key: String) -> Value? { entries[key].flatMap { Value(saved: $0) } }

  /// Keys whose values make no sense, in order. What they held is not known any more.
  package func unreadable(_ kinds: SavedKinds) -> [String] {
    entries.keys.sorted().filter { key in
      guard let kind = kinds[key], let value = entries[key] else { return true }
      return kind.init(saved: value) == nil
    }
  }
}

/// Neither infinite, nor negative, nor longer than any vehicle lasts.
package struct SavedMetres: Savable {
  package var metres: Double

  package init(_ metres: Double) { self.metres = metres }

  package init?(saved: JSONValue) {
    guard let metres = Double(saved: saved), SavedMetres.isLength(metres) else { return nil }
    self.metres = metres
  }

  package var saved: JSONValue { metres.rounded(to: 3).saved }

  package static func isLength(_ metres: Double) -> Bool { (0...1e12).contains(metres) }
}

/// A boot's id where it is saved with each commit: the first 48 of its random bits.
package enum SavedBoot {
  package static func text(_ bootID: String) -> String { String(bootID.prefix(13)) }

  /// - Parameter saved: as `text` made it.
  package static func isThis(_ saved: String, bootID: String) -> Bool {
    !bootID.isEmpty && saved == text(bootID)
  }
}
