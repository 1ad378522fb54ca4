/// How often a queue has begun another id, and when last.
public struct QueueIDChanges: Equatable, Sendable {
  public var count = 0
  /// Unix milliseconds.
  public var last_ms: Int64?

  public init(count: Int = 0, last_ms: Int64? = nil) { (self.count, self.last_ms) = (count, last_ms) }
}
