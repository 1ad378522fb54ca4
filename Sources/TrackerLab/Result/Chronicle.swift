import TrackerBase
import TrackerCore

/// What the tracker was at each time, as spans.
struct Chronicle {
  private(set) var windows: [Span] = []
  private(set) var motion: [NamedSpan] = []
  private(set) var gaps: [NamedSpan] = []
  /// The device starts a little before the recording; what it was then does not count.
  private let start_ms: Int64
  private var now_ms: Int64
  private var windowSince_ms: Int64?
  private var state: (name: String, since_ms: Int64)?
  private var cause: (cause: NoTrackCause, since_ms: Int64)?

  init(start_ms: Int64) { (self.start_ms, now_ms) = (start_ms, start_ms) }

  mutating func note(_ tracker: Tracker, at time_ms: Int64) {
    now_ms = max(start_ms, time_ms)
    if tracker.isWindowOpen != (windowSince_ms != nil) { windowChanged() }
    let name = tracker.motionName
    if name != state?.name { stateChanged(to: name) }
    let cause = tracker.noTrackCause
    if cause != self.cause?.cause { causeChanged(to: cause) }
  }

  /// Everything that is still going on ends there.
  func ended(at end_ms: Int64) -> Chronicle {
    var whole = self
    whole.now_ms = end_ms
    if whole.windowSince_ms != nil { whole.windowChanged() }
    whole.stateChanged(to: nil)
    whole.causeChanged(to: nil)
    return whole
  }

  private mutating func windowChanged() {
    if let windowSince_ms {
      windows.append(Span(start_ms: windowSince_ms, end_ms: now_ms))
      self.windowSince_ms = nil
    } else {
      windowSince_ms = now_ms
    }
  }

  private mutating func stateChanged(to name: String?) {
    if let state { append(state.name, from_ms: state.since_ms, to: &motion) }
    state = name.map { ($0, now_ms) }
  }

  private mutating func causeChanged(to new: NoTrackCause?) {
    if let cause { append(cause.cause.rawValue, from_ms: cause.since_ms, to: &gaps) }
    cause = new.map { ($0, now_ms) }
  }

  private func append(_ name: String, from_ms: Int64, to spans: inout [NamedSpan]) {
    guard now_ms > from_ms else { return }
    spans.append(NamedSpan(name: name, span: Span(start_ms: from_ms, end_ms: now_ms)))
  }
}
