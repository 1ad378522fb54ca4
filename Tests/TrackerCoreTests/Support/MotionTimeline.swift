@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Feeds motion with fixes and virtual time; the GPS gives fixes only while motion wants it.
struct MotionTimeline {
  struct Trip: Equatable {
    var start_s: Double
    var end_s: Double?
  }

  var motion: Motion
  private(set) var log: [String] = []
  private(set) var trips: [Trip] = []
  private(set) var now_s = 0.0
  private(set) var gpsOn_s = 0.0
  /// The way of the last departure.
  private(set) var lastTrack: [Fix] = []
  private(set) var lastPlace: Place?

  init(_ change: (inout MotionSettings) -> Void = { _ in }) {
    var settings = MotionSettings()
    change(&settings)
    motion = Motion(settings: settings)
  }

  mutating func run(to s: Double) {
    while let deadline_ms = motion.deadline_ms, deadline_ms <= milliseconds(s) {
      now_s = max(now_s, Double(deadline_ms) / 1000)
      note(motion.tick(at: milliseconds(now_s)))
    }
    now_s = s
  }

  mutating func fix(_ fix: Fix) {
    run(to: fix.at_s)
    note(motion.fixArrived(fix, at: milliseconds(now_s)))
  }

  mutating func ignition(_ on: Bool, at s: Double) {
    run(to: s)
    note(motion.ignitionChanged(on: on, at: milliseconds(s)))
  }

  /// Fixes each second in one place.
  mutating func stand(_ first: Int, _ last: Int, east_m: Double = 0, accuracy_m: Double = 5) {
    for s in first...last { fix(.at(Double(s), east_m: east_m, accuracy_m: accuracy_m)) }
  }

  /// Fixes each second going east.
  mutating func roll(_ first: Int, _ last: Int, from east_m: Double = 0, speed_mps: Double = 10) {
    for s in first...last {
      fix(.at(Double(s), east_m: east_m + Double(s - first + 1) * speed_mps, speed_mps: speed_mps))
    }
  }

  /// A whole drive: the GPS answers `warmUp_s` after it was switched on.
  mutating func follow(_ drive: Drive, receiver: inout Receiver, warmUp_s: Int = 0) {
    var onFor_s = 0
    for s in 0..<drive.length_s {
      run(to: Double(s))
      let seen = receiver.see(drive.sample(at: Double(s)), at: Double(s))
      guard motion.wantsGPS else {
        onFor_s = 0
        continue
      }
      gpsOn_s += 1
      onFor_s += 1
      if onFor_s > warmUp_s, drive.sample(at: Double(s)).hasSky { fix(seen) }
    }
  }

  private mutating func note(_ actions: [Motion.Action]) {
    for action in actions { note(action) }
  }

  private mutating func note(_ action: Motion.Action) {
    let at = "\(Int(now_s))"
    switch action {
    case .departed(let start):
      let after = start.leftAfter_ms.map { ", after \(($0 - epoch_ms) / 1000)" } ?? ""
      let from = start.track.first.map { " from \(Int($0.at_s))" } ?? ""
      log.append("\(at) departed\(from)\(after), \(start.cause)")
      trips.append(Trip(start_s: start.track.first?.at_s ?? now_s))
      lastTrack = start.track
    case .arrived(let fix, let place, let cause):
      let when = fix.map { "\(Int($0.at_s))" } ?? "?"
      log.append("\(at) arrived \(when), \(cause)")
      if !trips.isEmpty { trips[trips.count - 1].end_s = fix?.at_s }
      lastPlace = place
    case .shifted: log.append("\(at) shifted")
    case .foundParked: log.append("\(at) found parked")
    case .probeStarted: log.append("\(at) probe")
    case .probeEnded(let answered): log.append("\(at) probe \(answered ? "answered" : "unanswered")")
    case .lost: log.append("\(at) lost")
    case .cellsLearned: break
    }
  }

  func lines(with word: String) -> [String] { log.filter { $0.contains(word) } }
}
