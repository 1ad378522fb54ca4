import TrackerBase

/// What one request carries.
public struct Payload: Sendable {
  public var records: [Record]
  public var queueID: UInt64
  public var device: String
  /// A whole JSON object; nil when none rides along.
  public var status: String?
  public var ownTracks = OwnTracksChoices()

  public init(records: [Record], queueID: UInt64, device: String, status: String? = nil) {
    self.records = records
    self.queueID = queueID
    self.device = device
    self.status = status
  }
}

/// What only `OwnTracksFormat` asks for.
public struct OwnTracksChoices: Sendable {
  /// `sync.tid`; empty: the device's name.
  public var tid = ""
  /// Empty over MQTT, where it is the topic that the message is published to.
  public var topic = ""
  /// Fences that are entered or left are messages of their own type.
  public var transitions = true

  public init() {}
}

/// How records become the body of a request. What else is to be known of a format stands in `FormatTraits`;
/// docs/formats.md shows each with an example.
public protocol PayloadFormat {
  static var name: SyncSettings.Format { get }

  /// Why the format cannot carry a record with what it needs, in words without a value of it; nil when it can.
  static func problem(of record: Record) -> String?
  /// Headers that this format's receivers want beside Godwit's own.
  static func headers(device: String) -> [(String, String)]
  /// - Parameter payload: at most `FormatTraits.mostRecords` records, none with a fault.
  static func body(_ payload: Payload) -> [UInt8]
}

extension PayloadFormat {
  public static var traits: FormatTraits { name.traits }
  public static func problem(of record: Record) -> String? { nil }
  public static func headers(device: String) -> [(String, String)] { [] }
}

extension SyncSettings.Format {
  public var wire: any PayloadFormat.Type {
    switch self {
    case .geomony: GeomonyFormat.self
    case .compact: CompactFormat.self
    case .traccar: TraccarFormat.self
    case .owntracks: OwnTracksFormat.self
    }
  }
}

extension PayloadFormat {
  /// Some more than the order wants where one that cannot be carried would cost an attempt.
  public static func look(for order: UploadOrder) -> Int {
    order.limit > 0 && traits.mostRecords < .max ? order.limit + 9 : order.limit
  }

  /// Those of `records` that the order sends, and what cannot be carried among them.
  ///
  /// - Parameter records: as many as `look` says, by the order's pick, in the order of their making.
  public static func choose(
    from records: [Record], for order: UploadOrder
  ) -> (carried: [Record], faults: [Int64: String]) {
    let (carried, faults) = sort(records)
    let most = min(order.limit, traits.mostRecords)
    return (Array(order.pick == .newest ? carried.suffix(most) : carried.prefix(most)), faults)
  }

  /// Those of `records` that go with one request: all that a request holds have one queue id.
  public static func together(_ records: [Record], for order: UploadOrder) -> [Record] {
    guard let leader = order.pick == .newest ? records.last : records.first else { return [] }
    if order.pick != .newest { return Array(records.prefix { $0.queueID == leader.queueID }) }
    return records.reversed().prefix { $0.queueID == leader.queueID }.reversed()
  }

  /// What the format carries, and why not the others.
  public static func sort(_ records: [Record]) -> (carried: [Record], faults: [Int64: String]) {
    var carried: [Record] = []
    var faults: [Int64: String] = [:]
    for record in records {
      let isMissing = traits.needsPosition && record.fix?.position.isOnEarth != true
      if let fault = isMissing ? "it has no position" : problem(of: record) {
        faults[record.sequence] = "the format \(name.rawValue) cannot carry it: \(fault)"
      } else {
        carried.append(record)
      }
    }
    return (carried, faults)
  }
}
