/// Makes a level of a contact that bounces: it counts once the contact has been quiet for `debounce_ms`.
public struct LineDebouncer: Equatable, Sendable {
  /// What counts; nil until the line has been quiet for the first time.
  public private(set) var level: Bool?
  /// Edges that came before the one ahead of them had become a level.
  public private(set) var bounces = 0
  /// How often the line went on bouncing for `stormEdges` without coming to rest.
  public private(set) var storms = 0
  public let debounce_ms: Int64
  private var contact = false
  /// Boot time of the last edge, while it is too young to count.
  private var lastEdgeAt_ms: Int64?
  private var edgesWithoutRest = 0
  private var stormToldAt_ms: Int64?

  /// No switch bounces so often: a loose wire, a floating input, or the wire of an indicator.
  static let stormEdges = 50
  /// One that goes on is told again.
  static let stormTold_ms: Int64 = 3_600_000

  public init(debounce_ms: Int64) { self.debounce_ms = debounce_ms }

  public var isStorm: Bool { edgesWithoutRest >= LineDebouncer.stormEdges }

  /// Boot time at which `tick` may bring a level; nil while the line rests.
  public var deadline_ms: Int64? { lastEdgeAt_ms.map { $0 + debounce_ms } }

  /// - Parameter contact: the line's level after the edge, or as it was found.
  /// - Returns: the changes of the level, oldest first: that which was due before this edge, and its own if
  ///   nothing is to be waited for.
  public mutating func edge(_ contact: Bool, at now_ms: Int64) -> [Bool] {
    let due = tick(at: now_ms)
    if lastEdgeAt_ms != nil { bounces += 1 }
    self.contact = contact
    lastEdgeAt_ms = now_ms
    edgesWithoutRest += 1
    if edgesWithoutRest == LineDebouncer.stormEdges { storms += 1 }
    return [due, tick(at: now_ms)].compactMap { $0 }
  }

  /// - Returns: the new level, if it has changed.
  public mutating func tick(at now_ms: Int64) -> Bool? {
    guard let deadline_ms, now_ms >= deadline_ms else { return nil }
    lastEdgeAt_ms = nil
    edgesWithoutRest = 0
    guard contact != level else { return nil }
    level = contact
    return contact
  }

  /// After an edge. - Returns: whether it is to be reported that the line does not come to rest.
  package mutating func stormIsNews(at now_ms: Int64) -> Bool {
    guard isStorm, stormToldAt_ms.map({ now_ms - $0 >= LineDebouncer.stormTold_ms }) ?? true else {
      return false
    }
    stormToldAt_ms = now_ms
    return true
  }

  /// The level as somebody else has debounced it.
  public mutating func set(_ level: Bool) {
    contact = level
    self.level = level
    lastEdgeAt_ms = nil
    edgesWithoutRest = 0
  }

  /// The line cannot be read any more: its level is unknown.
  public mutating func forget() {
    level = nil
    lastEdgeAt_ms = nil
    edgesWithoutRest = 0
  }
}
