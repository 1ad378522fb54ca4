import Testing
import TrackerCore

@testable import TrackerIO

@Suite("The sums beside the commits")
struct PeriodicSlotsTests {
  let folder = QueueFolder()

  /// What an opening finds after a power cut at this instant.
  private func afterCut(_ change: (QueueFolder) -> Void = { _ in }) throws -> [String: String] {
    let other = QueueFolder()
    folder.copyAsCut(to: other)
    change(other)
    let store = try QueueStore(path: other.queue)
    #expect(store.openReport.findings.isEmpty)
    return try store.restore().state
  }

  private func commit(_ store: QueueStore, _ sequence: Int64, energy: String? = nil) throws {
    var state = ["trip": "\(sequence)"]
    state["energy"] = energy
    try store.commit(Commit(records: [makeRecord(sequence)], state: state))
  }

  private func energies() -> [String?] {
    FrontFile.read(folder.queue + "-front", .periodic)
      .map { $0.flatMap { FrontSlot($0) }?.content.state["energy"] }
  }

  @Test("they come back after a cut, and no slot of a commit has them")
  func comeBack() throws {
    let store = try QueueStore(path: folder.queue)
    try commit(store, 1, energy: "a")
    for sequence in 2...9 { try commit(store, Int64(sequence)) }
    #expect(try afterCut() == ["trip": "9", "energy": "a"])
    for bytes in FrontFile.read(folder.queue + "-front") {
      #expect(FrontSlot(try #require(bytes))?.content.state.keys.sorted() == ["trip"])
    }
  }

  @Test("the newest are never written over: they wait for the other slot's turn, one commit at most")
  func turns() throws {
    let store = try QueueStore(path: folder.queue)
    try commit(store, 1, energy: "a")
    try commit(store, 2)
    // The slot whose turn it is has the newest.
    try commit(store, 3, energy: "b")
    #expect(energies().compactMap { $0 } == ["a"])
    #expect(try store.restore().state["energy"] == "b")
    try commit(store, 4)
    #expect(energies().compactMap { $0 }.sorted() == ["a", "b"])
    #expect(try afterCut()["energy"] == "b")
  }

  @Test("torn, they leave the ones before, and nothing is said of them")
  func torn() throws {
    let store = try QueueStore(path: folder.queue)
    try commit(store, 1, energy: "a")
    try commit(store, 2, energy: "b")
    let newest = try #require(energies().firstIndex(of: "b"))
    let state = try afterCut { other in
      var bytes = other.read("queue.db-front")
      let begin = newest * FrontFile.stride + FrontSlot.bytes
      for index in begin..<(begin + 100) { bytes[index] = 0x55 }
      other.write(bytes, to: "queue.db-front")
    }
    #expect(state == ["trip": "2", "energy": "a"])
  }

  @Test("a transaction takes them into the table, and those of before do not come back")
  func transaction() throws {
    let store = try QueueStore(path: folder.queue)
    try commit(store, 1, energy: "a")
    try store.commit(Commit(state: ["energy": "b"], dropped: ["memory_full": 1]))
    #expect(store.held.periodic.isEmpty && store.stored.state["energy"] == "b")
    try commit(store, 2)
    #expect(try afterCut()["energy"] == "b")
    try commit(store, 3, energy: "c")
    #expect(try afterCut()["energy"] == "c")
  }

  @Test("an orderly end has all of it in the table")
  func end() throws {
    var store: QueueStore? = try QueueStore(path: folder.queue)
    try commit(try #require(store), 1, energy: "a")
    store = nil
    #expect(try QueueStore(path: folder.queue).stored.state["energy"] == "a")
  }

  @Test("a slot of an earlier version has them among the rest, in a file without room for them")
  func earlierVersion() throws {
    let store = try QueueStore(path: folder.queue)
    try commit(store, 1)
    let slots = FrontFile.read(folder.queue + "-front").compactMap { $0.flatMap { FrontSlot($0) } }
    var slot = try #require(slots.max { $0.generation < $1.generation })
    slot.content.state["energy"] = "old"
    slot.generation += 1
    let bytes = try #require(slot.encoded())
    let other = QueueFolder()
    folder.copyAsCut(to: other)
    let index = slot.generation % 2 == 0 ? 1 : 0
    var front = Array(other.read("queue.db-front").prefix(FrontFile.stride + FrontSlot.bytes))
    front.replaceSubrange((index * FrontFile.stride)..<(index * FrontFile.stride + bytes.count), with: bytes)
    other.write(front, to: "queue.db-front")
    let opened = try QueueStore(path: other.queue)
    #expect(try opened.restore().state["energy"] == "old")
    try commit(opened, 2)
    #expect(other.read("queue.db-front").count == FrontFile.bytes)
    let held = FrontFile.read(other.queue + "-front").compactMap { $0.flatMap { FrontSlot($0) } }
    #expect(held.max { $0.generation < $1.generation }?.content.state["energy"] == nil)
    #expect(try opened.restore().state["energy"] == "old")
  }

  @Test("a key that is empty and was never stored takes no room")
  func empty() throws {
    let store = try QueueStore(path: folder.queue)
    try store.commit(Commit(state: ["trip": "", "energy": "", "motion": "moving"]))
    #expect(store.held.state == ["motion": "moving"] && store.held.periodic.isEmpty)
    try store.commit(Commit(state: ["motion": ""], dropped: ["memory_full": 1]))
    try store.commit(Commit(state: ["motion": "moving"]))
    #expect(try afterCut()["motion"] == "moving")
    try store.commit(Commit(state: ["motion": ""]))
    #expect(try afterCut()["motion"] ?? "" == "")
  }
}
