import Testing

@testable import TrackerCore

@Suite("Queue ids")
struct QueueIDsTests {
  private func each(_ ids: QueueIDs, _ sequences: ClosedRange<Int64>) -> [UInt64] {
    sequences.map { ids[$0] }
  }

  @Test("a queue has the id that was made with it")
  func first() {
    let ids = QueueIDs(first: 7)
    #expect(each(ids, 1...3) == [7, 7, 7] && ids.newest == 7)
    #expect(ids.changes == 0 && ids.changed_ms == nil)
  }

  @Test("another one begins behind a sequence, and what stands before it keeps its own")
  func begin() {
    var ids = QueueIDs(first: 7)
    ids.begin(8, after: 2, at: 1000)
    ids.begin(9, after: 4, at: 2000)
    #expect(each(ids, 1...6) == [7, 7, 8, 8, 9, 9] && ids.newest == 9)
    #expect(ids.changes == 2 && ids.changed_ms == 2000)
    // Nothing was numbered since.
    ids.begin(10, after: 4, at: 3000)
    #expect(each(ids, 1...6) == [7, 7, 8, 8, 10, 10])
  }

  @Test("another one begins around what keeps its own, far ahead or at once")
  func beginAround() {
    var ids = QueueIDs(first: 7, later: [3: 8, 22: 9])
    ids.begin(10, after: 5, keeping: 20...23, at: 0)
    #expect(each(ids, 2...6) == [7, 8, 8, 8, 10])
    #expect(each(ids, 19...25) == [10, 8, 8, 9, 9, 10, 10] && ids.newest == 10)
    ids.begin(11, after: 23, keeping: 22...25, at: 0)
    #expect(each(ids, 19...26) == [10, 8, 8, 9, 9, 10, 10, 11])
    // All of it is on storage.
    ids.begin(12, after: 25, keeping: 24...25, at: 0)
    #expect(each(ids, 24...26) == [10, 10, 12])
  }

  @Test("single records get the newest, and their neighbours nothing")
  func renumber() {
    var ids = QueueIDs(first: 7)
    ids.begin(8, after: 9, at: 0)
    ids.renumber([2, 3, 6])
    #expect(each(ids, 1...11) == [7, 8, 8, 7, 7, 8, 7, 7, 7, 8, 8])
    ids.renumber([4, 5])
    #expect(each(ids, 1...11) == [7, 8, 8, 8, 8, 8, 7, 7, 7, 8, 8])
    ids.renumber([1, 7, 8, 9])
    #expect(each(ids, 1...11) == Array(repeating: 8, count: 11) && ids.later == [1: 8])
    #expect(ids.changes == 1)
  }

  @Test("what no record needs is forgotten")
  func forget() {
    var ids = QueueIDs(first: 7, later: [3: 8, 6: 9, 9: 10])
    ids.forget(before: 2)
    #expect(ids.later == [3: 8, 6: 9, 9: 10])
    ids.forget(before: 7)
    #expect(ids.later == [6: 9, 9: 10])
    ids.forget(before: .max)
    #expect(ids.later == [9: 10] && ids.newest == 10)
  }
}
