import TrackerBase
import TrackerBoard
import TrackerRemote

extension Tracker {
  /// What storage held at the start.
  public struct Restored: Equatable, Sendable {
    public var state: [String: JSONValue]
    public var tail: [Record]
    public var lastSequence: Int64
    /// Records that wait, by server.
    public var queued: [Int]
    /// What was wrong with the queue's files, in words.
    public var damage: [String]
    /// The queue was last used in another box, or a part of it, in words.
    public var moves: [String] = []
    public var idChanges = QueueIDChanges()
    /// Why storage takes no records, in words.
    public var storageProblem: String?
    /// There is a store, and nothing of it could be read: trips and the odometer are not known. As soon as it opens it gets
    /// what was made meanwhile, and the process starts anew from it.
    public var isUnread = false
    /// After `runBegan`, and saved so.
    public var runState: RunState
    /// Why it could not be read or saved.
    public var runStateProblem: String?
    /// What the server has set.
    public var overlay = RestoredOverlay()
    /// Which commands were done before.
    public var commands = CommandInbox()
    /// Why that is not, or not all, known.
    public var commandsProblem: String?
    /// Boot time of the last sign of life of a process in this boot; nil where there is none.
    public var alive_ms: Int64?

    /// What says how a sleep of the board ended.
    public var board = BoardStart()

    public init(
      state: [String: JSONValue] = [:], tail: [Record] = [], lastSequence: Int64 = 0, queued: [Int] = [],
      damage: [String] = [], storageProblem: String? = nil, runState: RunState = RunState(),
      runStateProblem: String? = nil
    ) {
      self.storageProblem = storageProblem
      self.damage = damage
      (self.runState, self.runStateProblem) = (runState, runStateProblem)
      self.state = state
      self.tail = tail
      self.lastSequence = lastSequence
      self.queued = queued
    }
  }
}

extension Tracker.Restored {
  /// For the parts.
  var found: Found {
    Found(
      state: SavedState(state), bootID: runState.bootID, tail: tail, queued: queued,
      storageProblem: storageProblem, alive_ms: alive_ms, board: board)
  }
}
