import TrackerCore
import TrackerIO

/// The queue files of all servers.
///
/// What the first has and the others never had they are given, once all of them are open: after a power cut between
/// two commits the newest records, and a server that is new everything that waits.
final class Queues {
  let first: QueueStore
  let others: [(name: String, queue: QueueStore)]
  /// Of `others`, by server.
  private var caughtUp: Set<Int> = []
  /// The tracker numbers from zero: it does not know yet what the first holds.
  private var isUntold: Bool
  /// Where they are, once that is known; see `noteHost`.
  private var host: HostIdentity?
  private var isHostNoted = false
  /// This start found another board than the one before it, or the first one again.
  private(set) var hasMovedBoard = false
  /// Since when they are where they are, in words.
  private var moves: [String] = []

  /// Records in one step of `catchUp`.
  private static let step = 1000

  init(first: QueueStore, others: [(name: String, queue: QueueStore)] = []) {
    (self.first, self.others) = (first, others)
    isUntold = first.isUnread
  }

  /// Opens them, making what is missing. Files that a failing storage does not let open are opened by a later commit.
  convenience init(_ settings: Settings, log: Log) throws {
    self.init(
      first: try Queues.open(settings.queue.path, log: log),
      others: try settings.others.map { other in
        (other.name, try Queues.open(settings.queue.path(forServer: other.name), log: log))
      })
    guard !all.contains(where: \.isClosed) else { return }
    do { for server in all.indices { try catchUp(server) } } catch {
      // The first commit tries it again, and says what fails.
      log.write(.warning, "not every server's queue has all records yet: \(error)")
    }
  }

  var all: [QueueStore] { [first] + others.map(\.queue) }

  /// What a start goes on from.
  func restored() throws -> Tracker.Restored {
    let (state, tail, _) = try first.restore()
    let damage = others.flatMap { other in
      other.queue.openReport.damage.map { OtherServer.label(other.name) + $0 }
    }
    var restored = Tracker.Restored(
      state: state, tail: tail, lastSequence: try all.map { try $0.restore().lastSequence }.max() ?? 0,
      queued: all.map(\.count), damage: first.openReport.damage + damage,
      storageProblem: all.compactMap(\.storageProblem).first)
    restored.isUnread = first.isUnread && !first.isNew
    (restored.moves, restored.idChanges) = (moves, QueueIDChanges(first.ids))
    return restored
  }

  /// - Returns: what the tracker is to know before any commit; nil: it does. See `QueueStore.isUnread`.
  func readAtLast() throws -> Tracker.Restored? {
    for queue in all { try queue.readAtLast() }
    try noteHost()
    guard isUntold else { return nil }
    let restored = try restored()
    isUntold = false
    return restored
  }

  /// To be called once, before anything is committed. Each queue that has come from another box begins another id.
  func noteHost(_ host: HostIdentity) throws {
    self.host = host
    try noteHost()
  }

  /// What cannot be read is not known to have come from anywhere.
  private func noteHost() throws {
    guard let host, !isHostNoted, !all.contains(where: \.isUnread) else { return }
    let last = try all.map { try $0.restore().lastSequence }.max() ?? 0
    let suffix = first.boardSuffix
    defer { hasMovedBoard = first.boardSuffix != suffix }
    for (queue, name) in zip(all, [""] + others.map(\.name)) {
      if let words = queue.noteHost(host, after: last) { moves.append(OtherServer.label(name) + words) }
    }
    isHostNoted = true
  }

  /// So often files were opened anew, which reads and writes them whole.
  var rewrittenLogs: Int { all.map(\.rewrittenLogs).reduce(0, +) }

  /// - Parameter server: as in `Event`; the first one never lacks anything.
  func catchUp(_ server: Int) throws {
    if server == 0 || caughtUp.contains(server) { return }
    try catchUp(all[server])
    caughtUp.insert(server)
  }

  private func catchUp(_ queue: QueueStore) throws {
    var after = try queue.restore().state[Commit.through].flatMap { Int64($0) } ?? 0
    while true {
      let page = try first.page(after: after, limit: Queues.step)
      Supervisor.working(most_s: 60)
      if !page.records.isEmpty { try queue.commit(Commit(records: page.records).forFurtherServer) }
      guard let last = page.last else { return }
      after = last
    }
  }

  private static func open(_ path: String, log: Log) throws -> QueueStore {
    let queue = try QueueStore(path: path, goesOnWithoutStorage: true)
    if queue.openReport.findings.contains(.slotTorn) {
      log.write(
        .notice, "a slot of the queue's front was not whole, as after a power cut; the other one holds")
    }
    if queue.openReport.findings.contains(.slotMended) {
      log.write(
        .warning, "a bit of the queue's front had flipped and was set right: the storage is not sound")
    }
    return queue
  }
}

extension Commit {
  /// The key of the greatest number that a further server's queue was ever given. Its `lastSequence` will not do:
  /// that jumps ahead after damage.
  fileprivate static let through = "through"

  /// A start reads all else from the first queue.
  var forFurtherServer: Commit {
    let state = records.last.map { [Commit.through: "\($0.sequence)"] } ?? [:]
    return Commit(records: records, state: state, dropped: dropped, redating: redating)
  }

  /// What the server's queue is to have of it.
  func share(of server: Int) -> Commit {
    var share = server == 0 ? self : forFurtherServer
    share.dropped = dropped.mapValues { $0 - (spared[server] ?? 0) }.filter { $0.value > 0 }
    return share
  }
}
