import TrackerBase

/// How many records a request may have: fewer than the setting while more of them are too large for the server, or for
/// what lies on the way.
///
/// As TCP finds what a path carries (RFC 5681): a refusal halves it. What is taken raises it again, to half way towards
/// what was refused; once that is known to the record, more are tried from time to time, since servers are put right.
struct BatchSize: Equatable, Sendable {
  /// Nothing is remembered for longer.
  static let memory_ms: Int64 = 86_400_000
  /// So many full batches are taken before a size is tried again that was refused. Each further refusal doubles it.
  static let leastPatience = 8
  static let mostPatience = 1024

  private struct Limit: Equatable {
    /// Records in the next request.
    var records: Int
    /// So many were too many; nil: not any more.
    var refused: Int?
    var refusedAt_ms: Int64
    /// So many got through since.
    var taken = 0
    /// Full batches that got through since.
    var fullBatches = 0
    var patience = BatchSize.leastPatience
  }

  private let most: Int
  /// So many at most, whatever was taken: an answer may say nothing of what was too large.
  var ceiling = Int.max
  /// nil: the setting alone counts.
  private var limit: Limit?

  init(settings: SyncSettings) { most = min(settings.maxBatchSize, settings.format.traits.mostRecords) }

  func records(at now_ms: Int64) -> Int { min(known(at: now_ms)?.records ?? most, ceiling) }

  /// More than have got through since the last refusal: if it fails, its size is the first suspect.
  func isTrial(_ count: Int, at now_ms: Int64) -> Bool {
    known(at: now_ms).map { $0.taken > 0 && count > $0.taken } ?? false
  }

  mutating func refused(_ count: Int, at now_ms: Int64) {
    var next = Limit(records: (count + 1) / 2, refused: count, refusedAt_ms: now_ms)
    if let limit, isTrial(count, at: now_ms) {
      (next.records, next.taken) = (limit.taken, limit.taken)
      next.patience = limit.patience
      if count == limit.refused { next.patience = min(2 * limit.patience, BatchSize.mostPatience) }
    }
    limit = next
  }

  mutating func taken(_ count: Int, at now_ms: Int64) {
    guard var limit = known(at: now_ms) else { return forget() }
    limit.taken = max(limit.taken, count)
    if let refused = limit.refused, count < refused {
      if count >= limit.records {
        limit.fullBatches += 1
        let step = (refused - limit.records) / 2
        limit.records += limit.fullBatches < limit.patience ? step : max(1, step)
      }
    } else {
      // It is no longer as it was: twice as many, until something is refused again.
      limit.refused = nil
      limit.records = max(limit.records, 2 * count)
    }
    self.limit = limit.refused == nil && limit.records >= most ? nil : limit
  }

  /// The trouble was another.
  mutating func forget() { limit = nil }

  private func known(at now_ms: Int64) -> Limit? {
    limit.flatMap { now_ms - $0.refusedAt_ms < BatchSize.memory_ms ? $0 : nil }
  }
}
