/// A pause in the track that is over, or a part of one. Times are Unix milliseconds.
public struct TrackGap: Equatable, Sendable {
  public var cause: NoTrackCause
  public var begin_ms: Int64
  public var end_ms: Int64
  /// false: nothing vouches for the clock that dated it.
  public var isDated = true
  /// What ended it, where the board slept.
  public var wake: WakeCause?

  package static let least_ms: Int64 = 60_000

  public init(
    cause: NoTrackCause, begin_ms: Int64, end_ms: Int64, isDated: Bool = true,
    wake: WakeCause? = nil
  ) {
    (self.cause, self.begin_ms, self.end_ms, self.isDated) = (cause, begin_ms, end_ms, isDated)
    self.wake = wake
  }

  /// Its true times, by so much later. The board went off in another boot: that time was right or never will be.
  func moved(by by_ms: Int64) -> TrackGap {
    TrackGap(
      cause: cause, begin_ms: cause == .boardOff ? begin_ms : begin_ms &+ by_ms, end_ms: end_ms &+ by_ms,
      wake: wake)
  }
}
