/// Boot times at which something came within the last hour, for what may come so often in one.
package struct LastHour: Equatable, Sendable {
  private static let length_ms: Int64 = 3_600_000

  private var times_ms: [Int64] = []

  package init() {}

  /// What was noted, also by processes before this one: else a restart would begin the count anew. One that lies ahead of
  /// the clock is new.
  ///
  /// - Parameters:
  ///   - noted_ms: Unix milliseconds.
  ///   - time_ms: now, by the best clock.
  package init(noted_ms: [Int64], time_ms: Int64, at now_ms: Int64) {
    // Compared before it is subtracted: a damaged file may have any number.
    times_ms = noted_ms.filter { $0 > time_ms - LastHour.length_ms }.map { noted_ms in
      now_ms - (noted_ms > time_ms ? 0 : time_ms - noted_ms)
    }
  }

  package mutating func add(at now_ms: Int64) { times_ms.append(now_ms) }

  package mutating func count(at now_ms: Int64) -> Int {
    times_ms.removeAll { now_ms - $0 >= LastHour.length_ms }
    return times_ms.count
  }

  /// When fewer than so many will have come within an hour; there are as many now at least.
  package func time_ms(below most: Int) -> Int64 {
    times_ms.sorted()[times_ms.count - most] + LastHour.length_ms
  }
}
