import Foundation
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("What the kernel shows of the board")
struct HostFiguresTests {
  /// In place of /sys, with these files.
  private func figures(_ files: [String: String]) throws -> HostStatus {
    let sys = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-sys-\(UUID())")
    defer { try? FileManager.default.removeItem(at: sys) }
    for (path, text) in files {
      let file = sys.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    return HostFigures(queuePath: "/tmp/queue.db", sys: sys.path).read()
  }

  @Test("the updater's file is read, and a missing, empty or broken one is no update")
  func update() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-update-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let figures = HostFigures(queuePath: "/tmp/queue.db", updatePath: file.path)
    #expect(figures.update() == nil)
    for broken in ["", "state=good"] {
      try Data(broken.utf8).write(to: file)
      #expect(figures.update() == nil)
    }
    try Data("state=trial\nversion=2\nreason=\ngroup=stable\n".utf8).write(to: file)
    #expect(figures.update()?.state == .trial && figures.update()?.version == "2")
  }

  @Test("a Raspberry Pi with an eMMC, hot and short of supply before")
  func whole() throws {
    let status = try figures([
      "class/thermal/thermal_zone0/temp": "48312\n", "class/thermal/thermal_zone1/temp": "51200\n",
      "class/thermal/cooling_device0/temp": "99000\n",
      "devices/platform/soc/soc:firmware/get_throttled": "50002\n",
      "block/mmcblk0/device/life_time": "0x01 0x03\n", "block/mmcblk0/device/pre_eol_info": "0x02\n",
      "class/rtc/rtc0/name": "rpi-rtc\n",
    ])
    #expect(status.temperature_c == 51.2)
    #expect(status.isThrottled == true && status.wasThrottled == true && status.hadUndervoltage == true)
    #expect(status.cardLifeUsed_percent == 30 && status.cardSpare == .warning)
    #expect(status.hasRTC == true)
  }

  @Test(
    "the bits of get_throttled",
    arguments: [
      ("0", false, false, false), ("0x0\n", false, false, false), ("1", false, false, false),
      ("8", true, false, false), ("40000", false, true, false), ("10000", false, false, true),
      ("e000e", true, true, false),
    ])
  func throttled(text: String, now: Bool, since: Bool, undervoltage: Bool) throws {
    let status = try figures(["devices/platform/soc/soc:firmware/get_throttled": text])
    #expect(status.isThrottled == now && status.wasThrottled == since)
    #expect(status.hadUndervoltage == undervoltage)
  }

  @Test(
    "a card's life comes in tenths, and a card that does not tell is absent",
    arguments: [("0x00 0x00", nil), ("0x0b 0x01", 100), ("0x0a 0x01", 100), ("", nil), ("7 8", nil)]
      as [(String, Int?)])
  func card(text: String, percent: Int?) throws {
    let status = try figures([
      "block/mmcblk1/device/life_time": text, "block/mmcblk1/device/pre_eol_info": "0x00",
      "block/sda/device/life_time": "0x05 0x05",
    ])
    #expect(status.cardLifeUsed_percent == percent && status.cardSpare == nil)
  }

  @Test("what is not there, or makes no sense, is absent and not 0")
  func absent() throws {
    let nothing = try figures([:])
    #expect(nothing.temperature_c == nil && nothing.isThrottled == nil && nothing.hadUndervoltage == nil)
    #expect(nothing.cardLifeUsed_percent == nil && nothing.hasRTC == nil)
    let nonsense = try figures([
      "class/thermal/thermal_zone0/temp": "-273200\n", "class/thermal/thermal_zone1/temp": "hot",
      "devices/platform/soc/soc:firmware/get_throttled": "?", "class/rtc/.keep": "",
    ])
    #expect(nonsense.temperature_c == nil && nonsense.isThrottled == nil && nonsense.hasRTC == false)
  }

  @Test("the board's own clock: whether it set the system's, and how far it is from it")
  func rtc() throws {
    let now_s = Int64(Date().timeIntervalSince1970)
    let two = try figures([
      "class/rtc/rtc0/hctosys": "0\n", "class/rtc/rtc0/since_epoch": "\(now_s - 5000)\n",
      "class/rtc/rtc1/hctosys": "1\n", "class/rtc/rtc1/since_epoch": "\(now_s + 100)\n",
    ])
    #expect(two.hasRTC == true && two.rtcSetClock == true)
    #expect(abs(try #require(two.rtcOffset_s) - 100) <= 5)
    let idle = try figures(["class/rtc/rtc0/hctosys": "0\n", "class/rtc/rtc0/name": "x\n"])
    #expect(idle.rtcSetClock == false && idle.rtcOffset_s == nil)
    let none = try figures(["class/rtc/.keep": ""])
    #expect(none.hasRTC == false && none.rtcSetClock == nil && none.rtcOffset_s == nil)
  }

  @Test("room on the queue's file system, as the system has it; without its folder there is none")
  func disk() throws {
    let free_bytes = try #require(try figures([:]).diskFree_bytes)
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: "/tmp")
    let size = try #require(attributes[.systemSize] as? Int64)
    #expect(free_bytes > 0 && free_bytes <= size)
    #expect(HostFigures(queuePath: "/nowhere/at/all/queue.db").read().diskFree_bytes == nil)
  }

  @Test("the kernel's bound of its clock's error is there exactly while the clock counts as synchronised")
  func clock() { #expect((HostClock.maxError_s() != nil) == HostClock.isSynchronised()) }
}
