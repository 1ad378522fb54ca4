import Glibc
import Testing
import TrackerBase
import TrackerIO

@testable import godwit

@Suite("The supply's alarm as events")
struct VoltageSourceTests {
  private let folder = QueueFolder()

  private func source() throws -> VoltageSource {
    mkdir(folder.path + "/hwmon0", 0o755)
    folder.write(Array("rpi_volt\n".utf8), to: "hwmon0/name")
    say("0")
    let sensor = try #require(UndervoltageSensor(folder: folder.path))
    return VoltageSource(sensor, log: Log(level: .error))
  }

  private func say(_ text: String) { folder.write(Array(text.utf8), to: "hwmon0/in0_lcrit_alarm") }

  private func removeDevice() {
    for name in ["name", "in0_lcrit_alarm"] { unlink(folder.path + "/hwmon0/" + name) }
    rmdir(folder.path + "/hwmon0")
  }

  @Test("each change is reported; one that can no longer be read is waited for no longer")
  func changes() throws {
    defer { removeDevice() }
    let source = try source()
    let ready = source.descriptors.map { $0.descriptor }
    #expect(source.receive(ready: ready).isEmpty && ready.count == 1)
    say("1")
    #expect(source.receive(ready: []).isEmpty)
    #expect(source.receive(ready: ready) == [.undervoltage(true)])
    say("")
    #expect(source.receive(ready: ready).isEmpty)
    #expect(source.descriptors.isEmpty)
    say("0")
    #expect(source.receive(ready: ready).isEmpty)
  }
}
