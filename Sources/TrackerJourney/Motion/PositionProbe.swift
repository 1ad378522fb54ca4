import TrackerBase

/// A position now and then, and nothing else: `motion.mode = "probe_only"`. On the boot clock.
struct PositionProbe: Equatable, Sendable {
  enum State: Equatable, Sendable {
    /// Outside the windows.
    case off
    case waiting(until_ms: Int64)
    case looking(until_ms: Int64)
  }

  private(set) var state = State.off
  @Shared private(set) var settings: MotionSettings
  var view: ReceiverView

  init(settings: MotionSettings, _ view: ReceiverView) { (self.settings, self.view) = (settings, view) }

  var wantsGPS: Bool {
    if case .looking = state { true } else { false }
  }

  var deadline_ms: Int64? {
    switch state {
    case .off: nil
    case .waiting(let until_ms), .looking(let until_ms): until_ms
    }
  }

  /// A module that was off for long starts slowly: the first look is a long one.
  mutating func watchBegan(at now_ms: Int64) { look(isLong: true, at: now_ms) }
  mutating func watchEnded() { state = .off }

  /// - Returns: whether this is the position of a look.
  mutating func fixArrived(at now_ms: Int64) -> Bool {
    guard wantsGPS else { return false }
    state = .waiting(until_ms: now_ms + pause_ms)
    return true
  }

  enum Change: Equatable { case began, unanswered }

  mutating func tick(at now_ms: Int64) -> Change? {
    guard let deadline_ms, now_ms >= deadline_ms else { return nil }
    guard wantsGPS else {
      look(isLong: false, at: now_ms)
      return .began
    }
    state = .waiting(until_ms: now_ms + pause_ms)
    return .unanswered
  }

  /// Other pauses: one that is going on may become shorter.
  mutating func pace(_ settings: MotionSettings, at now_ms: Int64) {
    self.settings = settings
    if case .waiting(let until_ms) = state { state = .waiting(until_ms: min(until_ms, now_ms + pause_ms)) }
  }

  private var pause_ms: Int64 { milliseconds(settings.probeIntervalMax_s) }

  private mutating func look(isLong: Bool, at now_ms: Int64) {
    state = .looking(until_ms: now_ms + settings.patience_ms(isLong: isLong, view))
  }
}

extension ProbeStatus {
  mutating func note(_ change: PositionProbe.Change) {
    switch change {
    case .began: begun += 1
    case .unanswered: unanswered += 1
    }
  }
}
