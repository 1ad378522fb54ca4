/// Under which queue id each record of a queue is sent. A queue begins with one, and may get others: when it finds itself
/// on another board, and when the server has other records under its identities (docs/queue.md, Copied cards).
///
/// An id holds from a sequence on, up to where the next one begins.
public struct QueueIDs: Equatable, Sendable {
  /// Made with the files, which are known by it.
  public let first: UInt64
  /// Later ones by the sequence where they begin.
  public private(set) var later: [Int64: UInt64]
  /// How often another one was begun.
  public private(set) var changes: Int
  /// When that was last, Unix milliseconds by a clock that nobody may vouch for.
  public private(set) var changed_ms: Int64?

  public init(
    first: UInt64, later: [Int64: UInt64] = [:], changes: Int = 0, changed_ms: Int64? = nil
  ) {
    (self.first, self.later) = (first, later)
    (self.changes, self.changed_ms) = (changes, changed_ms)
  }

  public subscript(sequence: Int64) -> UInt64 {
    later.filter { $0.key <= sequence }.max { $0.key < $1.key }?.value ?? first
  }

  /// That of new records.
  public var newest: UInt64 { self[.max] }

  /// Records that are numbered after `sequence` get a new one. - Parameter kept: but for these.
  public mutating func begin(
    _ id: UInt64, after sequence: Int64, keeping kept: ClosedRange<Int64>? = nil, at now_ms: Int64
  ) {
    let before = self
    later = later.filter { $0.key <= sequence }
    later[sequence + 1] = id
    if let kept, kept.upperBound > sequence {
      let from = max(kept.lowerBound, sequence + 1)
      later.merge(before.later.filter { (from...kept.upperBound).contains($0.key) }) { $1 }
      later[from] = before[from]
      later[kept.upperBound + 1] = id
    }
    changes += 1
    changed_ms = now_ms
  }

  /// These get the newest, wherever they stand.
  public mutating func renumber(_ sequences: [Int64]) {
    let id = newest
    for sequence in sequences {
      let next = sequence + 1
      if later[next] == nil { later[next] = self[next] }
      later[sequence] = id
    }
    simplify()
  }

  /// No record before `sequence` is left.
  public mutating func forget(before sequence: Int64) {
    let begun = later.keys.filter { $0 <= sequence }.max() ?? .min
    later = later.filter { $0.key >= begun }
  }

  private mutating func simplify() {
    var id = first
    for key in later.keys.sorted() {
      if later[key] == id { later[key] = nil } else { id = later[key] ?? id }
    }
  }
}

/// What becomes of records under whose identities the server has others.
public struct Renumbering: Equatable, Sendable {
  /// They get the newest id.
  public var sequences: [Int64]
  /// That is the one they have, so another one is begun, for new records too.
  public var renews: Bool
  /// Storage knows nothing of these, and servers may have them: they keep their ids, or they would be stored twice there.
  public var sentFromMemory: ClosedRange<Int64>?

  public init(_ sequences: [Int64], renews: Bool, sentFromMemory: ClosedRange<Int64>? = nil) {
    (self.sequences, self.renews, self.sentFromMemory) = (sequences, renews, sentFromMemory)
  }
}
