import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("What a position says beside its fix")
struct PositionDetailsTests {
  private func fix(_ s: Int64, hdop: Double? = nil) -> Fix {
    Fix(
      time_ms: s * 1000, position: Position(latitude_deg: 47, longitude_deg: 8), accuracy_m: 4, hdop: hdop)
  }

  private func on(_ isOn: Bool) -> PositionDetails { PositionDetails(ignitionIsOn: isOn) }

  @Test("is of the fix's own time, however late the track keeps it")
  func late() {
    var log = PositionDetailsLog()
    for s in 0..<10 as Range<Int64> { log.add(on(s >= 4), at: s * 1000) }
    #expect(log.details(of: fix(3))?.ignitionIsOn == false)
    #expect(log.details(of: fix(4))?.ignitionIsOn == true)
    #expect(log.details(of: fix(60))?.ignitionIsOn == true)
  }

  @Test("the HDOP is the fix's own, in tenths; nothing known is nothing said")
  func hdop() {
    var log = PositionDetailsLog()
    #expect(log.details(of: fix(1)) == nil)
    #expect(log.details(of: fix(1, hdop: 0.86)) == PositionDetails(hdop: 0.9))
    log.add(on(true), at: 2000)
    #expect(log.details(of: fix(1)) == nil, "a fix from before anything was known")
    #expect(log.details(of: fix(2, hdop: 1.2)) == PositionDetails(hdop: 1.2, ignitionIsOn: true))
  }

  @Test("what is not asked for any more is forgotten; fifty geofences at most")
  func forgetting() {
    var log = PositionDetailsLog()
    log.add(PositionDetails(geofences: (0..<60).map { "g\($0)" }), at: 0)
    log.add(on(true), at: 9000)
    #expect(log.details(of: fix(10))?.geofences == [] && log.details(of: fix(1))?.geofences.count == 50)
    log.forget(before: fix(10))
    #expect(log.details(of: fix(1)) == nil && log.details(of: fix(10)) == on(true))
    for s in 0..<2000 as Range<Int64> { log.add(on(s % 2 == 0), at: 20_000 + s * 1000) }
    #expect(log.details(of: fix(100)) == nil && log.details(of: fix(2018)) == on(true))
  }
}
