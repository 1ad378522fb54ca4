import Testing
import TrackerCore
import TrackerReplay
import TrackerWire

@Suite struct ReplayTextTests {
  @Test("the JSON holds what the scorer reads: trips, track, gps_on, in Unix milliseconds")
  func json() throws {
    let result = try ReplayTests.replay()
    let json = try #require(JSONReader.parse(Array(ReplayJSON.text([result]).utf8)))
    let trips = try #require(json["trips"]?.array)
    #expect(trips.count == result.trips.count)
    #expect(trips.first?["start_ms"]?.integer == result.trips.first?.span.start_ms)
    #expect(trips.first?["distance_m"]?.number == result.trips.first?.distance_m)
    let track = try #require(json["track"]?.array)
    #expect(track.count == result.kept.count)
    #expect(track.first?["lat"]?.number == result.kept.first?.position.latitude_deg)
    #expect(track.compactMap { $0["time_unix_ms"]?.integer } == result.kept.map(\.time_ms))
    #expect(json["gps_on"]?.array?.count == result.gpsOn.count)
    let totals = try #require(json["totals"])
    #expect(totals["gps_on_s"]?.number == result.totals.gpsOn_s)
    #expect(totals["bytes"]?["geomony"]?.integer.map { Int($0) } == result.totals.bytesByFormat["geomony"])
  }

  @Test("several results are an array")
  func array() throws {
    let result = try ReplayTests.replay()
    #expect(JSONReader.parse(Array(ReplayJSON.text([result, result]).utf8))?.array?.count == 2)
  }

  @Test("a comparison shows both and the difference, and what was set")
  func comparison() throws {
    let base = try ReplayTests.replay()
    var other = try ReplayTests.replay { $0.motion.gpsOffWhenParked = false }
    other.settingsName = "always.toml"
    let text = ReplayText.comparison([base, other])
    #expect(text.contains("defaults: sync.splay_s = 0"))
    #expect(text.contains("always.toml: motion.gps_off_when_parked = false, sync.splay_s = 0"))
    let row = try #require(text.split(separator: "\n").first { $0.contains("GPS on, h") })
    let cells = row.split(separator: " ").map(String.init)
    #expect(cells.contains { $0.hasPrefix("+0.") }, "\(row)")
    let recorded = try #require(text.split(separator: "\n").first { $0.contains("recorded, h") })
    #expect(recorded.hasSuffix("="))
  }

  @Test("a result that sent nothing does not borrow the bytes of the first one")
  func nothingSent() throws {
    let base = try ReplayTests.replay()
    var other = base
    other.totals.bytesByFormat = [:]
    let text = ReplayText.comparison([base, other])
    let row = try #require(text.split(separator: "\n").first { $0.contains("bytes sent") })
    #expect(row.split(separator: " ").last == "–", "\(row)")
  }

  @Test("what only the second one has is a row, too")
  func onlySecond() throws {
    let other = try ReplayTests.replay()
    var base = other
    base.totals.bytesByFormat = [:]
    let text = ReplayText.comparison([base, other])
    let row = try #require(text.split(separator: "\n").first { $0.contains("bytes sent, geomony") })
    #expect(row.contains(" –"), "\(row)")
    #expect(ReplayReport.html([base, other]).contains("bytes sent, geomony"))
  }

  @Test("a change that no digit shows is none, in the text as in the report")
  func invisibleChange() throws {
    let base = try ReplayTests.replay()
    var other = base
    other.totals.distance_m += 0.001
    let text = ReplayText.comparison([base, other])
    let row = try #require(text.split(separator: "\n").first { $0.contains("distance, km") })
    #expect(row.hasSuffix("="), "\(row)")
  }

  @Test("nothing begins before the recording does")
  func begins() throws {
    let result = try ReplayTests.replay()
    let spans = result.windows + result.gpsOn + result.motion.map(\.span) + result.gaps.map(\.span)
    #expect(spans.allSatisfy { $0.start_ms >= result.span.start_ms })
    #expect(spans.allSatisfy { $0.start_ms <= $0.end_ms && $0.end_ms <= result.span.end_ms })
    #expect(result.queue.allSatisfy { $0.time_ms >= result.span.start_ms })
  }

  @Test("the summary names trips and gaps")
  func summary() throws {
    let text = ReplayText.summary(try ReplayTests.replay())
    #expect(text.contains("demo, 2027-01-15T08:00:00.000Z to"))
    #expect(text.contains("  trip 1  "))
    #expect(text.contains("no track, parked: "))
  }

  @Test("what was assumed otherwise than usual is reported everywhere")
  func assumed() throws {
    let result = try ReplayTests.replay(assuming: { $0.receiver.cold_s = 45 })
    #expect(result.changedAssumptions == ["receiver.cold_start_s = 45"])
    #expect(ReplayText.summary(result).contains("assumed  receiver.cold_start_s = 45"))
    #expect(ReplayText.comparison([result, result]).contains("assumed: receiver.cold_start_s = 45"))
    #expect(ReplayReport.html([result]).contains("<code>receiver.cold_start_s = 45</code>"))
    #expect(ReplayJSON.text([result]).contains(#""changed_assumptions":["receiver.cold_start_s = 45"]"#))
  }
}
