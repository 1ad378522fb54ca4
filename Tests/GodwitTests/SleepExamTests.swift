import Foundation
import Testing
import TrackerBase

@testable import godwit

/// A board's files, below a folder of the test's own.
@Suite("What the doctor says of a board's sleep")
struct SleepExamTests {
  private let folder = QueueFolder()

  private func write(_ text: String, _ path: String) throws {
    let url = URL(fileURLWithPath: folder.path + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func finding(_ mode: SleepSettings.Mode = .rtc) -> Finding {
    var settings = Settings()
    settings.queue.path = folder.path + "/queue.db"
    settings.host.sleep.mode = mode
    return SleepExam.finding(settings, root: folder.path)
  }

  private func clock() throws {
    try write("1000000\n", "/sys/class/rtc/rtc0/since_epoch")
    try write("", "/sys/class/rtc/rtc0/wakealarm")
  }

  /// - Parameter bootloader: nil where nobody can read it.
  private func pi5(_ bootloader: String?) throws {
    try write("Raspberry Pi 5 Model B Rev 1.0\0", "/proc/device-tree/model")
    guard let bootloader else { return }
    try write("/nvram\0", "/sys/firmware/devicetree/base/aliases/blconfig")
    try write("", "/sys/firmware/devicetree/base/nvram/name")
    try write(bootloader, "/sys/bus/nvmem/devices/rmem0/nvmem")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/sys/bus/nvmem/devices/rmem0/of_node",
      withDestinationPath: folder.path + "/sys/firmware/devicetree/base/nvram")
  }

  @Test("a board that is to stay on is not looked at")
  func off() {
    #expect(finding(.off) == .notTried(.sleep, "host.sleep.mode is \"off\": the board stays on"))
  }

  @Test("a board without a clock never sleeps")
  func noClock() {
    #expect(finding().outcome == .fail && finding().words.contains("there is no clock"))
  }

  @Test("a Raspberry Pi 5 whose boot loader keeps the supply on, by the names that it has")
  func bootloader() throws {
    try clock()
    #expect(finding().outcome == .pass)
    try pi5("[all]\nBOOT_UART=1\n")
    let wrong = finding()
    #expect(wrong.outcome == .fail && wrong.advice.contains("docs/power.md"))
    for name in [
      "POWER_OFF_ON_HALT is not set", "POWER_OFF_ON_HALT=1", "WAKE_ON_GPIO is not set", "WAKE_ON_GPIO=0",
    ] {
      #expect(wrong.words.contains(name), "\(wrong)")
    }
    try write("[all]\nPOWER_OFF_ON_HALT=1\nWAKE_ON_GPIO=0\n", "/sys/bus/nvmem/devices/rmem0/nvmem")
    #expect(finding().outcome == .pass && finding().words.contains("WAKE_ON_GPIO is 0"))
  }

  @Test("a Raspberry Pi 5 whose boot loader's settings cannot be read: not tried, and what to look for")
  func unknown() throws {
    try clock()
    try pi5(nil)
    let unknown = finding()
    #expect(unknown.outcome == .notTried && unknown.words.contains("sudo rpi-eeprom-config"), "\(unknown)")
  }
}
