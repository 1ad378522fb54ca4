/// What one request is to carry.
public struct UploadOrder: Equatable, Sendable {
  public enum Pick: String, Equatable, Sendable {
    /// The oldest records.
    case oldest
    /// The newest records, in the order of their making.
    case newest
    /// The oldest events.
    case events
    /// The oldest records that are no events.
    case positions
    /// The oldest records behind the first `skip` ones.
    case later

    /// Nothing that waits is passed over but what the byte budget holds back.
    package var isInSequence: Bool { self == .oldest || self == .events || self == .positions }
  }

  public var pick: Pick
  /// So many records at most; 0 for a status alone.
  public var limit: Int
  public var skip: Int
  public var withStatus: Bool
  /// The server has newer records than these may be.
  public var isBackfill: Bool
  /// What memory holds, while storage takes no records: it is sent where storage has none to give.
  public var unstored: [Record] = []
  /// What the broker spoke when it was last heard; auto: not known.
  public var brokerVersion = SyncSettings.MQTTVersion.auto
  /// The time may become known soon: what has no true date yet waits for it, but for alarms.
  public var holdsUndated = false
  /// What a broker may bring with it on the topic of commands; 0: the topic rests, or there is none.
  public var topicAllowed_bytes: Int64 = 0

  public init(
    pick: Pick = .oldest, limit: Int, skip: Int = 0, withStatus: Bool = false, isBackfill: Bool = false
  ) {
    self.pick = pick
    self.limit = limit
    self.skip = skip
    self.withStatus = withStatus
    self.isBackfill = isBackfill
  }
}

extension UploadOrder {
  /// Without those that wait for their true dates.
  public func ready(_ records: [Record]) -> [Record] {
    holdsUndated ? records.filter { !$0.isUndated || $0.kind.isAlarm } : records
  }

  /// As a queue chooses from records in the order of their making.
  public func picked(from records: some BidirectionalCollection<Record>, limit: Int) -> [Record] {
    switch pick {
    case .oldest: Array(records.prefix(limit))
    case .newest: Array(records.suffix(limit))
    case .events: Array(records.lazy.filter(\.kind.isEvent).prefix(limit))
    case .positions: Array(records.lazy.filter { !$0.kind.isEvent }.prefix(limit))
    case .later: Array(records.dropFirst(skip).prefix(limit))
    }
  }

  /// Of `unstored`.
  public func picked(limit: Int? = nil) -> [Record] {
    picked(from: ready(unstored), limit: limit ?? self.limit)
  }
}
