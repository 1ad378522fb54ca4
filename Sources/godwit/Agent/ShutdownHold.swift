import TrackerAgent
import TrackerBase
import TrackerIO

/// logind's lock, held in trips.
final class ShutdownHold: ShutdownPort {
  private let lock = ShutdownLock(why: "a trip is being recorded")
  private let log: Log
  private var said: Set<ShutdownLockProblem> = []

  init(log: Log) { self.log = log }

  var descriptors: [PollDescriptor] { lock.descriptors }

  func hold(_ isWanted: Bool) {
    if isWanted { lock.take() } else { lock.giveBack() }
  }

  /// Many boards have no logind: it is said once.
  func receive(ready: [Int32]) -> [Event] {
    if let problem = lock.drive(), said.insert(problem).inserted { log.write(.info, "\(problem)") }
    return []
  }
}
