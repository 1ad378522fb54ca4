import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Sync: 401, 403 and auth_command")
struct TokenLaneTests {
  private func timeline(status: Int = 401, command: [String] = ["/bin/new-token"]) -> SyncTimeline {
    SyncTimeline(
      changing: { $0.authCommand = command }, server: { batch, _ in .of(status, sent: batch) })
  }

  @Test("the command is asked for once in a lane interval, without one never", arguments: [401, 403])
  func onceAnInterval(status: Int) {
    var timeline = timeline(status: status)
    timeline.add(5, at: 0)
    timeline.event(at: 1) { $0.tokenRenewed(at: $1, chance: 0.5) }
    timeline.event(at: 10) { $0.tokenRenewed(at: $1, chance: 0.5) }
    timeline.run(to: 3600)
    #expect(timeline.renewals_s.count == 4)
    let pauses = zip(timeline.renewals_s, timeline.renewals_s.dropFirst()).map { $1 - $0 }
    #expect(pauses.allSatisfy { $0 >= 900 }, "\(timeline.renewals_s)")

    var without = self.timeline(command: [])
    without.add(5, at: 0)
    without.run(to: 3600)
    #expect(without.renewals_s.isEmpty)
  }

  @Test(
    "a new token is tried within seconds, and not before a wait that the server asked for",
    arguments: [nil, 60])
  func triedSoon(asked_s: Int?) {
    var isNew = false
    var timeline = SyncTimeline(
      changing: { $0.authCommand = ["/bin/new-token"] },
      server: { batch, _ in .of(isNew ? 200 : 401, retryAfter_s: asked_s, sent: batch) })
    timeline.add(5, at: 0)
    isNew = true
    timeline.event(at: 3) { $0.tokenRenewed(at: $1, chance: 0.5) }
    timeline.run(to: 900)
    #expect(timeline.times_s == (asked_s == nil ? [0, 9] : [0]))
    timeline.run(to: 1000)
    #expect(timeline.delivered.count == 5)
  }

  @Test("a token file that cannot be read has the same lane: the command may be what writes it")
  func noToken() {
    var timeline = SyncTimeline(
      changing: { $0.authCommand = ["/bin/new-token"] },
      server: { batch, _ in .of(0, failure: .noToken, sent: batch) })
    timeline.add(5, at: 0)
    timeline.run(to: 10)
    #expect(timeline.renewals_s == [0.1] && timeline.waits_ms == [900_000])
  }

  @Test("a command that fails is a warning, and shortens nothing")
  func commandFails() throws {
    let day = try TrackerTimeline(.parked) { $0.sync.authCommand = ["/bin/new-token"] }
    day.server = { batch, _ in .of(401, sent: batch.map(\.sequence)) }
    day.run(to: 400)
    #expect(day.renewals == 1)
    day.happen(.tokenCommandEnded(problem: "/bin/new-token ended with exit status 3"))
    day.run(to: 700)
    #expect(day.requests.count == 1)
    #expect(day.tracker.warnings.entries[.tokenCommand]?.count == 1)
    #expect(day.log.contains { $0.hasSuffix("sync.auth_command: /bin/new-token ended with exit status 3") })
    day.server = { batch, _ in .of(200, sent: batch.map(\.sequence)) }
    day.happen(.tokenCommandEnded(problem: nil))
    day.run(to: 720)
    #expect(day.requests.count == 2 && day.tracker.status(at: day.now).sync.problem == nil)
  }
}
