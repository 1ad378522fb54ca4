/// How often the agent was started since its folder was made. Kept over restarts.
struct RunCounts: Equatable, Sendable {
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

  // MARK: saved

  /// `starts BOOTS RESTARTS CRASHES BOOT`; nothing before the first start.
  var lines: [String] { boots == 0 ? [] : ["starts \(boots) \(restarts) \(crashes) \(bootID)"] }

  /// - Returns: whether it is a line of `lines`.
  mutating func read(_ words: [Substring]) -> Bool {
    guard words.first == "starts", (4...5).contains(words.count) else { return false }
    let numbers = words[1..<4].compactMap { SavedNumber.read($0) }.filter { $0 >= 0 }
    guard numbers.count == 3 else { return false }
    (boots, restarts, crashes) = (numbers[0], numbers[1], numbers[2])
    bootID = words.count == 5 ? String(words[4]) : ""
    return true
  }
}
