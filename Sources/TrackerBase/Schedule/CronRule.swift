/// A rule of five cron fields and a length.
///
/// A window starts when the wall clock first reaches a matching minute, or first passes it where the clock
/// jumps forward; it lasts for its length in elapsed time, whatever the clock does meanwhile.
struct CronRule: OpeningRule, Equatable {
  /// Minutes of a matching day at which windows start, in order; at least one.
  let starts: [Int]
  let daysOfMonth: SmallSet
  let months: SmallSet
  /// Bit 0 = Sunday … bit 6 = Saturday.
  let weekdays: SmallSet
  /// Whether either day field begins with `*`: then both must match, else either is enough. This is what
  /// Vixie's cron and its descendants in Debian do: entry.c sets DOM_STAR and DOW_STAR by the first character
  /// of the field, so `*/2` counts as a star, and cron.c combines by these flags.
  let bothDaysMustMatch: Bool
  let length_s: Int64

  func matches(dayNumber: Int) -> Bool {
    let date = CivilDate(dayNumber: dayNumber)
    guard months.contains(date.month) else { return false }
    let byMonthDay = daysOfMonth.contains(date.day)
    let byWeekday = weekdays.contains(CivilDate.weekday(dayNumber: dayNumber))
    return bothDaysMustMatch ? byMonthDay && byWeekday : byMonthDay || byWeekday
  }

  func windowEnd(at unix_s: Int64, in zone: some ZoneRules) -> Int64? {
    // Starts come in the order of their local times, so the window of the last one ends last.
    let furthest = zone.furthestLocal_s(at: unix_s)
    guard let start = localStart(through: furthest, from: furthest - length_s - zoneReach_s) else {
      return nil
    }
    let end = zone.firstInstant(reaching: start) + length_s
    return unix_s < end ? end : nil
  }

  func nextStart(after unix_s: Int64, limit_s: Int64, in zone: some ZoneRules) -> Int64? {
    let furthest = zone.furthestLocal_s(at: unix_s)
    guard let start = localStart(after: furthest, through: limit_s + zoneReach_s) else { return nil }
    let instant = zone.firstInstant(reaching: start)
    return instant <= limit_s ? instant : nil
  }

  /// The first matching local minute in `(local_s, last_s]`.
  private func localStart(after local_s: Int64, through last_s: Int64) -> Int64? {
    let firstMinute = local_s.flooredDivision(by: 60) + 1
    var day = firstMinute.flooredDivision(by: 1440)
    var minute = Int(firstMinute - day * 1440)
    while day * CivilDate.day_s <= last_s {
      if matches(dayNumber: Int(day)), let found = starts[starts.partitioningIndex { $0 >= minute }...].first
      {
        let start = day * CivilDate.day_s + Int64(found) * 60
        return start <= last_s ? start : nil
      }
      day = dayAfter(day)
      minute = 0
    }
    return nil
  }

  /// The last matching local minute in `[first_s, local_s]`.
  private func localStart(through local_s: Int64, from first_s: Int64) -> Int64? {
    let lastMinute = local_s.flooredDivision(by: 60)
    var day = lastMinute.flooredDivision(by: 1440)
    var minute = Int(lastMinute - day * 1440)
    while (day + 1) * CivilDate.day_s > first_s {
      if matches(dayNumber: Int(day)), let found = starts[..<starts.partitioningIndex { $0 > minute }].last {
        let start = day * CivilDate.day_s + Int64(found) * 60
        return start >= first_s ? start : nil
      }
      day -= 1
      minute = 1439
    }
    return nil
  }

  /// The next day that is worth a look: months that never match are passed in one step.
  private func dayAfter(_ day: Int64) -> Int64 {
    let date = CivilDate(dayNumber: Int(day))
    if months.contains(date.month) { return day + 1 }
    return day + Int64(CivilDate.days(inMonth: date.month, year: date.year) - date.day + 1)
  }
}
