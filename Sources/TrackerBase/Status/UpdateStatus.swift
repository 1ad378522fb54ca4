/// What became of the agent's last update, as the updater says it in a file (docs/updates.md).
public struct UpdateStatus: StatusGroup {
  @Figure("state", "What became of it, or what it waits for.")
  public var state = UpdateState.good
  @Figure("version", "Of the package that this is about.")
  public var version = ""
  @Figure("reason", "Why it waits, was taken back or could not be installed; absent else.")
  public var reason: String? = nil
  @Figure("group", "The group of boxes that this one is updated with.")
  public var group = ""

  public init() {}

  /// - Parameter text: lines of `key=value`. Keys that nobody knows are passed over.
  /// - Returns: nil where state or version are missing: there was no update, or a newer updater has another form.
  public init?(_ text: String) {
    var values: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      values[String(parts[0])] = String(PlainText.line(String(parts[1])).prefix(UpdateStatus.longest))
    }
    guard let state = values["state"].flatMap(UpdateState.init), let version = values["version"] else {
      return nil
    }
    (self.state, self.version, group) = (state, version, values["group"] ?? "")
    reason = values["reason"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Characters of a value.
  private static let longest = 200
}

public enum UpdateState: String, FigureChoice {
  /// A newer version is there, and the vehicle is not parked, or the supply is not good.
  case waiting
  /// It runs, and must show that it starts, hears the GPS and reaches the server.
  case trial
  case good
  /// The version before runs again.
  case rolledBack = "rolled_back"
  /// It could not be installed.
  case failed
}
