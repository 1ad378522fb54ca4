/// What no single setting shows: settings that must fit together, and values with a grammar of their own.
struct SettingsChecks {
  private let reader: SettingsReader
  private var problems: [SettingsProblem] = []

  var settings: Settings { reader.settings }

  /// - Parameters:
  ///   - reader: each setting has been read by itself.
  ///   - checkSchedule: why a schedule rule is malformed; nil when it is fine.
  static func problems(
    of reader: SettingsReader, checkSchedule: (String) -> String?
  ) -> [SettingsProblem] {
    var checks = SettingsChecks(reader: reader)
    checks.checkNameAndRules(checkSchedule)
    checks.checkURL()
    checks.checkHeaders()
    checks.checkBasic()
    checks.checkTransport()
    checks.checkReplies()
    checks.checkAuthCommand()
    checks.checkAlso()
    checks.checkPower()
    checks.checkLines()
    checks.checkSupply()
    checks.checkSleep()
    checks.checkOrder(
      of: "motion.probe_interval_s", \.motion.probeInterval_s,
      upTo: "motion.probe_interval_max_s", \.motion.probeIntervalMax_s)
    checks.checkOrder(
      of: "sync.sync_retry_base_s", \.sync.retryBase_s, upTo: "sync.sync_retry_max_s", \.sync.retryMax_s)
    return checks.problems
  }

  /// The file of a further server. - Returns: what it may not hold, beside what is wrong with each setting.
  static func problems(ofServer reader: SettingsReader, foreign: [SettingEntry]) -> [SettingsProblem] {
    var checks = SettingsChecks(reader: reader)
    checks.checkServer(foreign)
    return checks.problems
  }

  private init(reader: SettingsReader) { self.reader = reader }

  // MARK: Problems

  mutating func refuse(_ path: [String], at place: SettingPlace?, _ reason: String) {
    problems.append(
      SettingsProblem(file: reader.file, place: place, key: SettingText.dotted(path), reason: reason))
  }

  /// The setting of that key, dotted.
  ///
  /// - Parameter other: the setting at which the reason is written, where the first is not in the file.
  mutating func refuse(_ key: String, if isWrong: Bool = true, or other: String? = nil, _ reason: String) {
    guard isWrong else { return }
    let path = key.split(separator: ".").map(String.init)
    refuse(path, at: reader.place(of: key) ?? other.flatMap { reader.place(of: $0) }, reason)
  }

  func place(of key: String) -> SettingPlace? { reader.place(of: key) }

  /// Of a list that the file has, the elements with their places.
  func elements(_ key: String, _ texts: [String]) -> [(text: String, place: SettingPlace)] {
    Array(zip(texts, reader.elementPlaces[key] ?? []))
  }

  func hasProblem(_ key: String) -> Bool { (reader.problems + problems).contains { $0.key == key } }

  /// The key, with what it is and whence.
  func written(_ key: String, _ value: Double) -> String {
    if !reader.showsValues { return key }
    let unit = SettingText.unit(of: key).map { " \($0)" } ?? ""
    return "\(key) (\(SettingText.number(value))\(unit)\(origin(of: key)))"
  }

  /// In words; empty for what the file has.
  private func origin(of key: String) -> String {
    if place(of: key) != nil { return "" }
    return settings.track.preset.lines.contains { $0.key == key } ? ", by track.preset" : ", the default"
  }

  mutating func checkOrder(
    of low: String, _ lowValue: KeyPath<Settings, Double>, upTo high: String,
    _ highValue: KeyPath<Settings, Double>
  ) {
    let (least, most) = (settings[keyPath: lowValue], settings[keyPath: highValue])
    guard least > most, !hasProblem(low), !hasProblem(high) else { return }
    refuse(
      place(of: high) == nil ? low : high, "\(written(high, most)) must be at least \(written(low, least))")
  }

  // MARK: Name and schedule

  /// Rules that open one into the other are looked at again at each change: more would hold up a small board.
  static let mostRules = 400

  private mutating func checkNameAndRules(_ checkSchedule: (String) -> String?) {
    if let problem = DeviceName.problem(of: settings.deviceID), !hasProblem("device_id") {
      refuse("device_id", problem)
    }
    if settings.schedule.count > Self.mostRules {
      refuse(
        ["schedule"], at: reader.elementPlaces["schedule"]?[Self.mostRules],
        "has \(settings.schedule.count) rules, and may have \(Self.mostRules): a range such as 2026-04-15..2026-04-20 stands for many days"
      )
    }
    for (index, (rule, place)) in elements("schedule", settings.schedule).enumerated() {
      guard let reason = checkSchedule(rule) else { continue }
      let isShown = reader.showsValues
      let words = isShown ? "\(SettingText.shown(rule)): \(reason)" : "rule \(index + 1) is malformed"
      refuse(["schedule"], at: place, words)
    }
  }

  // MARK: The server

  private var isMQTT: Bool { (try? ServerURL(settings.sync.url))?.isMQTT == true }

  private mutating func checkURL() {
    let sync = settings.sync
    if sync.url.isEmpty { return }
    do throws(ServerURL.ParseError) {
      let url = try ServerURL(sync.url)
      if url.isMQTT { checkMQTT() } else { refuseMQTTChoices() }
      let encrypted: ServerURL.Scheme = url.isMQTT ? .mqtts : .https
      refuse(
        "sync.url", if: !url.isEncrypted && !url.isLoopback && !sync.allowPlaintext,
        "must be \(encrypted.rawValue)://: over \(url.scheme.rawValue):// anyone on the way reads the token and every position; in a network of your own set sync.allow_plaintext = true"
      )
    } catch {
      refuse("sync.url", error.reason)
    }
  }

  private mutating func refuseMQTTChoices() {
    let (sync, usual) = (settings.sync, SyncSettings())
    for (key, isSet) in [
      ("mqtt_version", sync.mqttVersion != usual.mqttVersion),
      ("mqtt_3_1_1_batch_size", sync.smallBatchSize != usual.smallBatchSize),
      ("no_subscriber", sync.noSubscriber != usual.noSubscriber),
    ] {
      refuse("sync.\(key)", if: isSet, "is for mqtts:// in sync.url: remove it")
    }
  }

  /// What has no meaning there must not be passed over.
  private mutating func checkMQTT() {
    let sync = settings.sync
    let others = SyncSettings.Format.allCases.filter(\.traits.goesOverMQTT)
      .map { SettingText.quoted($0.rawValue) }
    refuse(
      "sync.format", if: !sync.format.traits.goesOverMQTT,
      "\"\(sync.format.rawValue)\" is for HTTP; over MQTT choose \(others.dropLast().joined(separator: ", ")) or \(others[others.count - 1])"
    )
    refuse(
      "sync.gzip", if: sync.gzip == .always,
      "must be \"auto\" or \"never\" over MQTT, where nothing announces it to a receiver; the format \"compact\" is smaller still"
    )
    refuse("sync.headers", if: !sync.headers.isEmpty, "MQTT has no headers: remove these")
    refuse("sync.header_files", if: !sync.headerFiles.isEmpty, "MQTT has no headers: remove these")
    refuse(
      sync.passwordFile.isEmpty ? "sync.user" : "sync.password_file",
      if: !(sync.user + sync.passwordFile).isEmpty,
      "is for HTTP: for MQTT remove sync.user and sync.password_file, write the user into sync.url (mqtts://USER@…) and name the password's file in sync.token_file"
    )
  }

  private mutating func checkHeaders() {
    let sync = settings.sync
    for (name, value) in sync.headers {
      let isSecret = Self.isSecret(header: name)
      checkHeader(
        "headers", name,
        isSecret
          ? "no secrets in this file: put it into a file (sync.token_file or [sync.header_files])"
          : SettingText.hasControl(value) ? SettingsReader.unclean : nil)
    }
    let set = Set(sync.headers.keys.map { $0.lowercased() })
    let hasToken = !(sync.tokenFile + sync.passwordFile).isEmpty
    for (name, file) in sync.headerFiles {
      checkHeader(
        "header_files", name,
        set.contains(name.lowercased())
          ? "stands in sync.headers too: remove one of them"
          : name.lowercased() == "authorization" && hasToken
            ? "is what sync.token_file and sync.password_file make: remove one of them"
            : file.isEmpty ? "must name a file, such as /etc/godwit/api-key" : nil)
    }
  }

  /// - Parameter problem: of its value.
  private mutating func checkHeader(_ group: String, _ name: String, _ problem: String?) {
    guard let reason = Self.headerProblem(name) ?? problem else { return }
    let path = ["sync", group, name]
    refuse(path, at: place(of: SettingText.dotted(path)), reason)
  }

  /// RFC 7617.
  private mutating func checkBasic() {
    let sync = settings.sync
    if !isMQTT { checkBoth("user", sync.user, "password_file", sync.passwordFile) }
    refuse(
      "sync.user", if: sync.user.unicodeScalars.contains(":") || SettingText.hasControl(sync.user),
      "may not hold a colon or a control character")
    refuse(
      "sync.password_file", if: !sync.passwordFile.isEmpty && !sync.tokenFile.isEmpty,
      "a request carries either a bearer token (sync.token_file) or a user and a password: remove one of them"
    )
  }

  private mutating func checkTransport() {
    let sync = settings.sync
    checkBoth("client_cert_file", sync.clientCertFile, "client_key_file", sync.clientKeyFile)
    // Linux's own rule for names (dev_valid_name), and no `!`, which means something to libcurl.
    let name = sync.interface
    let isName =
      name.utf8.count <= 15 && name != "." && name != ".."
      && name.utf8.allSatisfy {
        (0x22...0x7e).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
      }
    refuse(
      "sync.interface", if: !isName,
      "is not a name that a network interface can have; `ip link` lists those that there are")
  }

  private mutating func checkBoth(_ first: String, _ a: String, _ second: String, _ b: String) {
    if a.isEmpty == b.isEmpty { return }
    let (missing, set) = a.isEmpty ? (first, second) : (second, first)
    refuse("sync.\(missing)", or: "sync.\(set)", "must be set, since sync.\(set) is")
  }

  /// What counts as delivered, and what OwnTracks and the topic of commands want.
  private mutating func checkReplies() {
    let sync = settings.sync
    let isStrict = sync.ack == .strict
    refuse(
      "sync.ack", if: isStrict && !sync.format.traits.namesStored && !hasProblem("sync.ack"),
      "must be \"auto\" or \"any\" with sync.format \"\(sync.format.rawValue)\", whose servers do not name what they stored"
    )
    refuse(
      "sync.tid", if: sync.tid.utf8.count > 128 || SettingText.hasControl(sync.tid),
      "may have 128 bytes, and no control character")
    let isOther = sync.format != .owntracks
    refuse("sync.tid", if: isOther && !sync.tid.isEmpty, "is for sync.format \"owntracks\": remove it")
    refuse(
      "sync.transitions", if: isOther && !sync.transitions, "is for sync.format \"owntracks\": remove it")
    refuse(
      "sync.accept", if: isStrict && !sync.accept.isEmpty,
      "does not go with sync.ack \"strict\", which wants the records' names: leave one of them out")
    refuse(
      "sync.accept", if: isMQTT && !sync.accept.isEmpty,
      "does not go over MQTT, where a broker answers without a text: leave it out")
    guard sync.commandTopic, !sync.url.isEmpty, !hasProblem("sync.command_topic") else { return }
    refuse("sync.command_topic", if: !isMQTT, "is for mqtts:// in sync.url: remove it")
    // A session that the broker keeps would bring answers to earlier records.
    refuse(
      "sync.command_topic", if: isMQTT && isStrict,
      "does not go with sync.ack \"strict\": set one of them otherwise")
  }

  private mutating func checkAuthCommand() {
    let sync = settings.sync
    checkProgram("sync.auth_command", sync.authCommand)
    refuse(
      "sync.auth_command",
      if: !sync.authCommand.isEmpty && sync.secretFiles.isEmpty && !hasProblem("sync.auth_command"),
      "needs sync.token_file, where the command writes the new token (or sync.password_file, sync.header_files)"
    )
  }

  /// There is no shell and no search path.
  mutating func checkProgram(_ key: String, _ command: [String]) {
    refuse(
      key, if: command.first.map { !$0.hasPrefix("/") } ?? false,
      "must begin with the program's whole path, such as /usr/local/bin/…")
  }

  // MARK: Headers

  /// Why a header cannot be set: it is none, or the agent or libcurl writes it, and two would contradict each other.
  private static func headerProblem(_ name: String) -> String? {
    // RFC 9110, 5.6.2: a token.
    guard !name.isEmpty, SettingText.isPlain(name, and: "!#$%&'*+-.^_`|~") else {
      return "is not a name that a header can have"
    }
    let name = name.lowercased()
    if name.hasPrefix("godwit-") { return "is written by the agent itself: remove it" }
    switch name {
    case "host": return "follows from sync.url: change that instead"
    case "content-type": return "follows from sync.format: remove it"
    case "content-encoding", "accept-encoding": return "follows from sync.gzip: change that instead"
    case "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "expect",
      "te",
      "trailer", "upgrade", "http2-settings":
      return "belongs to the connection, which the agent looks after: remove it"
    default: return nil
    }
  }

  /// By its words: Authorization, Proxy-Authorization, Cookie, X-Api-Key, X-Auth-Token, …
  private static func isSecret(header name: String) -> Bool {
    let secrets: Set = [
      "authorization", "auth", "cookie", "token", "secret", "password", "passwd", "apikey", "credential",
      "credentials",
    ]
    let words = name.lowercased().split { "-_.".contains($0) }.map(String.init)
    if words.contains(where: secrets.contains) { return true }
    return zip(words, words.dropFirst()).contains {
      ["api", "access", "auth", "private"].contains($0) && $1 == "key"
    }
  }
}
