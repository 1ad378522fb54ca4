import Foundation
import Testing
import TrackerBase

@testable import TrackerIO

/// The real bus, our imitation of ModemManager on it (Tests/Rig/modem-manager), and the real one (real-modem-manager).
@Suite(
  "The modem's serving cell",
  .enabled(
    if: canImitateModems,
    "dbus-daemon, python3-dbus or python3-gi is missing: deploy/packages test installs them"))
struct ModemCellTests {
  private let bus: Peer
  private let address: String
  private static let first = Cell(country: 1, network: 1, area: 0xC3, id: 0x12AB)
  private static let second = Cell(country: 1, network: 1, area: 0xC5, id: 0x2000)

  init() throws { (bus, address) = try Peer.bus() }

  private func imitation(_ state: String = "{}") throws -> Peer {
    let peer = try Peer.modemManager(on: address)
    #expect(peer.tell(state).hasPrefix("ok"))
    return peer
  }

  /// The loop of the agent, until it is as wanted.
  private func wait(_ manager: ModemManager, at now_ms: Int64 = 0, until isWanted: ([Modem]?) -> Bool) -> Bool
  {
    let end_ms = HostClock.now().boot_ms + 120_000
    var modems: [Modem]?
    while HostClock.now().boot_ms < end_ms {
      modems = manager.drive(at: now_ms) ?? modems
      if isWanted(modems) { return true }
      _ = Poller.wait(manager.descriptors, timeout_ms: 1000)
    }
    return false
  }

  private func shows(_ cell: Cell?) -> ([Modem]?) -> Bool { { $0.map { $0.map(\.cell) == [cell] } ?? false } }

  @Test("is announced once ModemManager was told to, and each change is one turn of the loop")
  func changes() throws {
    let imitation = try imitation()
    let manager = ModemManager(address: address, wantsCells: true)
    #expect(wait(manager, until: shows(Self.first)))
    #expect(manager.cellProblem == nil)
    let asked = imitation.tell("{}")
    #expect(asked.hasSuffix(" 1:True"), "one Setup: \(asked)")
    #expect(imitation.tell(#"{"cell": "001,01,0,2000,C5"}"#) == asked)
    #expect(wait(manager, until: shows(Self.second)))
    #expect(imitation.tell(#"{"cell": ""}"#) == asked)
    #expect(wait(manager, until: shows(nil)))
    // Nothing was asked for that.
    #expect(imitation.tell("{}") == asked)
  }

  @Test("is neither announced nor read where nobody wants it")
  func unwanted() throws {
    let imitation = try imitation(#"{"signals": true}"#)
    let manager = ModemManager(address: address)
    #expect(wait(manager, until: shows(nil)))
    let before = imitation.tell(#"{"cell": "001,01,0,2000,C5"}"#)
    #expect(Poller.wait(manager.descriptors, timeout_ms: 0).isEmpty && manager.drive(at: 1000) == nil)
    #expect(!before.contains(":") && manager.cellProblem == nil)
  }

  @Test("what others have set stays: their sources, and positions that are not announced")
  func others() throws {
    // The module's own port for gpsd, which announces nothing.
    let unmanaged = try imitation(#"{"offered": 23, "enabled": 16}"#)
    let manager = ModemManager(address: address, wantsCells: true)
    #expect(wait(manager, until: shows(Self.first)))
    #expect(unmanaged.tell("{}").hasSuffix(" 17:True"))
    // Somebody switches positions on without the signals: that is theirs.
    #expect(unmanaged.tell(#"{"enabled": 3, "signals": false}"#).hasSuffix(" 17:True"))
    #expect(wait(manager) { _ in manager.cellProblem == .silentPositions })
    #expect(unmanaged.tell("{}").hasSuffix(" 17:True"))
    // With them, the cell is among what is announced.
    #expect(unmanaged.tell(#"{"signals": true}"#).hasSuffix(" 17:True"))
    #expect(wait(manager, until: { _ in manager.cellProblem == nil }))
    #expect(unmanaged.tell(#"{"cell": "001,01,0,2000,C5"}"#).hasSuffix(" 17:True"))
    #expect(wait(manager, until: shows(Self.second)))
  }

  @Test(
    "without the right it is done without, and not asked for again",
    arguments: [
      "org.freedesktop.ModemManager1.Error.Core.Unauthorized", "org.freedesktop.DBus.Error.AccessDenied",
    ])
  func refused(error: String) throws {
    let imitation = try imitation(#"{"refuse": "\#(error)"}"#)
    let manager = ModemManager(address: address, wantsCells: true)
    #expect(wait(manager) { _ in manager.cellProblem != nil })
    let problem = try #require(manager.cellProblem)
    #expect(
      "\(problem)"
        == "ModemManager refuses to announce the serving cell (\(error)): departures are seen by the GPS alone. "
        + "docs/motion.md says which right that needs")
    let told = imitation.tell(#"{"signal": 20}"#)
    #expect(wait(manager, at: ModemManager.refresh_ms) { $0?.first?.signal_percent == 20 })
    #expect(imitation.tell("{}").components(separatedBy: ":").count == 2, "\(told)")
    #expect(manager.cellProblem == problem)
    // Somebody with the right has done it.
    #expect(imitation.tell(#"{"signals": true}"#).hasPrefix("ok"))
    #expect(wait(manager, until: shows(Self.first)))
    #expect(manager.cellProblem == nil)
  }

  @Test("a modem that is off is set up once it is on; one that has no such thing is done without")
  func off() throws {
    let wrong = "org.freedesktop.ModemManager1.Error.Core.WrongState"
    let imitation = try imitation(#"{"enabled": 0, "refuse": "\#(wrong)"}"#)
    let manager = ModemManager(address: address, wantsCells: true)
    #expect(wait(manager) { _ in imitation.tell("{}").hasSuffix(" 1:True") })
    #expect(imitation.tell(#"{"enabled": 1, "refuse": null}"#).hasPrefix("ok"))
    #expect(wait(manager, until: shows(Self.first)))
    #expect(manager.cellProblem == nil)
    #expect(imitation.tell(#"{"offered": 0, "enabled": 0}"#).hasPrefix("ok"))
    #expect(wait(manager) { _ in manager.cellProblem == .notOffered })
  }

  @Test("ModemManager that goes takes the cell along; back, it is told again")
  func restarts() throws {
    let imitation = try imitation()
    let manager = ModemManager(address: address, wantsCells: true)
    #expect(wait(manager, until: shows(Self.first)))
    #expect(imitation.tell(#"{"own": false}"#).hasPrefix("ok"))
    #expect(wait(manager) { $0 == [] })
    #expect(manager.cellProblem == .noModemManager)
    #expect(imitation.tell(#"{"own": true, "signals": false}"#).hasPrefix("ok"))
    #expect(wait(manager, until: shows(Self.first)))
    #expect(manager.cellProblem == nil && imitation.tell("{}").hasSuffix(" 1:True 1:True"))
    bus.kill()
    #expect(wait(manager) { $0 == [] })
    #expect(manager.cellProblem == .noModemManager)
  }

  @Test("the area is that of the generation; what is no cell is none")
  func texts() {
    func cell(_ text: String) -> Cell? { Cell(.dictionary(["1": .text(text)])) }
    #expect(cell("001,01,0,12AB,C3") == Self.first)
    // ModemManager 1.20 says it so for a moment after a registration.
    #expect(cell("001,01,C3,12AB,0") == Self.first && cell("001,01,C3,12AB") == Self.first)
    #expect(cell("262,2,0,1A2D003,7531")?.id == 0x1A2_D003)
    for text in [
      "", "001,01", "001,01,0,0,0", "001,01,C3,FFFFFFF,C3", "001,01,C3,FFFFFFFF,0", "x,01,C3,12AB,0",
      "001,01,C3,yz,0",
      ",,,,", "1,1,-1,2,3",
      // What the saved state has no place for would make it unreadable.
      "1000,01,C3,12AB,0", "001,1000,C3,12AB,0", "-1,01,C3,12AB,0",
    ] { #expect(cell(text) == nil, "\(text)") }
    #expect(Cell(nil) == nil && Cell(.dictionary(["2": .text("001,01,0,12AB,C3")])) == nil)
  }

  @Test("why it is not to be had is said in words")
  func words() {
    #expect(
      "\(CellProblem.noModemManager)" == "ModemManager is not there: departures are seen by the GPS alone")
    #expect(
      "\(CellProblem.notOffered)"
        == "the modem does not tell ModemManager its serving cell: departures are seen by the GPS alone")
    #expect(
      "\(CellProblem.silentPositions)"
        == "ModemManager gathers positions for somebody and does not announce them, and would with the serving cell: "
        + "departures are seen by the GPS alone. To have both announced: mmcli -m any --location-set-enable-signal"
    )
  }

  @Test(
    "the real ModemManager with an emulated modem: set up, changed, switched off and on, restarted",
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/ModemManager"),
      "ModemManager is missing: deploy/packages modem installs it"))
  func real() throws {
    let log = FileManager.default.temporaryDirectory.appendingPathComponent("modem-manager-\(UUID()).log")
      .path
    defer { unlink(log) }
    let real = try Peer.rig("real-modem-manager", [log], ["DBUS_SESSION_BUS_ADDRESS": address])
    try #require(real.line() == "ready")
    #expect(real.tell("setup") == "ok 1 False")
    let manager = ModemManager(address: address, wantsCells: true)
    #expect(wait(manager, until: shows(Self.first)))
    #expect(real.tell("setup") == "ok 1 True" && manager.cellProblem == nil)
    #expect(real.tell("cell 00C5 00002000") == "ok")
    #expect(wait(manager, until: shows(Self.second)))
    #expect(real.tell("disable") == "ok")
    #expect(wait(manager, until: shows(nil)))
    #expect(real.tell("enable") == "ok")
    #expect(wait(manager, until: shows(Self.second)))
    #expect(real.tell("restart") == "ok")
    #expect(real.tell("cell 00C3 000012AB") == "ok")
    #expect(wait(manager, until: shows(Self.first)))
    #expect(real.tell("setup") == "ok 1 True" && manager.cellProblem == nil)
  }
}
