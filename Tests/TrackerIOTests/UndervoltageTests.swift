import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

/// A folder laid out like /sys/class/hwmon.
@Suite("The supply's alarm")
struct UndervoltageTests {
  let folder = "/tmp/godwit-hwmon-\(getpid())-\(UInt32.random(in: 0 ... .max))"

  private func device(_ number: Int, name: String, alarm: String?) {
    mkdir(folder, 0o755)
    mkdir("\(folder)/hwmon\(number)", 0o755)
    write(name + "\n", "hwmon\(number)/name")
    if let alarm { write(alarm + "\n", "hwmon\(number)/in0_lcrit_alarm") }
  }

  private func write(_ text: String, _ path: String) {
    guard let file = fopen("\(folder)/\(path)", "w") else { return }
    fputs(text, file)
    fclose(file)
  }

  @Test("the device is found by its name, and what it says is read anew each time")
  func reading() throws {
    device(0, name: "cpu_thermal", alarm: "1")
    device(3, name: "rpi_volt", alarm: "0")
    let sensor = try #require(UndervoltageSensor(folder: folder))
    #expect(sensor.read() == false)
    write("1\n", "hwmon3/in0_lcrit_alarm")
    #expect(sensor.read() == true)
    write("?\n", "hwmon3/in0_lcrit_alarm")
    #expect(sensor.read() == nil)
    let descriptor = PollDescriptor(descriptor: sensor.descriptor, wantsRead: false, wantsPriority: true)
    #expect(Poller.wait([descriptor], timeout_ms: 0) == [], "a quiet alarm wakes nobody")
  }

  @Test("a board without it has none", arguments: ["cpu_thermal", "rpi_volt"])
  func absent(name: String) {
    #expect(UndervoltageSensor(folder: folder) == nil)
    device(0, name: name, alarm: nil)
    #expect(UndervoltageSensor(folder: folder) == nil)
  }
}
