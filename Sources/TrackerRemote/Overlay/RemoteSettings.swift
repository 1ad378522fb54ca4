import TrackerBase

/// Settings that the server has set from afar; docs/remote.md.
package struct RemoteSettings: Part {
  package private(set) var machine: OverlayMachine
  @Shared private var settings: SyncSettings
  /// What is to be reported of the start; nil once it is.
  private var start: RestoredOverlay?

  package init(_ found: RestoredOverlay, settings: SyncSettings, bootID: String, at now: Moment) {
    machine = OverlayMachine(
      found.state, use: found.use, bootID: bootID, trial_s: settings.configTrial_s, time_ms: now.wall_ms,
      at: now.boot_ms)
    (self.settings, start) = (settings, found)
  }

  package mutating func adopt(_ configuration: Configuration, at now: Moment) {
    settings = configuration.settings.sync
    machine.adopt(trial_s: settings.configTrial_s)
    machine.settingsHold(configuration.overlay)
  }

  package mutating func handle(_ event: Event, _ facts: Facts, at now: Moment) -> [Want]? {
    guard case .overlay(let news) = event else { return nil }
    return machine.received(news, at: now.boot_ms) + [.tell(.confirmationWanted)]
  }

  package mutating func hear(_ news: News, _ facts: Facts, at now: Moment) -> [Want]? {
    switch news {
    case .begun: return begun(at: now.boot_ms)
    case .replied(let reply): return replied(reply, facts, at: now.boot_ms)
    case .settled:
      guard machine.isBusy else { return nil }
      return machine.budget(isUsedUp: facts.isBudgetUsedUp, at: now.boot_ms) + machine.tick(at: now.boot_ms)
    case .ended: return machine.runEnded(at: now.boot_ms)
    default: return nil
    }
  }

  private mutating func begun(at now_ms: Int64) -> [Want] {
    var wants: [Want] = []
    if let problem = start?.problem {
      let words = "the server's settings cannot be read, and none is in force: \(problem)"
      wants.append(.warn(.overlay, words))
    }
    if start?.isRolledBack == true { wants.append(machine.refusal()) }
    start = nil
    return wants + machine.started(at: now_ms)
  }

  private mutating func replied(_ reply: UploadReply, _ facts: Facts, at now_ms: Int64) -> [Want] {
    let isTaken = reply.verdict(settings.ack) == .acknowledged
    var wants = isTaken ? machine.delivered(at: now_ms) : []
    if let offer = reply.config {
      wants +=
        passedOverBecause(reply).map { machine.passedOver(because: $0) }
        ?? machine.offered(offer, time_ms: facts.time.time_ms, at: now_ms)
    }
    return reply.commands.isEmpty ? wants + [.tell(.confirmationWanted)] : wants
  }

  private func passedOverBecause(_ reply: UploadReply) -> String? {
    if !settings.config { return "sync.config is false" }
    if !settings.format.traits.carriesStatus {
      return
        "sync.format \"\(settings.format.rawValue)\" carries no status, so the server would not learn what became of them"
    }
    return reply.maySteer(by: settings.ack) ? nil : UploadReply.mayNotSteer
  }

  package func publish(to facts: inout Facts, at now: Moment) {
    (facts.isOnTrial, facts.isOverlayUndecided) = (machine.state.trial != nil, machine.isDeciding)
  }

  package func lasts(_ warning: WarningName, at now: Moment) -> Bool {
    warning == .overlay && machine.isTroubled
  }

  package var deadline_ms: Int64? { machine.deadline_ms }

  package func describe(_ status: inout TrackerStatus, _ facts: Facts, at now: Moment) {
    status.config = ConfigStatus(
      machine, at: now.boot_ms, offset_ms: facts.time.time_ms - facts.time.boot_ms)
  }
}
