/// What of overlays outlives the process.
public struct OverlayState: Equatable, Sendable {
  /// In force until a sync has succeeded with it.
  public struct Trial: Equatable, Sendable {
    public enum Clock: String, Sendable {
      case running
      /// No sync is allowed: the byte budget is used up.
      case waiting
      /// The process has ended in order. What is found so was no crash.
      case stopped
    }

    public var overlay: Overlay
    /// Of the boot whose clock has read `began_ms`.
    public var bootID: String
    public var began_ms: Int64
    /// Starts of the process that it has met, but for those after an end in order.
    public var starts: Int
    /// What of its time had passed at `began_ms`.
    public var spent_ms: Int64
    public var clock: Clock

    public init(
      overlay: Overlay, bootID: String, began_ms: Int64, starts: Int = 0, spent_ms: Int64 = 0,
      clock: Clock = .running
    ) {
      (self.overlay, self.bootID, self.began_ms, self.starts) = (overlay, bootID, began_ms, starts)
      (self.spent_ms, self.clock) = (spent_ms, clock)
    }

    /// What of its time has passed.
    package func spent_ms(at now_ms: Int64) -> Int64 {
      switch clock {
      case .running: spent_ms + max(0, now_ms - began_ms)
      case .waiting, .stopped: spent_ms
      }
    }

    package mutating func set(_ clock: Clock, at now_ms: Int64) {
      (spent_ms, began_ms, self.clock) = (spent_ms(at: now_ms), now_ms, clock)
    }

    /// The process ends in order. Each such run takes some of the time, however short it was and whether or not the time
    /// waited: settings with which it ends in order again and again must not be on trial for ever.
    mutating func stop(at now_ms: Int64) {
      let before_ms = spent_ms
      set(.stopped, at: now_ms)
      spent_ms = max(spent_ms, before_ms + OverlayState.leastRun_ms)
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
  /// When offers were looked at, within an hour: Unix milliseconds, by the best clock.
  public package(set) var looks_ms: [Int64]

  public init(
    kept: Overlay? = nil, trial: Trial? = nil, refused: Refusal? = nil, looks_ms: [Int64] = []
  ) {
    (self.kept, self.trial, self.refused, self.looks_ms) = (kept, trial, refused, looks_ms)
  }

  /// So many starts of the process that follow no end in order end a trial: settings with which it crashes must not keep
  /// it from the server.
  public static let mostStarts = 3
  /// What a run that ends in order takes of a trial's time, at least.
  static let leastRun_ms: Int64 = 1000

  /// What is to lie over the file.
  public var wanted: Overlay? { trial?.overlay ?? kept }

  /// Of all that were looked at; 0: none was. As versions go round it need not be the greatest: each is looked at after
  /// those below it here.
  public var newest: Int64 { trial?.overlay.version ?? refused?.version ?? kept?.version ?? 0 }

  /// The process has begun: to be saved before any of it is used.
  ///
  /// After another boot a trial has its time from then on, since nobody knows for how long the board was off; `mostStarts`
  /// bounds that. Whether it is to wait goes by what is found now.
  ///
  /// - Returns: whether anything has changed.
  public mutating func runBegan(bootID: String, at now_ms: Int64) -> Bool {
    guard var trial else { return false }
    if trial.clock != .stopped { trial.starts += 1 }
    switch trial.clock {
    case .running:
      let isKnown = trial.bootID == bootID && trial.began_ms <= now_ms && !bootID.isEmpty
      if !isKnown { trial.began_ms = now_ms }
    case .waiting, .stopped: trial.set(.running, at: now_ms)
    }
    trial.bootID = bootID
    self.trial = trial
    if trial.starts >= OverlayState.mostStarts {
      rollBack(
        "trial failed: the agent crashed, or the power was cut, \(trial.starts) times before a sync succeeded"
      )
    }
    return true
  }

  package mutating func begin(_ trial: Trial) { self.trial = trial }

  /// - Returns: whether anything has changed.
  package mutating func runEnded(at now_ms: Int64) -> Bool {
    trial?.stop(at: now_ms)
    return trial != nil
  }

  package mutating func setTrial(_ clock: Trial.Clock, at now_ms: Int64) { trial?.set(clock, at: now_ms) }

  package mutating func refuse(_ version: Int64, _ reason: String) {
    refused = Refusal(version: version, reason: reason)
  }

  /// As if it had not been on trial: it cannot be noted.
  public mutating func dropTrial() { trial = nil }

  /// To what there was before.
  package mutating func rollBack(_ reason: String) {
    guard let trial else { return }
    refused = Refusal(version: trial.overlay.version, reason: reason)
    self.trial = nil
  }

  package mutating func keep() {
    guard let trial else { return }
    (kept, self.trial, refused) = (trial.overlay, nil, nil)
  }
}
