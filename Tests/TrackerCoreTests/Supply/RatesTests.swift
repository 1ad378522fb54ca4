import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Pauses while the battery is low")
struct RatesTests {
  @Test("no factor lets a record wait for longer than a day, or a status for longer than a week")
  func bounded() {
    let sync = Settings.with { $0.sync.interval_s = 3600 }.sync
    let paced = sync.paced(by: 1000)
    #expect(paced.interval_s == 86_400 && paced.statusInterval_s == 604_800)
    #expect(paced.threshold == 5000)
    let twice = sync.paced(by: 2)
    #expect(twice.interval_s == 7200 && twice.threshold == 10)
  }

  @Test("a number of records that starts no sync, as abroad, stays none")
  func abroad() {
    var settings = SyncSettings()
    settings.threshold = .max
    #expect(settings.paced(by: 4).threshold == .max)
    #expect(settings.paced(by: 1) == settings)
  }
}
