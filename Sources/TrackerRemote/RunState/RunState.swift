import TrackerBase

/// What outlives the process and is known before everything else: the operator's intents, and how runs ended.
///
/// It is in the state file and not in the queue (docs/decisions.md).
public struct RunState: Equatable, Sendable {
  public private(set) var intents = Intents()
  public private(set) var crashes = CrashWatch()
  private(set) var counts = RunCounts()
  /// It was not, or not all, what this program saves. The rest counts.
  public private(set) var isUnreadable = false
  /// The run before this one crashed.
  package private(set) var hasCrashed = false
  package let bootID: String
  private var savedAt_ms: Int64
  private var isSaved = true
  /// Before the last time that it was to be saved.
  private var wasSaved = true

  /// What is left of an intent is saved so often: it counts after a reboot with an unknown time.
  static let saveInterval_ms: Int64 = 600_000
  static let retry_ms: Int64 = 10_000

  struct Saved: SavedObject {
    /// Readings of the boot clock are of this boot.
    var bootID = ""
    var pause: Intents.Intent?
    var track: Intents.Intent?
    var isRunning = false
    var crashes_ms: [Int64] = []
    var safe: CrashWatch.SavedStage?
    var trying: CrashWatch.SavedStage?
    var starts = RunCounts()

    static let members: [SavedMember<Saved>] = [
      .init("boot", \.bootID), .init("pause", \.pause), .init("track", \.track),
      .init("running", \.isRunning),
      .init("crashes_ms", \.crashes_ms) { $0.count <= 64 }, .init("safe", \.safe),
      .init("trying", \.trying),
      .init("starts", \.starts),
    ]
  }

  /// - Parameters:
  ///   - value: as saved; nil where nothing ever was.
  ///   - bootID: of this boot, which readings of the boot clock mean nothing without. Empty if unknown.
  public init(_ value: JSONValue? = nil, bootID: String = "", at now_ms: Int64 = 0) {
    self.bootID = bootID
    savedAt_ms = now_ms
    guard let value else { return }
    var saved = Saved()
    isUnreadable = !saved.read(value).isEmpty
    let isSameBoot = !bootID.isEmpty && saved.bootID == bootID
    if !intents.restore(saved, isSameBoot: isSameBoot, at: now_ms) { isUnreadable = true }
    crashes.restore(saved, isSameBoot: isSameBoot, at: now_ms)
    counts = saved.starts
  }

  /// - Parameter trusted_ms: Unix milliseconds if the time is trusted.
  public func saved(trusted_ms: Int64?, at now_ms: Int64) -> JSONValue {
    var saved = Saved(bootID: bootID, starts: counts)
    intents.save(to: &saved, trusted_ms: trusted_ms, at: now_ms)
    crashes.save(to: &saved)
    return saved.saved
  }

  public var override: Override? {
    let intent = intents.inForce
    if intent == .pause { return .paused }
    if crashes.isSafe { return .safeMode }
    return intent == .track ? .tracking : nil
  }

  /// The process has begun: it is to be saved before any hardware is touched.
  public mutating func runBegan(at now_ms: Int64) {
    hasCrashed = crashes.runBegan(at: now_ms)
    counts.began(bootID: bootID, hasCrashed: hasCrashed)
  }

  public mutating func runEnded() { crashes.runEnded() }

  public mutating func ask(_ request: IntentWish, trusted_ms: Int64?, at now_ms: Int64) {
    settle(trusted_ms: trusted_ms, at: now_ms)
    intents.ask(request, at: now_ms)
  }

  /// Ends that were noted in another boot count as soon as the time is trusted.
  mutating func settle(trusted_ms: Int64?, at now_ms: Int64) {
    if let trusted_ms { intents.settle(trusted_ms: trusted_ms, at: now_ms) }
  }

  /// What has changed is to be saved.
  package mutating func tick(trusted_ms: Int64? = nil, at now_ms: Int64) -> [WishChange] {
    settle(trusted_ms: trusted_ms, at: now_ms)
    var changes = intents.tick(at: now_ms).map { WishChange.ended($0) }
    if crashes.tick(at: now_ms) { changes.append(crashes.crashes == 0 ? .crashesForgotten : .tryingAgain) }
    if let saveDue_ms, now_ms >= saveDue_ms { changes.append(.saveDue) }
    if !changes.isEmpty { saving(at: now_ms) }
    return changes
  }

  package var deadline_ms: Int64? {
    earliest(intents.deadline_ms, crashes.deadline_ms, saveDue_ms)
  }

  private var saveDue_ms: Int64? {
    if !isSaved { return savedAt_ms + RunState.retry_ms }
    return intents.hasEnd ? savedAt_ms + RunState.saveInterval_ms : nil
  }

  package var starts: StartsStatus { StartsStatus(counts) }

  /// What was last asked for survives the process.
  package var isDurable: Bool { isSaved }

  package mutating func saving(at now_ms: Int64) { (wasSaved, isSaved, savedAt_ms) = (isSaved, true, now_ms) }

  /// - Returns: whether that is new.
  package mutating func notSaved(at now_ms: Int64) -> Bool {
    (isSaved, savedAt_ms) = (false, now_ms)
    return wasSaved
  }
}

/// What has come to its end by now.
package enum WishChange: Equatable, Sendable {
  case ended(IntentKind)
  case crashesForgotten
  case tryingAgain
  case saveDue
}
