public struct SyncSettings: SettingGroup {
  @Setting(
    "url",
    """
    Where records are posted, https://…, or published, mqtts://broker.example.com/fleet/{device}/records
    (docs/transport.md). Empty: nothing is sent, everything is kept in the queue.
    """)
  public var url = ""
  @Setting(
    "format",
    """
    Body format (docs/formats.md). geomony: JSON, {"location": [ … ]}. compact: protobuf and gzip, a
    fifth of the bytes, in full batches a twenty-fifth. traccar: JSON for a Traccar server's OsmAnd port.
    owntracks: OwnTracks' JSON. traccar and owntracks take one record a request, only records with a
    position, and no status. Over MQTT not traccar.
    """)
  public var format = Format.geomony
  @Setting(
    "ack",
    """
    Which replies count as delivered (docs/sync.md). auto: those whose ack names the records; over https://
    also any other 2xx, unless it is a web page or says that it failed. any: the same over plain http://, for
    servers that name none, such as Traccar and OwnTracks. strict: only what ack names; over MQTT, what the
    consumer names on the topic with /ack behind it (docs/transport.md). strict is not for traccar and
    owntracks.
    """)
  public var ack = Acknowledgement.auto
  @Setting(
    "accept",
    """
    A 2xx that names no records counts only if this text is in it, such as "stored". Empty: no text is wanted.
    Not over MQTT, and not together with ack = "strict".
    """)
  public var accept = ""
  @Setting(
    "order", remote: true,
    """
    sequence: oldest first. live_first: of a backlog that waited for ten minutes the newest records go first,
    the rest after them.
    """)
  public var order = Order.sequence
  package static let mostThreshold = 100_000
  package static let longestInterval_s = 86_400.0
  package static let longestStatusInterval_s = 604_800.0
  @Setting(
    "sync_threshold", in: 1...Self.mostThreshold, remote: true, "This many queued records start a sync …")
  public var threshold = 5
  @Setting(
    "sync_interval_s", in: 1...Self.longestInterval_s, remote: true,
    """
    … or the oldest one reaching this age. Events start one at once.
    """)
  public var interval_s = 300.0
  @Setting("max_batch_size", in: 1...10_000, remote: true, "Records in one request, at most.")
  public var maxBatchSize = 100
  @Setting(
    "sync_retry_base_s", in: 0.1...3600, remote: true,
    "After a failure, the next attempt waits a random time up to this, doubled with each failure …")
  public var retryBase_s = 10.0
  @Setting("sync_retry_max_s", in: 1...86400, remote: true, "… but never more than this.")
  public var retryMax_s = 300.0
  @Setting(
    "unauthorised_retry_s", in: 1...86400, remote: true,
    """
    After 401 or 403, or what an MQTT broker says in their place: time between attempts. The files of
    token_file, password_file and header_files are read again each time; user with a reload.
    """)
  public var unauthorisedRetry_s = 900.0
  @Setting(
    "auth_command",
    """
    Program and arguments to run after 401 or 403, at most once in unauthorised_retry_s, to write a new token
    into token_file (or a new password_file, or header_files). No shell, 60 s at most; exit status 0 means
    that it is new. Empty: none.
    """)
  public var authCommand: [String] = []
  @Setting(
    "budget_day_kb", in: 0...100_000_000,
    "Bytes up and down a day (UTC), TLS included. The last fifth is for events and the status. 0: no limit.")
  public var budgetDay_kb = 0.0
  @Setting("budget_month_mb", in: 0...1_000_000, "The same for a calendar month. 0: no limit.")
  public var budgetMonth_mb = 0.0
  @Setting(
    "splay_s", in: 0...3600, remote: true,
    """
    The first sync after a window opens or ends, or after the network is back, waits up to this time, which \
    differs from device to device, so that a fleet does not come all at once.
    """)
  public var splay_s = 60.0
  @Setting(
    "connect_timeout_s", in: 1...600, remote: true,
    "Limit for name look-up, connection and TLS, and MQTT's CONNACK.")
  public var connectTimeout_s = 30.0
  @Setting("request_timeout_s", in: 1...3600, remote: true, "Limit for a whole request.")
  public var requestTimeout_s = 120.0
  @Setting(
    "max_reply_kb", in: 128...65536,
    """
    Of a larger reply only the acknowledgement counts, where the reply begins with it. Settings from the \
    server fit into the lowest value.
    """
  )
  public var maxReply_kb = 256
  @Setting(
    "status_interval_s", in: 10...Self.longestStatusInterval_s, remote: true,
    "The device's status rides with a sync this often.")
  public var statusInterval_s = 3600.0
  @Setting(
    "config",
    """
    The server may set settings and geofences with its replies (docs/remote.md), those that say remote. false: none of
    them is in force.
    """)
  public var config = true
  @Setting(
    "config_trial_s", in: 10...86400,
    """
    Settings that the server sends (docs/remote.md) are rolled back unless a sync succeeds with them within \
    this time.
    """)
  public var configTrial_s = 600.0
  @Setting(
    "mqtt_version",
    """
    Over MQTT alone. auto: 5, or 3.1.1 with a broker that does not know 5. 5 and 3.1.1: that one only. With
    3.1.1 a broker cannot report that it has thrown records away (docs/transport.md).
    """)
  public var mqttVersion = MQTTVersion.auto
  @Setting(
    "mqtt_3_1_1_batch_size", in: 1...10_000,
    """
    Over MQTT alone. Records in one message, at most, until the broker has spoken MQTT 5. With 3.1.1 a broker
    may throw away what is over its size limit and acknowledge it all the same.
    """)
  public var smallBatchSize = 20
  @Setting(
    "no_subscriber",
    """
    Over MQTT 5 alone: the broker accepts records, and reports that no client subscribes to their topic now.
    wait: they are sent again until one does, so none is lost. accept: they count as delivered. Choose accept
    only if the broker itself stores them, as EMQX does with a rule (docs/transport.md).
    """)
  public var noSubscriber = NoSubscriber.wait
  @Setting(
    "tid",
    """
    Format owntracks alone: the name on the map, tid of the message. OwnTracks' apps show its first two
    characters; OwnTracks Recorder, Home Assistant and Traccar take all of it. Empty: the device's name, which
    no other vehicle has.
    """)
  public var tid = ""
  @Setting(
    "transitions",
    """
    Format owntracks alone. true: a geofence that is entered or left is a message transition. false: it is a
    location with the event in extras; for Home Assistant, which ignores all locations after an enter until
    the leave (docs/servers.md).
    """)
  public var transitions = true
  @Setting(
    "token_file",
    """
    File that holds the bearer token, or MQTT's password, readable by its owner only (mode 0600), or a
    credential of systemd's, "${CREDENTIALS_DIRECTORY}/token". Empty: none is sent.
    """)
  public var tokenFile = ""
  @Setting(
    "user",
    """
    User of HTTP's Basic authentication, instead of a bearer token. Its password stands in password_file. Not
    over MQTT, where the user stands in url.
    """)
  public var user = ""
  @Setting(
    "password_file",
    """
    File that holds the password of user, readable by its owner only (mode 0600). Both together:
      user = "van-7"
      password_file = "/etc/godwit/password"
    """)
  public var passwordFile = ""
  @Setting("ca_file", "PEM file of the only authorities to trust. Empty: the system's.")
  public var caFile = ""
  @Setting(
    "client_cert_file",
    "PEM file of this device's own certificate, for a server that asks for one. Empty: none is shown.")
  public var clientCertFile = ""
  @Setting(
    "client_key_file",
    "PEM file of its key, without a passphrase, readable by its owner only (mode 0600).")
  public var clientKeyFile = ""
  @Setting(
    "interface",
    """
    The only network interface that may carry the requests, such as "wwan0". Empty: whichever the routes
    choose.
    """)
  public var interface = ""
  @Setting(
    "gzip",
    """
    Compress bodies. auto: compact from the start, the others once the server's replies say that it takes
    them (Accept-Encoding: gzip). A server that refuses them gets plain ones.
    """)
  public var gzip = Gzip.auto
  @Setting("allow_plaintext", "true lets an http:// or mqtt:// url lead off this machine. Do not.")
  public var allowPlaintext = false
  @Setting(
    "commands",
    """
    The server may send commands with its replies (docs/remote.md): locate, sync, status, track_for, pause,
    resume, report, restart and quarantine_retry. Servers of also may not.
    """)
  public var commands = true
  @Setting(
    "command_topic",
    """
    Over MQTT alone. true: commands also come on the topic with /cmd behind it, which the agent subscribes to
    with a session that the broker keeps (docs/remote.md). Not together with ack = "strict".
    """)
  public var commandTopic = false
  @Setting(
    "also", restart: true,
    """
    Settings files of further servers, such as "/etc/godwit/second.toml", each with one [sync] group. Each \
    record goes
    to all servers, to each at its own pace (docs/sync.md).
    """)
  public var also: [String] = []
  @Setting(
    "headers",
    "Headers that are added to each request, not over MQTT. No secrets here: use token_file or header_files.")
  public var headers: [String: String] = [:]
  @Setting(
    "header_files",
    """
    Headers whose value stands in a file, readable by its owner only (mode 0600). Not over MQTT. As a group at
    the end of [sync]:
      [sync.header_files]
      X-Api-Key = "/etc/godwit/api-key"
    """)
  public var headerFiles: [String: String] = [:]
  @Group("roaming", "While the modem is registered as roaming (ModemManager); docs/sync.md.")
  public var roaming = RoamingSettings()

  /// Files whose content proves to the server who we are, with the settings that name them.
  public var secretFiles: [(path: [String], file: String)] {
    let own = [(["sync", "token_file"], tokenFile), (["sync", "password_file"], passwordFile)]
    let headers = headerFiles.sorted { $0.key < $1.key }.map { (["sync", "header_files", $0.key], $0.value) }
    return (own + headers).filter { !$0.1.isEmpty }.map { (path: $0.0, file: $0.1) }
  }

  /// With the key of the client certificate.
  public var allSecretFiles: [(path: [String], file: String)] {
    secretFiles + (clientKeyFile.isEmpty ? [] : [(["sync", "client_key_file"], clientKeyFile)])
  }
}
