extension SyncSettings {
  public enum Format: String, SettingChoice {
    case geomony, compact, traccar, owntracks

    /// As people call what these formats are made of.
    public static let otherNames = [
      "json": "geomony", "geojson": "geomony", "godwit": "geomony", "default": "geomony",
      "protobuf": "compact",
      "proto": "compact", "pb": "compact", "osmand": "traccar",
    ]
  }

  /// What a 2xx that does not name our records is worth.
  public enum Acknowledgement: String, SettingChoice {
    /// All of them over TLS, where the server has proved who it is, unless it says that it failed; nothing over plain
    /// http.
    case auto
    /// The same over plain http.
    case any
    /// Nothing.
    case strict
  }

  public enum Order: String, SettingChoice {
    case sequence
    case liveFirst = "live_first"
  }

  public enum Gzip: String, SettingChoice {
    case auto, always, never
  }

  /// What becomes of a message that a broker accepts while no client subscribes to its topic.
  public enum NoSubscriber: String, SettingChoice {
    /// It counts as delivered.
    case accept
    /// Its records stay, and are sent again.
    case wait
  }

  public enum MQTTVersion: String, SettingChoice, FigureChoice {
    case auto
    case v5 = "5"
    case v3_1_1 = "3.1.1"
  }
}
