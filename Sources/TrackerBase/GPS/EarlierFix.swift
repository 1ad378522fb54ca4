extension Fix {
  /// One fix may be garbled. Two of a receiver at 1 Hz are believed, even if the second is a little early, and those
  /// of a faster one no sooner.
  package static let believed_ms: Int64 = 900
}

/// The fix of about a second ago, whatever the receiver's rate: what a fix of 25 Hz differs by from the one before it
/// is noise.
package struct EarlierFix: Equatable, Sendable {
  package struct Sighting: Equatable, Sendable {
    package var time_ms: Int64
    package var position: Position
    package var accuracy_m: Double
  }

  /// Two fixes at least `Fix.believed_ms` apart.
  private var newer: Sighting?
  private var older: Sighting?

  package init() {}

  /// - Returns: the newest fix that is at least `Fix.believed_ms` older than this one; nil if there is none.
  package func before(_ fix: Fix) -> Sighting? {
    if let newer, fix.time_ms - newer.time_ms >= Fix.believed_ms { return newer }
    if let older, fix.time_ms - older.time_ms >= Fix.believed_ms { return older }
    return nil
  }

  package mutating func note(_ fix: Fix) {
    guard newer.map({ abs(fix.time_ms - $0.time_ms) >= Fix.believed_ms }) ?? true else { return }
    older = newer
    newer = Sighting(time_ms: fix.time_ms, position: fix.position, accuracy_m: fix.accuracy_m)
  }
}
