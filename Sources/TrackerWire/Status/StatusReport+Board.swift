import TrackerBase

/// Link, cost, energy and the board itself, with its sleep, for a person.
extension StatusReport {
  /// A line for each of which the document says anything.
  static func board(_ status: JSONValue) -> [String] {
    let lines = [
      ("link", link(status)), ("traffic", traffic(status["traffic"])), ("energy", energy(status["energy"])),
      ("board", host(status["host"])),
    ]
    return lines.filter { !$0.1.isEmpty }.map { title, parts in
      title + String(repeating: " ", count: 13 - title.count) + parts.joined(separator: ", ")
    }
  }

  private static func link(_ status: JSONValue) -> [String] {
    var parts = [status["sync"]?["interface"]?.string].compactMap { $0 }
    guard let link = status["link"] else { return parts }
    parts += [link["operator"]?.string, link["technology"]?.string?.replacingUnderscores].compactMap { $0 }
    if let signal = link["signal"]?.integer { parts.append("signal \(signal) %") }
    if let power = link["signal_dbm"]?.number { parts.append("\(power) dBm") }
    parts.append(link["roaming"]?.bool == true ? "ROAMING" : word(link["registration"]))
    return parts
  }

  private static func traffic(_ traffic: JSONValue?) -> [String] {
    [("today", "today"), ("month", "this month")].compactMap { key, words in
      let (up, down) = (sum(traffic?[key + "_up_bytes"]), sum(traffic?[key + "_down_bytes"]))
      return up + down > 0 ? "\(words) \(size(up)) up and \(size(down)) down" : nil
    }
  }

  private static func energy(_ energy: JSONValue?) -> [String] {
    var parts: [String] = []
    if energy?["today_mah"] != nil { parts.append("\(sum(energy?["today_mah"])) mAh today") }
    if energy?["forecast_mah"] != nil {
      parts.append("\(sum(energy?["forecast_mah"])) mAh for the whole day")
    }
    return parts
  }

  private static func host(_ host: JSONValue?) -> [String] {
    var parts: [String] = []
    if let temperature = host?["temperature_c"]?.number { parts.append("\(temperature) °C") }
    if host?["throttled"]?.bool == true { parts.append("THROTTLED") }
    if host?["undervoltage_since_boot"]?.bool == true { parts.append("had undervoltage") }
    if let free = host?["disk_free_bytes"]?.integer { parts.append("\(size(free)) free") }
    if let used = host?["card_life_used"]?.integer { parts.append("card's life \(used) % used") }
    return parts
  }

  /// nil where the board never sleeps.
  static func sleep(_ sleep: JSONValue?) -> String? {
    guard let sleep else { return nil }
    var parts: [String] = []
    if sleep["state"]?.string == "asleep" {
      parts.append(
        "asleep until \(word(sleep["until"])), because: \(word(sleep["because"]).replacingUnderscores)")
    } else if let hold = sleep["held_by"]?.string {
      parts.append("awake: \(hold.replacingUnderscores)")
    } else {
      parts.append("awake")
    }
    if let cause = sleep["woken_by"]?.string {
      let slept = sleep["slept_s"].map { " after \(duration($0))" } ?? ""
      parts.append("last woken by \(cause) at \(word(sleep["woken"]))\(slept)")
    }
    return parts.joined(separator: ", ")
  }

  private static func sum(_ table: JSONValue?) -> Int64 {
    guard case .object(let members)? = table else { return 0 }
    return Int64(members.reduce(0) { $0 + ($1.value.number ?? 0) }.rounded())
  }

  /// 950 B, 1.2 kB, 34 MB.
  static func size(_ bytes: Int64) -> String {
    var (number, unit) = (Double(bytes), "B")
    for next in ["kB", "MB", "GB"] where number >= 1000 { (number, unit) = (number / 1000, next) }
    let tenths = (number * 10).rounded() / 10
    return unit == "B" || number >= 100 ? "\(Int64(number.rounded())) \(unit)" : "\(tenths) \(unit)"
  }
}
