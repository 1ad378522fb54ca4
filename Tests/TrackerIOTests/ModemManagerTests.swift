import Foundation
import Testing
import TrackerBase

@testable import TrackerIO

/// The real bus, and our imitation of ModemManager on it (Tests/Rig/modem-manager).
@Suite(
  "Modems over the bus",
  .enabled(
    if: canImitateModems,
    "dbus-daemon, python3-dbus or python3-gi is missing: deploy/packages test installs them"))
struct ModemManagerTests {
  private let bus: Peer
  private let address: String

  init() throws { (bus, address) = try Peer.bus() }

  private func imitation() throws -> Peer { try Peer.modemManager(on: address) }

  private func isListening(_ listener: Int32, at path: String) -> Bool {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let bound = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return bound == 0 && listen(listener, 4) == 0
  }

  /// The loop of the agent, until the modems are as wanted.
  private func wait(
    _ manager: ModemManager, at now_ms: Int64 = 0, until isWanted: ([Modem]) -> Bool
  ) -> [Modem]? {
    let end_ms = HostClock.now().boot_ms + 120_000
    while HostClock.now().boot_ms < end_ms {
      if let modems = manager.drive(at: now_ms), isWanted(modems) { return modems }
      _ = Poller.wait(manager.descriptors, timeout_ms: 1000)
    }
    return nil
  }

  @Test("a modem with all that it says, its registration at once, the rest when it is asked again")
  func modem() throws {
    let imitation = try imitation()
    let manager = ModemManager(address: address)
    let found = wait(manager) { !$0.isEmpty }
    #expect(
      found == [
        Modem(
          interfaces: ["wwan0"], registration: .home, operatorName: "Home", technology: .ltePlain,
          signal_percent: 61)
      ])
    #expect(imitation.tell(#"{"registration": 5, "operator": "Elsewhere"}"#).hasPrefix("ok"))
    let roaming = wait(manager) { $0.first?.registration == .roaming }
    #expect(roaming?.first?.operatorName == "Elsewhere")
    // Its signal alone says nothing, so that nobody wakes for it.
    let asked = imitation.tell(#"{"signal": 20, "dbm": -101.5, "technology": 32768}"#)
    #expect(Poller.wait(manager.descriptors, timeout_ms: 0).isEmpty && manager.drive(at: 1000) == nil)
    #expect(imitation.tell("{}") == asked)
    let later = wait(manager, at: ModemManager.refresh_ms) { $0.first?.signal_percent == 20 }
    #expect(later?.first?.signal_dbm == -101.5 && later?.first?.technology == .fiveG)
  }

  @Test("ModemManager that goes takes its modems along, and is found again; so is a bus")
  func comesAndGoes() throws {
    let manager = ModemManager(address: address)
    // Not there: asked once, and no more until it comes.
    #expect(manager.drive(at: 0) == nil)
    let imitation = try imitation()
    #expect(wait(manager) { !$0.isEmpty } != nil)
    #expect(imitation.tell(#"{"own": false}"#).hasPrefix("ok"))
    #expect(wait(manager) { $0.isEmpty } == [])
    #expect(imitation.tell(#"{"own": true}"#).hasPrefix("ok"))
    #expect(wait(manager) { !$0.isEmpty } != nil)
    bus.kill()
    #expect(wait(manager) { $0.isEmpty } == [])
  }

  @Test("a bus that comes back is used within a minute, not only at the next look at the modems")
  func busComesBack() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("bus-\(UUID())").path
    let manager = ModemManager(address: "unix:path=\(path)")
    #expect(manager.drive(at: 0) == nil && manager.descriptors.isEmpty)
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer {
      Glibc.close(listener)
      unlink(path)
    }
    try #require(isListening(listener, at: path))
    _ = manager.drive(at: 1000)
    #expect(manager.descriptors.isEmpty)
    _ = manager.drive(at: 60_000)
    #expect(!manager.descriptors.isEmpty)
  }

  @Test("without a bus nothing is known, nothing is waited for, and no descriptor is left")
  func noBus() {
    let manager = ModemManager(address: "unix:path=/nowhere/at/all")
    for turn in 0..<10 { #expect(manager.drive(at: Int64(turn) * ModemManager.refresh_ms) == nil) }
    #expect(manager.descriptors.isEmpty)
  }

  @Test("a bus that says nothing holds nobody up")
  func silentBus() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bus-\(UUID())").path
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer {
      Glibc.close(listener)
      unlink(folder)
    }
    try #require(isListening(listener, at: folder))
    let manager = ModemManager(address: "unix:path=\(folder)")
    let before_ms = HostClock.now().boot_ms
    for turn in 0..<5 {
      #expect(manager.drive(at: Int64(turn) * ModemManager.refresh_ms) == nil)
      _ = Poller.wait(manager.descriptors, timeout_ms: 10)
    }
    #expect(HostClock.now().boot_ms - before_ms < 60_000)
  }
}
