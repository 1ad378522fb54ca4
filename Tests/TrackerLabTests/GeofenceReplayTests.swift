import DriveGenerator
import Testing
import TrackerBase
import TrackerLab
import TrackerWire

/// The demo's drive past areas of a user's.
@Suite struct GeofenceReplayTests {
  /// Around the first place of the drive and around the place of the stop between its trips.
  private func fences() throws -> [Geofence] {
    let epochs = ReplayTests.drive.epochs
    let stop_ms = ReplayTests.drive.trips[0].end_ms + 60_000
    let (start, stop) = (try #require(epochs.first), try #require(epochs.first { $0.time_ms >= stop_ms }))
    func circle(_ id: String, _ epoch: DriveEpoch) throws -> Geofence {
      let centre = Position(latitude_deg: epoch.latitude_deg, longitude_deg: epoch.longitude_deg)
      return try Geofence(id: id, shape: .circle(centre: centre, radius_m: 120))
    }
    var yard = try circle("yard", stop)
    yard.notifyOnDwell = true
    yard.loiteringDelay_s = 240
    return [try circle("home", start), yard]
  }

  @Test("home is left, the yard entered, dwelt in and left, each once")
  func demo() throws {
    var settings = Settings()
    settings.sync.splay_s = 0
    let replay = try Replay(track: ReplayTests.track(), settings: settings, geofences: fences())
    let result = replay.run()
    #expect(
      result.geofenceEvents.map { "\($0.event.action.rawValue) \($0.event.geofence)" } == [
        "ENTER home", "EXIT home", "ENTER yard", "DWELL yard", "EXIT yard",
      ])
    let times = result.geofenceEvents.map(\.time_ms)
    #expect(times == times.sorted() && times.count == 5)
    let stay_ms = times[3] - times[2]
    #expect((240_000...242_000).contains(stay_ms), "\(stay_ms)")
    #expect(ReplayText.summary(result).contains("DWELL  \(ISO8601.text(ms: times[3]))  yard"))
    let json = JSONReader.parse(Array(ReplayJSON.text([result]).utf8))
    #expect(json?["geofence_events"]?.array?.count == 5)
  }

  @Test("without geofences nothing of them is reported")
  func none() throws { #expect(try ReplayTests.replay().geofenceEvents.isEmpty) }
}
