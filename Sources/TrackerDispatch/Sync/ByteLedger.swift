import TrackerBase

/// Under what bytes are counted.
protocol ByteKey: Hashable, Sendable {
  /// As it is saved.
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
  fileprivate(set) var spent: DayAndMonth<ByteCounts<Key>>

  init(saved: DayAndMonth<ByteCounts<Key>>?, at now_ms: Int64) {
    spent = (saved ?? DayAndMonth(at: 0)).resumed(at: now_ms)
  }

  var day: ByteCounts<Key> { spent.day.used }
  var month: ByteCounts<Key> { spent.month.used }

  mutating func turn(trusted_ms: Int64?, at now_ms: Int64) { spent.turn(trusted_ms: trusted_ms, at: now_ms) }

}

extension ByteCounts: Savable {
  var saved: JSONValue { SavedCounts(up: ByteCounts.byWord(up), down: ByteCounts.byWord(down)).saved }

  init?(saved: JSONValue) {
    guard let counts = SavedCounts(saved: saved), let up = ByteCounts.byKey(counts.up),
      let down = ByteCounts.byKey(counts.down)
    else { return nil }
    (self.up, self.down) = (up, down)
  }

  var isSum: Bool { up.values.allSatisfy { $0 >= 0 } && down.values.allSatisfy { $0 >= 0 } }

  private static func byWord(_ counts: [Key: Int64]) -> [String: Int64] {
    Dictionary(counts.map { ($0.key.word, $0.value) }, uniquingKeysWith: +)
  }

  /// nil: there is no such key.
  private static func byKey(_ counts: [String: Int64]) -> [Key: Int64]? {
    let known = counts.compactMap { word, count in Key(word: word).map { ($0, count) } }
    return known.count == counts.count ? Dictionary(known, uniquingKeysWith: +) : nil
  }
}

/// By word. No generic type: see `SavedSums`.
private struct SavedCounts: SavedObject {
  var up: [String: Int64] = [:]
  var down: [String: Int64] = [:]

  static let members: [SavedMember<SavedCounts>] = [.init("up", \.up), .init("down", \.down)]
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
