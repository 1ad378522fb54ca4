import Testing
import TrackerBase
import TrackerLab
import TrackerWire

@testable import FleetBenchmark

@Suite("Fleet: its parts")
struct FleetPartsTests {
  private func plan(_ scenario: FleetPlan.Scenario = .windowOpens) -> FleetPlan {
    var plan = FleetPlan(settings: Settings().sync, scenario: scenario)
    plan.devices = 20
    plan.capacity_rps = 10
    plan.retryAfter_s = 7
    plan.watch_s = 60
    return plan
  }

  @Test("the heap gives back in order of time, then of number")
  func heap() {
    var random = SeededRandom(seed: 1)
    let dues = (0..<500).map { DeadlineHeap.Due(time_ms: Int64(random.next() % 50), device: $0) }
    var heap = DeadlineHeap()
    for due in dues { heap.insert(due) }
    var popped: [DeadlineHeap.Due] = []
    while let due = heap.popFirst() { popped.append(due) }
    #expect(popped == dues.sorted())
  }

  @Test("a server for 10 a second answers 21 at once, two seconds' line behind the first; the rest get 503")
  func server() {
    var server = FleetServer(plan())
    let answers = (0..<30).map { _ in server.reply(at: 1000) }
    #expect(answers.filter { $0.reply.status == 200 }.count == 21)
    #expect(answers.map(\.wait_ms).prefix(3) == [100, 200, 300])
    #expect(answers[21].reply == UploadReply(status: 503, retryAfter_s: 7, sent: []))
    // A tenth of a second later there is room for one more.
    #expect(server.reply(at: 1100).reply.status == 200)
    #expect(server.reply(at: 1100).reply.status == 503)
  }

  @Test("while away: refused, busy or no network")
  func away() {
    var plan = plan(.outage)
    let during_ms = plan.instant_ms - 1
    func reply() -> UploadReply {
      var server = FleetServer(plan)
      return server.reply(at: during_ms).reply
    }
    #expect(reply().failure == .connect)
    plan.away = .offline
    #expect(reply().failure == .resolve)
    plan.away = .busy
    #expect(reply().status == 503 && reply().retryAfter_s == 7)
    var server = FleetServer(plan)
    #expect(server.reply(at: plan.instant_ms).reply.status == 200)
  }

  @Test("a request before Retry-After is over is counted", arguments: [(66_999, 1), (67_000, 0)])
  func undercut(next_ms: Int64, count: Int) {
    var log = FleetDeviceLog()
    log.requested(at: 0, retryAfter_s: 60, countsFrom: 5)
    log.failed(at: 7000)
    log.requested(at: next_ms, retryAfter_s: nil, countsFrom: 5)
    #expect(log.undercuts == count)
    #expect(log.closest_ms == next_ms && log.closestAfterFailure_ms == next_ms - 7000)
    #expect(log.requests == 1 && log.firstRequest_ms == next_ms)
  }

  @Test(
    "a time, as long as it needs",
    arguments: [(3.04, "3.0 s"), (65, "1 min 05 s"), (86_400, "24 h 00 min 00 s")])
  func time(time_s: Double, text: String) { #expect(FleetText.time(time_s) == text) }

  @Test("the report says who, what and how much")
  func text() {
    let text = FleetText.text(FleetModel.run(plan()))
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "20 devices, a server for 10 requests a second, Retry-After 7 s; seed 1")
    #expect(lines[1] == "all windows open at once, 10 records queued each")
    #expect(text.contains("\n  not served                    0 of 20 requests (0.0 %)\n"))
    #expect(lines.allSatisfy { $0.count <= 160 })
    #expect(lines.last?.hasSuffix("|") == true)
  }

  @Test("the JSON has every second")
  func json() throws {
    let result = FleetModel.run(plan())
    let document = try #require(JSONReader.parse(Array(FleetJSON.text(result).utf8)))
    #expect(document["schema"]?.string == "godwit-fleet/1")
    #expect(document["requests_per_second"]?.array?.count == result.requests.count)
    #expect(document["not_served"]?.integer == 0)
  }

  @Test("the command meets a server, and says what it did to it")
  func command() throws {
    let command = try FleetBenchmark.parse(["200", "--capacity", "50", "--scenario", "window"])
    let text = command.report(Settings().sync)
    #expect(text.contains("200 devices, a server for 50 requests a second"))
    #expect(text.contains("busiest second"))
  }

  @Test(
    "an option that is out of range is refused by its name",
    arguments: [
      (["0"], "DEVICES 0 is not in 1...100000"),
      (["5", "--latency", "0"], "--latency 0.0 is not in 0.01...120.0"),
      (["5", "--outage", "soon"], "--outage \"soon\" is not a length such as 24h, 90s or 3600"),
      (["5", "--watch", "200h"], "--watch 200h is not in 1s...168h"),
    ])
  func refused(_ arguments: [String], _ words: String) {
    do {
      _ = try FleetBenchmark.parse(arguments)
      Issue.record("nothing is refused")
    } catch { #expect(FleetBenchmark.message(for: error) == words) }
  }
}
