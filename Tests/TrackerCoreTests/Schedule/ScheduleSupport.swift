import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Unix seconds of a UTC time.
func utc(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0)
  -> Int64
{
  CivilTime(
    date: CivilDate(year: year, month: month, day: day), hour: hour, minute: minute, second: second
  ).seconds
}

/// A zone from hours east of UTC, and changes as (instant, hours east).
func zone(_ initial_h: Double, _ changes: [(Int64, Double)]) -> TransitionZone {
  TransitionZone(
    initial_s: Int(initial_h * 3600),
    transitions: changes.map { .init(at_s: $0.0, offset_s: Int($0.1 * 3600)) })
}

/// Zones of the tz database, with the changes of the years that the tests look at.
enum Zones {
  static let zurich = zone(
    1,
    [
      (utc(2026, 3, 29, 1), 2), (utc(2026, 10, 25, 1), 1), (utc(2027, 3, 28, 1), 2),
      (utc(2027, 10, 31, 1), 1),
    ])
  static let newYork = zone(
    -5,
    [
      (utc(2026, 3, 8, 7), -4), (utc(2026, 11, 1, 6), -5), (utc(2027, 3, 14, 7), -4),
      (utc(2027, 11, 7, 6), -5),
    ])
  /// Half an hour of summer time.
  static let lordHowe = zone(
    11, [(utc(2026, 4, 4, 15), 10.5), (utc(2026, 10, 3, 15, 30), 11), (utc(2027, 4, 3, 15), 10.5)])
  /// 30 December 2011 did not happen.
  static let apia = zone(
    -11,
    [
      (utc(2011, 4, 2, 14), -11), (utc(2011, 9, 24, 14), -10), (utc(2011, 12, 30, 10), 14),
      (utc(2012, 3, 31, 14), 13),
    ])
  /// An hour back for Ramadan and forward again five weeks later.
  static let casablanca = zone(
    1,
    [(utc(2026, 2, 15, 2), 0), (utc(2026, 3, 22, 2), 1), (utc(2027, 2, 7, 2), 0), (utc(2027, 3, 14, 2), 1)])
  /// Clocks change at midnight: the hour before it twice, the hour after it never.
  static let santiago = zone(-3, [(utc(2026, 4, 5, 3), -4), (utc(2026, 9, 6, 4), -3)])
  /// Kwajalein's like: a day that happens twice.
  static let repeatedDay = zone(12, [(utc(2026, 5, 10, 4), -12)])

  static let all: [(name: String, zone: TransitionZone)] = [
    ("Zurich", zurich), ("New York", newYork), ("Lord Howe", lordHowe), ("Apia", apia),
    ("Casablanca", casablanca), ("Santiago", santiago), ("a day twice", repeatedDay),
    ("UTC", TransitionZone(initial_s: 0, transitions: [])),
  ]
}
