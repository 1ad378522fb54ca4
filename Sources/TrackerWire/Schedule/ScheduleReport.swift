import TrackerBase

/// What `godwit schedule` prints: the windows of the coming days, for the person who installs the box.
public enum ScheduleReport {
  /// Each window in local time and in UTC with its length, the changes of the clock between them, and the sum. No line
  /// is longer than 80 columns, but for windows of years.
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
    let name = zoneName.isEmpty ? "" : " in \(zoneName)"
    let begin = "\(counted(days, "day")) from \(WallTime(from_s, zone).text) \(WallTime(from_s, zone).offset)"
    var lines = ["Schedule\(name), \(begin)", ""]
    if lines[0].count > columns { lines = ["Schedule\(name)", begin, ""] }
    lines += rows(windows, of: schedule, zone, from_s..<to_s)
    if windows.isEmpty { lines.append(whenNothingOpens(schedule, zone, after: to_s - 1)) }
    let open_s = windows.reduce(0) { $0 + $1.length_s }
    let share = " (\((open_s * 100 + (to_s - from_s) / 2) / (to_s - from_s)) %)"
    let count = windows.isEmpty ? "" : ", in \(counted(windows.count, "window"))"
    lines += ["", "Open \(length(open_s)) of \(length(to_s - from_s))\(share)\(count)."]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The same for programs: `{"timezone":"Europe/Zurich","windows":[{"begin":"2026-…Z","end":"2026-…Z"}]}`. Without rules
  /// the whole period is one window.
  public static func json(
    schedule: Schedule, zone: some ZoneRules, zoneName: String, from_s: Int64, days: Int
  ) -> String {
    let to_s = zone.firstInstant(reaching: zone.local_s(at: from_s) + Int64(days) * 86_400)
    return JSONWriter.object { json in
      json.member("timezone", zoneName)
      json.key("windows")
      json.beginArray()
      for window in schedule.windows(from: from_s, to: to_s, in: zone) {
        json.beginObject()
        json.member("begin", ISO8601.text(ms: window.start_s * 1000))
        json.member("end", ISO8601.text(ms: window.end_s * 1000))
        json.endObject()
      }
      json.endArray()
    }
  }

  private static let columns = 80

  /// The windows under their titles; a change of the clock stands where it falls.
  private static func rows(
    _ windows: [Schedule.Window], of schedule: Schedule, _ zone: some ZoneRules, _ period: Range<Int64>
  ) -> [String] {
    let rows = windows.map { window in
      let (start, end) = (WallTime(window.start_s, zone), WallTime(window.end_s, zone))
      let (startUTC, endUTC) = (WallTime(window.start_s), WallTime(window.end_s))
      return [
        "\(start.text) to \(end.text(after: start))",
        "\(startUTC.weekdayAndTime) to \(endUTC.date == startUTC.date ? endUTC.clock : endUTC.weekdayAndTime)",
        length(window.length_s),
      ]
    }
    let titles = ["Local time", "UTC", "Length"]
    let widths = [0, 1].map { column in ((rows + [titles]).map { $0[column].count }.max() ?? 0) + 2 }
    func line(_ cells: [String]) -> String {
      zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined() + cells[2]
    }
    var changes = clockChanges(in: period, zone)
    var lines = windows.isEmpty ? [] : [line(titles)]
    for (window, row) in zip(windows, rows) {
      lines += takeChanges(&changes, until: window.start_s)
      lines.append(line(row))
      if window.start_s == period.lowerBound, schedule.isOpen(at: period.lowerBound - 1, in: zone) {
        lines.append("  it is open before these days")
      }
      lines += takeChanges(&changes, until: window.end_s - 1)
      if window.end_s == period.upperBound, schedule.isOpen(at: period.upperBound, in: zone) {
        lines.append("  it goes on after these days")
      }
    }
    return lines + changes.map(\.words)
  }

  private static func takeChanges(
    _ changes: inout [(at_s: Int64, words: String)], until end_s: Int64
  ) -> [String] {
    let taken = changes.prefix { $0.at_s <= end_s }
    changes.removeFirst(taken.count)
    return taken.map(\.words)
  }

  /// `Sun 2026-03-29: the clock goes from 02:00 to 03:00, +01:00 to +02:00`
  private static func clockChanges(
    in period: Range<Int64>, _ zone: some ZoneRules
  ) -> [(at_s: Int64, words: String)] {
    var changes: [(at_s: Int64, words: String)] = []
    var now = period.lowerBound
    while let next = zone.nextTransition(after: now), next < period.upperBound {
      // What it would show had it not changed.
      let before = WallTime(next, FixedZone(offset_s: zone.offset_s(at: next - 1)))
      let after = WallTime(next, zone)
      let words = "the clock goes from \(before.clock) to \(after.clock), \(before.offset) to \(after.offset)"
      if before.offset != after.offset { changes.append((next, "  \(before.day): \(words)")) }
      now = next
    }
    return changes
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
    _ schedule: Schedule, _ zone: some ZoneRules, after unix_s: Int64
  ) -> String {
    guard let next = schedule.nextChange(after: unix_s, in: zone) else {
      return "No window in these days, nor in the next five years."
    }
    let (local, utc) = (WallTime(next, zone), WallTime(next))
    return "No window in these days. The next opens \(local.text) \(local.offset),\n\(utc.text) UTC."
  }

  /// `8 h 00 min`, with seconds when there are any.
  private static func length(_ seconds: Int64) -> String {
    let text = "\(seconds / 3600) h \(padded(Int(seconds / 60 % 60))) min"
    return seconds % 60 == 0 ? text : "\(text) \(padded(Int(seconds % 60))) s"
  }
}

extension CivilDate {
  /// `Sun`
  var weekday: String {
    ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][CivilDate.weekday(dayNumber: dayNumber)]
  }
}

/// An instant as a clock on the wall shows it.
private struct WallTime {
  private let time: CivilTime
  private let offset_s: Int

  init(_ unix_s: Int64, _ zone: some ZoneRules) {
    offset_s = zone.offset_s(at: unix_s)
    time = CivilTime(seconds: unix_s + Int64(offset_s))
  }

  /// In UTC.
  init(_ unix_s: Int64) { self.init(unix_s, FixedZone.utc) }

  var date: CivilDate { time.date }

  /// `Sun 2026-03-29`
  var day: String { "\(time.date.weekday) \(time.date.text)" }

  /// `01:30`, with seconds when there are any.
  var clock: String {
    let text = "\(padded(time.hour)):\(padded(time.minute))"
    return time.second == 0 ? text : "\(text):\(padded(time.second))"
  }

  /// `Sun 2026-03-29 01:30`
  var text: String { "\(day) \(clock)" }

  /// `Sun 01:30`
  var weekdayAndTime: String { "\(time.date.weekday) \(clock)" }

  /// As short as it is plain beside where the window began.
  func text(after start: WallTime) -> String {
    let days = time.date.dayNumber - start.time.date.dayNumber
    if days == 0 { return clock }
    return days < 7 ? weekdayAndTime : "\(time.date.text) \(clock)"
  }

  /// `+01:00`
  var offset: String {
    let minutes = abs(offset_s) / 60
    return "\(offset_s < 0 ? "-" : "+")\(padded(minutes / 60)):\(padded(minutes % 60))"
  }
}
