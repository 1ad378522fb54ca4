/// The machines' state as it is stored: readable with the sqlite3 shell, one key a machine. What storage holds may be
/// damaged.
struct SavedState: Equatable, Sendable {
  private let entries: [String: JSONValue]

  init(_ entries: [String: JSONValue]) { self.entries = entries.filter { $0.value != .null } }

  /// nil where there is none, or where it makes no sense.
  func value<Value: Savable>(_ key: String) -> Value? { entries[key].flatMap { Value(saved: $0) } }

  /// Keys whose values make no sense, in order. What they held is not known any more.
  func unreadable(_ kinds: [String: any Savable.Type]) -> [String] {
    entries.keys.sorted().filter { key in
      guard let kind = kinds[key], let value = entries[key] else { return true }
      return kind.init(saved: value) == nil
    }
  }
}

/// The machines' state while it is put together for a commit, as `SavedState` reads it.
struct StateDraft {
  private(set) var values: [String: JSONValue] = [:]

  /// - Parameter value: nil, or one as it is at the beginning: nothing needs to be known.
  mutating func set(_ key: String, _ value: (some Savable)?) {
    let saved = value?.saved ?? .null
    values[key] = saved == .object([]) || saved == .array([]) ? .null : saved
  }
}

/// Neither infinite, nor negative, nor longer than any vehicle lasts.
struct SavedMetres: Savable {
  var metres: Double

  init(_ metres: Double) { self.metres = metres }

  init?(saved: JSONValue) {
    guard let metres = Double(saved: saved), SavedMetres.isLength(metres) else { return nil }
    self.metres = metres
  }

  var saved: JSONValue { metres.rounded(to: 3).saved }

  static func isLength(_ metres: Double) -> Bool { (0...1e12).contains(metres) }
}

/// A boot's id where it is saved with each commit: the first 48 of its random bits.
enum SavedBoot {
  static func text(_ bootID: String) -> String { String(bootID.prefix(13)) }

  /// - Parameter saved: as `text` made it.
  static func isThis(_ saved: String, bootID: String) -> Bool { !bootID.isEmpty && saved == text(bootID) }
}
