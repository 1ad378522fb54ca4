import TrackerCore

/// What `godwit schedule` prints: the windows of the coming days, for the person who installs the box.
public enum ScheduleReport {
  /// Each window in local time with the offset in force and in UTC, its length, and the sum.
  ///
  /// - Parameters:
  ///   - zoneName: named in the heading; may be empty.
  ///   - days: of the calendar, 1...366. The last ends at the time of day at which the first began.
  public static func text(
    schedule: Schedule, zone: some ZoneRules, zoneName: String = "", from_s: Int64, days: Int
  ) -> String {
    if schedule.isAlwaysOpen { return "The schedule has no rules: always open.\n" }
    let to_s = zone.firstInstant(reaching: zone.local_s(at: from_s) + Int64(days) * 86_400)
    let windows = schedule.windows(from: from_s, to: to_s, in: zone)
    let format = TimeFormat(showsSeconds: windows.contains { $0.start_s % 60 != 0 || $0.end_s % 60 != 0 })
    let name = zoneName.isEmpty ? "" : " in \(zoneName)"
    var lines = [
      "Schedule\(name), \(counted(days, "day")) from \(format.local(from_s, zone))", "",
    ]
    for window in windows {
      var line = "\(format.local(window.start_s, zone)) to \(format.local(window.end_s, zone))"
      line += "   \(format.utc(window.start_s)) to \(format.utc(window.end_s))   \(length(window.length_s))"
      if window.start_s == from_s && schedule.isOpen(at: from_s - 1, in: zone) { line += ", open before" }
      if window.end_s == to_s && schedule.isOpen(at: to_s, in: zone) { line += ", goes on" }
      lines.append(line)
    }
    if windows.isEmpty { lines.append(whenNothingOpens(schedule, zone, after: to_s - 1, format)) }
    let open_s = windows.reduce(0) { $0 + $1.length_s }
    lines += ["", "Open \(length(open_s)) of \(length(to_s - from_s))."]
    return lines.joined(separator: "\n") + "\n"
  }

  /// An instant from `2026-04-15`, `2026-04-15T08:00` or `2026-04-15 08:00:30`, in local time unless `Z` or an
  /// offset such as `+02:00` follows; nil when it is none of these. A local time that the clock jumps over
  /// means the end of the jump, one that comes twice its first.
  public static func instant(_ text: String, in zone: some ZoneRules) -> Int64? {
    var reader = DateReader(rest: text.utf8[...])
    guard let date = reader.date() else { return nil }
    var time = CivilTime(date: date)
    if reader.rest.isEmpty { return zone.firstInstant(reaching: time.seconds) }
    guard reader.skip("T") || reader.skip(" "), let hour = reader.number(2, upTo: 23), reader.skip(":"),
      let minute = reader.number(2, upTo: 59)
    else { return nil }
    (time.hour, time.minute) = (hour, minute)
    if reader.skip(":") {
      guard let second = reader.number(2, upTo: 59) else { return nil }
      time.second = second
    }
    if reader.rest.isEmpty { return zone.firstInstant(reaching: time.seconds) }
    guard let offset = reader.offset_s(), reader.rest.isEmpty else { return nil }
    return time.seconds - offset
  }

  private static func whenNothingOpens(
    _ schedule: Schedule, _ zone: some ZoneRules, after unix_s: Int64, _ format: TimeFormat
  ) -> String {
    guard let next = schedule.nextChange(after: unix_s, in: zone) else {
      return "No window in these days, nor in the next five years."
    }
    return "No window in these days. The next opens \(format.local(next, zone)), \(format.utc(next))."
  }

  /// `8 h 00 min`, with seconds when there are any.
  private static func length(_ seconds: Int64) -> String {
    let text = "\(seconds / 3600) h \(padded(Int(seconds / 60 % 60))) min"
    return seconds % 60 == 0 ? text : "\(text) \(padded(Int(seconds % 60))) s"
  }
}

/// Two digits at least.
func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

extension CivilDate {
  /// `2026-03-29`
  var text: String { "\(year)-\(padded(month))-\(padded(day))" }

  /// `Sun`
  var weekday: String {
    ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][CivilDate.weekday(dayNumber: dayNumber)]
  }
}

private struct TimeFormat {
  let showsSeconds: Bool

  /// `Sun 2026-03-29 01:30 +01:00`
  func local(_ unix_s: Int64, _ zone: some ZoneRules) -> String {
    let time = CivilTime(seconds: zone.local_s(at: unix_s))
    let offset = offset(zone.offset_s(at: unix_s))
    return "\(time.date.weekday) \(time.date.text) \(clock(time)) \(offset)"
  }

  /// `2026-03-29T00:30Z`
  func utc(_ unix_s: Int64) -> String {
    let time = CivilTime(seconds: unix_s)
    return "\(time.date.text)T\(clock(time))Z"
  }

  private func clock(_ time: CivilTime) -> String {
    let text = "\(padded(time.hour)):\(padded(time.minute))"
    return showsSeconds ? "\(text):\(padded(time.second))" : text
  }

  private func offset(_ offset_s: Int) -> String {
    let minutes = abs(offset_s) / 60
    return "\(offset_s < 0 ? "-" : "+")\(padded(minutes / 60)):\(padded(minutes % 60))"
  }
}
