import TrackerBase

/// Bytes up and down, each by what it was for (`ByteCause`) or by the server's name.
struct ByteCounts: SavedObject, Summable {
  static let none = ByteCounts()

  private(set) var up: [String: Int64] = [:]
  private(set) var down: [String: Int64] = [:]

  static let members: [SavedMember<ByteCounts>] = [.init("up", \.up), .init("down", \.down)]

  var isSum: Bool { up.values.allSatisfy { $0 >= 0 } && down.values.allSatisfy { $0 >= 0 } }

  static func += (sum: inout ByteCounts, more: ByteCounts) {
    sum.up.merge(more.up, uniquingKeysWith: +)
    sum.down.merge(more.down, uniquingKeysWith: +)
  }

  private mutating func add(up moreUp: Int64, down moreDown: Int64, for key: String) {
    if moreUp > 0 { up[key, default: 0] += moreUp }
    if moreDown > 0 { down[key, default: 0] += moreDown }
  }
}

extension ByteCounts {
  /// What a request has cost, by cause.
  ///
  /// - Parameters:
  ///   - withStatus: the request had the status.
  ///   - isTaken: the server has what it brought.
  init(_ reply: UploadReply, withStatus: Bool, isTaken: Bool) {
    guard isTaken else {
      add(up: reply.bytesUp, down: reply.bytesDown, for: ByteCause.failed.rawValue)
      return
    }
    let cause: ByteCause = reply.sent.isEmpty ? .status : withStatus ? .recordsWithStatus : .records
    add(up: reply.handshakeUp, down: reply.handshakeDown, for: ByteCause.connecting.rawValue)
    add(
      up: reply.bytesUp - reply.handshakeUp, down: reply.bytesDown - reply.handshakeDown,
      for: cause.rawValue)
  }

  /// The same, by the server's name, which survives that others are added or removed before it; empty for the first.
  init(_ reply: UploadReply, of server: String) {
    add(up: reply.bytesUp, down: reply.bytesDown, for: server)
  }
}

extension DeliveryStatus {
  /// - Parameter spent: by server.
  mutating func add(_ spent: DayAndMonth<ByteCounts>, of server: String) {
    let (day, month) = (spent.day.used, spent.month.used)
    (todayUp_bytes, todayDown_bytes) = (day.up[server] ?? 0, day.down[server] ?? 0)
    (monthUp_bytes, monthDown_bytes) = (month.up[server] ?? 0, month.down[server] ?? 0)
  }
}

extension TrafficStatus {
  /// - Parameter spent: by cause.
  init(_ spent: DayAndMonth<ByteCounts>) {
    func byCause(_ counts: [String: Int64]) -> [ByteCause: Int64] {
      let known = ByteCause.allCases.compactMap { cause in counts[cause.rawValue].map { (cause, $0) } }
      return Dictionary(uniqueKeysWithValues: known)
    }
    self.init()
    let (day, month) = (spent.day.used, spent.month.used)
    (todayUp_bytes, todayDown_bytes) = (byCause(day.up), byCause(day.down))
    (monthUp_bytes, monthDown_bytes) = (byCause(month.up), byCause(month.down))
  }
}
