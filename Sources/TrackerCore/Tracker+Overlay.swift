import TrackerBase
import TrackerRemote

/// Settings that the server has set from afar; docs/remote.md.
extension Tracker {
  /// What a start finds of them.
  public struct RestoredOverlay: Equatable, Sendable {
    /// After `runBegan`, and saved so.
    public var state = OverlayState()
    /// This start has ended a trial.
    public var isRolledBack = false
    /// Of the settings that the process starts with.
    public var use = OverlayUse()
    /// Why it could not be read or saved.
    public var problem: String?

    public init() {}
  }

  /// A reply of the first server.
  mutating func replyArrived(_ reply: UploadReply, of server: Int, at now: Moment) {
    guard server == 0 else { return }
    let rule = settings.sync.ack
    if reply.verdict(rule) == .acknowledged { perform(overlay.delivered(at: now.boot_ms), at: now) }
    if let offer = reply.config {
      configArrived(offer, counts: reply.maySteer(by: rule), at: now)
    }
    if reply.commands.isEmpty { confirmDocuments() }
  }

  /// - Parameter counts: the first server has certainly sent it.
  mutating func configArrived(_ offer: ConfigOffer, counts: Bool, at now: Moment) {
    if let reason = passedOverBecause(counts: counts) {
      return perform(overlay.passedOver(because: reason), at: now)
    }
    perform(overlay.offered(offer, time_ms: time(now).time_ms, at: now.boot_ms), at: now)
  }

  private func passedOverBecause(counts: Bool) -> String? {
    if !settings.sync.config { return "sync.config is false" }
    if !settings.sync.format.traits.carriesStatus {
      return
        "sync.format \"\(settings.sync.format.rawValue)\" carries no status, so nobody would learn what became of them"
    }
    return counts ? nil : UploadReply.mayNotSteer
  }

  mutating func overlayNews(_ news: OverlayNews, at now: Moment) {
    perform(overlay.received(news, at: now.boot_ms), at: now)
    if !commands.isNoting { confirmDocuments() }
  }

  /// For whoever puts the settings in force: which overlay they hold. Before `.started`.
  public mutating func settingsHold(_ use: OverlayUse) { overlay.settingsHold(use) }

  mutating func startOverlay(at now: Moment) {
    if let problem = restored.overlay.problem {
      warn(.overlay, at: now, "the server's settings cannot be read, and none is in force: \(problem)")
    }
    if restored.overlay.isRolledBack { perform([overlay.refusal()], at: now) }
    perform(overlay.started(at: now.boot_ms), at: now)
  }

  mutating func watchOverlay(at now: Moment) {
    guard overlay.isBusy else { return }
    perform(overlay.budget(isUsedUp: dispatch.isBudgetUsedUp, at: now.boot_ms), at: now)
    perform(overlay.tick(at: now.boot_ms), at: now)
  }

  mutating func endOverlayRun(at now: Moment) { perform(overlay.runEnded(at: now.boot_ms), at: now) }

  private mutating func perform(_ wanted: [OverlayMachine.Action], at now: Moment) {
    for action in wanted {
      switch action {
      case .check(let overlay): actions.append(.checkOverlay(overlay))
      case .save(let state): actions.append(.saveOverlay(state))
      case .use(let overlay): actions.append(.useOverlay(overlay))
      case .report: statusAtOnce(at: now)
      case .reportWithNext: statusWanted(at: now)
      case .log(let words): log(.notice, words)
      case .warn(let words): warn(.overlay, at: now, words)
      }
    }
  }

  func describeOverlay(_ status: inout TrackerStatus, at now: Moment, offset_ms: Int64) {
    status.config = ConfigStatus(overlay, at: now.boot_ms, offset_ms: offset_ms)
  }
}

extension OverlayMachine {
  init(_ found: Tracker.Restored, trial_s: Double, at now: Moment) {
    self.init(
      found.overlay.state, use: found.overlay.use, bootID: found.runState.bootID, trial_s: trial_s,
      time_ms: now.wall_ms, at: now.boot_ms)
  }
}
