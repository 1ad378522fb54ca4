/// What no single setting shows: settings that must fit together, and values with a grammar of their own.
extension SettingsReader {
  mutating func checkTogether(checkSchedule: (String) -> String?) {
    checkRules(checkSchedule)
    checkURL()
    checkHeaders()
    checkClientCertificate()
    checkInterface()
    checkAcknowledgement()
    checkAuthCommand()
    checkAlso()
    checkPowerLine()
    checkInputLine("ignition", settings.ignition)
    checkInputLine("vibration", settings.vibration.input)
    checkLinesDiffer()
    checkOrder(
      of: "motion.probe_interval_s", settings.motion.probeInterval_s,
      upTo: "motion.probe_interval_max_s", settings.motion.probeIntervalMax_s)
    checkOrder(
      of: "sync.sync_retry_base_s", settings.sync.retryBase_s,
      upTo: "sync.sync_retry_max_s", settings.sync.retryMax_s)
  }

  private mutating func checkRules(_ checkSchedule: (String) -> String?) {
    for (rule, place) in zip(settings.schedule, elementPlaces["schedule"] ?? []) {
      guard let reason = checkSchedule(rule) else { continue }
      refuse(["schedule"], at: place, "\(SettingText.shown(rule)): \(reason)")
    }
  }

  private mutating func checkURL() {
    if settings.sync.url.isEmpty { return }
    let path = ["sync", "url"]
    do throws(ServerURL.Flaw) {
      let url = try ServerURL(settings.sync.url)
      if url.isEncrypted || url.isLoopback || settings.sync.allowPlaintext { return }
      refuse(
        path, at: place(of: "sync.url"),
        "must be https://: over http:// anyone on the way reads the token and every position")
    } catch {
      refuse(path, at: place(of: "sync.url"), error.reason)
    }
  }

  private mutating func checkHeaders() {
    for (name, value) in settings.sync.headers {
      let path = ["sync", "headers", name]
      let place = place(of: SettingText.dotted(path))
      if !Self.isHeaderName(name) {
        refuse(path, at: place, "is not a name that a header can have")
      } else if Self.isSecret(header: name) {
        refuse(path, at: place, "no secrets in this file: put the token into a file (sync.token_file)")
      } else if value.unicodeScalars.contains(where: SettingText.isControl) {
        refuse(path, at: place, "contains a control character")
      }
    }
  }

  private mutating func checkClientCertificate() {
    let files = [
      ("client_cert_file", settings.sync.clientCertFile), ("client_key_file", settings.sync.clientKeyFile),
    ]
    guard let missing = files.first(where: { $0.1.isEmpty }), let set = files.first(where: { !$0.1.isEmpty })
    else { return }
    refuse(
      ["sync", missing.0], at: place(of: "sync.\(missing.0)") ?? place(of: "sync.\(set.0)"),
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
      ["sync", "interface"], at: place(of: "sync.interface"),
      "is not a name that a network interface can have; `ip link` lists those that there are")
  }

  private mutating func checkAcknowledgement() {
    let sync = settings.sync
    guard sync.ack == .strict, !sync.format.namesStored else { return }
    refuse(
      ["sync", "ack"], at: place(of: "sync.ack"),
      "must be \"lenient\" with sync.format \"\(sync.format.rawValue)\", whose servers do not name what they stored"
    )
  }

  private mutating func checkAuthCommand() {
    guard let program = settings.sync.authCommand.first else { return }
    let place = place(of: "sync.auth_command")
    if !program.hasPrefix("/") {
      refuse(
        ["sync", "auth_command"], at: place,
        "must begin with the program's whole path, such as /usr/local/bin/…")
    } else if settings.sync.tokenFile.isEmpty {
      refuse(
        ["sync", "auth_command"], at: place, "needs sync.token_file, where the command writes the new token")
    }
  }

  private mutating func checkPowerLine() {
    let power = settings.gps.power
    guard power.mode == .level else { return }
    for (key, value) in [("chip", power.chip), ("line", power.line)] where value.isEmpty {
      guard !hasProblem("gps.power.\(key)") else { continue }
      refuse(
        ["gps", "power", key], at: place(of: "gps.power.\(key)") ?? place(of: "gps.power.mode"),
        "must be set, since gps.power.mode is \"level\"")
    }
  }

  private mutating func checkInputLine(_ group: String, _ input: InputLineSettings) {
    guard input.exists, input.chip.isEmpty, !hasProblem("\(group).chip") else { return }
    refuse(
      [group, "chip"], at: place(of: "\(group).chip") ?? place(of: "\(group).line"),
      "must be set, since \(group).line is")
  }

  /// By their text alone: two names of one line are found when the second is taken.
  private mutating func checkLinesDiffer() {
    let (ignition, vibration, power) = (settings.ignition, settings.vibration.input, settings.gps.power)
    var taken: [(group: String, chip: String, line: String)] = []
    if power.mode == .level { taken.append(("gps.power", power.chip, power.line)) }
    for (group, input) in [("ignition", ignition), ("vibration", vibration)] where input.exists {
      if let other = taken.first(where: { $0.chip == input.chip && $0.line == input.line }) {
        refuse([group, "line"], at: place(of: "\(group).line"), "is \(other.group).line already")
      }
      taken.append((group, input.chip, input.line))
    }
  }

  private mutating func checkOrder(of low: String, _ lowValue: Double, upTo high: String, _ highValue: Double)
  {
    guard lowValue > highValue, !hasProblem(low), !hasProblem(high) else { return }
    func written(_ key: String, _ value: Double) -> String {
      let unit = SettingText.unit(of: key).map { " \($0)" } ?? ""
      return "\(key) (\(SettingText.number(value))\(unit)\(place(of: key) == nil ? ", the default" : ""))"
    }
    let blamed = place(of: high) == nil ? low : high
    refuse(
      blamed.split(separator: ".").map(String.init), at: place(of: blamed),
      "\(written(high, highValue)) must be at least \(written(low, lowValue))")
  }

  private func hasProblem(_ key: String) -> Bool { problems.contains { $0.key == key } }

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
