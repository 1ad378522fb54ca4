import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// The shell: checks nothing, saves and uses what it is told.
struct OverlayShell {
  var machine: OverlayMachine
  var disk = OverlayState()
  var now_ms: Int64 = 0
  var problem: String?
  var storageFails = false
  var storageProblem = "disk full"
  /// Why the settings cannot be exchanged.
  var refusesToUse: String?
  /// Why what is kept or on trial does not fit the file.
  var misfit: String?
  var logged: [String] = []
  var reports = 0
  var saves = 0
  var uses: [Int64?] = []

  /// - Parameter time_ms: nil: the wall clock has gone on with the boot clock.
  init(
    _ state: OverlayState = OverlayState(), boot: String = "boot", time_ms: Int64? = nil,
    at now_ms: Int64 = 0
  ) {
    (disk, self.now_ms) = (state, now_ms)
    machine = OverlayMachine(
      state, use: OverlayUse(version: state.wanted?.version), bootID: boot, trial_s: 600,
      time_ms: time_ms ?? epoch_ms + now_ms, at: now_ms)
    perform(machine.started(at: now_ms))
  }

  mutating func perform(_ wants: [Want]) {
    for want in wants {
      switch want {
      case .perform(.checkOverlay): receive(.checked(problem: problem))
      case .perform(.saveOverlay(let state)):
        saves += 1
        if !storageFails { disk = state }
        receive(.saved(problem: storageFails ? storageProblem : nil))
      case .perform(.useOverlay(let overlay)):
        if let refusesToUse { return receive(.notUsed(refusesToUse)) }
        uses.append(overlay?.version)
        machine.settingsHold(
          misfit.map { OverlayUse(problem: $0) } ?? OverlayUse(version: overlay?.version))
        perform(machine.started(at: now_ms))
      case .tell(.statusWanted(let atOnce)): reports += atOnce ? 1 : 0
      case .log(_, let words), .warn(_, let words, _, _): logged.append(words)
      case .perform, .tell, .commit, .stop: Issue.record("\(want)")
      }
    }
  }

  private mutating func receive(_ news: OverlayNews) {
    perform(machine.received(news, at: now_ms))
  }

  mutating func offer(_ version: Int64) { offer(Overlay(version: version, geofences: "\(version)")) }

  mutating func offer(_ overlay: Overlay) { offer(.overlay(overlay)) }

  mutating func offer(malformed reason: String, version: Int64?) {
    offer(.malformed(reason, version: version))
  }

  private mutating func offer(_ offer: ConfigOffer) {
    perform(machine.offered(offer, time_ms: epoch_ms + now_ms, at: now_ms))
  }

  /// Times in it are on the boot clock.
  var status: ConfigStatus? { ConfigStatus(machine, at: now_ms, offset_ms: 0) }

  mutating func deliver() { perform(machine.delivered(at: now_ms)) }

  mutating func wait(_ s: Int64) {
    now_ms += s * 1000
    perform(machine.tick(at: now_ms))
  }

  mutating func reload() {
    machine.settingsHold(
      misfit.map { OverlayUse(problem: $0) } ?? OverlayUse(version: machine.state.wanted?.version))
    perform(machine.started(at: now_ms))
  }

  var inForce: Int64? { machine.use.version }
}
