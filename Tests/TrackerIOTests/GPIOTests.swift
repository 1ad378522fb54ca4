import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("The line that powers the GPS")
struct GPIOTests {
  private let folder = ScratchFolder()

  @Test("a simulated line is a file with its level", arguments: [(false, "0", "1"), (true, "1", "0")])
  func level(activeLow: Bool, off: String, on: String) throws {
    let path = folder.path + "/GPIO17"
    let line = try SimulatedPowerLine(directory: folder.path, line: "GPIO17", activeLow: activeLow)
    #expect(contents(of: path) == off)
    #expect(try line.read() == false)
    try line.set(true)
    #expect(contents(of: path) == on)
    #expect(try line.read() == true)
    try line.set(false)
    #expect(contents(of: path) == off)
  }

  @Test("opening switches the power off")
  func opening() throws {
    let first = try SimulatedPowerLine(directory: folder.path, line: "17", activeLow: false)
    try first.set(true)
    first.close()
    #expect(contents(of: folder.path + "/17") == "1")
    _ = try SimulatedPowerLine(directory: folder.path, line: "17", activeLow: false)
    #expect(contents(of: folder.path + "/17") == "0")
  }

  @Test("the level is read back, not remembered")
  func readBack() throws {
    let line = try SimulatedPowerLine(directory: folder.path, line: "17", activeLow: false)
    try line.set(true)
    try StatusFile.write(folder.path + "/17", "0\n")
    #expect(try line.read() == false)
    try StatusFile.write(folder.path + "/17", "x")
    #expect(throws: GPIOError.badLevel(path: folder.path + "/17")) { try line.read() }
  }

  @Test("a line that is closed says so")
  func closed() throws {
    let line = try SimulatedPowerLine(directory: folder.path, line: "17", activeLow: false)
    line.close()
    #expect(throws: GPIOError.closed) { try line.set(true) }
    #expect(throws: GPIOError.closed) { try line.read() }
  }

  @Test("\"header\" is the chip with the pins of whichever Raspberry Pi, any other name itself alone")
  func header() {
    let labels = ["header", "pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"]
    #expect(GPIOLines.labels(for: "header") == labels)
    #expect(GPIOLines.labels(for: "pinctrl-rp1") == ["pinctrl-rp1"])
  }

  @Test("a missing folder and a bad file name are errors with a way out")
  func simulatedErrors() {
    let missing = folder.path + "/missing"
    let error = failure(GPIOError.self) {
      try SimulatedPowerLine(directory: missing, line: "17", activeLow: false)
    }
    #expect(
      error?.description == """
        simulated GPIO line \(missing)/17: open: No such file or directory (errno 2). \
        The folder has to exist and be writable.
        """)
    #expect(throws: GPIOError.badFileName("../17")) {
      try SimulatedPowerLine(directory: folder.path, line: "../17", activeLow: false)
    }
  }

  @Test(
    "a board without GPIO chips says so and offers the simulation",
    .enabled(if: GPIOLines.chips().isEmpty, "this machine has GPIO chips"))
  func noChips() {
    let error = failure(GPIOError.self) {
      try GPIODPowerLine(chip: "pinctrl-bcm2711", line: "GPIO17", activeLow: false)
    }
    #expect(
      error?.description == """
        there is no GPIO chip "pinctrl-bcm2711": this board has none at all (/dev/gpiochip*). \
        gps.power.chip = "simulated:DIRECTORY" works without one.
        """)
  }

  @Test("a path that is no GPIO chip is an error with the system's words")
  func noChipAtPath() {
    let error = failure(GPIOError.self) {
      try GPIODPowerLine(chip: "/dev/missing", line: "17", activeLow: false)
    }
    #expect(
      error?.description == "GPIO chip /dev/missing: gpiod_chip_open: No such file or directory (errno 2).")
  }

  @Test(
    "errors name what is there and who holds it",
    arguments: [
      (
        GPIOError.noSuchChip(
          "pinctrl", available: ["pinctrl-other (gpiochip0)", "raspberrypi-exp-gpio (gpiochip1)"]),
        """
        there is no GPIO chip "pinctrl": this board has pinctrl-other (gpiochip0), \
        raspberrypi-exp-gpio (gpiochip1). Set gps.power.chip to one of these labels.
        """
      ),
      (
        .noSuchChip(
          "pinctrl-bcm2711", available: ["pinctrl-rp1 (gpiochip0)", "gpio-brcmstb@107d508500 (gpiochip10)"]),
        """
        there is no GPIO chip "pinctrl-bcm2711", which is of a Raspberry Pi 4, 400 or CM4: this board has \
        pinctrl-rp1 (gpiochip0), gpio-brcmstb@107d508500 (gpiochip10). \
        Set gps.power.chip = "pinctrl-rp1", which has the pins of the header.
        """
      ),
      (
        .busy(line: "GPIO17", chip: "pinctrl-bcm2711", holder: "fan"),
        """
        GPIO line GPIO17 of pinctrl-bcm2711 is held by "fan". \
        Stop that, or set gps.power.line to the right line.
        """
      ),
      (
        .noSuchLine("GPIO99", chip: "pinctrl-bcm2711", lines: 58),
        """
        GPIO chip pinctrl-bcm2711 has no line "GPIO99" among its 58. \
        gps.power.line takes a name or an offset; gpioinfo(1) lists them.
        """
      ),
      (
        .chipFailed(path: "/dev/gpiochip0", call: "gpiod_chip_open", code: EACCES),
        """
        GPIO chip /dev/gpiochip0: gpiod_chip_open: Permission denied (errno 13). \
        The user of this process needs the group that owns the device, often gpio.
        """
      ),
    ])
  func wording(error: GPIOError, words: String) {
    #expect(error.description == words)
  }
}
