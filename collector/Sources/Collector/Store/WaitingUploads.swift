/// A request that waits for its commit.
struct WaitingUpload: Sendable {
  var upload: Upload
  var now_ms: Int64
  var continuation: CheckedContinuation<Receipt, any Error>
}

/// Requests in the order in which they came, and whether somebody is storing them.
final class WaitingUploads: Sendable {
  /// So many records are stored at once: more would keep those who read waiting.
  static let mostRecords = 2000

  private struct State {
    var waiting: [WaitingUpload] = []
    var storing = 0
  }

  private let state = Locked(State())
  /// So many may store at a time.
  private let storers: Int

  init(storers: Int = 1) { self.storers = storers }

  /// - Returns: whether the caller has to see to it that they are stored.
  func add(_ upload: WaitingUpload) -> Bool {
    state.with { state in
      state.waiting.append(upload)
      guard state.storing < storers else { return false }
      state.storing += 1
      return true
    }
  }

  /// Those that the next commit takes: one at least. Nil: none waits, and the next to come has to see to it again.
  func next() -> [WaitingUpload]? {
    state.with { state in
      guard !state.waiting.isEmpty else {
        state.storing -= 1
        return nil
      }
      let count = Self.count(state.waiting.map(\.upload.records.count))
      defer { state.waiting.removeFirst(count) }
      return Array(state.waiting[..<count])
    }
  }

  /// - Parameter records: of each request that waits.
  static func count(_ records: [Int]) -> Int {
    var sum = 0
    let fitting = records.prefix { count in
      sum += count
      return sum <= mostRecords
    }
    return max(1, fitting.count)
  }
}
