import TrackerBase

/// The status document for a person.
public enum StatusReport {
  /// - Parameter json: a status document. Anything else is shown as it is.
  public static func text(_ json: String) -> String {
    guard let status = JSONReader.parse(Array(json.utf8)), status["schema"] != nil else { return json + "\n" }
    var lines = [
      "device       \(word(status["device"])), godwit \(word(status["version"])), up \(duration(status["uptime_s"]))"
    ]
    if let clock = clock(status) { lines.append("clock        \(clock)") }
    lines.append("state        \(state(status))")
    lines += operatorsWish(status["intent"], saidAfter: "operator     ")
    if let safeMode = status["safe_mode"] {
      let left = "\(duration(safeMode["left_s"])) left"
      lines.append("safe mode    GPS off after \(count(safeMode["crashes"])) crashes, \(left)")
    }
    if let sleep = sleep(status["sleep"]) { lines.append("sleep        \(sleep)") }
    lines.append("window       \(window(status["window"]))")
    if status["external_power"]?.bool == false { lines.append("supply       LOST") }
    if let battery = battery(status["battery"]) { lines.append("battery      \(battery)") }
    lines.append("gps          \(gps(status["gps"]))")
    if let today = gpsToday(status["gps"]) { lines.append("  today      \(today)") }
    lines.append("trip         \(trip(status["trip"]))")
    lines += departure(status)
    if let inside = geofences(status["geofences"]) { lines.append("geofences    \(inside)") }
    lines.append("queue        \(queue(status["queue"]))")
    lines.append("sync         \(sync(status["sync"]))")
    lines += (status["also"]?.array ?? []).map(other)
    lines += board(status)
    lines += update(status["update"]) + config(status["config"]) + commands(status["commands"])
    lines += identity(status)
    lines += warnings(status["warnings"])
    // Ids of geofences, and more, may be somebody else's words.
    return lines.map { PlainText.line($0, instead: "?") + "\n" }.joined()
  }

  /// nil where an older agent does not say it.
  private static func clock(_ status: JSONValue) -> String? {
    guard let time = status["time"]?.string, let source = status["clock_source"]?.string else { return nil }
    // Of a status for people the milliseconds are of no use.
    var text = "\(time.prefix(10)) \(time.dropFirst(11).prefix(8)) UTC, "
    switch source {
    case "ntp": text += "kept right by NTP"
    case "gps": text += "kept right by GPS"
    case "rtc": text += "by the board's own clock alone"
    default: text += "NOT CONFIRMED by GPS or NTP"
    }
    if let offset_s = status["clock_offset_s"]?.number, abs(offset_s) >= 1 {
      text += ", the system's \(abs(offset_s)) s \(offset_s > 0 ? "ahead" : "behind")"
    }
    return text
  }

  private static func state(_ status: JSONValue) -> String {
    let motion = word(status["motion"])
    guard let cause = status["no_track_because"]?.string else { return motion }
    let since = status["no_track_since"]?.string.map { "since \($0)" } ?? "now"
    return "\(motion), no track \(since): \(cause.replacingUnderscores)"
  }

  private static func operatorsWish(_ intent: JSONValue?, saidAfter title: String) -> [String] {
    guard let intent else { return [] }
    var text = word(intent["kind"])
    if let left = intent["left_s"] {
      text += ", \(duration(left)) left"
      if let until = intent["until"]?.string { text += ", until \(until)" }
    } else {
      text += " until godwit resume"
    }
    if intent["saved"]?.bool == false { text += ", NOT SAVED: a restart forgets it" }
    return [title + text] + operatorsWish(intent["then"], saidAfter: "  then       ")
  }

  private static func window(_ window: JSONValue?) -> String {
    let state = window?["open"]?.bool == true ? "open" : "closed"
    guard let change = window?["next_change"]?.string else { return state }
    return "\(state), next change \(change)"
  }

  private static func battery(_ battery: JSONValue?) -> String? {
    guard let volts = battery?["volts"]?.number else { return nil }
    guard battery?["low"]?.bool == true else { return "\(volts) V" }
    return "\(volts) V, low: probes and sync \(battery?["factor"]?.number ?? 1) times as far apart"
  }

  private static func gps(_ gps: JSONValue?) -> String {
    var parts = [gps?["powered"]?.bool == true ? "on" : "off", "\(duration(gps?["on_s"])) on in all"]
    if let device = gps?["device"]?.string { parts.append(device) }
    if let progress = gps?["dynamic_model"]?.string { parts.append(dynamicModel(progress)) }
    if let satellites = gps?["satellites"]?.integer {
      let heard = gps?["satellites_heard"]?.integer.map { " of \($0)" } ?? ""
      parts.append(heard.isEmpty ? counted(satellites, "satellite") : "\(satellites)\(heard) satellites")
    }
    if let cn0 = gps?["cn0_dbhz"]?.number { parts.append("\(cn0) dB-Hz") }
    if let ttff_s = gps?["time_to_first_fix_s"]?.number { parts.append("first fix after \(ttff_s) s") }
    parts.append("\(count(gps?["kept"])) of \(count(gps?["fixes"])) fixes kept")
    return parts.joined(separator: ", ")
  }

  /// nil where an older agent does not say it.
  private static func gpsToday(_ gps: JSONValue?) -> String? {
    guard let on_s = gps?["on_today_s"] else { return nil }
    let sessions = count(gps?["sessions_today"])
    var parts = ["\(duration(on_s)) on in \(counted(sessions, "session"))"]
    parts.append(gps?["last_fix_ago_s"].map { "last fix \(duration($0)) ago" } ?? "no fix since the start")
    if let loss = gps?["health"]?["loss_db"]?.number { parts.append("\(loss) dB below its best") }
    return parts.joined(separator: ", ")
  }

  private static func dynamicModel(_ progress: String) -> String {
    switch progress {
    case "pending": "dynamic model not set yet"
    case "set": "dynamic model set"
    case "other_driver": "dynamic model left alone, no u-blox"
    default: "DYNAMIC MODEL NOT SET"
    }
  }

  private static func trip(_ trip: JSONValue?) -> String {
    let ended = counted(count(trip?["ended"]), "trip")
    let odometer = "odometer \(kilometres(trip?["odometer_m"])) km, \(ended) ended"
    guard trip?["id"] != nil else { return "none, " + odometer }
    return "\(kilometres(trip?["distance_m"])) km so far, " + odometer
  }

  /// Nil where there are none.
  private static func geofences(_ fences: JSONValue?) -> String? {
    guard count(fences?["count"]) > 0 else { return nil }
    let inside = (fences?["inside"]?.array ?? []).compactMap(\.string)
    let more = count(fences?["inside_count"]) - Int64(inside.count)
    var text = inside.isEmpty ? "outside all" : "inside " + inside.joined(separator: ", ")
    if more > 0 { text += " and \(more) more" }
    text += ", \(count(fences?["count"])) in all"
    let expired = count(fences?["expired"])
    return expired > 0 ? text + ", \(expired) expired" : text
  }

  private static func queue(_ queue: JSONValue?) -> String {
    let waiting = counted(count(queue?["records"]), "record waits", "records wait")
    var text = "\(waiting), \(count(queue?["in_memory"])) not yet on storage"
    if let age = queue?["oldest_ago_s"], count(queue?["records"]) > 0 {
      text += ", oldest \(duration(age))"
    }
    let quarantined = count(queue?["quarantined"])
    if quarantined > 0 { text += "; \(quarantined) in quarantine" }
    if case .object(let causes)? = queue?["ledger"] {
      text += "; \(causes.reduce(0) { $0 + count($1.value) }) ever dropped"
    }
    if queue?["storage"]?.string != "ok" { text += "; STORAGE FAILS, records are held in memory" }
    let dropped = count(queue?["dropped_from_memory"])
    return dropped > 0 ? text + "; \(dropped) dropped from memory" : text
  }

  private static func other(_ server: JSONValue) -> String {
    let records = counted(count(server["records"]), "record waits", "records wait")
    return "also         \(word(server["name"])): \(records), \(sync(server["sync"]))"
  }

  private static func sync(_ sync: JSONValue?) -> String {
    var parts = [
      word(sync?["state"]).replacingUnderscores, "\(counted(count(sync?["delivered"]), "record")) delivered",
    ]
    if let ago = sync?["last_delivery_ago_s"] { parts.append("last request taken \(duration(ago)) ago") }
    if let words = belief(sync) { parts.append(words) }
    let failures = count(sync?["failures"])
    if failures > 0 {
      let words = counted(failures, "failure", "failures in a row")
      parts.append("\(words), last reply \(word(sync?["last_reply"]))")
    }
    if sync?["mqtt_version"]?.string == "3.1.1" {
      parts.append("MQTT 3.1.1: the broker cannot say that nobody subscribes")
    }
    if let problem = sync?["problem"]?.string {
      parts.append("\(problem.replacingUnderscores) for \(duration(sync?["problem_for_s"]))")
    }
    for (key, name) in [("budget", "byte budget"), ("roaming_budget", "byte budget for roaming")] {
      switch sync?[key]?["sends"]?.string {
      case "events"?: parts.append("the rest of the \(name) is for events")
      case "none"?: parts.append("the \(name) is used up")
      default: break
      }
    }
    if let next = sync?["next_attempt_s"] { parts.append("next attempt in \(duration(next))") }
    return parts.joined(separator: ", ")
  }

  /// Where records count though the server named none; nil where it did.
  public static func belief(_ sync: JSONValue?) -> String? {
    sync?["acknowledged_by"]?.string.flatMap(UploadReply.Proof.init)?.beliefWords
  }

  private static func warnings(_ warnings: JSONValue?) -> [String] {
    guard case .object(let members)? = warnings else { return [] }
    return members.map { member in
      let warning = member.value
      let times = count(warning["count"])
      return "warning      \(member.key): \(course(warning))\(counted(times, "time")), "
        + "last \(word(warning["last"]))"
    }
  }

  /// Empty for what does not last.
  private static func course(_ warning: JSONValue) -> String {
    guard let since = warning["since"]?.string else { return "" }
    guard let until = warning["until"]?.string else { return "still, since \(since); " }
    return "over, from \(since) until \(until); "
  }

  static func word(_ value: JSONValue?) -> String { value?.string ?? "?" }
  static func count(_ value: JSONValue?) -> Int64 { value?.integer ?? 0 }

  private static func kilometres(_ metres: JSONValue?) -> String {
    let tenths = ((metres?.number ?? 0) / 100).rounded()
    return "\(tenths / 10)"
  }

  /// 3 d 4 h, 5 h 6 min, 7 min 8 s, 9 s.
  static func duration(_ seconds: JSONValue?) -> String {
    let total_s = seconds?.integer ?? 0
    let (days, hours, minutes) = (total_s / 86_400, total_s / 3600 % 24, total_s / 60 % 60)
    if days > 0 { return "\(days) d \(hours) h" }
    if hours > 0 { return "\(hours) h \(minutes) min" }
    if minutes > 0 { return "\(minutes) min \(total_s % 60) s" }
    return "\(total_s) s"
  }
}

extension String {
  var replacingUnderscores: String { String(map { $0 == "_" ? " " : $0 }) }
}
