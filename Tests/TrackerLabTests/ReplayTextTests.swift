import Testing
import TrackerBase
import TrackerJourney
import TrackerWire

@testable import TrackerLab

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
  }

  /// Twenty-five departures, all on Tuesdays between 7 and 8.
  static var week: LearnedWeek {
    var perHour = [[Double]](repeating: [Double](repeating: 0.01, count: 24), count: 7)
    perHour[1][7] = 1.46
    return LearnedWeek(departures: 25, areFew: false, perHour: perHour)
  }

  @Test(
    "each departure is between two instants, and what nobody saw before the track is told apart from its error"
  )
  func departures() throws {
    // One probe in ten minutes sees the vehicle leave late.
    let result = try ReplayTests.replay {
      ($0.motion.probeWorth, $0.motion.probeShare, $0.motion.probeInterval_s) = (0, 0, 600)
    }
    #expect(result.departures.map(\.trip) == result.trips.map(\.id))
    for (departure, truth) in zip(result.departures, ReplayTests.drive.trips) {
      let slack_ms: Int64 = 15_000
      #expect(
        departure.left.start_ms - slack_ms <= truth.start_ms
          && truth.start_ms <= departure.left.end_ms + slack_ms)
      let left_ms = try #require(departure.leftByRecording_ms)
      #expect(abs(left_ms - truth.start_ms) < slack_ms)
      #expect(departure.delay_s != nil)
    }
    let late = try #require(result.departures.first { $0.cause == .probe && $0.left.length_s > 60 })
    let delay_s = try #require(late.delay_s)
    #expect(late.unseen_m > 100 && delay_s > 5)
    #expect(result.unseen_m >= late.unseen_m)
    #expect(result.error.worst_m <= 10.1 && result.wholeError.worst_m > 20)
    let text = ReplayText.summary(result)
    #expect(text.contains("  departure \(late.trip), by probe: left from 20") && text.contains(" km unseen"))
    #expect(text.contains("worst error where seen") && text.contains("way that nobody saw"))
    let json = try #require(JSONReader.parse(Array(ReplayJSON.text([result]).utf8)))
    let first = try #require(json["departures"]?.array?.last)
    #expect(first["cause"]?.string == "probe" && first["unseen_m"]?.number == late.unseen_m)
    #expect(first["left_after_ms"]?.integer == late.left.start_ms)
    #expect(json["totals"]?["unseen_m"]?.number == result.unseen_m)
    #expect(json["totals"]?["seen_error_m_max"]?.number == result.error.worst_m)
  }

  @Test("with the GPS always on every departure is seen, and nothing is unseen")
  func alwaysOn() throws {
    let result = try ReplayTests.replay { $0.motion.gpsOffWhenParked = false }
    #expect(result.departures.allSatisfy { $0.cause == .fixes && $0.left.length_s == 0 && $0.unseen_m == 0 })
    #expect(result.departures.count == 2 && result.unseen_m < 50)
  }

  @Test("a departure that the ignition told is at the key, not at the last look before it")
  func ignition() throws {
    let result = try ReplayTests.replay(assuming: { $0.ignition = .fromSpeed })
    #expect(result.departures.map(\.cause) == [.ignition, .ignition])
    for (departure, truth) in zip(result.departures, ReplayTests.drive.trips) {
      #expect(departure.left.length_s == 0)
      #expect(abs(departure.left.start_ms - truth.start_ms) < 15_000, "\(departure) \(truth)")
    }
  }

  @Test(
    "how late the tracks begin is a figure; a departure in a gap of the recording is counted, and not in it")
  func lateness() throws {
    var result = try ReplayTests.replay()
    func figures() -> [String] {
      result.figures.filter { $0.label.hasPrefix("late start, ") || $0.label == "starts not recorded" }
        .map { "\($0.label): \($0.text) \($0.unit)" }
    }
    let left_ms = result.span.start_ms
    result.departures = [0, 31, 90, nil].map { late_s in
      ReplayedDeparture(
        trip: 1, cause: .probe, left: Span(start_ms: left_ms, end_ms: left_ms),
        trackBegan_ms: left_ms + (late_s ?? 71_000) * 1000, leftByRecording_ms: late_s.map { _ in left_ms })
    }
    #expect(
      figures() == ["late start, mean: 40 s", "late start, most: 90 s", "starts not recorded: 1 "])
    #expect(ReplayText.summary(result).contains("; the recording has a gap, 0.00 km unseen\n"))
    result.departures = []
    #expect(figures() == ["late start, mean: – s", "late start, most: – s", "starts not recorded: 0 "])
  }

  @Test(
    "a recording in which an agent switched the module tells no delay: what it saw at its probes is no departure"
  )
  func switchedRecording() throws {
    let start_ms = ReplayTests.drive.trips[1].start_ms
    let track = try ReplayTests.track { abs($0 - start_ms) > 100_000 }
    let result = try Replay(track: track, settings: Settings(), assumptions: Assumptions()).run()
    try #require(result.departures.count == 2)
    let late = result.departures[1]
    #expect(late.trackBegan_ms != nil && late.delay_s == nil && late.unseen_m > 100, "\(late)")
    #expect(result.departures[0].delay_s != nil)
    #expect(result.figures.contains { $0.label == "starts not recorded" && $0.value == 1 })
  }

  @Test("a stop lasts until the key is turned, not until the last look before it")
  func stopUntilTheKey() throws {
    let result = try ReplayTests.replay(assuming: { $0.ignition = .fromSpeed })
    let ends_ms = result.stops.dropLast().map(\.span.end_ms)
    #expect(!ends_ms.isEmpty)
    for end_ms in ends_ms { #expect(result.trips.contains { abs($0.span.start_ms - end_ms) <= 1000 }) }
  }

  @Test("the learned week is a table of a person's size, once enough is known")
  func learnedWeek() throws {
    var result = try ReplayTests.replay()
    #expect(ReplayText.summary(result).contains("too few yet to look less often than the settings say"))
    result.learnedWeek = ReplayTextTests.week
    let lines = ReplayText.summary(result).split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.hasPrefix("  learned of 25 departures: ") })
    let tuesday = try #require(lines.first { $0.hasPrefix("  Tue") })
    let hours = (0..<24).map { $0 == 7 ? "1.5" : "." }
    #expect(tuesday.split(separator: " ").map(String.init) == ["Tue"] + hours)
    #expect(tuesday.count <= 120)
    let json = try #require(JSONReader.parse(Array(ReplayJSON.text([result]).utf8)))
    let days = try #require(json["learned_week"]?["per_hour"]?.array)
    #expect(days.count == 7 && days.allSatisfy { $0.array?.count == 24 } && days[1].array?[7].number == 1.46)
    result.learnedWeek?.departures = 1
    #expect(ReplayText.summary(result).contains("  learned of 1 departure: "))
    result.learnedWeek = nil
    #expect(!ReplayText.summary(result).contains("learned of"))
    #expect(!ReplayJSON.text([result]).contains("learned_week"))
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
    #expect(ReplayReport.html([result]).contains(#""changed_assumptions":["receiver.cold_start_s = 45"]"#))
    #expect(ReplayJSON.text([result]).contains(#""changed_assumptions":["receiver.cold_start_s = 45"]"#))
  }
}
