/// The operator's wish that counts, and what waits behind it.
public struct IntentStatus: StatusGroup {
  public var first = WishStatus()
  @Figure(
    "saved", absent: true,
    "false: it could not be saved, and a restart forgets it. With kind none it was the end of one.")
  public var isSaved = true
  @FigureGroup("then", "A track that waits behind a pause.")
  public var then: WishStatus? = nil

  public init() {}

  /// - Parameter wishes: the first one counts.
  /// - Returns: nil where the schedule rules, and that is saved.
  public init?(_ wishes: [WishStatus], isSaved: Bool) {
    if wishes.isEmpty, isSaved { return nil }
    first = wishes.first ?? WishStatus()
    self.isSaved = isSaved
    then = wishes.dropFirst().first
  }
}

public struct WishStatus: StatusGroup {
  public enum Kind: String, FigureChoice {
    case pause, track, none
  }

  @Figure("kind", "What an operator wants.")
  public var kind = Kind.none
  @Figure("until", .time, "When that ends; absent without an end, and while the time is not trusted.")
  public var until_ms: Int64? = nil
  @Figure("left_s", .gauge, "Time until that ends; absent without an end.")
  public var left_s: Int64? = nil

  public init() {}

  public init(kind: IntentKind, left_s: Int64?, until_ms: Int64? = nil) {
    self.kind = Kind(rawValue: kind.rawValue) ?? .none
    (self.left_s, self.until_ms) = (left_s, until_ms)
  }
}

public struct SafeModeStatus: StatusGroup {
  @Figure("crashes", .gauge, "Crashes that led to safe mode.")
  public var crashes = 0
  @Figure("left_s", .gauge, "Time until the GPS is tried again.")
  public var left_s: Int64 = 0

  public init() {}

  public init(crashes: Int, left_s: Int64) { (self.crashes, self.left_s) = (crashes, left_s) }
}
