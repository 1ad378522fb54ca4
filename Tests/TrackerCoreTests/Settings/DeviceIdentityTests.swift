import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("The device's name")
struct DeviceIdentityTests {
  typealias Machine = DeviceIdentity.Machine

  private func identity(
    _ machine: Machine, kept: DeviceIdentity? = nil, setting: String = ""
  ) -> DeviceIdentity {
    DeviceIdentity(setting: setting, machine: machine, kept: kept, chance: 0xBEEF)
  }

  @Test("the setting goes before the machine id, and that before what is made for want of it")
  func order() {
    var machine = Machine(
      machineID: "0123", board: "10000000ABCDEF01", card: "0353-445344", hardwareAddress: "b8:27:eb:12:34:56")
    let named = identity(machine, setting: "van 7")
    #expect(named.name == "van 7" && named.source == .deviceID)
    #expect(identity(machine).name == "0123" && identity(machine).source == .machineID)
    machine.machineID = nil
    #expect(identity(machine).name == "board-10000000abcdef01" && identity(machine).source == .board)
    machine.board = nil
    #expect(identity(machine).name == "card-0353445344" && identity(machine).source == .card)
    machine.card = " "
    #expect(identity(machine).name == "mac-b827eb123456" && identity(machine).source == .hardwareAddress)
    machine.hardwareAddress = nil
    #expect(identity(machine).name == "box-000000000000beef" && identity(machine).source == .random)
  }

  @Test("a serial number of any length and letters is a name that fits everywhere")
  func longest() {
    let name = identity(Machine(board: String(repeating: "Ä/ö#9", count: 100))).name
    #expect(name == "board-" + String(repeating: "9", count: 64))
    #expect(DeviceName.problem(of: name) == nil && DeviceName.topicLevel(name) == name)
  }

  @Test("a name that was made stays, whatever the machine tells later, until there is a setting")
  func staysMade() {
    let made = identity(Machine(card: "12"))
    for later in [Machine(), Machine(machineID: "0123"), Machine(board: "77", card: "13")] {
      #expect(identity(later, kept: made) == made)
    }
    #expect(identity(Machine(), kept: made, setting: "van").name == "van")
    let drawn = identity(Machine())
    #expect(DeviceIdentity(setting: "", machine: Machine(), kept: drawn, chance: 1) == drawn)
  }

  @Test(
    "a machine id that changes names the device anew, as a new image wants it; one that vanishes does not")
  func machineIDChanges() {
    let before = identity(Machine(machineID: "0123"))
    #expect(identity(Machine(machineID: "4567"), kept: before).name == "4567")
    #expect(identity(Machine(board: "77"), kept: before) == before)
  }

  @Test("a name that was given stays, whatever the machine tells, until there is a setting")
  func enrolled() throws {
    let given = DeviceIdentity(enrolled: "Müller's 7 %")
    for later in [Machine(), Machine(machineID: "0123"), Machine(board: "77", card: "13")] {
      #expect(identity(later, kept: given) == given)
      #expect(given.note(hasMachineID: later.machineID != nil) == nil)
    }
    #expect(!given.source.isMade)
    #expect(identity(Machine(), kept: given, setting: "van").name == "van")
    #expect(DeviceIdentity(saved: given.saved) == given)
  }

  @Test("two cards made from one image, without a machine id, are two devices")
  func twoCards() {
    let boards = ["10000000aaaaaaaa", "10000000bbbbbbbb"].map { identity(Machine(board: $0)) }
    let cards = ["0353-445344", "0353-445345"].map { identity(Machine(card: $0)) }
    let drawn = [UInt64(1), 2].map { DeviceIdentity(setting: "", machine: Machine(), kept: nil, chance: $0) }
    for pair in [boards, cards, drawn] { #expect(pair[0].name != pair[1].name) }
  }

  private func saved(_ name: String, _ source: String) -> JSONValue {
    .object([
      JSONMember(key: "name", value: .string(name)), JSONMember(key: "source", value: .string(source)),
    ])
  }

  @Test("it is saved with its source, and damage is none of it")
  func saved() {
    for machine in [Machine(machineID: "0123"), Machine(board: "7"), Machine()] {
      let identity = identity(machine)
      #expect(DeviceIdentity(saved: identity.saved) == identity)
    }
    #expect(identity(Machine(board: "7")).saved == saved("board-7", "board"))
    let odd =
      [
        .null, .object([]), .object([JSONMember(key: "name", value: .string("van"))]),
        saved("van", "device_id"),
        saved("card-7", "board"), saved("board-7", "moon"), saved("", "enrolled"),
        saved(String(repeating: "a", count: 129), "machine_id"), saved("board-\u{202E}", "board"),
      ] as [JSONValue]
    for value in odd { #expect(DeviceIdentity(saved: value) == nil, "\(value)") }
  }

  @Test("operators are told what nobody has decided")
  func notes() {
    let made = identity(Machine(board: "7"))
    #expect(
      made.note(hasMachineID: false)
        == "device_id is not set, and this machine has no machine id: the device is named board-7, from the board's serial number, and keeps that name; set device_id for another one"
    )
    #expect(
      made.note(hasMachineID: true)
        == "this machine has a machine id now, and the device keeps the name board-7 that it got without one, from the board's serial number; set device_id for another name"
    )
    let named = identity(Machine(machineID: "0123"))
    #expect(
      named.note(hasMachineID: true) == nil
        && identity(Machine(), setting: "v").note(hasMachineID: false) == nil)
    #expect(
      named.note(hasMachineID: false)
        == "this machine has lost its machine id: the device keeps the name 0123 that it had from it; set device_id, or run systemd-machine-id-setup"
    )
  }
}
