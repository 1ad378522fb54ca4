import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

@Suite("Outbox")
struct OutboxTests {
  var outbox = Outbox(settings: QueueSettings(), lastSequence: 0)

  mutating func add(_ kind: Record.Kind = .position, at s: Double) {
    outbox.add(
      Record(
        sequence: 0, content: .unknown(kind, text: ""), time_ms: milliseconds(s), timeSource: .gps,
        boot_ms: milliseconds(s),
        fix: nil, isMoving: true, tripID: 1, odometer_m: 0), at: milliseconds(s))
  }

  @Test("what memory holds has the queue's resolution: sent again from there it is the same")
  mutating func resolution() {
    var record = Record(
      sequence: 1, content: .position(), time_ms: 0, timeSource: .gps, boot_ms: 0,
      fix: Fix(
        time_ms: 0, position: Position(latitude_deg: 47.12345678, longitude_deg: 8), accuracy_m: 4.494999),
      isMoving: true, tripID: 1, odometer_m: 1000.46)
    outbox.add(record, at: 0)
    record.fix?.position.latitude_deg = 47.1234568
    record.fix?.accuracy_m = 4.49
    record.odometer_m = 1000.5
    #expect(outbox.pending == [record])
  }

  @Test("nine records wait, ten are written", arguments: [(9, nil), (10, 10)] as [(Int, Int?)])
  mutating func count(records: Int, written: Int?) {
    for s in 0..<records { add(at: Double(s) / 100) }
    let batch = outbox.take(at: 100)
    #expect(batch?.count == written)
  }

  @Test("one record is written after 10 s", arguments: [(9999, nil), (10_000, 1)] as [(Int64, Int?)])
  mutating func time(at_ms: Int64, written: Int?) {
    add(at: 0)
    #expect(outbox.deadline_ms == 10_000)
    let batch = outbox.take(at: at_ms)
    #expect(batch?.count == written)
  }

  @Test("an event is written at once, with what came before it", arguments: Record.Kind.allCases)
  mutating func event(kind: Record.Kind) {
    add(at: 0)
    add(kind, at: 1)
    let written = outbox.take(at: 1000)
    #expect(written?.map { $0.sequence } == (kind.isUrgent ? [1, 2] : nil))
  }

  @Test("a new state alone is written after 10 s, an unchanged one never")
  mutating func stateAlone() {
    #expect(outbox.deadline_ms == nil)
    outbox.changed(at: 5000)
    let taken14_999 = outbox.take(at: 14_999)
    #expect(taken14_999 == nil)
    let taken15_000 = outbox.take(at: 15_000)
    #expect(taken15_000 == [])
    _ = outbox.written()
    #expect(outbox.deadline_ms == nil)
  }

  @Test("what is asked for in a hurry is written with the next look")
  mutating func hurry() {
    add(at: 0)
    outbox.hurry()
    let batch = outbox.take(at: 1)
    #expect(batch?.count == 1)
  }

  @Test("one transaction at a time")
  mutating func oneAtATime() {
    add(.trip, at: 0)
    let taken0 = outbox.take(at: 0)
    #expect(taken0 != nil)
    add(.trip, at: 1)
    #expect(outbox.deadline_ms == nil)
    let taken100_000 = outbox.take(at: 100_000)
    #expect(taken100_000 == nil)
  }

  @Test(
    "what came while storage was writing is neither lost nor late", arguments: [Record.Kind.position, .trip])
  mutating func meanwhile(kind: Record.Kind) {
    add(.motionChange, at: 0)
    _ = outbox.take(at: 0)
    add(kind, at: 1)
    let hadEvent = outbox.written().hadEvent
    #expect(hadEvent)
    #expect(outbox.deadline_ms == (kind.isUrgent ? 1000 : 11_000))
    let second = outbox.take(at: 11_000)
    #expect(second?.map { $0.sequence } == [2])
    let hasEvent = outbox.written().hadEvent
    #expect(hasEvent == kind.isUrgent)
  }

  @Test("a new state that came while storage was writing is written too")
  mutating func stateMeanwhile() {
    add(.motionChange, at: 0)
    _ = outbox.take(at: 0)
    outbox.changed(at: 1000)
    _ = outbox.written()
    #expect(outbox.deadline_ms == 11_000)
  }

  @Test("after a failure it is tried again in 10 s, with everything")
  mutating func failure() {
    add(.trip, at: 0)
    _ = outbox.take(at: 0)
    add(.trip, at: 1)
    outbox.failed(at: 2000, chance: 0.5)
    #expect(outbox.deadline_ms == 12_000)
    let taken11_999 = outbox.take(at: 11_999)
    #expect(taken11_999 == nil)
    let again = outbox.take(at: 12_000)
    #expect(again?.map { $0.sequence } == [1, 2])
    let written = outbox.written()
    #expect(written.hadEvent && written.failure != nil && outbox.failure == nil)
    #expect(outbox.pending.isEmpty && outbox.deadline_ms == nil)
  }

  @Test("a failure is tried again in 10 s, however rarely records are written otherwise")
  mutating func failureWithLongInterval() {
    var settings = QueueSettings()
    settings.commitInterval_s = 600
    outbox = Outbox(settings: settings, lastSequence: 0)
    add(.trip, at: 0)
    _ = outbox.take(at: 0)
    outbox.failed(at: 1000, chance: 0.5)
    #expect(outbox.deadline_ms == 11_000)
  }

  @Test("storage that goes on failing is tried at least every 40 s, and at once when somebody asks")
  mutating func failures() {
    outbox.changed(at: 0)
    var tries_s: [Int64] = []
    while let next_ms = outbox.deadline_ms, next_ms <= 200_000 {
      _ = outbox.take(at: next_ms)
      outbox.failed(at: next_ms, chance: 0.5)
      tries_s.append(next_ms / 1000)
    }
    #expect(tries_s == [10, 20, 40, 80, 120, 160, 200])
    outbox.retryNow()
    let asked = outbox.take(at: 200_001)
    #expect(asked != nil)
    _ = outbox.written()
    outbox.changed(at: 300_000)
    _ = outbox.take(at: 310_000)
    outbox.failed(at: 310_000, chance: 0.5)
    #expect(outbox.deadline_ms == 320_000, "the next failure begins anew")
  }

  /// Storage has failed with the records 1 and 2 on their way; 3 to 5 were made since.
  private mutating func fail() {
    for s in 0..<2 { add(at: Double(s)) }
    _ = outbox.take(at: 10_000)
    outbox.failed(at: 10_000, chance: 0.5)
    for s in 11..<14 { add(at: Double(s)) }
  }

  @Test(
    "while storage fails records are sent under a queue id of their own, but those that may be on storage")
  mutating func fromMemory() {
    fail()
    let id = outbox.failure?.queueID
    #expect(id == 1 + UInt64(0.5 * 0x1p53))
    #expect(outbox.pending.map(\.queueID) == [0, 0, id, id, id])
    #expect(outbox.unstored(for: 0).map(\.sequence) == [3, 4, 5] && outbox.held(for: 0).count == 5)
    _ = outbox.take(at: 20_000)
    outbox.failed(at: 20_000, chance: 0.9)
    add(at: 21)
    #expect(outbox.pending.last?.queueID == id, "one id a failure")
    _ = outbox.take(at: 40_000)
    _ = outbox.written()
    add(at: 50)
    #expect(outbox.pending.map(\.queueID) == [0] && outbox.unstored(for: 0).isEmpty)
  }

  @Test("what all servers have leaves memory; what one of them has or refuses is to be done on storage later")
  mutating func outcomes() {
    fail()
    let stored = outbox.delivered([1, 3, 4, 99], to: 0, of: [0, 1])
    #expect(stored == [1, 99] && outbox.unstored(for: 0).map(\.sequence) == [5])
    #expect(outbox.unstored(for: 1).map(\.sequence) == [3, 4, 5])
    #expect(outbox.delivered([3], to: 1, of: [0, 1]) == [])
    #expect(outbox.pending.map(\.sequence) == [1, 2, 4, 5])
    let isInMemory = (outbox.refused(5, by: 1, reason: "no"), outbox.refused(99, by: 1, reason: "no"))
    #expect(isInMemory == (true, false) && outbox.unstored(for: 1).map(\.sequence) == [4])
    _ = outbox.take(at: 20_000)
    let failure = outbox.written().failure
    #expect(failure?.delivered == [0: [1, 4], 1: []] && failure?.refused == [1: [5: "no"]])
    #expect(outbox.delivered([5], to: 1, of: [0, 1]) == [5] && !outbox.refused(5, by: 1, reason: "no"))
  }

  @Test("a server that has other records under the identities of those in memory gets them under another id")
  mutating func conflict() {
    fail()
    #expect(outbox.renumber([4, 99], chance: 0.25) == [99])
    let ids = outbox.pending.map(\.queueID)
    #expect(ids[3] == 1 + UInt64(0.25 * 0x1p53) && ids[2] == ids[4] && ids[2] != ids[3])
    _ = outbox.take(at: 20_000)
    _ = outbox.written()
    #expect(outbox.renumber([1], chance: 0.25) == [1])
  }

  @Test("while storage fails the oldest positions go first, and are counted")
  mutating func overflow() {
    add(.trip, at: 0)
    outbox.failed(at: 0, chance: 0.5)
    for s in 1...(Outbox.capacity + 9) { add(at: Double(s)) }
    #expect(outbox.pending.count == Outbox.capacity)
    #expect(outbox.droppedFromMemory == 10 && outbox.failure?.dropped == 10)
    #expect(outbox.pending.first?.sequence == 1, "the event stays")
    #expect(outbox.pending[1].sequence == 12)
  }

  @Test("events go last, the oldest first")
  mutating func overflowOfEvents() {
    outbox.failed(at: 0, chance: 0.5)
    for s in 0...Outbox.capacity { add(.warning, at: Double(s)) }
    #expect(outbox.pending.first?.sequence == 2 && outbox.droppedFromMemory == 1)
  }

  @Test("random failures: each record is written once, in order", arguments: 1...20 as ClosedRange<UInt64>)
  mutating func anything(seed: UInt64) {
    var random = SeededRandom(seed)
    var stored: [Int64] = []
    var now_ms: Int64 = 0
    var writing: [Record]?
    for _ in 0..<2000 {
      now_ms += Int64.random(in: 0...3000, using: &random)
      switch Int.random(in: 0...5, using: &random) {
      case 0: add(.trip, at: Double(now_ms) / 1000)
      case 1, 2: add(at: Double(now_ms) / 1000)
      case 3:
        guard let batch = writing else { break }
        writing = nil
        if random.unit() < 0.3 {
          outbox.failed(at: now_ms, chance: random.unit())
        } else {
          stored += batch.map { $0.sequence }
          _ = outbox.written()
        }
      default:
        if writing == nil { writing = outbox.take(at: now_ms) }
      }
    }
    if let writing {
      stored += writing.map { $0.sequence }
      _ = outbox.written()
    }
    if !outbox.pending.isEmpty {
      stored += (outbox.take(at: now_ms + 100_000) ?? []).map { $0.sequence }
    }
    #expect(stored == Array(1...outbox.lastSequence))
  }
}
