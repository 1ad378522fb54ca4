/// What no single setting shows: settings that must fit together, and values with a grammar of their own.
extension SettingsReader {
  mutating func checkTogether(checkSchedule: (String) -> String?) {
    checkDeviceName()
    checkRules(checkSchedule)
    checkURL()
    checkHeaders()
    checkHeaderFiles()
    checkBasic()
    checkClientCertificate()
    checkInterface()
    checkAcknowledgement()
    checkOwnTracks()
    checkAccept()
    checkCommandTopic()
    checkAuthCommand()
    checkAlso()
    checkPower()
    for (line, input) in settings.inputLines { checkInputLine(line.rawValue, input) }
    checkSupply()
    checkSleep()
    checkLinesDiffer()
    checkMode()
    checkOrder(
      of: "motion.probe_interval_s", settings.motion.probeInterval_s,
      upTo: "motion.probe_interval_max_s", settings.motion.probeIntervalMax_s)
    checkOrder(
      of: "sync.sync_retry_base_s", settings.sync.retryBase_s,
      upTo: "sync.sync_retry_max_s", settings.sync.retryMax_s)
  }

  private mutating func checkDeviceName() {
    guard let problem = DeviceName.problem(of: settings.deviceID), !hasProblem("device_id") else { return }
    refuse("device_id", problem)
  }

  /// Rules that open one into the other are looked at again at each change: more would hold up a small board.
  static let mostRules = 400

  private mutating func checkRules(_ checkSchedule: (String) -> String?) {
    if settings.schedule.count > Self.mostRules {
      refuse(
        ["schedule"], at: elementPlaces["schedule"]?[Self.mostRules],
        "has \(settings.schedule.count) rules, and may have \(Self.mostRules): a range such as 2026-04-15..2026-04-20 stands for many days"
      )
    }
    for (index, (rule, place)) in zip(settings.schedule, elementPlaces["schedule"] ?? []).enumerated() {
      guard let reason = checkSchedule(rule) else { continue }
      let words = showsValues ? "\(SettingText.shown(rule)): \(reason)" : "rule \(index + 1) is malformed"
      refuse(["schedule"], at: place, words)
    }
  }

  private mutating func checkURL() {
    if settings.sync.url.isEmpty { return }
    do throws(ServerURL.ParseError) {
      let url = try ServerURL(settings.sync.url)
      if url.isMQTT {
        checkMQTT(url)
      } else {
        refuseMQTTChoices()
      }
      if url.isEncrypted || url.isLoopback || settings.sync.allowPlaintext { return }
      let encrypted: ServerURL.Scheme = url.isMQTT ? .mqtts : .https
      refuse(
        "sync.url",
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
    ] where isSet {
      refuse("sync.\(key)", "is for mqtts:// in sync.url: remove it")
    }
  }

  /// What has no meaning there must not be passed over.
  private mutating func checkMQTT(_ url: ServerURL) {
    let sync = settings.sync
    if !sync.format.traits.goesOverMQTT {
      let others = SyncSettings.Format.allCases.filter(\.traits.goesOverMQTT)
        .map { SettingText.quoted($0.rawValue) }
      refuse(
        "sync.format",
        "\"\(sync.format.rawValue)\" is for HTTP; over MQTT choose \(others.dropLast().joined(separator: ", ")) or \(others[others.count - 1])"
      )
    }
    if sync.gzip == .always {
      refuse(
        "sync.gzip",
        "must be \"auto\" or \"never\" over MQTT, where nothing announces it to a receiver; the format \"compact\" is smaller still"
      )
    }
    if !sync.headers.isEmpty {
      refuse("sync.headers", "MQTT has no headers: remove these")
    }
    if !sync.headerFiles.isEmpty {
      refuse("sync.header_files", "MQTT has no headers: remove these")
    }
    if !(sync.user + sync.passwordFile).isEmpty {
      refuse(
        sync.passwordFile.isEmpty ? "sync.user" : "sync.password_file",
        "is for HTTP: for MQTT remove sync.user and sync.password_file, write the user into sync.url (mqtts://USER@…) and name the password's file in sync.token_file"
      )
    }
  }

  private mutating func checkHeaders() {
    for (name, value) in settings.sync.headers {
      let path = ["sync", "headers", name]
      let place = place(of: SettingText.dotted(path))
      if let reason = Self.headerProblem(name) {
        refuse(path, at: place, reason)
      } else if Self.isSecret(header: name) {
        refuse(
          path, at: place,
          "no secrets in this file: put it into a file (sync.token_file or [sync.header_files])")
      } else if value.unicodeScalars.contains(where: SettingText.isControl) {
        refuse(path, at: place, "contains a control character")
      }
    }
  }

  private mutating func checkHeaderFiles() {
    let sync = settings.sync
    let set = Set(sync.headers.keys.map { $0.lowercased() })
    for (name, file) in sync.headerFiles {
      let path = ["sync", "header_files", name]
      let place = place(of: SettingText.dotted(path))
      if let reason = Self.headerProblem(name) {
        refuse(path, at: place, reason)
      } else if set.contains(name.lowercased()) {
        refuse(path, at: place, "stands in sync.headers too: remove one of them")
      } else if name.lowercased() == "authorization", !(sync.tokenFile + sync.passwordFile).isEmpty {
        refuse(path, at: place, "is what sync.token_file and sync.password_file make: remove one of them")
      } else if file.isEmpty {
        refuse(path, at: place, "must name a file, such as /etc/godwit/api-key")
      }
    }
  }

  /// RFC 7617.
  private mutating func checkBasic() {
    let sync = settings.sync
    if (try? ServerURL(sync.url))?.isMQTT != true {
      checkBoth("user", sync.user, "password_file", sync.passwordFile)
    }
    if sync.user.unicodeScalars.contains(where: { $0 == ":" || SettingText.isControl($0) }) {
      refuse("sync.user", "may not hold a colon or a control character")
    }
    if !sync.passwordFile.isEmpty, !sync.tokenFile.isEmpty {
      refuse(
        "sync.password_file",
        "a request carries either a bearer token (sync.token_file) or a user and a password: remove one of them"
      )
    }
  }

  private mutating func checkClientCertificate() {
    checkBoth(
      "client_cert_file", settings.sync.clientCertFile, "client_key_file", settings.sync.clientKeyFile)
  }

  private mutating func checkBoth(_ first: String, _ a: String, _ second: String, _ b: String) {
    let pair = [(first, a), (second, b)]
    guard let missing = pair.first(where: { $0.1.isEmpty }), let set = pair.first(where: { !$0.1.isEmpty })
    else { return }
    refuse(
      "sync.\(missing.0)", or: place(of: "sync.\(set.0)"),
      "must be set, since sync.\(set.0) is")
  }

  /// Linux's own rule for names (dev_valid_name), and no `!`, which means something to libcurl.
  private mutating func checkInterface() {
    let name = settings.sync.interface
    let isName =
      name.utf8.count <= 15 && name != "." && name != ".."
      && name.utf8.allSatisfy {
        (0x22...0x7e).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
      }
    if isName { return }
    refuse(
      "sync.interface",
      "is not a name that a network interface can have; `ip link` lists those that there are")
  }

  private mutating func checkAcknowledgement() {
    let sync = settings.sync
    guard sync.ack == .strict, !sync.format.traits.namesStored, !hasProblem("sync.ack") else { return }
    refuse(
      "sync.ack",
      "must be \"auto\" or \"any\" with sync.format \"\(sync.format.rawValue)\", whose servers do not name what they stored"
    )
  }

  private mutating func checkOwnTracks() {
    let sync = settings.sync
    if sync.tid.utf8.count > 128 || sync.tid.unicodeScalars.contains(where: SettingText.isControl) {
      refuse("sync.tid", "may have 128 bytes, and no control character")
    }
    if sync.format == .owntracks { return }
    for (key, isSet) in [("tid", !sync.tid.isEmpty), ("transitions", !sync.transitions)] where isSet {
      refuse("sync.\(key)", "is for sync.format \"owntracks\": remove it")
    }
  }

  private mutating func checkAccept() {
    let sync = settings.sync
    if sync.accept.isEmpty { return }
    if sync.ack == .strict {
      refuse(
        "sync.accept",
        "does not go with sync.ack \"strict\", which wants the records' names: leave one of them out")
    }
    if (try? ServerURL(sync.url))?.scheme.isMQTT == true {
      refuse("sync.accept", "does not go over MQTT, where a broker answers without a text: leave it out")
    }
  }

  private mutating func checkAuthCommand() {
    guard !settings.sync.authCommand.isEmpty else { return }
    checkProgram("sync.auth_command", settings.sync.authCommand)
    guard settings.sync.secretFiles.isEmpty, !hasProblem("sync.auth_command") else { return }
    refuse(
      "sync.auth_command",
      "needs sync.token_file, where the command writes the new token (or sync.password_file, sync.header_files)"
    )
  }

  /// There is no shell and no search path.
  mutating func checkProgram(_ key: String, _ command: [String]) {
    guard let program = command.first, !program.hasPrefix("/") else { return }
    refuse(
      key,
      "must begin with the program's whole path, such as /usr/local/bin/…")
  }

  mutating func checkOrder(of low: String, _ lowValue: Double, upTo high: String, _ highValue: Double) {
    guard lowValue > highValue, !hasProblem(low), !hasProblem(high) else { return }
    let blamed = place(of: high) == nil ? low : high
    refuse(
      blamed,
      "\(written(high, highValue)) must be at least \(written(low, lowValue))")
  }

  /// The key, with what it is and whence.
  func written(_ key: String, _ value: Double) -> String {
    if !showsValues { return key }
    let unit = SettingText.unit(of: key).map { " \($0)" } ?? ""
    return "\(key) (\(SettingText.number(value))\(unit)\(origin(of: key)))"
  }

  /// In words; empty for what stands in the file.
  private func origin(of key: String) -> String {
    if place(of: key) != nil { return "" }
    return settings.track.preset.lines.contains { $0.key == key } ? ", by track.preset" : ", the default"
  }

  func hasProblem(_ key: String) -> Bool { problems.contains { $0.key == key } }

  /// RFC 9110, 5.6.2: a token.
  private static func isHeaderName(_ name: String) -> Bool {
    !name.isEmpty
      && name.unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar)
        }
      }
  }

  /// Why a header cannot be set: it is none, or the agent or libcurl writes it, and two would contradict each other.
  private static func headerProblem(_ name: String) -> String? {
    guard isHeaderName(name) else { return "is not a name that a header can have" }
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
