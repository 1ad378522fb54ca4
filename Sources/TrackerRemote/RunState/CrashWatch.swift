import TrackerBase

/// How the runs before this one ended, and safe mode: five crashes within an hour keep the GPS off.
///
/// A crash is a start in the same boot after a run that did not end in order. In another boot the power may have
/// been cut, which a vehicle does every day: it counts for nothing.
public struct CrashWatch: Equatable, Sendable {
  public enum Stage: Equatable, Sendable {
    /// Boot times of starts after a crash. An hour without one clears them.
    case normal(crashes: [Int64])
    /// The GPS stays off for an hour.
    case safe(since_ms: Int64, crashes: Int)
    /// An hour of safe mode is over: one more crash, and it begins again.
    case trying(since_ms: Int64, crashes: Int)
  }

  public static let crashesToSafety = 5
  public static let hour_ms: Int64 = 3_600_000

  public private(set) var stage = Stage.normal(crashes: [])
  /// A run has begun and has not ended in order.
  private(set) var isRunning = false
  private var began_ms: Int64 = 0

  public init() {}

  public var isSafe: Bool {
    switch stage {
    case .safe: true
    case .normal, .trying: false
    }
  }

  /// This run is the first one in safe mode.
  package var hasBecomeSafe: Bool {
    switch stage {
    case .safe(let since_ms, _): since_ms == began_ms
    case .normal, .trying: false
    }
  }

  /// Crashes that still count.
  public var crashes: Int {
    switch stage {
    case .normal(let crashes): crashes.count
    case .safe(_, let crashes), .trying(_, let crashes): crashes
    }
  }

  /// The next time at which `tick` has something to do.
  var deadline_ms: Int64? {
    switch stage {
    case .normal(let crashes): crashes.isEmpty ? nil : began_ms + CrashWatch.hour_ms
    case .safe(let since_ms, _), .trying(let since_ms, _): since_ms + CrashWatch.hour_ms
    }
  }

  /// The process has begun. To be saved before any hardware is touched.
  /// - Returns: whether the run before crashed.
  mutating func runBegan(at now_ms: Int64) -> Bool {
    let hasCrashed = isRunning
    (isRunning, began_ms) = (true, now_ms)
    if hasCrashed { crashed(at: now_ms) }
    _ = tick(at: now_ms)
    return hasCrashed
  }

  /// In order: whoever ended it may have mended what was wrong, and nothing counts any more.
  mutating func runEnded() { self = CrashWatch() }

  private mutating func crashed(at now_ms: Int64) {
    switch stage {
    case .normal(let before):
      let crashes = before.filter { now_ms - $0 < CrashWatch.hour_ms } + [now_ms]
      let isEnough = crashes.count >= CrashWatch.crashesToSafety
      stage = isEnough ? .safe(since_ms: now_ms, crashes: crashes.count) : .normal(crashes: crashes)
    case .safe(let since_ms, let crashes): stage = .safe(since_ms: since_ms, crashes: crashes + 1)
    case .trying(_, let crashes): stage = .safe(since_ms: now_ms, crashes: crashes + 1)
    }
  }

  /// - Returns: whether the stage is another one now.
  mutating func tick(at now_ms: Int64) -> Bool {
    guard let deadline_ms, now_ms >= deadline_ms else { return false }
    switch stage {
    case .normal, .trying: stage = .normal(crashes: [])
    case .safe(_, let crashes): stage = .trying(since_ms: now_ms, crashes: crashes)
    }
    return true
  }

  // MARK: saved

  /// Of safe mode, or of the trial after it.
  struct SavedStage: SavedObject, Equatable {
    /// Boot time.
    var since_ms: Int64 = 0
    var crashes = 0

    static let members: [SavedMember<SavedStage>] = [
      .init("since_ms", \.since_ms) { $0 >= 0 },
      .init("crashes", \.crashes) { $0 >= 0 },
    ]
  }

  func save(to saved: inout RunState.Saved) {
    saved.isRunning = isRunning
    switch stage {
    case .normal(let crashes): saved.crashes_ms = crashes
    case .safe(let since_ms, let crashes): saved.safe = SavedStage(since_ms: since_ms, crashes: crashes)
    case .trying(let since_ms, let crashes): saved.trying = SavedStage(since_ms: since_ms, crashes: crashes)
    }
  }

  mutating func restore(_ saved: RunState.Saved, isSameBoot: Bool, at now_ms: Int64) {
    isRunning = saved.isRunning && isSameBoot
    if let safe = saved.safe {
      // Another boot may have cured it: tried at once, with one crash to spare.
      stage =
        isSameBoot
        ? .safe(since_ms: min(safe.since_ms, now_ms), crashes: safe.crashes)
        : .trying(since_ms: now_ms, crashes: safe.crashes)
    } else if let trying = saved.trying {
      stage = .trying(since_ms: isSameBoot ? min(trying.since_ms, now_ms) : now_ms, crashes: trying.crashes)
    } else if isSameBoot {
      stage = .normal(crashes: saved.crashes_ms.filter { (0...now_ms).contains($0) })
    }
  }
}
