public struct QueueSettings: Equatable, Sendable {
  public var path = "/var/lib/godwit/queue.db"
  public var commitRecords = 10
  public var commitInterval_s = 10.0
  public var maxSize_mb = 200.0

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(group: "queue", "The records that wait for the server, in an SQLite file.")
    visitor.text(
      "path", &path, "The queue file. Its folder must be writable and on storage that honours a flush.")
    visitor.integer(
      "commit_records", &commitRecords, in: 1...1000, "So many records are written to storage together …")
    visitor.number(
      "commit_interval_s", &commitInterval_s, in: 1...600,
      "… or what there is after so long. A power cut costs at most this much of the track.")
    visitor.number(
      "queue_max_mb", &maxSize_mb, in: 1...100_000,
      "When the queue file would grow beyond this, the oldest positions are dropped first, and counted.")
    visitor.end(group: "queue")
  }
}

public struct SyncSettings: Equatable, Sendable {
  public enum Format: String, CaseIterable, Sendable {
    case geomony, compact, traccar, owntracks

    /// Whether a status document may ride along.
    public var carriesStatus: Bool {
      switch self {
      case .geomony, .compact: true
      case .traccar, .owntracks: false
      }
    }

    /// Whether its servers can say which records they have stored.
    ///
    /// Those of the others never do: what they answer counts by `Acknowledgement` alone.
    public var namesStored: Bool { carriesStatus }

    /// Records that one request has room for.
    public var mostRecords: Int {
      switch self {
      case .geomony, .compact: .max
      case .traccar, .owntracks: 1
      }
    }
  }

  /// What a 2xx that does not name our records is worth.
  public enum Acknowledgement: String, CaseIterable, Sendable {
    /// All of them over TLS, where the server has proved who it is; nothing over plain http.
    case auto
    /// All of them.
    case any
    /// Nothing.
    case strict

    /// 0.1.0 called `any` lenient.
    public init?(rawValue: String) {
      switch rawValue {
      case "auto": self = .auto
      case "any", "lenient": self = .any
      case "strict": self = .strict
      default: return nil
      }
    }
  }

  public enum Order: String, CaseIterable, Sendable {
    case sequence
    case liveFirst = "live_first"
  }

  public enum Gzip: String, CaseIterable, Sendable {
    case auto, always, never
  }

  public enum MQTTVersion: String, CaseIterable, Sendable {
    case auto
    case v5 = "5"
    case v3_1_1 = "3.1.1"
  }

  public var url = ""
  public var format = Format.geomony
  public var ack = Acknowledgement.auto
  public var order = Order.sequence
  public var threshold = 5
  public var interval_s = 300.0
  public var maxBatchSize = 100
  public var retryBase_s = 10.0
  public var retryMax_s = 300.0
  public var unauthorisedRetry_s = 900.0
  public var authCommand: [String] = []
  public var budgetDay_kb = 0.0
  public var budgetMonth_mb = 0.0
  public var splay_s = 60.0
  public var connectTimeout_s = 30.0
  public var requestTimeout_s = 120.0
  public var maxReply_kb = 256
  public var statusInterval_s = 3600.0
  public var tokenFile = ""
  public var user = ""
  public var passwordFile = ""
  public var caFile = ""
  public var clientCertFile = ""
  public var clientKeyFile = ""
  public var interface = ""
  public var gzip = Gzip.auto
  public var mqttVersion = MQTTVersion.auto
  public var allowPlaintext = false
  public var also: [String] = []
  public var headers: [String: String] = [:]
  public var headerFiles: [String: String] = [:]

  /// Files whose content proves to the server who we are, with the settings that name them.
  public var secretFiles: [(path: [String], file: String)] {
    let own = [(["sync", "token_file"], tokenFile), (["sync", "password_file"], passwordFile)]
    let headers = headerFiles.sorted { $0.key < $1.key }.map { (["sync", "header_files", $0.key], $0.value) }
    return (own + headers).filter { !$0.1.isEmpty }.map { (path: $0.0, file: $0.1) }
  }

  mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.begin(group: "sync", "How records reach the server.")
    visitor.text(
      "url", &url,
      """
      Where records are posted, https://…, or published, mqtts://broker.example.com/fleet/{device}/records (docs/transport.md). \
      Empty: nothing is sent, everything is kept in the queue.
      """)
    visitor.choice(
      "format", &format,
      """
      Body format (docs/formats.md). geomony: JSON, {\"location\": [ … ]}. compact: protobuf, a fiftieth of the bytes. traccar: JSON for a Traccar server's OsmAnd port. owntracks:
      OwnTracks' JSON. These two take one record a request, only records with a position, and no status. Over MQTT not traccar.
      """)
    visitor.choice(
      "ack", &ack,
      """
      What counts as delivered (docs/sync.md). auto: over https:// any 2xx that is not a web page; over plain http:// a \
      JSON reply whose ack names the records. any: any 2xx over http:// too, for servers that name none, such as Traccar \
      and OwnTracks. strict: only what ack names; over MQTT, what the \
      consumer names on the topic with /ack behind it (docs/transport.md). strict is not for traccar and owntracks.
      """)
    visitor.choice(
      "order", &order,
      "sequence: oldest first. live_first: of a backlog that waited for ten minutes the newest records go first, the rest after them."
    )
    visitor.integer("sync_threshold", &threshold, in: 1...100_000, "So many queued records start a sync …")
    visitor.number(
      "sync_interval_s", &interval_s, in: 1...86400, "… or the oldest being so old. Events start one at once."
    )
    visitor.integer("max_batch_size", &maxBatchSize, in: 1...10_000, "Records in one request, at most.")
    visitor.number(
      "sync_retry_base_s", &retryBase_s, in: 0.1...3600,
      "After a failure, the next attempt waits a random time up to this, doubled with each failure …")
    visitor.number("sync_retry_max_s", &retryMax_s, in: 1...86400, "… but never more than this.")
    visitor.number(
      "unauthorised_retry_s", &unauthorisedRetry_s, in: 1...86400,
      """
      After 401 or 403, or what an MQTT broker says in their place: time between attempts. The files of token_file, \
      password_file and header_files are read again each time; user with a reload.
      """)
    visitor.texts(
      "auth_command", &authCommand,
      """
      Program and arguments to run after 401 or 403, at most once in unauthorised_retry_s, to write a new token into \
      token_file (or a new password_file, or header_files). No shell, 60 s at most; exit status 0 means that it is new. Empty: none.
      """)
    visitor.number(
      "budget_day_kb", &budgetDay_kb, in: 0...100_000_000,
      "Bytes up and down a day (UTC), TLS included. The last fifth is for events and the status. 0: no limit."
    )
    visitor.number(
      "budget_month_mb", &budgetMonth_mb, in: 0...1_000_000, "The same for a calendar month. 0: no limit.")
    visitor.number(
      "splay_s", &splay_s, in: 0...3600,
      "The first sync after a window opens, ends, or after the network is back waits a time of its own up to this, so that a fleet does not come at once."
    )
    visitor.number(
      "connect_timeout_s", &connectTimeout_s, in: 1...600,
      "Limit for name look-up, connection and TLS, and MQTT's CONNACK.")
    visitor.number("request_timeout_s", &requestTimeout_s, in: 1...3600, "Limit for a whole request.")
    visitor.integer("max_reply_kb", &maxReply_kb, in: 1...65536, "Replies larger than this are refused.")
    visitor.number(
      "status_interval_s", &statusInterval_s, in: 10...604800,
      "The device's status rides with a sync this often.")
    visitor.choice(
      "mqtt_version", &mqttVersion,
      """
      Over MQTT alone. auto: 5, or 3.1.1 with a broker that does not know 5. 5 and 3.1.1: that one only. With 3.1.1 no \
      broker can say that nobody subscribes and that it has thrown the records away (docs/transport.md).
      """)
    visitor.text(
      "token_file", &tokenFile,
      "File that holds the bearer token, or MQTT's password, readable by its owner only (mode 0600). Empty: none is sent."
    )
    visitor.text(
      "user", &user,
      "User of HTTP's Basic authentication, instead of a bearer token. Its password stands in password_file. Not over MQTT, where the user stands in url."
    )
    visitor.text(
      "password_file", &passwordFile,
      """
      File that holds the password of user, readable by its owner only (mode 0600). Both together:
        user = "van-7"
        password_file = "/etc/godwit/password"
      """)
    visitor.text("ca_file", &caFile, "PEM file of the only authorities to trust. Empty: the system's.")
    visitor.text(
      "client_cert_file", &clientCertFile,
      "PEM file of this device's own certificate, for a server that asks for one. Empty: none is shown.")
    visitor.text(
      "client_key_file", &clientKeyFile,
      "PEM file of its key, without a passphrase, readable by its owner only (mode 0600).")
    visitor.text(
      "interface", &interface,
      "The only network interface that may carry the requests, such as \"wwan0\". Empty: whichever the routes choose."
    )
    visitor.choice(
      "gzip", &gzip,
      "Compress bodies. auto: once the server's replies say that it takes them (Accept-Encoding: gzip). A server that refuses them gets plain ones."
    )
    visitor.flag(
      "allow_plaintext", &allowPlaintext, "true lets an http:// or mqtt:// url lead off this machine. Do not."
    )
    visitor.texts(
      "also", &also,
      """
      Files of further servers, such as "/etc/godwit/second.toml", each with one [sync] group. Each record goes to all \
      servers, to each in its own time, out of a queue of its own beside queue.path (docs/sync.md).
      """)
    visitor.table(
      "headers", &headers,
      "Headers that are added to each request, not over MQTT. No secrets here: use token_file or header_files."
    )
    visitor.table(
      "header_files", &headerFiles,
      """
      Headers whose value stands in a file, readable by its owner only (mode 0600). Not over MQTT. As a group at the end \
      of [sync]:
        [sync.header_files]
        X-Api-Key = "/etc/godwit/api-key"
      """
    )
    visitor.end(group: "sync")
  }
}
