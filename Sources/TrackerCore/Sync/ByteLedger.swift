/// What bytes were for. Each request counts whole: compression leaves no share to the status that rides with records.
public enum ByteCause: String, FigureChoice, Sendable {
  /// Requests that brought records.
  case records
  /// Requests that brought records and the status.
  case recordsWithStatus = "records_with_status"
  /// Requests that brought the status alone.
  case status
  /// TLS handshakes of requests that brought something.
  case connecting
  /// Requests that brought nothing, with their handshakes.
  case failed
}

/// Bytes up and down, by cause.
struct ByteCounts: Summable {
  static let none = ByteCounts()

  private(set) var up: [ByteCause: Int64] = [:]
  private(set) var down: [ByteCause: Int64] = [:]

  mutating func add(up moreUp: Int64, down moreDown: Int64, for cause: ByteCause) {
    if moreUp > 0 { up[cause, default: 0] += moreUp }
    if moreDown > 0 { down[cause, default: 0] += moreDown }
  }

  static func += (sum: inout ByteCounts, more: ByteCounts) {
    sum.up.merge(more.up, uniquingKeysWith: +)
    sum.down.merge(more.down, uniquingKeysWith: +)
  }
}

/// What all servers together have cost today and this month (UTC), by cause, whether or not there is a budget.
struct ByteLedger: Equatable, Sendable {
  private var spent: DayAndMonth<ByteCounts>

  /// - Parameter saved: what `saved` gave.
  init(saved: String, at now_ms: Int64) {
    spent = ByteLedger.read(saved, at: now_ms) ?? DayAndMonth(at: now_ms)
  }

  var day: ByteCounts { spent.day.used }
  var month: ByteCounts { spent.month.used }

  mutating func turn(trusted_ms: Int64?, at now_ms: Int64) { spent.turn(trusted_ms: trusted_ms, at: now_ms) }

  /// What had been spent before this began with nothing.
  mutating func add(_ before: ByteLedger) { spent.add(before.spent) }

  /// - Parameter withStatus: the request had the status.
  mutating func spend(_ reply: UploadReply, withStatus: Bool, isTaken: Bool) {
    var counts = ByteCounts()
    if isTaken {
      let cause: ByteCause = reply.sent.isEmpty ? .status : withStatus ? .recordsWithStatus : .records
      counts.add(up: reply.handshakeUp, down: reply.handshakeDown, for: .connecting)
      counts.add(
        up: reply.bytesUp - reply.handshakeUp, down: reply.bytesDown - reply.handshakeDown, for: cause)
    } else {
      counts.add(up: reply.bytesUp, down: reply.bytesDown, for: .failed)
    }
    spent.add(counts)
  }

  // MARK: saved

  /// `day month`, then for each cause its name and bytes: of the day up and down, of the month up and down. -1 for a
  /// day or month that is not known.
  var saved: String {
    let causes = ByteCause.allCases.compactMap { cause -> String? in
      let numbers = [day.up, day.down, month.up, month.down].map { $0[cause] ?? 0 }
      guard numbers.contains(where: { $0 > 0 }) else { return nil }
      return ([cause.rawValue] + numbers.map { "\($0)" }).joined(separator: " ")
    }
    return (["\(spent.day.number ?? -1) \(spent.month.number ?? -1)"] + causes).joined(separator: " ")
  }

  static func isUnreadable(_ saved: String) -> Bool { read(saved, at: 0) == nil }

  /// - Returns: nil for what `saved` does not make.
  private static func read(_ saved: String, at now_ms: Int64) -> DayAndMonth<ByteCounts>? {
    let words = saved.split(separator: " ")
    guard words.count >= 2, (words.count - 2) % 5 == 0, let day = SavedNumber.read(words[0]),
      let month = SavedNumber.read(words[1])
    else { return nil }
    var spent = DayAndMonth<ByteCounts>(at: now_ms)
    (spent.day.number, spent.month.number) = (SavedNumber.number(day), SavedNumber.number(month))
    for index in stride(from: 2, to: words.count, by: 5) {
      let bytes = words[index + 1..<index + 5].compactMap { SavedNumber.read($0) }.filter { $0 >= 0 }
      guard let cause = ByteCause(rawValue: String(words[index])), bytes.count == 4 else { return nil }
      spent.day.used.add(up: bytes[0], down: bytes[1], for: cause)
      spent.month.used.add(up: bytes[2], down: bytes[3], for: cause)
    }
    return spent
  }
}
