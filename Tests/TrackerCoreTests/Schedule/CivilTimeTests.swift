import ScheduleOracle
import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

struct CivilTimeTests {
  @Test("days and dates agree with a calendar counted page by page")
  func roundTrip() {
    for (index, page) in calendarPages.enumerated() {
      let date = CivilDate(year: page.year, month: page.month, day: page.day)
      let dayNumber = 10_957 + index  // 2000-01-01
      #expect(date.dayNumber == dayNumber)
      #expect(CivilDate(dayNumber: dayNumber) == date)
    }
  }

  @Test(
    "known dates",
    arguments: [
      (1970, 1, 1, 0, 4), (1969, 12, 31, -1, 3), (1600, 2, 29, -135_081, 2), (2000, 2, 29, 11_016, 2),
      (2100, 3, 1, 47_541, 1), (9999, 12, 31, 2_932_896, 5),
    ])
  func known(year: Int, month: Int, day: Int, dayNumber: Int, weekday: Int) {
    #expect(CivilDate(year: year, month: month, day: day).dayNumber == dayNumber)
    #expect(CivilDate(dayNumber: dayNumber) == CivilDate(year: year, month: month, day: day))
    #expect(CivilDate.weekday(dayNumber: dayNumber) == weekday)
  }

  @Test("the calendar's own dates are real, others are not")
  func real() {
    #expect(CivilDate(year: 2024, month: 2, day: 29).isReal)
    #expect(!CivilDate(year: 2100, month: 2, day: 29).isReal)
    #expect(!CivilDate(year: 2026, month: 4, day: 31).isReal)
    #expect(!CivilDate(year: 2026, month: 13, day: 1).isReal)
    #expect(!CivilDate(year: 2026, month: 1, day: 0).isReal)
  }

  @Test("the second before 1970 is the last of 1969")
  func beforeEpoch() {
    let time = CivilTime(seconds: -1)
    let lastDay = CivilDate(year: 1969, month: 12, day: 31)
    #expect(time == CivilTime(date: lastDay, hour: 23, minute: 59, second: 59))
    #expect(time.seconds == -1)
  }

  @Test("a zone's list may be unsorted and repeat itself")
  func zoneList() {
    let zone = TransitionZone(
      initial_s: 0,
      transitions: [
        .init(at_s: 200, offset_s: 0), .init(at_s: 50, offset_s: 0), .init(at_s: 100, offset_s: 60),
        .init(at_s: 150, offset_s: 60),
      ])
    #expect([99, 100, 150, 199, 200].map { zone.offset_s(at: $0) } == [0, 60, 60, 60, 0])
    #expect(zone.nextTransition(after: 0) == 100)
    #expect(zone.nextTransition(after: 100) == 200)
    #expect(zone.nextTransition(after: 200) == nil)
  }
}
