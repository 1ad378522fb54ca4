/// This program's version and date. Both change with a release.
public enum Version {
  public static let text = "0.2.0-dev"
  /// 2026-11-01T00:00:00Z: no GPS date is earlier, unless the module's week counter has rolled over.
  public static let released_ms: Int64 = 1_793_491_200_000
}
