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

/// Under what bytes are counted.
protocol ByteKey: Hashable, Sendable {
  /// As it is saved: without a space.
  var word: String { get }
  init?(word: String)
}

extension ByteCause: ByteKey {
  var word: String { rawValue }
  init?(word: String) { self.init(rawValue: word) }
}

/// A server by its name, which survives that others are added or removed before it.
struct ServerName: ByteKey {
  /// Empty for the first.
  var name: String

  /// That no other server's name can be.
  private static let first = "."

  var word: String { name.isEmpty ? ServerName.first : name }
  init(_ name: String) { self.name = name }
  init?(word: String) { self.init(word == ServerName.first ? "" : word) }
}

/// Bytes up and down.
struct ByteCounts<Key: ByteKey>: Summable {
  static var none: ByteCounts { ByteCounts() }

  private(set) var up: [Key: Int64] = [:]
  private(set) var down: [Key: Int64] = [:]

  mutating func add(up moreUp: Int64, down moreDown: Int64, for key: Key) {
    if moreUp > 0 { up[key, default: 0] += moreUp }
    if moreDown > 0 { down[key, default: 0] += moreDown }
  }

  static func += (sum: inout ByteCounts, more: ByteCounts) {
    sum.up.merge(more.up, uniquingKeysWith: +)
    sum.down.merge(more.down, uniquingKeysWith: +)
  }
}

/// What was sent and received today and this month (UTC), whether or not there is a budget.
struct ByteLedger<Key: ByteKey>: Equatable, Sendable {
  fileprivate var spent: DayAndMonth<ByteCounts<Key>>

  /// - Parameter saved: what `saved` gave.
  init(saved: String, at now_ms: Int64) {
    spent = ByteLedger.read(saved, at: now_ms) ?? DayAndMonth(at: now_ms)
  }

  var day: ByteCounts<Key> { spent.day.used }
  var month: ByteCounts<Key> { spent.month.used }

  mutating func turn(trusted_ms: Int64?, at now_ms: Int64) { spent.turn(trusted_ms: trusted_ms, at: now_ms) }

  /// What had been spent before this began with nothing.
  mutating func add(_ before: ByteLedger) { spent.add(before.spent) }

  // MARK: saved

  /// `day month`, then for each cause or server its name and bytes: of the day up and down, of the month up and down. -1
  /// for a day or month that is not known.
  var saved: String {
    let keys = Set([day.up, day.down, month.up, month.down].flatMap(\.keys)).sorted { $0.word < $1.word }
    let parts = keys.map { key in
      let numbers = [day.up, day.down, month.up, month.down].map { "\($0[key] ?? 0)" }
      return ([key.word] + numbers).joined(separator: " ")
    }
    return (["\(spent.day.number ?? -1) \(spent.month.number ?? -1)"] + parts).joined(separator: " ")
  }

  static func isUnreadable(_ saved: String) -> Bool { read(saved, at: 0) == nil }

  /// - Returns: nil for what `saved` does not make.
  private static func read(_ saved: String, at now_ms: Int64) -> DayAndMonth<ByteCounts<Key>>? {
    let words = saved.split(separator: " ")
    guard words.count >= 2, (words.count - 2) % 5 == 0, let day = SavedNumber.read(words[0]),
      let month = SavedNumber.read(words[1])
    else { return nil }
    var spent = DayAndMonth<ByteCounts<Key>>(at: now_ms)
    (spent.day.number, spent.month.number) = (SavedNumber.number(day), SavedNumber.number(month))
    for index in stride(from: 2, to: words.count, by: 5) {
      let bytes = words[index + 1..<index + 5].compactMap { SavedNumber.read($0) }.filter { $0 >= 0 }
      guard let key = Key(word: String(words[index])), bytes.count == 4 else { return nil }
      spent.day.used.add(up: bytes[0], down: bytes[1], for: key)
      spent.month.used.add(up: bytes[2], down: bytes[3], for: key)
    }
    return spent
  }
}

/// What all servers together have cost, by cause.
extension ByteLedger where Key == ByteCause {
  /// - Parameter withStatus: the request had the status.
  mutating func spend(_ reply: UploadReply, withStatus: Bool, isTaken: Bool) {
    var counts = ByteCounts<Key>()
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
}

/// What each server has cost.
extension ByteLedger where Key == ServerName {
  mutating func spend(_ reply: UploadReply, of server: String) {
    var counts = ByteCounts<Key>()
    counts.add(up: reply.bytesUp, down: reply.bytesDown, for: ServerName(server))
    spent.add(counts)
  }

  func describe(_ status: inout DeliveryStatus, of server: String) {
    let name = ServerName(server)
    (status.todayUp_bytes, status.todayDown_bytes) = (day.up[name] ?? 0, day.down[name] ?? 0)
    (status.monthUp_bytes, status.monthDown_bytes) = (month.up[name] ?? 0, month.down[name] ?? 0)
  }
}
