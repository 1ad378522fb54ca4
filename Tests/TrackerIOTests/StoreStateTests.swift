import Glibc
import Testing
import TrackerBase

@testable import TrackerIO

@Suite("The store's state")
struct StoreStateTests {
  private func json(_ change: (inout StoreState) -> Void) -> String {
    var state = StoreState()
    state.lastSequence = 7
    state.bits = ["": 0, "b": 1]
    change(&state)
    return state.json
  }

  @Test("is read as it was written")
  func roundTrip() {
    let text = json {
      $0.figures = [ServerFigures(), ServerFigures()]
      $0.losses = [.log]
      $0.parts = ["odometer_m": 7.5]
    }
    #expect(StoreState(json: text)?.json == text && StoreState(json: text)?.losses == [.log])
  }

  @Test("numbers that no store has are not taken")
  func absurd() throws {
    #expect(StoreState(json: json { $0.lastSequence = .max }) == nil)
    #expect(StoreState(json: json { $0.lastSequence = -1 }) == nil)
    let full = json { $0.figures = [ServerFigures(json: [1, 0, 0])!] }
    let most = full.replacing("[[1,0,0]]", with: "[[9223372036854775807,0,0]]")
    #expect(most != full && StoreState(json: full)?.figures != nil && StoreState(json: most)?.figures == nil)
    #expect(StoreState(json: json { $0.bits = ["": 1, "b": 1] })?.bits == [:])
    let box = json { _ in }.replacing(#""servers""#, with: #""box":{"board":-5,"home_board":3},"servers""#)
    #expect(StoreState(json: box)?.box.boardSuffix == nil && StoreState(json: box) != nil)
  }

  @Test("a log that was removed is reported until that is taken, and counted once")
  func reported() throws {
    let folder = QueueFolder()
    do {
      let store = try QueueStore(path: folder.queue)
      try store.commit(Commit(records: makeRecords(1...10)))
      try store.opened.checkpoint(store.state)
      let cut = folder.cut()
      try check(cut)
    }
  }

  private func check(_ folder: QueueFolder) throws {
    #expect(unlink(folder.queue + "-wal") == 0)
    for _ in 0..<2 {
      let store = try QueueStore(path: folder.queue)
      #expect(store.openReport.findings == [.logMissing])
      #expect(try store[0].summary().ledger == ["damage_unknown": 1])
    }
    let store = try QueueStore(path: folder.queue)
    try store.reportTaken()
    #expect(try QueueStore(path: folder.cut().queue).openReport.findings == [])
  }
}
