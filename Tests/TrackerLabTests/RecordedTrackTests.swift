import Testing
import TrackerBase
import TrackerLab

@Suite struct RecordedTrackTests {
  private func report(_ time_ms: Int64?) -> GPSReport {
    GPSReport(mode: 3, time_ms: time_ms, latitude_deg: 47, longitude_deg: 8)
  }

  @Test("reports arrive at their own time")
  func ownTime() throws {
    let track = try #require(RecordedTrack(name: "a", reports: [report(10_000), report(12_000)]))
    #expect(track.entries.map(\.at_ms) == [10_000, 12_000])
  }

  @Test("a date that leaps by years does not stop the clock for years")
  func leap() throws {
    let leap: Int64 = 619_315_200_000
    let reports = [report(10_000), report(11_000 + leap), report(12_000)]
    let track = try #require(RecordedTrack(name: "a", reports: reports))
    #expect(track.entries.map(\.at_ms) == [10_000, 11_000, 12_000])
    #expect(track.entries[1].report.time_ms == 11_000 + leap)
  }

  @Test("reports without a time come a second apart")
  func timeless() throws {
    let track = try #require(RecordedTrack(name: "a", reports: [report(nil), report(10_000), report(nil)]))
    #expect(track.entries.map(\.at_ms) == [9_000, 10_000, 11_000])
    #expect(RecordedTrack(name: "a", reports: [report(nil)]) == nil)
  }

  @Test("the dates that a receiver makes up before its first fix do not set the clock, right ones do")
  func beforeTheFix() throws {
    let times: [Int64] = [0, 999, 1_772_434_790_000, 1_772_434_795_000]
    let searching = times.map { GPSReport(mode: 1, time_ms: $0) }
    let track = try #require(RecordedTrack(name: "a", reports: searching + [report(1_772_434_800_000)]))
    #expect(track.entries.map { $0.at_ms - 1_772_434_800_000 } == [-12_000, -11_000, -10_000, -5_000, 0])
  }

  @Test("after a leap that stays, reports come as far apart as they claim")
  func leapThatStays() throws {
    let leap: Int64 = 619_315_200_000
    let reports = [report(10_000), report(15_000 + leap), report(20_000 + leap), report(28_000 + leap)]
    let track = try #require(RecordedTrack(name: "a", reports: reports))
    #expect(track.entries.map(\.at_ms) == [10_000, 11_000, 16_000, 24_000])
  }
}
