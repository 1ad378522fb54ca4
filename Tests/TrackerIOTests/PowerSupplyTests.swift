import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("What switches the GPS module")
struct PowerSupplyTests {
  private let folder = ScratchFolder()

  private var pulse: GPSPowerSettings {
    var settings = Settings().gps.power
    settings.mode = .pulse
    settings.chip = "simulated:" + folder.path
    settings.line = "key"
    settings.statusLine = "status"
    settings.pulse_ms = 10
    return settings
  }

  private func contents(_ name: String) -> String {
    TrackerIOTests.contents(of: folder.path + "/" + name) ?? ""
  }

  /// The module follows the key, or the status line is set by something else.
  private func setStatus(_ on: Bool) throws { try StatusFile.write(folder.path + "/status", on ? "1" : "0") }

  private func next(_ supply: any PowerSupply) throws {
    try supply.receive(ready: Poller.wait(supply.descriptors, timeout_ms: 20_000))
  }

  /// The key is pressed, released after a while, and the module follows.
  private func follow(_ supply: any PowerSupply, to on: Bool) throws {
    #expect(contents("key") == "1")
    while contents("key") == "1" { try next(supply) }
    #expect(supply.isBusy)
    try setStatus(on)
    while supply.isBusy, contents("key") == "0" { try next(supply) }
  }

  @Test("the settings choose it")
  func factory() throws {
    var settings = Settings().gps.power
    #expect(try PowerSupplies.open(settings) == nil)
    settings.mode = .level
    settings.chip = "simulated:" + folder.path
    settings.line = "GPIO17"
    let level = try #require(try PowerSupplies.open(settings) as? LevelSupply)
    #expect(level.line is SimulatedPowerLine)
    #expect(folder.names() == ["GPIO17"])
    #expect(try PowerSupplies.open(pulse) is PulseSupply)
    settings.mode = .command
    settings.command = ["/bin/true"]
    #expect(try PowerSupplies.open(settings) is CommandSupply)
  }

  @Test("a pulse switches on and another one off, and none is given for what is so already")
  func pulses() throws {
    let supply = try #require(try PowerSupplies.open(pulse))
    #expect(!supply.isBusy)
    try supply.set(true)
    try follow(supply, to: true)
    #expect(!supply.isBusy)
    try supply.set(true)
    #expect(!supply.isBusy && contents("key") == "0")
    try supply.set(false)
    try follow(supply, to: false)
    #expect(!supply.isBusy && contents("key") == "0")
  }

  @Test("a module that is found on is switched off at once")
  func foundOn() throws {
    try setStatus(true)
    let supply = try #require(try PowerSupplies.open(pulse))
    try follow(supply, to: false)
    #expect(!supply.isBusy)
  }

  @Test("a change of mind in mid-pulse is a second pulse, once the module has followed the first")
  func changeOfMind() throws {
    let supply = try #require(try PowerSupplies.open(pulse))
    try supply.set(true)
    try supply.set(false)
    try follow(supply, to: true)
    try follow(supply, to: false)
    #expect(!supply.isBusy)
  }

  @Test("a module that does not follow is reported, and the next order tries again")
  func noAnswer() throws {
    var settings = pulse
    settings.statusTimeout_s = 0.1
    let supply = try #require(try PowerSupplies.open(settings))
    try supply.set(true)
    let error = failure(PowerError.self) { try end(supply) }
    #expect(
      error?.description == """
        a pulse was to switch it on, but the status line says otherwise after 0.1 s; \
        is gps.power.pulse_ms right for this module, and its status line wired?
        """)
    try supply.set(true)
    #expect(contents("key") == "1")
  }

  @Test("a module that goes on by itself, or too late, is reported once, and the next order switches it off")
  func strays() throws {
    let supply = try #require(try PowerSupplies.open(pulse))
    try setStatus(true)
    let error = failure(PowerError.self) { try next(supply) }
    #expect(
      error?.description == """
        the status line says that the module went on by itself; did it answer a pulse later than \
        gps.power.status_timeout_s, or is its supply bad?
        """)
    // It flickers.
    for on in [false, true] {
      try setStatus(on)
      try next(supply)
    }
    #expect(contents("key") == "0")
    try supply.set(false)
    try follow(supply, to: false)
    #expect(!supply.isBusy)
  }

  @Test("a status line that cannot be taken is reported with its own setting")
  func noStatusLine() {
    var settings = pulse
    settings.statusLine = "no/name"
    let error = failure(PowerError.self) { try PowerSupplies.open(settings) as Any }
    #expect(
      error?.description
        == "\"no/name\" cannot be the file name of a simulated line: set gps.power.status_line to a plain name."
    )
  }

  private func commandSupply(_ script: String, timeout_s: Double = 20) throws -> CommandSupply {
    try CommandSupply(["/bin/sh", "-c", script, folder.path + "/reported"], timeout_s: timeout_s)
  }

  private func end(_ supply: any PowerSupply) throws {
    while supply.isBusy { try next(supply) }
  }

  @Test("a command is called with off at first, and then what is wanted; the last word counts")
  func command() throws {
    let supply = try commandSupply("echo $1 >> $0")
    try end(supply)
    #expect(contents("reported") == "off\n")
    try supply.set(true)
    try end(supply)
    #expect(contents("reported") == "off\non\n")
    try supply.set(false)
    try supply.set(true)
    try supply.set(false)
    try end(supply)
    #expect(contents("reported") == "off\non\noff\n")
    try supply.set(true)
    try supply.set(false)
    try end(supply)
    #expect(contents("reported") == "off\non\noff\non\noff\n")
  }

  @Test("a command that fails is reported, one that hangs is killed")
  func commandFails() throws {
    let failing = try commandSupply("test $1 = off || exit 3")
    try end(failing)
    try failing.set(true)
    #expect(
      failure(PowerError.self) { try end(failing) }?.description
        == "gps.power.command: /bin/sh … on ended with exit status 3")
    let hanging = try commandSupply("sleep 100 & sleep 100", timeout_s: 0.1)
    #expect(
      failure(PowerError.self) { try end(hanging) }?.description
        == "gps.power.command: /bin/sh … off took longer than 0 s and was killed")
    let missing = failure(PowerError.self) { try CommandSupply(["/nowhere/at-all"]) }
    #expect(
      missing?.description.hasPrefix("gps.power.command: /nowhere/at-all could not be started: ") == true)
  }
}
