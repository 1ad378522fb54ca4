import Glibc

/// The front of the queue: a commit is one write of a slot, and the database is written only now and then.
///
/// Slots are written in turn, each with everything that the database lacks, so only the newest whole one
/// counts, and only if it is newer than the `generation` that the database holds.
final class QueueFront {
  /// So many records are held back at most.
  static let capacity = 64
  /// How far the numbering jumps ahead when a slot was damaged: it may have held numbers that were given.
  static let sequenceGap: Int64 = 10_000

  /// What opening found.
  struct Found: Equatable {
    var content: FrontContent?
    /// Rows of slots that the database had; worth something only when it was damaged.
    var olderRows: [[SQLiteValue]] = []
    /// The greatest number that any slot knows of.
    var lastSequence: Int64 = 0
    var findings: [QueueFinding] = []
    /// The file ends before a slot's end.
    var isShort = false
    /// No slot is there: the file was never used, or was made anew.
    var isWithoutOwn = false
    /// Of the newest slot.
    var census: QueueCensus?
    /// Records of the newest slot, whether or not the tables have them as well.
    var rowsInSlot = 0
    /// The log is shorter than it is made, or empty although the queue was not closed.
    var isLogCut = false
    /// Nothing was held back when the queue was last closed.
    var wasClosed = false

    var isSlotDamaged: Bool { findings.contains(.slotTorn) || findings.contains(.slotUnreadable) }

    mutating func note(_ finding: QueueFinding) {
      if !findings.contains(finding) { findings.append(finding) }
    }

    /// One that the tables have everything of says nothing.
    mutating func take(periodic: PeriodicSlots, stored: Int64) {
      guard let newest = periodic.newest, newest.slot.generation > stored else { return }
      // What the commit's slot has itself comes from an earlier version, which wrote it later.
      content?.periodic.merge(newest.slot.content.state) { own, _ in own }
    }

    /// Older slots first.
    mutating func take(_ slot: FrontSlot, stored: Int64) {
      lastSequence = max(lastSequence, slot.content.lastSequence)
      (census, rowsInSlot) = (slot.census, slot.content.rows.count)
      if slot.generation > stored {
        olderRows += content?.rows ?? []
        content = slot.content
        content?.sortOutPeriodic()
        findings.removeAll { $0 == .databaseOlder }
        if slot.base > stored { note(.databaseOlder) }
      } else {
        olderRows += slot.content.rows
      }
    }
  }

  private var file: FrontFile?
  private let path: String
  private let synchronous: QueueSynchronous
  /// While there is no room for the file, it is asked for again so often.
  static let retry_s: Int64 = 30
  private var triedAt_s: Int64 = 0
  /// Why commits go into the database instead; nil while slots can be written.
  private(set) var fault: QueueError?
  private let queueID: UInt64
  private(set) var generation: Int64
  private var base: Int64
  private var nextSlot = 0
  private var periodic = PeriodicSlots()

  /// - Parameter stored: the generation in the database, up to which it has everything.
  init(
    path: String, queueID: UInt64, stored: Int64, synchronous: QueueSynchronous = .full, found: inout Found
  ) throws(QueueError) {
    (self.queueID, self.path, self.synchronous) = (queueID, path, synchronous)
    (generation, base) = (stored, stored)
    // Before it is completed: what was cut off is zeros then.
    var read = QueueFront.slots(path, &found)
    found.judge(read.map(\.slot), stored: stored)
    var opened = try FrontFile.open(path: path, synchronous: synchronous)
    if !read.isEmpty, read.allSatisfy({ $0.slot.queueID != queueID }) {
      opened = (nil, nil)
      found.note(.frontOfOtherQueue(aside: try QueueFront.setAside(path)))
      opened = try FrontFile.open(path: path, synchronous: synchronous)
    } else if read.isEmpty, stored > 0 || found.isSlotDamaged {
      found.note(.frontMissing)
    }
    read.removeAll { $0.slot.queueID != queueID }
    found.isWithoutOwn = read.isEmpty
    (file, fault) = opened
    // The damaged one, or the older one, is overwritten first.
    for (index, slot) in read.sorted(by: { $0.slot.generation < $1.slot.generation }) {
      nextSlot = 1 - index
      generation = max(generation, slot.generation)
      found.take(slot, stored: stored)
    }
    periodic = PeriodicSlots(ofFile: path, queueID: queueID)
    found.take(periodic: periodic, stored: stored)
  }

  /// What an opening would find, while nothing can be written.
  static func found(path: String, queueID: UInt64, stored: Int64) -> Found {
    var found = Found()
    let read = slots(path, &found).filter { $0.slot.queueID == queueID }
    found.judge(read.map(\.slot), stored: stored)
    for (_, slot) in read.sorted(by: { $0.slot.generation < $1.slot.generation }) {
      found.take(slot, stored: stored)
    }
    found.take(periodic: PeriodicSlots(ofFile: path, queueID: queueID), stored: stored)
    if read.isEmpty, stored > 0 { found.note(.frontMissing) }
    return found
  }

  var hasMoved: Bool { file?.hasMoved ?? false }
  var isCut: Bool { file?.isCut ?? false }

  /// The id of the queue to which the file at `path` belongs; nil when it has no whole slot.
  static func queueID(ofFile path: String) -> UInt64? {
    var found = Found()
    return slots(path, &found).max { $0.slot.generation < $1.slot.generation }?.slot.queueID
  }

  /// There was no room for the file, and may be now.
  private func makeFile() {
    let now_s = Int64(time(nil))
    guard file == nil, abs(now_s - triedAt_s) >= QueueFront.retry_s else { return }
    triedAt_s = now_s
    guard let opened = try? FrontFile.open(path: path, synchronous: synchronous) else { return }
    (file, fault) = (opened.file, opened.fault)
  }

  /// Makes `content` durable. - Returns: false when it must go into the database instead: it is too much, or
  /// the front cannot be written.
  func write(_ content: FrontContent, census: QueueCensus) -> Bool {
    makeFile()
    guard let file, content.rows.count <= QueueFront.capacity else { return false }
    let slot = FrontSlot(
      queueID: queueID, generation: generation + 1, base: base, content: content, census: census)
    guard let bytes = slot.encoded() else { return false }
    // Used up also by a write that fails, since that may be on storage all the same.
    generation += 1
    do throws(QueueError) {
      if periodic.isDue(content.periodic, nextSlot: nextSlot, base: base) {
        guard try write(periodic: content.periodic, file) else { return false }
      }
      try file.write(bytes, slot: nextSlot)
    } catch {
      fault = error
      return false
    }
    fault = nil
    nextSlot = 1 - nextSlot
    return true
  }

  /// - Returns: false when it is too much.
  private func write(periodic values: [String: String], _ file: FrontFile) throws(QueueError) -> Bool {
    let slot = FrontSlot(
      queueID: queueID, generation: generation, base: base, content: FrontContent(state: values))
    guard let bytes = slot.encoded() else { return false }
    try file.write(bytes, slot: nextSlot, .periodic)
    periodic.newest = (nextSlot, slot)
    return true
  }

  /// A transaction has a generation of its own: the slots after it then show if it is missing.
  func willStore() { generation += 1 }

  /// The database now has everything up to `generation`.
  func stored() { base = generation }

  // MARK: Parts

  /// Those that are whole, with one flipped bit set right.
  static func slots(
    _ path: String, _ found: inout Found, _ kind: FrontFile.Kind = .commits
  ) -> [(index: Int, slot: FrontSlot)] {
    var slots: [(index: Int, slot: FrontSlot)] = []
    for (index, read) in FrontFile.read(path, kind).enumerated() {
      guard var bytes = read else {
        found.note(.slotUnreadable)
        continue
      }
      if bytes.count < FrontSlot.bytes { found.isShort = true }
      bytes += [UInt8](repeating: 0, count: FrontSlot.bytes - bytes.count)
      if let slot = FrontSlot(bytes) {
        slots.append((index, slot))
      } else if let slot = FrontSlot.mended(bytes).flatMap({ FrontSlot($0) }) {
        slots.append((index, slot))
        found.note(.slotMended)
      } else if bytes.contains(where: { $0 != 0 }) {
        found.note(.slotTorn)
      }
    }
    return slots
  }

  private static func setAside(_ path: String) throws(QueueError) -> String {
    let aside = "\(path).other-\(time(nil))"
    guard rename(path, aside) == 0 else { throw .front("rename", errno: errno) }
    try QueueFile.syncFolder(of: path)
    return aside
  }
}

extension QueueFront.Found {
  /// Both slots are written when the file is made, and a torn one is not zeros.
  fileprivate mutating func judge(_ slots: [FrontSlot], stored: Int64) {
    if stored > 0, slots.count == 1, !isSlotDamaged || isShort { note(.slotMissing) }
  }
}
