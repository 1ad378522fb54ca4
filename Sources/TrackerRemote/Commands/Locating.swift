import TrackerBase

/// Somebody waits for one good fix.
package struct Locating: Equatable, Sendable {
  package enum Asker: Equatable, Sendable {
    case server(id: String)
    /// At the box. - Parameter request: for the answer.
    case person(request: Int)
  }

  /// At the same time.
  package static let most = 16

  package var asker: Asker
  /// Boot time.
  var until_ms: Int64
  package var timeout_ms: Int64

  package init(asker: Asker, until_ms: Int64, timeout_ms: Int64) {
    (self.asker, self.until_ms, self.timeout_ms) = (asker, until_ms, timeout_ms)
  }
}

extension CommandInbox {
  /// The GPS is wanted, whatever the vehicle does.
  package var isLocating: Bool { !locates.isEmpty }

  package var deadline_ms: Int64? { earliest(locates.lazy.map(\.until_ms).min(), restart_ms) }

  /// Those whose time is over.
  package mutating func takeOverdue(at now_ms: Int64) -> [Locating] {
    let overdue = locates.filter { $0.until_ms <= now_ms }
    if !overdue.isEmpty { locates.removeAll { $0.until_ms <= now_ms } }
    return overdue
  }

  /// Something was asked for and is not done.
  package var isUnderWay: Bool {
    isLocating || restartBy_ms != nil || entries.contains { $0.result == nil }
  }

  package mutating func takeLocates() -> [Locating] {
    defer { locates = [] }
    return locates
  }
}
