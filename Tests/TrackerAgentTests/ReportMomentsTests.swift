import Testing

@testable import TrackerAgent
@testable import TrackerCore

@Suite("When the reports of one reading came")
struct ReportMomentsTests {
  private func now(_ s: Double) -> Moment {
    Moment(boot_ms: 100_000 + Int64(s * 1000), wall_ms: FakeWorld.epoch_ms + Int64(s * 1000))
  }

  /// How old what comes in a reading is, by milliseconds, reports having been read as they came in the seconds
  /// `earlier`, and the last event having been handled `since_s` before.
  private func ages(
    _ news: [Event], at now_s: Double, since_s: Double, earlier: ClosedRange<Int> = -9...0
  ) -> [Int64] {
    var moments = ReportMoments(at: 0)
    for s in earlier {
      moments.read([AgentTurnTests.report(s)], at: now(Double(s)).boot_ms)
      _ = moments.moment(of: AgentTurnTests.report(s), at: now(Double(s)))
    }
    _ = moments.moment(of: .timer, at: now(now_s - since_s))
    moments.read(news, at: now(now_s).boot_ms)
    return news.map { now(now_s).boot_ms - moments.moment(of: $0, at: now(now_s)).boot_ms }
  }

  private func reports(_ seconds: Int...) -> [Event] { seconds.map { AgentTurnTests.report($0) } }

  @Test("the newest has just come, the others before it as their dates say")
  func spread() {
    #expect(ages(reports(1, 2, 3, 5), at: 5, since_s: 5) == [4000, 3000, 2000, 0])
    #expect(ages(reports(1), at: 1, since_s: 1) == [0])
    #expect(ages([], at: 1, since_s: 1) == [])
  }

  @Test("both clocks are of that moment")
  func bothClocks() {
    var moments = ReportMoments(at: now(0).boot_ms)
    moments.read(reports(1, 2, 3), at: now(3).boot_ms)
    #expect(moments.moment(of: AgentTurnTests.report(1), at: now(3)) == now(1))
  }

  @Test("where the newest has waited too, it is as old as those before it let expect")
  func newestWaited() {
    #expect(ages(reports(1, 2, 3), at: 3.5, since_s: 3.5) == [2497, 1497, 497])
    // The first reading knows none.
    #expect(ages(reports(1, 2, 3), at: 3.5, since_s: 3.5, earlier: 0...0).last == 497)
  }

  @Test("a date that has changed is no wait, and is what counts from then on")
  func changed() {
    var moments = ReportMoments(at: 0)
    for s in 1...100 {
      let now = now(Double(s) + (s < 50 ? 0 : 1.5))
      moments.read(reports(s), at: now.boot_ms)
      #expect(moments.moment(of: AgentTurnTests.report(s), at: now) == now)
    }
  }

  @Test("a receiver that has become slower to speak is believed after a while")
  func slower() {
    var moments = ReportMoments(at: 0)
    func age_ms(_ s: Int, late_s: Double) -> Int64 {
      let now = now(Double(s) + late_s)
      moments.read(reports(s), at: now.boot_ms)
      return now.boot_ms - moments.moment(of: AgentTurnTests.report(s), at: now).boot_ms
    }
    for s in 1...9 { #expect(age_ms(s, late_s: 0) == 0) }
    #expect((10...300).allSatisfy { (1...300).contains(age_ms($0, late_s: 0.3)) })
    #expect((301...320).map { age_ms($0, late_s: 0.3) }.last == 0)
  }

  @Test("what comes before or between reports is as old as they are, and what comes last has just come")
  func between() {
    let news = [.gpsLost("a word"), AgentTurnTests.report(1), .timer, AgentTurnTests.report(2), .timer]
    #expect(ages(news, at: 2, since_s: 3) == [1000, 1000, 1000, 0, 0])
  }

  @Test("no event is earlier than the one before it")
  func order() {
    #expect(ages(reports(1, 2, 3), at: 3, since_s: 1.9) == [1900, 1000, 0])
    #expect(ages(reports(1, 2, 3), at: 3, since_s: 1) == [1000, 1000, 0])
  }

  @Test("dates that cannot be when they came count for nothing")
  func impossible() {
    #expect(ages(reports(1, 2, 3), at: 3, since_s: 0.9) == [0, 0, 0])
    // Those before an odd one are as old as they are.
    #expect(ages(reports(1, 3, 2), at: 3, since_s: 9) == [2000, 0, 0])
    #expect(
      ages(reports(1, 2) + [.gpsReport(GPSReport(mode: 1))] + reports(4), at: 4, since_s: 9) == [
        3000, 2000, 0, 0,
      ])
  }

  @Test("two reports of one epoch are no period of none")
  func doubled() {
    #expect(ages(reports(1, 1, 2, 2), at: 2.5, since_s: 3).map { $0 / 100 } == [14, 14, 4, 4])
  }

  @Test("what has met a stall came now")
  func stall() {
    #expect(ages(reports(1, 11), at: 11, since_s: 60) == [10_000, 0])
    #expect(ages(reports(1, 12), at: 12, since_s: 60) == [0, 0])
  }
}

extension AgentTurnTests {
  @Test("reports that waited give the same records as those that came one by one")
  func waited() throws {
    func records(patience_ms: Int64) throws -> [Record] {
      let one = try AgentTurnTests()
      one.storage.takes_ms = 100
      for s in 1...190 {
        let report = AgentTurnTests.report(s, north_m: Double(s * s) / 8)
        one.world.script.append((Int64(s * 1000 + s * 7 % 40), [report]))
      }
      one.at(200, .stopping)
      one.agent.start()
      while !one.agent.isDone {
        one.world.patience_ms = (21...180).contains(one.world.script.count) ? patience_ms : 0
        one.agent.step()
      }
      #expect(one.host.waits < (patience_ms == 0 ? 400 : 150))
      return one.storage.records
    }
    var (single, waited) = (try records(patience_ms: 0), try records(patience_ms: 4700))
    try #require(single.count > 5 && single.count == waited.count)
    for i in single.indices {
      #expect(abs(single[i].boot_ms - waited[i].boot_ms) <= 300)
      (single[i].boot_ms, waited[i].boot_ms) = (0, 0)
    }
    #expect(single == waited)
  }
}
