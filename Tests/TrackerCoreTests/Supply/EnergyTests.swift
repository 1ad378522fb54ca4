import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("The energy ledger")
struct EnergyTests {
  private static let hour_ms: Int64 = 3_600_000

  @Test("what was on since the last count is counted, and each day gets its part")
  func counts() {
    var ledger = EnergyLedger(saved: nil, bootID: "a", at: 1000)
    // 06:00
    ledger.count(gps: false, modem: true, isOpen: false, trusted_ms: epoch_ms, at: 1000)
    ledger.count(
      gps: true, modem: true, isOpen: true, trusted_ms: epoch_ms + Self.hour_ms, at: 1000 + Self.hour_ms)
    #expect(ledger.day.gps_ms == Self.hour_ms && ledger.day.open_ms == Self.hour_ms)
    // 01:00 on the next day, at once: 17 hours of the first, one of the second.
    ledger.count(
      gps: false, modem: false, isOpen: true, trusted_ms: epoch_ms + 19 * Self.hour_ms,
      at: 1000 + 19 * Self.hour_ms)
    #expect(ledger.day.board_ms == Self.hour_ms && ledger.day.modem_ms == 0 && ledger.day.gps_ms == 0)
    #expect(ledger.month.board_ms == 19 * Self.hour_ms && ledger.month.modem_ms == Self.hour_ms)
  }

  @Test("a restart goes on; meanwhile the board was on, and the module was not")
  func saved() {
    var before = EnergyLedger(saved: nil, bootID: "a", at: 0)
    before.count(gps: true, modem: true, isOpen: true, trusted_ms: epoch_ms, at: 60_000)
    let saved = before.saved(bootID: "a")
    #expect(
      SavedEnergy(saved: saved.saved)
        == SavedEnergy(bootID: "a", counted_ms: 60_000, on: DayAndMonth(saved.on, at: 0)))
    let day = saved.saved["on"]?["day"]
    #expect(day?["number"] == 20241 && day?["used"]?["gps_ms"] == 60_000 && day?["used"]?["asleep_ms"] == nil)
    var same = EnergyLedger(saved: saved, bootID: "a", at: 90_000)
    same.count(gps: false, modem: true, isOpen: false, trusted_ms: epoch_ms + 30_000, at: 90_000)
    #expect(same.day.board_ms == 90_000 && same.day.gps_ms == 60_000)
    var other = EnergyLedger(saved: saved, bootID: "b", at: 20_000)
    other.count(gps: false, modem: true, isOpen: false, trusted_ms: epoch_ms + 80_000, at: 20_000)
    #expect(other.day.board_ms == 80_000 && other.day.modem_ms == 80_000)
    let odd: [JSONValue] = [
      "x", ["counted_ms": -1], ["on": ["day": ["used": ["gps_ms": -5]]]], ["on": ["day": ["number": "x"]]],
    ]
    for value in odd { #expect(SavedEnergy(saved: value) == nil, "\(value)") }
  }

  @Test("asleep: today's part counts, whenever the time is known again, and is saved")
  func asleep() {
    var ledger = EnergyLedger(saved: nil, bootID: "a", at: 0)
    ledger.count(gps: false, modem: false, isOpen: false, trusted_ms: epoch_ms, at: 0)
    // From 22:00 to 05:59, and at 06:00 the time is known: six hours but a minute.
    ledger.slept(8 * Self.hour_ms - 60_000, until_ms: epoch_ms - 60_000, trusted_ms: epoch_ms)
    #expect(ledger.day.asleep_ms == 6 * Self.hour_ms - 60_000)
    // One of yesterday alone, and one whose length nobody knows.
    ledger.slept(Self.hour_ms, until_ms: epoch_ms - 7 * Self.hour_ms, trusted_ms: epoch_ms)
    ledger.slept(0, until_ms: epoch_ms, trusted_ms: epoch_ms)
    let saved = SavedEnergy(saved: ledger.saved(bootID: "a").saved)
    let next = EnergyLedger(saved: saved, bootID: "a", at: 5)
    #expect(next.day.asleep_ms == 21_540_000 && next.month.asleep_ms == 21_540_000)
  }

  @Test("while the time is not known it counts on, and the first date takes what was")
  func untrusted() {
    var ledger = EnergyLedger(saved: nil, bootID: "", at: 0)
    ledger.count(gps: true, modem: true, isOpen: true, trusted_ms: nil, at: Self.hour_ms)
    ledger.count(gps: false, modem: true, isOpen: true, trusted_ms: epoch_ms, at: 2 * Self.hour_ms)
    #expect(ledger.day.gps_ms == Self.hour_ms && ledger.day.board_ms == 2 * Self.hour_ms)
  }

  @Test("the forecast takes the schedule's windows, and of them the part in which the GPS was on this month")
  func forecast() throws {
    // 06:00 is the start. Parked: the GPS is off for most of the window.
    let day = try TrackerTimeline(.parked, rules: ["sun-sat 07:00-19:00"]) {
      ($0.energy.gps_ma, $0.energy.board_ma) = (30, 200)
    }
    let morning = try #require(day.tracker.status(at: day.now).energy)
    #expect(morning.today_mah == [.gps: 0, .board: 0])
    // Twelve hours of a window of which nothing is known yet, and 18 hours of board.
    #expect(morning.forecast_mah == [.gps: 360, .board: 3600])
    day.run(to: 7 * 3600)
    let noon = try #require(day.tracker.status(at: day.now).energy)
    let gps_mah = 30 * day.gpsOn_s / 3600
    #expect(abs((noon.today_mah[.gps] ?? -1) - gps_mah) < 0.2 && noon.today_mah[.board] == 1400)
    // Half of the window is over.
    #expect(abs((noon.forecast_mah[.gps] ?? -1) - 2 * gps_mah) < 0.5 && noon.forecast_mah[.board] == 3600)
    #expect(noon.today_mah[.modem] == nil)
    day.kill()
    #expect(day.tracker.status(at: day.now).energy?.today_mah[.board] ?? 0 >= 1200)
  }

  @Test("no currents, no figures; no date, no forecast")
  func absent() throws {
    #expect(try TrackerTimeline(.parked).tracker.status(at: .at(0)).energy == nil)
    let day = try TrackerTimeline(.parked, isSynchronised: false) { $0.energy.modem_ma = 10 }
    day.happen(.link([Modem(isOn: false)]))
    #expect(day.tracker.status(at: day.now).energy?.forecast_mah == [:])
    #expect(day.tracker.status(at: day.now).energy?.today_mah == [.modem: 0])
  }
}
