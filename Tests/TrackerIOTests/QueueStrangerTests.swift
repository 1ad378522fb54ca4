import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("Something else in the place of a queue's file")
struct QueueStrangerTests {
  private let folder = QueueFolder()

  private func remove(_ path: String) {
    unlink(path + ".pipe")
    if unlink(path) != 0 { rmdir(path) }
  }

  @Test(
    "the queue begins in memory, says why, and is there again once it is gone",
    arguments: Stranger.allCases, ["", "-wal", "-probe", ".new"])
  func atStart(_ stranger: Stranger, _ suffix: String) throws {
    do { try QueueStore(path: folder.queue).commit(Commit(records: makeRecords(1...3))) }
    let path = folder.queue + suffix
    let kept = folder.path + "/kept"
    rename(path, kept)
    try stranger.make(path)
    let store = try QueueStore(path: folder.queue, goesOnWithoutStorage: true)
    #expect(store.isClosed)
    // What lies beside the queue file lies beside the real one, so a link is followed.
    let expected = "queue: \(suffix.isEmpty ? StoreFolder.resolved(path) : path) \(stranger.words)"
    #expect(store.storageProblem == expected)
    #expect(words { try store.openAgainAfterFault() } == expected)

    remove(path)
    rename(kept, path)
    try store.openAgainAfterFault()
    #expect(try store[0].batch(limit: 9).map(\.sequence) == [1, 2, 3])
  }

  @Test("a pipe that takes the database's place while it is open is set aside, and nothing is lost")
  func whileOpen() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(records: makeRecords(1...3)))
    unlink(folder.queue)
    mkfifo(folder.queue, 0o600)
    try store.commit(Commit(records: [makeRecord(4)]))
    try store.enforceQuota(maxBytes: .max)
    #expect(try store.sequences() == [1, 2, 3, 4])
    #expect(store.openReport.setAside != nil && store.openReport.lost == 0)
  }

  @Test("a lock that is no file is reported at once", arguments: Stranger.allCases)
  func lock(_ stranger: Stranger) throws {
    let path = folder.path + "/lock"
    try stranger.make(path)
    #expect(words { _ = try ProcessLock(path: path) }.hasPrefix("\(path) is a"))
  }
}
