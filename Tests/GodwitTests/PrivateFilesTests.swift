import Glibc
import Testing
import TrackerBase

@testable import TrackerIO
@testable import godwit

@Suite("Who may read what lies beside the queue")
struct PrivateFilesTests {
  private let folder = QueueFolder()

  private func mode(_ name: String) -> mode_t {
    var info = stat()
    return stat(folder.path + "/" + name, &info) == 0 ? info.st_mode & 0o7777 : 0
  }

  @Test("its owner alone, also where an earlier version let everybody")
  func ownerAlone() throws {
    let names = ["queue.db.lock", "queue.db.state", "queue.db.state.next"]
    for name in names {
      folder.write([], to: name)
      try #require(chmod(folder.path + "/" + name, 0o644) == 0)
    }
    let lock = try ProcessLock(path: folder.queue + ".lock")
    try RunStateFile(queuePath: folder.queue).ask(.pause(length_ms: nil))
    _ = DeviceNameFile(queuePath: folder.queue, root: "/nowhere").identity(of: Settings())
    let queue = try QueueStore(path: folder.queue)
    let noted = CommandsFile(queue: queue, queuePath: folder.queue).note(.array([]))
    #expect(noted == .noted(problem: nil))
    withExtendedLifetime(lock) {
      for name in names { #expect(mode(name) == 0o600, "\(name)") }
    }
  }
}
