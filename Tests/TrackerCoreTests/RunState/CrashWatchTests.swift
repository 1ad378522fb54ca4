import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Crashes and safe mode")
struct CrashWatchTests {
  static let hour_ms = CrashWatch.hour_ms

  /// A process after another: what is saved is all that one knows of the others.
  private struct Device {
    var saved: JSONValue?
    var boot = "a"
    var runState = RunState()

    mutating func start(at now_ms: Int64) {
      runState = RunState(saved, bootID: boot, at: now_ms)
      runState.runBegan(at: now_ms)
      save(at: now_ms)
    }

    mutating func end(at now_ms: Int64) {
      runState.runEnded()
      save(at: now_ms)
    }

    mutating func tick(at now_ms: Int64) {
      _ = runState.tick(at: now_ms)
      save(at: now_ms)
    }

    mutating func save(at now_ms: Int64) { saved = runState.saved(trusted_ms: nil, at: now_ms) }

    var isSafe: Bool { runState.override == .safeMode }
    var crashes: Int { runState.crashes.crashes }
  }

  /// Starts so many times in a row, each but the first after a crash.
  private func device(starts: Int, every_ms: Int64 = 5000) -> Device {
    var device = Device()
    for start in 0..<starts { device.start(at: Int64(start) * every_ms) }
    return device
  }

  @Test("the fifth crash within an hour makes safe mode, the fourth does not", arguments: [5, 6, 21])
  func fifth(starts: Int) {
    let device = device(starts: starts)
    #expect(device.isSafe == (starts > 5))
    #expect(device.crashes == starts - 1)
    #expect(device.runState.hasCrashed)
  }

  @Test("five crashes over more than an hour do not")
  func slow() {
    #expect(!device(starts: 20, every_ms: 15 * 60_000 + 1).isSafe)
    #expect(device(starts: 6, every_ms: 14 * 60_000).isSafe)
  }

  @Test("runs that ended in order are no crashes")
  func orderly() {
    var device = Device()
    for start in 0..<20 {
      device.start(at: Int64(start) * 5000)
      device.end(at: Int64(start) * 5000 + 1000)
    }
    #expect(!device.isSafe && device.crashes == 0 && !device.runState.hasCrashed)
    #expect(device.saved == saved(starts: (1, 19, 0)))
  }

  @Test("reboots are no crashes: a bad supply is not ours, and ten cuts in ten minutes cost no hour")
  func reboots() {
    var device = Device()
    for boot in 0..<10 {
      device.boot = "boot-\(boot)"
      device.start(at: 20_000)
    }
    #expect(!device.isSafe && device.crashes == 0)
  }

  @Test("after an hour it is tried again; one crash then brings safe mode back for another hour")
  func tryAgain() {
    var device = device(starts: 6)
    let since_ms: Int64 = 25_000
    #expect(device.runState.deadline_ms == since_ms + Self.hour_ms)
    device.tick(at: since_ms + Self.hour_ms - 1)
    #expect(device.isSafe)
    device.tick(at: since_ms + Self.hour_ms)
    #expect(!device.isSafe)
    device.start(at: since_ms + Self.hour_ms + 10_000)
    #expect(device.isSafe && device.crashes == 6)
    device.tick(at: since_ms + 2 * Self.hour_ms)
    #expect(device.isSafe)
    device.tick(at: since_ms + 2 * Self.hour_ms + 10_000)
    #expect(!device.isSafe)
  }

  @Test("crashes in safe mode do not prolong it: crashing on every start, it is tried once an hour")
  func always() {
    var (device, tries) = (device(starts: 6), 0)
    for start in 6..<(4 * 720) {
      device.start(at: Int64(start) * 5000)
      if !device.isSafe { tries += 1 }
    }
    #expect(tries == 3)
  }

  @Test("an hour without a crash clears the count, in normal mode and after safe mode")
  func cleared() {
    var few = device(starts: 3)
    #expect(few.runState.deadline_ms == 10_000 + Self.hour_ms)
    few.tick(at: 10_000 + Self.hour_ms)
    #expect(few.crashes == 0)
    var many = device(starts: 6)
    many.tick(at: 25_000 + Self.hour_ms)
    many.tick(at: 25_000 + 2 * Self.hour_ms)
    #expect(many.crashes == 0 && many.runState.deadline_ms == nil)
    many.start(at: 26_000 + 2 * Self.hour_ms)
    #expect(!many.isSafe && many.crashes == 1)
  }

  @Test("a restart in order forgets all crashes, in safe mode and before it", arguments: [3, 6, 20])
  func mended(starts: Int) {
    var device = device(starts: starts)
    device.end(at: 200_000)
    #expect(device.saved == saved(starts: (1, starts - 1, starts - 1)))
    device.start(at: 210_000)
    #expect(!device.isSafe && device.crashes == 0)
    for crash in 1...4 { device.start(at: 210_000 + Int64(crash) * 5000) }
    #expect(!device.isSafe && device.crashes == 4)
    device.start(at: 240_000)
    #expect(device.isSafe)
  }

  @Test("a trial after safe mode that ends in order forgets the crashes, too")
  func mendedTrial() {
    var device = device(starts: 6)
    device.tick(at: 25_000 + Self.hour_ms)
    device.end(at: 26_000 + Self.hour_ms)
    device.start(at: 27_000 + Self.hour_ms)
    device.start(at: 28_000 + Self.hour_ms)
    #expect(!device.isSafe && device.crashes == 1)
  }

  @Test("a power cut in safe mode tries again at once, with one crash to spare")
  func rebooted() {
    var device = device(starts: 6)
    device.boot = "b"
    device.start(at: 40_000)
    #expect(!device.isSafe && device.crashes == 5)
    device.start(at: 50_000)
    #expect(device.isSafe)
  }

  /// - Parameter starts: boots, restarts, crashes.
  private func saved(_ members: JSONMember..., starts: (Int, Int, Int)) -> JSONValue {
    func number(_ key: String, _ number: Int) -> [JSONMember] {
      number == 0 ? [] : [JSONMember(key: key, value: .integer(Int64(number)))]
    }
    let boot = JSONMember(key: "boot", value: .string("a"))
    let counts =
      number("boots", starts.0) + number("restarts", starts.1) + number("crashes", starts.2) + [boot]
    return .object([boot] + members + [JSONMember(key: "starts", value: .object(counts))])
  }

  @Test("what is saved has names")
  func file() {
    let running = JSONMember(key: "running", value: .bool(true))
    let crashes = JSONMember(key: "crashes_ms", value: .array([.integer(5000), .integer(10_000)]))
    #expect(device(starts: 3).saved == saved(running, crashes, starts: (1, 2, 2)))
    let stage = [
      JSONMember(key: "since_ms", value: .integer(25_000)), JSONMember(key: "crashes", value: .integer(5)),
    ]
    let safe = JSONMember(key: "safe", value: .object(stage))
    #expect(device(starts: 6).saved == saved(running, safe, starts: (1, 5, 5)))
  }

  @Test("boots, restarts and crashes are counted for good, and a power cut is neither of the last two")
  func counted() {
    var device = device(starts: 3)
    device.end(at: 20_000)
    device.boot = "b"
    device.start(at: 1000)
    // Without an agent, as `godwit pause` does.
    var other = RunState(device.saved, bootID: "c", at: 0)
    other.ask(.pause(length_ms: nil), trusted_ms: nil, at: 0)
    (device.saved, device.boot) = (other.saved(trusted_ms: nil, at: 0), "c")
    device.start(at: 2000)
    device.start(at: 3000)
    let status = StartsStatus(device.runState.counts)
    #expect((status.boots, status.restarts, status.crashes) == (3, 3, 3))
  }

  @Test("without a boot id nothing counts as a crash")
  func noBootID() {
    var device = Device(boot: "")
    for start in 0..<10 { device.start(at: Int64(start) * 5000) }
    #expect(!device.isSafe)
  }
}
