import TrackerCore

/// Something about the queue's files that is not as they were left, and what follows from it.
public enum QueueFinding: Equatable, Sendable {
  /// The file was damaged, and is there now; what could be read of it is in a new one.
  case damaged(aside: String)
  /// It was removed or another one put in its place while the queue was open, and what memory and the open file had is
  /// in a new one. What lay in its place is `aside`.
  case removed(aside: String?)
  /// The front file knows of a newer database than this one: its log was cut, or an old copy put in place.
  case databaseOlder
  /// The database's log was removed, and with it what the database was last given.
  case logMissing
  /// A database or a log belonged to another queue, and is there now.
  case databaseOfOtherQueue(aside: String)
  /// The front file belonged to another queue, and is there now.
  case frontOfOtherQueue(aside: String)
  /// The front file was removed, or all that was in it.
  case frontMissing
  /// One of its two slots is gone, as when the file was cut.
  case slotMissing
  /// The storage no longer reads a slot, which no power cut does.
  case slotUnreadable
  /// A slot was not whole: a power cut while it was written, which costs nothing, or damage.
  case slotTorn
  /// One bit of a slot had flipped and was set right: nothing is lost, but the storage is not sound.
  case slotMended

  /// Whose records it may have cost.
  enum Part { case database, front }

  /// - Returns: how far the numbering jumps ahead of the newest known one, since there may have been newer ones; whose
  ///   records it may have cost; and what operators are informed, nil where nothing can be lost.
  private func row(salvaged: Int) -> (sequenceGap: Int64, part: Part?, words: String?) {
    switch self {
    case .damaged(let aside):
      (
        QueueSalvage.sequenceGap, .database,
        "the queue file was damaged: set aside as \(aside), \(counted(salvaged, "record")) salvaged"
      )
    case .removed(let aside):
      (
        0, aside == nil ? nil : .database,
        "the queue file was removed or replaced under the running agent: \(counted(salvaged, "record is", "records are")) saved in a new one"
          + (aside.map { ", what lay in its place is \($0)" } ?? "")
      )
    // The slot that is newer knows the newest number.
    case .databaseOlder: (0, .database, QueueFinding.older)
    case .logMissing: (QueueSalvage.sequenceGap, .database, QueueFinding.older)
    case .databaseOfOtherQueue(let aside):
      (0, .database, "a file beside the queue's others belongs to another queue: set aside as \(aside)")
    case .frontOfOtherQueue(let aside):
      (QueueSalvage.sequenceGap, .front, "the front file belongs to another queue: set aside as \(aside)")
    case .frontMissing:
      (
        QueueSalvage.sequenceGap, .front,
        "the front file beside the queue file was removed or emptied: the newest records may be missing"
      )
    case .slotMissing:
      (
        QueueFront.sequenceGap, .front,
        "a part of the front file beside the queue file is gone: the newest records may be missing"
      )
    case .slotUnreadable:
      (
        QueueFront.sequenceGap, .front,
        "the storage cannot read a part of the front file: the newest records may be missing"
      )
    case .slotTorn: (QueueFront.sequenceGap, nil, nil)
    case .slotMended: (0, nil, nil)
    }
  }

  private static let older =
    "the queue file is older than its front: the log was removed or an old copy put in place, records may be missing"

  var sequenceGap: Int64 { row(salvaged: 0).sequenceGap }
  var part: Part? { row(salvaged: 0).part }

  /// - Parameter salvaged: records that are in the new file.
  func words(salvaged: Int) -> String? { row(salvaged: salvaged).words }
}

/// What happened to the files when the queue was opened.
public struct QueueOpenReport: Equatable, Sendable {
  /// A file that was replaced is reported at each opening until `reportTaken`.
  public var findings: [QueueFinding] = []
  /// Records that are in a new file, when the old one was replaced.
  public var salvaged = 0
  /// Records that were not yet in the database and were found in the front file.
  public var held = 0
  /// Records that the damage has cost; nil: that is not known.
  public var lost: Int? = 0
  /// So many of the newest may be missing besides.
  public var lostAtMost = 0

  /// Where what lay in the queue file's place was moved.
  public var setAside: String? {
    for case .damaged(let aside) in findings { return aside }
    for case .removed(let aside) in findings { return aside }
    return nil
  }

  /// The file is not the one that was there before.
  var isReplaced: Bool { setAside != nil || findings.contains(.removed(aside: nil)) }

  func hasDamage(of part: QueueFinding.Part) -> Bool { findings.contains { $0.part == part } }

  /// What may have cost records, in words for operators.
  public var damage: [String] {
    var words = findings.compactMap { $0.words(salvaged: salvaged) }
    if let last = words.popLast() { words.append(last + loss) }
    return words
  }

  private var loss: String {
    let most = lostAtMost > 0 ? "at most \(lostAtMost) of the newest records are lost" : nil
    guard let lost else {
      return "; how many records are lost is not known" + (most.map { ", \($0)" } ?? "")
    }
    if lost == 0 { return "; \(most ?? "no record is lost")" }
    return "; \(counted(lost, "record is", "records are")) lost" + (most.map { ", and \($0)" } ?? "")
  }
}
