import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("What lies beside the queue")
struct StateFileTests {
  private static func wish(_ length: Int) -> String { "\"\(String(repeating: "x", count: length))\"" }

  @Test("a version is read as it was written, and a longer and a shorter one after it")
  func versions() throws {
    let folder = QueueFolder()
    let file = StateFile(queuePath: folder.queue)
    for length in [10, 60_000, 3, TurnedFile.roomBytes, 0] {
      try file.write(.run, StateFileTests.wish(length))
      #expect(try file.read(.run)?.string?.utf8.count == length)
      #expect(folder.read("queue.db.state").count % TurnedFile.roomBytes == 0)
    }
    #expect(folder.files == ["queue.db.state", "queue.db.state.next"])
  }

  @Test("a power cut while the next version is written leaves the one that there is")
  func cut() throws {
    let folder = QueueFolder()
    let file = StateFile(queuePath: folder.queue)
    for length in [10, 20] { try file.write(.run, StateFileTests.wish(length)) }
    folder.write(Array("half of a ver".utf8), to: "queue.db.state.next")
    #expect(try file.read(.run)?.string?.utf8.count == 20)
    try file.write(.run, StateFileTests.wish(30))
    #expect(try file.read(.run)?.string?.utf8.count == 30)
  }

  @Test("a pipe, a folder or a link in the place of the next version is replaced")
  func strangers() throws {
    let folder = QueueFolder()
    let file = StateFile(queuePath: folder.queue)
    let spare = folder.queue + ".state.next"
    let strangers: [(String) -> Int32] = [
      { mkfifo($0, 0o600) }, { mkdir($0, 0o700) }, { symlink("/dev/null", $0) },
    ]
    for (number, make) in strangers.enumerated() {
      unlink(spare)
      #expect(make(spare) == 0)
      try file.write(.run, "\(number)")
      #expect(try file.read(.run)?.number == Double(number))
    }
  }

  @Test(
    "on a full disk wishes are still kept",
    .enabled(if: LoopDisk.isPossible, "a real full disk is a loop mount, which needs root"))
  func full() throws {
    let disk = try LoopDisk()
    mkdir(disk.path + "/queue", 0o700)
    let file = StateFile(queuePath: disk.queue)
    try file.write(.run, StateFileTests.wish(10))
    try disk.fill()
    for length in 1000...1200 {
      try file.write(.run, StateFileTests.wish(length))
      #expect(try file.read(.run)?.string?.utf8.count == length)
    }
    #expect(throws: HostError.self) { try file.write(.settings, StateFileTests.wish(60_000)) }
    #expect(
      try file.read(.run)?.string?.utf8.count == 1200, "what is too large for the room costs nothing else")
  }
}
