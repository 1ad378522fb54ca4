/// Somebody waits for one good fix.
struct Locating: Equatable, Sendable {
  enum Asker: Equatable, Sendable {
    case server(id: String)
    /// At the box. - Parameter request: for the answer.
    case person(request: Int)
  }

  /// At the same time.
  static let most = 16

  var asker: Asker
  /// Boot time.
  var until_ms: Int64
  var timeout_ms: Int64
}

extension CommandInbox {
  /// The GPS is wanted, whatever the vehicle does.
  var isLocating: Bool { !locates.isEmpty }

  @inline(__always) var deadline_ms: Int64? { earliest(locates.lazy.map(\.until_ms).min(), restartBy_ms) }

  /// Those whose time is over.
  mutating func takeOverdue(at now_ms: Int64) -> [Locating] {
    let overdue = locates.filter { $0.until_ms <= now_ms }
    if !overdue.isEmpty { locates.removeAll { $0.until_ms <= now_ms } }
    return overdue
  }

  mutating func takeLocates() -> [Locating] {
    defer { locates = [] }
    return locates
  }
}
