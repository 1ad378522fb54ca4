/// A rule of days and a time of day: open at an instant if and only if the wall clock of that instant shows a
/// time inside it. So gaps and overlaps of the clock need no special case.
struct DailyRule: OpeningRule, Equatable {
  enum Days: Equatable {
    /// Bit 0 = Sunday … bit 6 = Saturday; at least one.
    case weekdays(SmallSet)
    /// Day numbers, both inclusive.
    case dates(ClosedRange<Int>)
  }

  let days: Days
  /// Minutes after the midnight on which the window's day begins, 0...1439.
  let startMinute: Int
  /// After `startMinute`; more than 1440 when the window crosses midnight.
  let endMinute: Int

  /// - Parameter endMinute: of 0...1439; one that is not after the start means the next day.
  init(days: Days, startMinute: Int, endMinute: Int) {
    self.days = days
    self.startMinute = startMinute
    self.endMinute = endMinute > startMinute ? endMinute : endMinute + 1440
  }

  func matches(dayNumber: Int) -> Bool {
    switch days {
    case .weekdays(let weekdays): weekdays.contains(CivilDate.weekday(dayNumber: dayNumber))
    case .dates(let dates): dates.contains(dayNumber)
    }
  }

  func windowEnd(at unix_s: Int64, in zone: some ZoneRules) -> Int64? {
    let offset = Int64(zone.offset_s(at: unix_s))
    guard let end = localEnd(at: unix_s + offset) else { return nil }
    guard let jump = zone.nextTransition(after: unix_s) else { return end - offset }
    return min(end - offset, jump)
  }

  func nextStart(after unix_s: Int64, limit_s: Int64, in zone: some ZoneRules) -> Int64? {
    var now = unix_s
    while now <= limit_s {
      let offset = Int64(zone.offset_s(at: now))
      let jump = zone.nextTransition(after: now) ?? .max
      let last = min(limit_s, jump - 1)
      if let start = localStart(after: now + offset, through: last + offset) { return start - offset }
      guard jump <= limit_s else { return nil }
      if windowEnd(at: jump, in: zone) != nil { return jump }
      now = jump
    }
    return nil
  }

  /// End on the wall clock of the window that contains the local time.
  private func localEnd(at local_s: Int64) -> Int64? {
    let today = local_s.flooredDivision(by: CivilDate.day_s)
    for day in [today, today - 1] where matches(dayNumber: Int(day)) {
      let midnight = day * CivilDate.day_s
      let end = midnight + Int64(endMinute) * 60
      if local_s >= midnight + Int64(startMinute) * 60 && local_s < end { return end }
    }
    return nil
  }

  /// The first start on the wall clock in `(local_s, last_s]`.
  private func localStart(after local_s: Int64, through last_s: Int64) -> Int64? {
    let start = Int64(startMinute) * 60
    let firstDay = (local_s - start).flooredDivision(by: CivilDate.day_s) + 1
    let lastDay = (last_s - start).flooredDivision(by: CivilDate.day_s)
    guard firstDay <= lastDay, let day = firstMatch(in: Int(firstDay)...Int(lastDay)) else { return nil }
    return Int64(day) * CivilDate.day_s + start
  }

  private func firstMatch(in range: ClosedRange<Int>) -> Int? {
    switch days {
    case .weekdays: range.prefix(7).first(where: matches)
    case .dates(let dates): dates.overlaps(range) ? dates.clamped(to: range).lowerBound : nil
    }
  }
}
