/// Settings that the first server has sent, to lie over those of the file; docs/remote.md.
public struct Overlay: Equatable, Sendable {
  /// What JSON numbers hold exactly everywhere (RFC 8259, section 6).
  public static let versions: ClosedRange<Int64> = 1...(1 << 53)
  /// So far above another one a version counts as newer; from here on it is an older one.
  public static let newerWithin: Int64 = versions.upperBound / 2

  /// The server's own count; what is in force is replaced by a newer one alone.
  public var version: Int64
  /// At most one for each key. They stand in no file, so their places mean nothing.
  public var settings: [SettingEntry]
  /// GeoJSON text in place of the file of `geofences_file`; nil: the file counts.
  public var geofences: String?

  public init(version: Int64, settings: [SettingEntry] = [], geofences: String? = nil) {
    (self.version, self.settings, self.geofences) = (version, settings, geofences)
  }

  /// The count goes round, as serial numbers do (RFC 1982, section 3.2): 1 comes after the last one, so there is always
  /// a newer one.
  ///
  /// - Parameter other: 0: there was none.
  public static func isNewer(_ version: Int64, than other: Int64) -> Bool {
    guard other != 0 else { return true }
    let ahead = version - other
    return (1..<newerWithin).contains(ahead < 0 ? ahead + versions.upperBound : ahead)
  }

  /// The one that comes next.
  public static func next(after version: Int64) -> Int64 {
    version >= versions.upperBound ? versions.lowerBound : version + 1
  }

  /// All that a version before it has set is taken back.
  public var isEmpty: Bool { settings.isEmpty && geofences == nil }
}

/// What a reply says of `config`.
public enum ConfigOffer: Equatable, Sendable {
  case overlay(Overlay)
  /// It cannot be read as one, with the reason; such as "has no version". - Parameter version: nil: it says none.
  case malformed(String, version: Int64?)
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

  /// Somebody at the box wants none: nothing is wrong.
  public static let switchedOff = OverlayUse(problem: "sync.config is false")
}

/// What came of an action.
public enum OverlayNews: Equatable, Sendable {
  /// - Parameter problem: with the settings concerned; nil: it fits.
  case checked(problem: String?)
  /// - Parameter problem: the adapter's words; nil: it is on storage.
  case saved(problem: String?)
  /// The settings with it cannot take the place of those in force, in words.
  case notUsed(String)
}
