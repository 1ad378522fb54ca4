/// What the agent must know of a body format. How a body is made stands in TrackerWire (`PayloadFormat`).
public struct FormatTraits: Equatable, Sendable {
  public var contentType: String
  /// What the header `Godwit-Schema` says: name and version.
  public var schema: String
  /// Records that one request has room for.
  public var mostRecords: Int
  /// Whether it carries only records with a position.
  public var needsPosition: Bool
  /// Whether a status document may ride along.
  public var carriesStatus: Bool
  /// Whether its servers can say which records they have stored. What those of the others answer counts by
  /// `Acknowledgement` alone.
  public var namesStored: Bool
  /// Its servers answer with a JSON array or object; another answer is another program's.
  public var answersJSON = false
  public var goesOverMQTT: Bool
  /// Whether it has a place for what positions say beside their fix: HDOP, ignition, voltage, geofences.
  public var wantsDetails: Bool
  /// Whether whoever reads it takes gzip without having said so: docs/formats.md asks for it.
  public var impliesGzip: Bool
}

extension SyncSettings.Format {
  public var traits: FormatTraits {
    switch self {
    case .geomony:
      FormatTraits(
        contentType: "application/json", schema: "geomony/1", mostRecords: .max, needsPosition: false,
        carriesStatus: true, namesStored: true, goesOverMQTT: true, wantsDetails: false,
        impliesGzip: false)
    case .compact:
      FormatTraits(
        contentType: "application/x-protobuf", schema: "compact/2", mostRecords: .max, needsPosition: false,
        carriesStatus: true, namesStored: true, goesOverMQTT: true, wantsDetails: false,
        impliesGzip: true)
    case .traccar:
      FormatTraits(
        contentType: "application/json", schema: "traccar/1", mostRecords: 1, needsPosition: true,
        carriesStatus: false, namesStored: false, goesOverMQTT: false, wantsDetails: true,
        impliesGzip: false)
    case .owntracks:
      FormatTraits(
        contentType: "application/json", schema: "owntracks/1", mostRecords: 1, needsPosition: true,
        carriesStatus: false, namesStored: false, answersJSON: true, goesOverMQTT: true, wantsDetails: true,
        impliesGzip: false)
    }
  }
}
