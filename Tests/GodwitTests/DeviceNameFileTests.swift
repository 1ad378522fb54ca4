import Foundation
import Testing
import TrackerBase

@testable import TrackerIO
@testable import godwit

/// The name beside a real queue's place, on a machine that is a folder.
@Suite("The device's name in the state file")
struct DeviceNameFileTests {
  private let folder = QueueFolder()
  private let root = NSTemporaryDirectory() + "godwit-root-\(UUID().uuidString)"
  private var file: DeviceNameFile { DeviceNameFile(queuePath: folder.queue, root: root) }

  private func tell(_ text: String, in path: String) throws {
    let url = URL(fileURLWithPath: root + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func end() { try? FileManager.default.removeItem(atPath: root) }

  @Test("one that is drawn is the same at the next start, and when there is a machine id later")
  func drawn() throws {
    defer { end() }
    let first = file.identity(of: Settings())
    #expect(first.identity.source == .random && !first.isKept)
    #expect(folder.files == ["queue.db.state", "queue.db.state.next"])
    let second = file.identity(of: Settings())
    #expect(second.identity == first.identity && second.isKept)
    #expect(second.note?.contains("no machine id: the device is named \(first.identity.name)") == true)
    try tell("0123456789abcdef0123456789abcdef\n", in: "/etc/machine-id")
    let later = file.identity(of: Settings())
    #expect(later.identity == first.identity)
    #expect(later.note?.contains("has a machine id now, and the device keeps the name") == true)
    var named = Settings()
    named.deviceID = "van"
    #expect(file.identity(of: named).identity.name == "van" && file.identity(of: named).note == nil)
    #expect(file.identity(of: Settings()).identity == first.identity)
  }

  @Test("the name from a machine id stays when that vanishes")
  func vanished() throws {
    defer { end() }
    try tell("0123456789abcdef0123456789abcdef\n", in: "/etc/machine-id")
    let first = file.identity(of: Settings())
    #expect(first.identity.source == .machineID && first.note == nil)
    try tell("uninitialized\n", in: "/etc/machine-id")
    try tell("10000000abcdef01\u{0}", in: "/proc/device-tree/serial-number")
    let later = file.identity(of: Settings())
    #expect(later.identity == first.identity)
    #expect(later.note?.contains("has lost its machine id") == true)
  }

  @Test("a file that is damaged is said, and another name is made and kept")
  func damaged() throws {
    defer { end() }
    let first = file.identity(of: Settings())
    var bytes = folder.read("queue.db.state")
    bytes[40] ^= 1
    folder.write(bytes, to: "queue.db.state")
    let second = file.identity(of: Settings())
    #expect(second.identity != first.identity)
    #expect(
      second.note?.hasSuffix(
        "the name that was kept cannot be read: \(folder.queue).state is damaged, or another program's")
        == true)
    #expect(file.identity(of: Settings()).identity == second.identity)
  }

  @Test("where nothing can be kept the name holds as long as the process runs, and that is said")
  func notKept() throws {
    defer { end() }
    let nowhere = DeviceNameFile(queuePath: "/proc/none/queue.db", root: root)
    let first = nowhere.identity(of: Settings())
    #expect(first.note?.contains("the name could not be kept, and may be another after a restart") == true)
    #expect(nowhere.identity(of: Settings(), insteadOf: first.identity).identity == first.identity)
  }

  @Test("whoever only looks keeps nothing")
  func looks() {
    defer { end() }
    #expect(file.identity(of: Settings(), keeps: false).identity.source == .random)
    #expect(folder.files == [])
  }
}
