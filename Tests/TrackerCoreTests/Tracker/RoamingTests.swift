import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("While the modem is roaming")
struct RoamingTests {
  private static let home = Modem(interfaces: ["wwan0"], registration: .home, operatorName: "Home")
  private static let abroad = Modem(
    interfaces: ["wwan0"], registration: .roaming, operatorName: "Elsewhere", technology: .ltePlain,
    signal_percent: 40)

  /// A vehicle that drives, so that records come all the time.
  private func day(_ change: (inout Settings) -> Void) throws -> TrackerTimeline {
    var drive = Drive()
    drive.go(14_000, speed_mps: 15)
    let day = try TrackerTimeline(drive) {
      $0.motion.gpsOffWhenParked = false
      $0.track.sampling = .all
      change(&$0)
    }
    day.server = { batch, _ in
      var reply = UploadReply.of(200, sent: batch.map(\.sequence), bytesUp: 1000)
      reply.interface = "wwan0"
      return reply
    }
    return day
  }

  private func requests(_ day: TrackerTimeline, from: Double, to: Double) -> Int {
    day.requests.count { $0.s > from && $0.s <= to }
  }

  @Test("the cadence is that of sync.roaming, whatever waits, and at home it is as before")
  func cadence() throws {
    let day = try day { $0.sync.roaming.interval_s = 1800 }
    day.run(to: 3600)
    day.happen(.link([Self.abroad]))
    day.run(to: 10_800)
    day.happen(.link([Self.home]))
    day.run(to: 14_000)
    #expect(requests(day, from: 1000, to: 3600) > 100)
    // Half an hour of records goes in batches, one after another.
    let times = day.requests.map(\.s)
    let rounds = zip(times, times.dropFirst()).count { $0 > 3600 && $1 < 10_800 && $1 - $0 > 1000 }
    #expect((3...4).contains(rounds), "\(times)")
    #expect(requests(day, from: 10_800, to: 14_000) > 100)
    #expect(day.nothingIsLost())
  }

  @Test("an event goes at once all the same")
  func events() throws {
    let day = try day { $0.sync.roaming.interval_s = 86_400 }
    day.run(to: 1000)
    day.happen(.link([Self.abroad]))
    day.run(to: 3000)
    let before = day.requests.count
    day.happen(.intentAsked(.pause(length_ms: nil)))
    day.run(to: 3100)
    #expect(day.requests.count > before)
  }

  @Test("without settings of its own nothing changes, but the status says it")
  func defaults() throws {
    func count(_ modem: Modem?) throws -> (Int, LinkStatus?) {
      let day = try day { _ in }
      day.run(to: 100)
      if let modem { day.happen(.link([modem])) }
      day.run(to: 5000)
      return (day.requests.count, day.tracker.status(at: day.now).link)
    }
    let (without, no) = try count(nil)
    let (with, link) = try count(Self.abroad)
    // The status is one request more, at most.
    #expect(abs(without - with) <= 1 && no == nil)
    #expect(link?.isRoaming == true && link?.registration == .roaming && link?.operatorName == "Elsewhere")
    #expect(link?.technology == .ltePlain && link?.signal_percent == 40)
  }

  @Test("its budget counts what is spent there alone, and ends with it")
  func budget() throws {
    let day = try day { $0.sync.roaming.budgetDay_kb = 50 }
    day.run(to: 2000)
    day.happen(.link([Self.abroad]))
    day.run(to: 8000)
    let used = try #require(day.tracker.status(at: day.now).sync.roamingBudget)
    // The rest is for events and the status.
    #expect((40_000...43_000).contains(used.day_bytes ?? 0) && used.level == .events, "\(used)")
    let there = requests(day, from: 2001, to: 8000)
    #expect((40...43).contains(there), "\(there)")
    // Killed abroad: what was spent is known.
    day.kill()
    day.happen(.link([Self.abroad]))
    day.run(to: 8500)
    #expect(requests(day, from: 8001, to: 8500) <= 2)
    day.happen(.link([Self.home]))
    day.run(to: 9000)
    #expect(day.disk.queue.count < 20 && requests(day, from: 8500, to: 9000) > 10)
  }

  @Test("the modem that counts is the one that requests go over")
  func way() {
    var watch = Link()
    let now = Moment(boot_ms: 0, wall_ms: 0)
    func reported(_ modems: [Modem]) { _ = watch.handle(.link(modems), Facts(), at: now) }
    /// Whether roaming has begun or ended.
    func look(_ interface: String) -> Bool {
      var facts = Facts()
      facts.interface = interface
      return watch.hear(.settled, facts, at: now) != nil
    }
    #expect(watch.used("wwan0") == nil && watch.isModemOn)
    var other = Self.home
    other.interfaces = ["wwan1"]
    reported([other, Self.abroad])
    #expect(watch.used("")?.operatorName == "Elsewhere")
    #expect(watch.used("wwan1") == other && watch.used("wwan0") == Self.abroad)
    #expect(watch.used("wlan0") == nil)
    #expect(look("wwan0") && !look("wwan0") && look("wlan0") && !watch.isRoaming)
    var dialled = Self.abroad
    dialled.interfaces = []
    reported([other, dialled])
    #expect(watch.used("ppp0") == dialled)
    reported([])
    #expect(watch.used("ppp0") == nil && !watch.isModemOn)
  }

  @Test("the tighter allowance counts, and of equals the longer one")
  func tighter() {
    let (all, events) = (Allowance(), Allowance(level: .events, renewsAt_ms: 5))
    let none = Allowance(level: .none, renewsAt_ms: 3)
    #expect(all.tighter(events) == events && events.tighter(all) == events)
    #expect(events.tighter(none) == none && none.tighter(events) == none)
    #expect(events.tighter(Allowance(level: .events, renewsAt_ms: 9)).renewsAt_ms == 9)
  }
}
