import TrackerBase

/// Changes between parked, idling and driving: `motion.activity_events`.
struct ActivityWatch: Equatable, Sendable {
  struct Change: Equatable {
    var from: Activity.Kind?
    var to: Activity.Kind
    /// The first fix of it; nil where motion has decided.
    var since: Fix?
  }

  /// nil: nothing is known, as outside the windows.
  private(set) var kind: Activity.Kind?
  private var candidate: Fix?

  /// Standing, or driving on, counts once it has lasted so long.
  static let believed_ms: Int64 = 10_000

  /// - Parameter kind: of the last process.
  init(_ kind: Activity.Kind? = nil) { self.kind = kind }

  /// - Parameters:
  ///   - new: by the motion's state and the speed of `fix`.
  ///   - fix: the newest one.
  mutating func see(_ new: Activity.Kind?, _ fix: Fix?) -> Change? {
    guard new != kind else {
      candidate = nil
      return nil
    }
    guard kind != nil, kind != .parked, let new, new != .parked else { return change(to: new) }
    // Within a trip the speed alone decides, and a single fix is nothing.
    guard let fix else { return nil }
    guard let first = candidate, first.time_ms <= fix.time_ms else {
      candidate = fix
      return nil
    }
    return fix.time_ms - first.time_ms >= ActivityWatch.believed_ms ? change(to: new, since: first) : nil
  }

  private mutating func change(to new: Activity.Kind?, since: Fix? = nil) -> Change? {
    let before = kind
    (kind, candidate) = (new, nil)
    return new.map { Change(from: before, to: $0, since: since) }
  }
}

extension Motion {
  /// - Parameter fix: the newest.
  func activity(_ fix: Fix?) -> Activity.Kind? {
    switch state {
    case .unknown: nil
    case .stationary: .parked
    case .moving: Activity(isMoving: true, fix: fix).kind
    }
  }
}
