/// Settings that the first server has sent, to lie over those of the file; docs/remote.md.
public struct Overlay: Equatable, Sendable {
  /// What JSON numbers hold exactly everywhere (RFC 8259, section 6).
  public static let versions: ClosedRange<Int64> = 1...(1 << 53)

  /// The server's own count; what is in force is replaced by a greater one alone.
  public var version: Int64
  /// At most one for each key. They stand in no file, so their places mean nothing.
  public var settings: [SettingEntry]
  /// GeoJSON text in place of the file of `geofences_file`; nil: the file counts.
  public var geofences: String?

  public init(version: Int64, settings: [SettingEntry] = [], geofences: String? = nil) {
    (self.version, self.settings, self.geofences) = (version, settings, geofences)
  }

  /// All that a version before it has set is taken back.
  public var isEmpty: Bool { settings.isEmpty && geofences == nil }
}

/// What a reply says of `config`.
public enum ConfigOffer: Equatable, Sendable {
  case overlay(Overlay)
  /// It cannot be read as one, with the reason.
  case malformed(String)
}

/// Which overlay the settings in force hold.
public struct OverlayUse: Equatable, Sendable {
  /// nil: the file alone counts.
  public var version: Int64?
  /// Why the one that there is does not count.
  public var problem: String?

  public init(version: Int64? = nil, problem: String? = nil) {
    (self.version, self.problem) = (version, problem)
  }
}
