import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("ENTER, EXIT and DWELL")
struct GeofencesTests {
  @Test(
    "ENTER when the fix is farther inside than it can err",
    arguments: [(105.0, false), (99, false), (95, false), (94, true), (0, true)])
  func enter(east_m: Double, isInside: Bool) throws {
    var timeline = GeofenceTimeline([try .circle()])
    timeline.fix(0, east_m: east_m, accuracy_m: 5.5)
    #expect(timeline.log == (isInside ? ["ENTER depot 0"] : []))
  }

  @Test(
    "EXIT when the fix is farther outside than it can err",
    arguments: [(95.0, false), (105, false), (106, true)])
  func exit(east_m: Double, isOutside: Bool) throws {
    var timeline = GeofenceTimeline([try .circle()])
    timeline.fix(0)
    timeline.fix(1, east_m: east_m, accuracy_m: 5.5)
    #expect(timeline.log == ["ENTER depot 0"] + (isOutside ? ["EXIT depot 1"] : []))
  }

  @Test("a small fence is entered by a fix whose accuracy exceeds half of it, beyond half its radius")
  func small() throws {
    var timeline = GeofenceTimeline([try .circle(radius_m: 30)])
    timeline.fix(0, east_m: 16, accuracy_m: 25)
    #expect(timeline.log.isEmpty)
    timeline.fix(1, east_m: 14, accuracy_m: 25)
    #expect(timeline.log == ["ENTER depot 1"])
  }

  @Test("where the accuracy exceeds the radius, two fixes in a row enter")
  func twoInARow() throws {
    var timeline = GeofenceTimeline([try .circle(radius_m: 30)])
    timeline.fix(0, accuracy_m: 40)
    timeline.fix(1, east_m: 60, accuracy_m: 40)
    timeline.fix(2, accuracy_m: 40)
    #expect(timeline.log.isEmpty)
    timeline.fix(3, east_m: 5, accuracy_m: 40)
    #expect(timeline.log == ["ENTER depot 3"])
  }

  @Test("what was entered and left between two fixes is not reported")
  func between() throws {
    var timeline = GeofenceTimeline([try .circle()])
    timeline.fix(0, east_m: -2000)
    timeline.fix(600, east_m: 2000)
    #expect(timeline.log.isEmpty)
  }

  @Test("from one area into the next: EXIT first")
  func next() throws {
    var timeline = GeofenceTimeline([try .circle("b", east_m: 300), try .circle("a")])
    timeline.fix(0)
    timeline.fix(20, east_m: 300)
    #expect(timeline.log == ["ENTER a 0", "EXIT a 20", "ENTER b 20"])
  }

  @Test("a late fix dates its event by its own time")
  func late() throws {
    var timeline = GeofenceTimeline([try .circle()])
    timeline.fix(100, late_s: 240)
    timeline.fix(130, east_m: 400, late_s: 211)
    #expect(timeline.log == ["ENTER depot 100", "EXIT depot 130"])
  }

  // MARK: standing

  @Test("standing, the mean of a good place is believed sooner", arguments: [(299, false), (300, true)])
  func goodMean(fixes: Int, isBelieved: Bool) throws {
    var timeline = GeofenceTimeline([try .circle()])
    timeline.fix(0, east_m: 94, accuracy_m: 10, runState: fixes)
    #expect(timeline.log == (isBelieved ? ["ENTER depot 0"] : []))
  }

  @Test("what stands changes a fence once; when it has moved, again")
  func onceAStand() throws {
    var timeline = GeofenceTimeline([try .circle()])
    timeline.fix(0, east_m: 90, runState: 10)
    timeline.fix(100, east_m: 110, runState: 100)
    timeline.fix(200, east_m: 90, runState: 200)
    #expect(timeline.log == ["ENTER depot 0"])
    timeline.fix(201, east_m: 110)
    #expect(timeline.log == ["ENTER depot 0", "EXIT depot 201"])
  }

  // MARK: dwelling

  @Test("DWELL after the loitering delay, once a stay", arguments: [0.0, 60, 300])
  func dwell(delay_s: Double) throws {
    var timeline = GeofenceTimeline([try Self.dwelling(delay_s)])
    for s in 0...400 { timeline.fix(Double(s)) }
    #expect(timeline.log == ["ENTER depot 0", "DWELL depot \(Int(delay_s))"])
    timeline.fix(500, east_m: 300)
    timeline.fix(510)
    timeline.fix(510 + delay_s)
    #expect(timeline.log.suffix(2) == ["ENTER depot 510", "DWELL depot \(510 + Int(delay_s))"])
  }

  @Test("a fence that is left before the delay has no DWELL")
  func leftBefore() throws {
    var timeline = GeofenceTimeline([try Self.dwelling(300)])
    timeline.fix(0)
    timeline.fix(299.9, east_m: 300)
    timeline.tick(300)
    #expect(timeline.log == ["ENTER depot 0", "EXIT depot 299"])
  }

  @Test("without fixes the timer reports the DWELL, dated when it was due")
  func timer() throws {
    var timeline = GeofenceTimeline([try Self.dwelling(300)])
    timeline.fix(10)
    timeline.fix(70)
    #expect(timeline.machine.deadline_ms == Int64(310_000))
    timeline.tick(309.999)
    #expect(timeline.log == ["ENTER depot 10"])
    timeline.tick(350)
    #expect(timeline.log == ["ENTER depot 10", "DWELL depot 310"])
    #expect(timeline.machine.deadline_ms == nil)
  }

  @Test("after a gap a fix inside reports the DWELL, dated by itself")
  func gap() throws {
    var timeline = GeofenceTimeline([try Self.dwelling(300)])
    timeline.fix(0)
    timeline.fix(1000)
    #expect(timeline.log == ["ENTER depot 0", "DWELL depot 1000"])
  }

  @Test("after the watch ended nothing is reported before a fix confirms")
  func watchEnded() throws {
    var timeline = GeofenceTimeline([try Self.dwelling(300)])
    timeline.fix(0)
    timeline.machine.watchEnded()
    #expect(timeline.machine.deadline_ms == nil)
    timeline.tick(1000)
    #expect(timeline.log == ["ENTER depot 0"])
    timeline.fix(2000, east_m: 500)
    #expect(timeline.log == ["ENTER depot 0", "EXIT depot 2000"])
  }

  @Test("a stay that began at a wrong, later date begins when the date is right")
  func wrongDate() throws {
    var timeline = GeofenceTimeline([try Self.dwelling(300)])
    timeline.fix(100_000)
    timeline.fix(10)
    timeline.fix(310)
    #expect(timeline.log.last == "DWELL depot 310")
  }

  // MARK: expiry

  @Test(
    "from its expiry on a fence reports nothing, and the vehicle is not inside",
    arguments: [(99.0, true), (100, false)])
  func expiry(s: Double, isAlive: Bool) throws {
    let fence = try Geofence.circle { $0.expires_ms = epoch_ms + 100_000 }
    var outside = GeofenceTimeline([fence])
    outside.fix(s)
    #expect(outside.log.isEmpty != isAlive)
    var inside = GeofenceTimeline([fence])
    inside.fix(0)
    inside.fix(s, east_m: 500)
    #expect(inside.log == ["ENTER depot 0"] + (isAlive ? ["EXIT depot 99"] : []))
    #expect(inside.machine.insideIDs.isEmpty)
    #expect(inside.machine.expired(at: epoch_ms + milliseconds(s)) == (isAlive ? 0 : 1))
  }

  @Test("no DWELL after the expiry", arguments: [(310.0, false), (311, true)])
  func dwellBeforeExpiry(expires_s: Double, isReported: Bool) throws {
    var fence = try Self.dwelling(300)
    fence.expires_ms = epoch_ms + milliseconds(expires_s)
    var timeline = GeofenceTimeline([fence])
    timeline.fix(10)
    timeline.tick(2000)
    #expect((timeline.log.count == 2) == isReported)
  }

  // MARK: restarts

  @Test("what was inside when last seen does not enter again, and dwells on")
  func restart() throws {
    let fences = [try Self.dwelling(300), try .circle("Zürich \"2\" d", radius_m: 200)]
    var before = GeofenceTimeline(fences)
    before.fix(0)
    var after = GeofenceTimeline(fences, saved: before.machine.saved)
    #expect(after.machine.insideIDs == ["depot", "Zürich \"2\" d"])
    after.fix(200)
    after.tick(300)
    #expect(after.log == ["DWELL depot 300"])
    var later = GeofenceTimeline(fences, saved: after.machine.saved)
    later.fix(900)
    later.fix(901, east_m: 1000)
    #expect(later.log == ["EXIT depot 901", "EXIT Zürich \"2\" d 901"])
  }

  @Test("a changed file: unknown ids are forgotten, the order does not matter, a new fence enters")
  func changedFile() throws {
    let saved = GeofenceTimeline([try .circle("a"), try .circle("gone")])
    var before = saved
    before.fix(0)
    var after = GeofenceTimeline([try .circle("new"), try .circle("a")], saved: before.machine.saved)
    after.fix(1)
    #expect(after.log == ["ENTER new 1"])
    #expect(after.machine.insideIDs == ["new", "a"])
  }

  @Test(
    "damaged state is no state",
    arguments: [
      "x", [1], [["id": "depot"]], [["id": "depot", "since_ms": "a"]], [["since_ms": .integer(.max)]],
    ]
      as [JSONValue])
  func damaged(saved: JSONValue) throws {
    #expect([SavedStay](saved: saved) == nil)
    let other = [SavedStay(id: "other", since_ms: epoch_ms)]
    #expect(GeofenceTimeline([try .circle()], saved: other).machine.insideIDs.isEmpty)
  }

  private static func dwelling(_ delay_s: Double) throws -> Geofence {
    try .circle {
      $0.notifyOnDwell = true
      $0.loiteringDelay_s = delay_s
    }
  }
}
