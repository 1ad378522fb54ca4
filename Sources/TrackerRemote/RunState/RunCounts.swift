import TrackerBase

/// How often the agent was started since its folder was made. Kept over restarts.
struct RunCounts: SavedObject, Equatable, Sendable {
  /// First starts in a boot of the board.
  private(set) var boots: Int64 = 0
  /// Further starts in the same boot.
  private(set) var restarts: Int64 = 0
  /// Of these, those after a run that did not end in order.
  private(set) var crashes: Int64 = 0
  /// Of the last start.
  private var bootID = ""

  /// - Parameter bootID: empty if unknown: then each start counts as a boot.
  mutating func began(bootID: String, hasCrashed: Bool) {
    if !bootID.isEmpty, bootID == self.bootID { restarts += 1 } else { boots += 1 }
    if hasCrashed { crashes += 1 }
    self.bootID = bootID
  }

  static let members: [SavedMember<RunCounts>] = [
    .init("boots", \.boots) { $0 >= 0 }, .init("restarts", \.restarts) { $0 >= 0 },
    .init("crashes", \.crashes) { $0 >= 0 }, .init("boot", \.bootID),
  ]
}

extension StartsStatus {
  init(_ counts: RunCounts) {
    self.init()
    (boots, restarts, crashes) = (counts.boots, counts.restarts, counts.crashes)
  }
}
