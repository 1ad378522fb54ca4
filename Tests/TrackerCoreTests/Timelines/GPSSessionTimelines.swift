import Testing

@testable import TrackerCore

@Suite("GPS session, as timelines")
struct GPSSessionTimelines {
  private func session(_ change: (inout GPSSettings) -> Void = { _ in }) -> GPSSession {
    var settings = GPSSettings()
    settings.power.mode = .level
    settings.power.settle_ms = 200
    change(&settings)
    return GPSSession(settings: settings, at: 0)
  }

  @Test("wanted: power, settle, connect; unwanted: disconnect, power off")
  func onAndOff() {
    var gps = session()
    #expect(gps.wantChanged(to: true, at: 1000) == [.setPower(true)])
    #expect(gps.deadline_ms == 1200)
    #expect(gps.tick(at: 1199) == [])
    #expect(gps.tick(at: 1200) == [.connect])
    #expect(gps.wantChanged(to: false, at: 5000) == [.disconnect, .setPower(false)])
    #expect(gps.deadline_ms == nil)
  }

  @Test("switched off, the module stays off for its minimum time")
  func minimumOff() {
    var gps = session { $0.minOff_s = 5 }
    _ = gps.wantChanged(to: true, at: 0)
    _ = gps.wantChanged(to: false, at: 1000)
    #expect(gps.wantChanged(to: true, at: 2000) == [])
    #expect(gps.tick(at: 5999) == [])
    #expect(gps.tick(at: 6000) == [.setPower(true)])
  }

  @Test(
    "no fix: 300 s patience in the first session of a window, then pauses of 10, 20, 40 s … and 120 s patience"
  )
  func noSky() {
    var gps = session()
    _ = gps.wantChanged(to: true, at: 0)
    _ = gps.tick(at: 200)
    for second in stride(from: 10, through: 290, by: 10) {
      gps.reportArrived(at: Int64(second) * 1000)
      #expect(gps.tick(at: Int64(second) * 1000) == [])
    }
    gps.reportArrived(at: 299_000)
    #expect(gps.tick(at: 300_000) == [.disconnect, .setPower(false), .failed(.noSky, pause_ms: 10_000)])
    #expect(gps.tick(at: 310_000) == [.setPower(true)])
    _ = gps.tick(at: 310_200)
    for second in stride(from: 320, through: 420, by: 10) { gps.reportArrived(at: Int64(second) * 1000) }
    #expect(gps.tick(at: 430_000) == [.disconnect, .setPower(false), .failed(.noSky, pause_ms: 20_000)])
  }

  @Test("the pause between failing sessions grows up to its cap, and for ever after stays there")
  func pauseCap() {
    var gps = session { $0.retryPauseMax_s = 60 }
    _ = gps.wantChanged(to: true, at: 0)
    var pauses: [Int64] = []
    for _ in 0..<2000 where pauses.count < 8 {
      let actions = gps.tick(at: gps.deadline_ms!)
      for case .failed(_, let pause_ms) in actions { pauses.append(pause_ms) }
    }
    #expect(pauses == [10_000, 20_000, 40_000, 60_000, 60_000, 60_000, 60_000, 60_000])
  }

  @Test("silence: the connection is opened anew after 30 s, the module power-cycled after 30 more")
  func silence() {
    var gps = session()
    _ = gps.wantChanged(to: true, at: 0)
    _ = gps.tick(at: 200)
    #expect(gps.tick(at: 30_199) == [])
    #expect(gps.tick(at: 30_200) == [.disconnect, .reopening, .connect])
    #expect(gps.tick(at: 60_200) == [.disconnect, .setPower(false), .failed(.silent, pause_ms: 10_000)])
  }

  @Test("a report ends the silence")
  func silenceEnds() {
    var gps = session()
    _ = gps.wantChanged(to: true, at: 0)
    _ = gps.tick(at: 200)
    _ = gps.tick(at: 30_200)
    gps.reportArrived(at: 40_000)
    #expect(gps.tick(at: 60_200) == [])
    #expect(gps.tick(at: 70_000) == [.disconnect, .reopening, .connect])
  }

  @Test("gpsd away: connects again after 1, 2, 4, 8, 8 s")
  func reconnects() {
    var gps = session()
    _ = gps.wantChanged(to: true, at: 0)
    var now_ms: Int64 = 200
    _ = gps.tick(at: now_ms)
    for pause_ms: Int64 in [1000, 2000, 4000, 8000, 8000] {
      #expect(gps.linkLost(at: now_ms) == [.disconnect])
      now_ms += pause_ms
      #expect(gps.tick(at: now_ms - 1) == [])
      #expect(gps.tick(at: now_ms) == [.connect])
    }
    gps.reportArrived(at: now_ms)
    _ = gps.linkLost(at: now_ms)
    #expect(gps.deadline_ms == now_ms + 1000)
  }

  @Test("fixes are held back until one is accurate enough, or 10 s have passed")
  func settling() {
    var gps = session()
    _ = gps.wantChanged(to: true, at: 0)
    _ = gps.tick(at: 200)
    let poor = On.fix(1, accuracy_m: 80)
    let first = gps.fixArrived(poor, at: 3000)
    #expect(first.usable == false)
    #expect(first.actions == [.firstFix(afterPowerOn_ms: 3000)])
    #expect(gps.fixArrived(poor, at: 12_999).usable == false)
    #expect(gps.fixArrived(poor, at: 13_000).usable == true)
    #expect(gps.fixArrived(poor, at: 14_000).usable == true)
  }

  @Test("an accurate fix settles at once")
  func settledAtOnce() {
    var gps = session()
    _ = gps.wantChanged(to: true, at: 0)
    _ = gps.tick(at: 200)
    #expect(gps.fixArrived(On.fix(1, accuracy_m: 50), at: 3000).usable == true)
  }

  @Test("whatever happens, power is on only while wanted, and a deadline that has passed always leads on")
  func anything() {
    for seed in 1...200 {
      var numbers = SeededNumbers(seed: UInt64(seed))
      var gps = session()
      var (wanted, powered, now_ms) = (false, false, Int64(0))
      for _ in 0..<300 {
        now_ms += Int64(numbers.next() % 20_000)
        var actions: [GPSSession.Action] = []
        switch numbers.next() % 6 {
        case 0:
          wanted = numbers.next() % 2 == 0
          actions = gps.wantChanged(to: wanted, at: now_ms)
        case 1: actions = gps.linkLost(at: now_ms)
        case 2: gps.reportArrived(at: now_ms)
        case 3: actions = gps.fixArrived(On.fix(Int(now_ms / 1000)), at: now_ms).actions
        default: actions = gps.tick(at: now_ms)
        }
        for case .setPower(let on) in actions {
          #expect(on != powered, "seed \(seed)")
          powered = on
        }
        #expect(!powered || wanted, "seed \(seed)")
        for _ in 0..<5 {
          guard let deadline_ms = gps.deadline_ms, deadline_ms <= now_ms else { break }
          for case .setPower(let on) in gps.tick(at: now_ms) { powered = on }
        }
        #expect(gps.deadline_ms.map { $0 > now_ms } ?? true, "seed \(seed): a busy loop")
      }
    }
  }
}
