/// When tracking is allowed. Any rule that matches opens; no rule at all means always open.
///
/// Rules are compiled once and asked two things: open at t, and the next change after t. What they mean in the
/// nights when clocks change is in docs/schedule.md.
public struct Schedule: Sendable {
  /// An interval in which the schedule is open, `[start_s, end_s)`, in Unix seconds.
  public struct Window: Equatable, Sendable {
    public var start_s: Int64
    public var end_s: Int64

    public var length_s: Int64 { end_s - start_s }
  }

  /// How far `nextChange` looks: 1830 days, a little more than five years, so that 29 February is found.
  public static let horizon_s: Int64 = 1830 * CivilDate.day_s

  let rules: [any OpeningRule]

  /// - Throws: every malformed rule at once.
  public init(rules texts: [String]) throws(ScheduleError) {
    var rules: [any OpeningRule] = []
    var entries: [ScheduleError.Entry] = []
    for (index, text) in texts.enumerated() {
      do throws(RuleError) {
        rules.append(try parseRule(text))
      } catch {
        entries.append(.init(index: index, rule: text, column: error.column, reason: error.reason))
      }
    }
    guard entries.isEmpty else { throw ScheduleError(entries: entries) }
    self.rules = rules
  }

  /// What is wrong with one rule; nil when nothing is.
  public static func check(_ rule: String) -> String? {
    do throws(RuleError) {
      _ = try parseRule(rule)
      return nil
    } catch {
      return error.reason
    }
  }

  /// The rules, by index, that open at no time from then on: a date that is past, a day that no month has.
  public static func neverOpening(_ rules: [String], from unix_s: Int64, in zone: some ZoneRules) -> [Int] {
    rules.indices.filter { index in
      guard let alone = try? Schedule(rules: [rules[index]]) else { return false }
      return !alone.isOpen(at: unix_s, in: zone) && alone.nextChange(after: unix_s, in: zone) == nil
    }
  }

  /// True without any rule.
  public var isAlwaysOpen: Bool { rules.isEmpty }

  public func isOpen(at unix_s: Int64, in zone: some ZoneRules) -> Bool {
    isAlwaysOpen || rules.contains { $0.windowEnd(at: unix_s, in: zone) != nil }
  }

  /// The first instant after the given one at which the answer of `isOpen` differs from that at the given
  /// instant; nil when there is none within `horizon_s`. Windows that touch or overlap are one.
  public func nextChange(after unix_s: Int64, in zone: some ZoneRules) -> Int64? {
    if isAlwaysOpen { return nil }
    let limit_s = unix_s + Schedule.horizon_s
    if isOpen(at: unix_s, in: zone) { return endOfOpenTime(from: unix_s, limit_s: limit_s, in: zone) }
    return rules.compactMap { $0.nextStart(after: unix_s, limit_s: limit_s, in: zone) }.min()
  }

  /// The windows inside `[from_s, to_s)`, merged, in order, cut at both ends.
  public func windows(from from_s: Int64, to to_s: Int64, in zone: some ZoneRules) -> [Window] {
    var windows: [Window] = []
    var now = from_s
    while now < to_s {
      let end = min(nextChange(after: now, in: zone) ?? to_s, to_s)
      if isOpen(at: now, in: zone) { windows.append(Window(start_s: now, end_s: end)) }
      now = end
    }
    return windows
  }

  /// The first closed instant after an open one.
  ///
  /// A schedule can stay open for years in windows of a minute. So the walk goes day by day, and a day that is
  /// like one already found to be open from midnight to midnight is passed in one step.
  private func endOfOpenTime(from start_s: Int64, limit_s: Int64, in zone: some ZoneRules) -> Int64? {
    var openDays: Set<[Int64]> = []
    var now = start_s
    while now <= limit_s {
      let dayNumber = zone.furthestLocal_s(at: now).flooredDivision(by: CivilDate.day_s)
      let midnight = zone.firstInstant(reaching: (dayNumber + 1) * CivilDate.day_s)
      let kind = kindOfDay(dayNumber, from: now, to: midnight, in: zone)
      if let kind, openDays.contains(kind) {
        now = midnight
        continue
      }
      while now < midnight {
        guard let end = furthestEnd(at: now, in: zone) else { return now }
        now = end
      }
      if let kind { openDays.insert(kind) }
      now = midnight
    }
    return nil
  }

  /// The latest end of the windows that are open now.
  private func furthestEnd(at unix_s: Int64, in zone: some ZoneRules) -> Int64? {
    rules.compactMap { $0.windowEnd(at: unix_s, in: zone) }.max()
  }

  /// All that decides when a day is open: for each rule, how long its window from before goes on (at most the
  /// day), and whether the date matches. nil unless the day begins now and no clock change is near.
  private func kindOfDay(
    _ dayNumber: Int64, from start_s: Int64, to end_s: Int64, in zone: some ZoneRules
  ) -> [Int64]? {
    guard zone.local_s(at: start_s) == dayNumber * CivilDate.day_s else { return nil }
    if let next = zone.nextTransition(after: start_s - zoneReach_s), next <= end_s { return nil }
    return rules.map { rule in
      let left_s = (rule.windowEnd(at: start_s, in: zone) ?? start_s) - start_s
      return min(left_s, CivilDate.day_s) * 2 + (rule.matches(dayNumber: Int(dayNumber)) ? 1 : 0)
    }
  }
}

/// One compiled rule.
protocol OpeningRule: Sendable {
  /// Whether windows of this rule can start on the date.
  func matches(dayNumber: Int) -> Bool
  /// nil when the rule is closed at the instant; else an instant later than it up to which the rule stays open.
  /// It may go on being open there: who needs the end asks again.
  func windowEnd(at unix_s: Int64, in zone: some ZoneRules) -> Int64?
  /// For an instant at which the rule is closed: the first one after it, and not after the limit, at which it
  /// is open.
  func nextStart(after unix_s: Int64, limit_s: Int64, in zone: some ZoneRules) -> Int64?
}

/// Malformed rules, all of them.
public struct ScheduleError: Error, Equatable, CustomStringConvertible {
  public struct Entry: Equatable, Sendable, CustomStringConvertible {
    /// Place of the rule in the list, from 0.
    public var index: Int
    public var rule: String
    /// Character of the rule at which the fault begins, from 1; nil when something is missing at the end.
    public var column: Int?
    public var reason: String

    public var description: String {
      "schedule rule \(index + 1) \"\(rule)\"\(column.map { ", column \($0)" } ?? ""): \(reason)"
    }
  }

  public var entries: [Entry]

  public var description: String { entries.map(\.description).joined(separator: "\n") }
}
