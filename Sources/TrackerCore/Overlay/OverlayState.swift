/// What of overlays outlives the process.
public struct OverlayState: Equatable, Sendable {
  /// In force until a sync has succeeded with it.
  public struct Trial: Equatable, Sendable {
    public var overlay: Overlay
    /// Of the boot whose clock has read `began_ms`.
    public var bootID: String
    public var began_ms: Int64
    /// Starts of the process that it has met.
    public var starts: Int

    public init(overlay: Overlay, bootID: String, began_ms: Int64, starts: Int = 0) {
      (self.overlay, self.bootID, self.began_ms, self.starts) = (overlay, bootID, began_ms, starts)
    }
  }

  /// Never tried again.
  public struct Refusal: Equatable, Sendable {
    public var version: Int64
    /// With the setting concerned, without its value.
    public var reason: String

    public init(version: Int64, reason: String) { (self.version, self.reason) = (version, reason) }
  }

  /// A sync has succeeded with it.
  public private(set) var kept: Overlay?
  public private(set) var trial: Trial?
  /// The newest one that was refused, unless a newer one is in force.
  public private(set) var refused: Refusal?
  /// Of all that were looked at; 0: none was.
  public private(set) var newest: Int64

  /// - Parameter newest: nil: the greatest of them.
  public init(kept: Overlay? = nil, trial: Trial? = nil, refused: Refusal? = nil, newest: Int64? = nil) {
    (self.kept, self.trial, self.refused) = (kept, trial, refused)
    self.newest = newest ?? max(kept?.version ?? 0, trial?.overlay.version ?? 0, refused?.version ?? 0)
  }

  /// So many starts of the process end a trial: settings with which it crashes must not keep it from the server.
  public static let mostStarts = 3

  /// What is to lie over the file.
  public var wanted: Overlay? { trial?.overlay ?? kept }

  /// The process has begun: to be saved before any of it is used.
  ///
  /// After another boot a trial has its time anew, since nobody knows for how long the board was off; `mostStarts` bounds
  /// that.
  ///
  /// - Returns: whether anything has changed.
  public mutating func runBegan(bootID: String, at now_ms: Int64) -> Bool {
    guard var trial else { return false }
    trial.starts += 1
    if trial.bootID != bootID || trial.began_ms > now_ms || bootID.isEmpty {
      (trial.bootID, trial.began_ms) = (bootID, now_ms)
    }
    self.trial = trial
    if trial.starts >= OverlayState.mostStarts {
      rollBack("trial failed: the agent was started \(trial.starts) times before a sync succeeded")
    }
    return true
  }

  mutating func begin(_ trial: Trial) { (self.trial, newest) = (trial, trial.overlay.version) }

  mutating func refuse(_ version: Int64, _ reason: String) {
    (refused, newest) = (Refusal(version: version, reason: reason), version)
  }

  /// As if it had not been on trial: it cannot be noted.
  public mutating func dropTrial() { self = OverlayState(kept: kept, refused: refused) }

  /// To what there was before.
  mutating func rollBack(_ reason: String) {
    guard let trial else { return }
    refused = Refusal(version: trial.overlay.version, reason: reason)
    self.trial = nil
  }

  mutating func keep() {
    guard let trial else { return }
    (kept, self.trial, refused) = (trial.overlay, nil, nil)
  }
}
