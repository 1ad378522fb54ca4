import Testing
import TrackerBase

@testable import TrackerIO

/// The real bus, and an imitation of logind on it (Tests/Rig/logind).
@Suite(
  "logind's lock against a shutdown",
  .enabled(
    if: canImitateModems,
    "dbus-daemon, python3-dbus or python3-gi is missing: deploy/packages test installs them"))
struct ShutdownLockTests {
  private let bus: Peer
  private let address: String

  init() throws { (bus, address) = try Peer.bus() }

  private func logind(refusing error: String? = nil) throws -> Peer {
    let peer = try Peer.rig("logind", error.map { [$0] } ?? [], ["DBUS_SYSTEM_BUS_ADDRESS": address])
    #expect(peer.line() == "ready")
    return peer
  }

  /// The loop of the agent, until the lock is held or refused.
  private func settle(_ lock: ShutdownLock) -> ShutdownLockProblem? {
    let end_ms = HostClock.now().boot_ms + 120_000
    while HostClock.now().boot_ms < end_ms {
      if let problem = lock.drive() { return problem }
      if lock.isHeld { return nil }
      _ = Poller.wait(lock.descriptors, timeout_ms: 1000)
    }
    Issue.record("neither held nor refused")
    return nil
  }

  @Test("it is held until it is given back, and can be had again")
  func held() throws {
    let logind = try logind()
    let lock = ShutdownLock(why: "a test", address: address)
    for _ in 1...2 {
      lock.take()
      // In each turn of the loop.
      lock.take()
      #expect(settle(lock) == nil && lock.isHeld)
      #expect(logind.line() == "locked shutdown godwit block")
      // Nothing is waited for while it is held.
      #expect(lock.descriptors.isEmpty && lock.drive() == nil)
      lock.giveBack()
      #expect(!lock.isHeld && logind.line() == "released")
    }
  }

  @Test("one that is given back before the answer is not kept")
  func givenBackEarly() throws {
    let logind = try logind()
    let lock = ShutdownLock(why: "a test", address: address)
    lock.take()
    lock.giveBack()
    #expect(lock.descriptors.isEmpty)
    lock.take()
    #expect(settle(lock) == nil && lock.isHeld)
    lock.giveBack()
    // As many were given back as were given.
    var said = [logind.line(), logind.line()]
    while said.filter({ $0 == "released" }).count * 2 < said.count { said.append(logind.line()) }
    #expect(said.last == "released")
  }

  @Test("a refusal is told once, and asked about again only after it was given back")
  func refused() throws {
    let logind = try logind(refusing: "org.freedesktop.DBus.Error.AccessDenied")
    let lock = ShutdownLock(why: "a test", address: address)
    lock.take()
    let problem = settle(lock)
    #expect(problem == .refused("org.freedesktop.DBus.Error.AccessDenied"))
    #expect(
      problem?.description
        == "a shutdown in a trip is not held up: logind refuses the lock (org.freedesktop.DBus.Error.AccessDenied); the package's polkit rule allows it where polkitd is installed"
    )
    lock.take()
    #expect(lock.drive() == nil && lock.descriptors.isEmpty)
    #expect(logind.line() == "refused")
    lock.giveBack()
    lock.take()
    #expect(settle(lock) != nil && logind.line() == "refused")
  }

  @Test("without logind, and without a bus, that is told, and nothing is waited for")
  func absent() {
    let lock = ShutdownLock(why: "a test", address: address)
    lock.take()
    #expect(settle(lock) == .noLogind && lock.descriptors.isEmpty)
    let nowhere = ShutdownLock(why: "a test", address: "unix:path=/nowhere/at/all")
    nowhere.take()
    #expect(nowhere.drive() == .noBus && nowhere.drive() == nil && nowhere.descriptors.isEmpty)
    #expect("\(ShutdownLockProblem.noBus)" == "a shutdown in a trip is not held up: there is no system bus")
    #expect("\(ShutdownLockProblem.noLogind)" == "a shutdown in a trip is not held up: logind does not run")
  }
}
