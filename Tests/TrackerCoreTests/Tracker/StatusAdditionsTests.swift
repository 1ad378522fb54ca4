import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("What the process adds to the status")
struct StatusAdditionsTests {
  @Test("where the time comes from: who vouches for it, or what set the clock at the start")
  func clockSource() {
    func source(_ trust: ClockTrust, rtcSetClock: Bool?) -> ClockSource {
      var (status, host) = (TrackerStatus(), HostStatus())
      (status.clock, host.rtcSetClock) = (trust, rtcSetClock)
      status.add(host)
      return status.clockSource
    }
    #expect(source(.synchronised, rtcSetClock: true) == .ntp)
    #expect(source(.gps, rtcSetClock: true) == .gps)
    #expect(source(.untrusted, rtcSetClock: true) == .rtc)
    #expect(source(.untrusted, rtcSetClock: false) == .none && source(.untrusted, rtcSetClock: nil) == .none)
  }

  @Test("the age of what waits is by the status' own time, and never below 0")
  func queues() {
    var status = TrackerStatus()
    status.time_ms = 100_000
    status.others = [OtherServerStatus(name: "second", queued: 1, sync: DeliveryStatus())]
    status.add([
      QueueFigures(oldest_ms: 39_500, quarantined: 2, ledger: ["purged": 3]),
      QueueFigures(oldest_ms: 200_000, quarantined: 0), QueueFigures(),
    ])
    #expect(status.queue.oldest_s == 60 && status.queue.quarantined == 2)
    #expect(status.queue.ledger == [.purged: 3])
    #expect(status.others[0].oldest_s == 0 && status.others[0].quarantined == 0)
    status.add([QueueFigures()])
    #expect(status.queue.oldest_s == nil && status.queue.quarantined == nil)
  }
}
