import Foundation
import Testing

@testable import TrackerIO

/// What a box is known by, in files as the kernel has them.
@Suite("The box's identity")
struct HostIdentityTests {
  /// A root with nothing in it but what a test puts there.
  final class Root {
    let path: String

    init() throws {
      path = NSTemporaryDirectory() + "godwit-root-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
      let file = path + name
      try FileManager.default.createDirectory(
        atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try text.write(toFile: file, atomically: false, encoding: .utf8)
    }

    /// As sysfs has a card with a partition.
    func addCard(_ attribute: String, _ text: String, device: String) throws {
      try write(text, to: "/sys/devices/mmc0/block/mmcblk0/device/\(attribute)")
      let folder = path + "/sys/devices/mmc0/block/mmcblk0/mmcblk0p2"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.createDirectory(
        atPath: path + "/sys/dev/block", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: path + "/sys/dev/block/\(device)",
        withDestinationPath: "../../devices/mmc0/block/mmcblk0/mmcblk0p2")
    }

    func read() -> HostIdentity { HostIdentity.read(queuePath: path + "/queue.db", root: path) }
  }

  @Test("nothing there, nothing known")
  func nothing() throws { #expect(try Root().read() == HostIdentity()) }

  @Test("the device tree's serial number, with its NUL, before the old line of /proc/cpuinfo, before SMBIOS")
  func board() throws {
    let root = try Root()
    try root.write("4C4C4544-0042-3510\n", to: "/sys/class/dmi/id/product_uuid")
    #expect(root.read().board == "4C4C4544-0042-3510")
    try root.write("processor\t: 0\nSerial\t\t: 00000000deadbeef\nModel\t\t: a Pi\n", to: "/proc/cpuinfo")
    #expect(root.read().board == "00000000deadbeef")
    try root.write("10000000abcdef01\u{0}", to: "/proc/device-tree/serial-number")
    #expect(root.read().board == "10000000abcdef01")
  }

  @Test(
    "what a maker left empty says nothing",
    arguments: ["", "\n", "0000000000000000", "ffffffff-ffff-ffff", "\u{0}"])
  func empty(text: String) throws {
    let root = try Root()
    try root.write(text, to: "/proc/device-tree/serial-number")
    try root.write("Serial\t\t: 0000000000000000\n", to: "/proc/cpuinfo")
    #expect(root.read().board == nil)
  }

  @Test("the machine id, but for one that is still to be made")
  func machineID() throws {
    let root = try Root()
    try root.write("uninitialized\n", to: "/etc/machine-id")
    #expect(root.read().machineID == nil)
    try root.write("0123456789abcdef0123456789abcdef\n", to: "/etc/machine-id")
    #expect(root.read().machineID == "0123456789abcdef0123456789abcdef")
  }

  @Test(
    "the card's cid is that of the disk whose partition it is, and a disk without one has a serial number")
  func card() throws {
    let root = try Root()
    try root.addCard("cid", "035344534431323885a1b2c3d4012b00\n", device: "179:2")
    #expect(HostIdentity.card(ofDevice: "179:2", root.path) == "035344534431323885a1b2c3d4012b00")
    #expect(HostIdentity.card(ofDevice: "179:3", root.path) == nil)
    let other = try Root()
    try other.addCard("serial", "S5GXNX0T123456     \n", device: "259:1")
    #expect(HostIdentity.card(ofDevice: "259:1", other.path) == "S5GXNX0T123456")
  }

  @Test("of the queue's own file system, by its device number")
  func ofQueue() throws {
    let root = try Root()
    try root.addCard("cid", "0353445344", device: try device(of: root.path))
    #expect(root.read().card == "0353445344")
    #expect(HostIdentity.read(queuePath: "/nowhere/at/all/queue.db", root: root.path).card == nil)
  }

  @Test(
    "a hardware address is its maker's, of an interface that is hardware, and not one of chance or of nothing"
  )
  func hardwareAddress() throws {
    let root = try Root()
    #expect(HostIdentity.hardwareAddress(root: root.path) == nil)
    func add(_ name: String, _ address: String, assigned: String = "0", isHardware: Bool = true) throws {
      try root.write(address + "\n", to: "/sys/class/net/\(name)/address")
      try root.write(assigned + "\n", to: "/sys/class/net/\(name)/addr_assign_type")
      if isHardware { try root.write("", to: "/sys/class/net/\(name)/device/uevent") }
    }
    try add("lo", "00:00:00:00:00:00", isHardware: false)
    try add("br0", "b8:27:eb:00:00:01", isHardware: false)
    try add("eth0", "00:00:00:00:00:00")
    try add("usb0", "b8:27:eb:00:00:02", assigned: "1")
    try add("wwan0", "")
    try add("eth2", "02:fc:00:00:00:01")
    try add("eth3", "no address at all")
    #expect(HostIdentity.hardwareAddress(root: root.path) == nil)
    try add("wlan0", "b8:27:eb:12:34:57")
    try add("eth1", "b8:27:eb:12:34:56")
    #expect(HostIdentity.hardwareAddress(root: root.path) == "b8:27:eb:12:34:56")
  }

  /// As coreutils reads it: major and minor number.
  private func device(of path: String) throws -> String {
    let (stat, output) = (Process(), Pipe())
    stat.executableURL = URL(fileURLWithPath: "/usr/bin/stat")
    (stat.arguments, stat.standardOutput) = (["-c", "%Hd:%Ld", path], output)
    try stat.run()
    let words = output.fileHandleForReading.readDataToEndOfFile()
    stat.waitUntilExit()
    return String(decoding: words, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("attributes that may not be read, or are no files, are not known", .enabled(if: geteuid() == 0))
  func unreadable() throws {
    let root = try Root()
    try FileManager.default.createDirectory(
      atPath: root.path + "/proc/device-tree/serial-number", withIntermediateDirectories: true)
    #expect(mkfifo(root.path + "/proc/cpuinfo", 0o644) == 0)
    #expect(root.read().board == nil)
  }

  @Test("this machine's own can be read without harm")
  func own() { #expect(HostIdentity.read(queuePath: "/tmp/queue.db").machineID == HostClock.machineID()) }
}
