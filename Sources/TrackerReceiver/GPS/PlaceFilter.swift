import TrackerBase

/// Follows the vehicle's place, and keeps it apart from any other place that the receiver reports.
///
/// A second receiver, a reflection or a jammer gives fixes that agree with each other, second after second, and lie
/// where the vehicle cannot be. So what decides is whether a fix could be reached, not how many say so. The other
/// place is believed only once it has agreed with itself, with no fix from the believed one in between, for as long
/// as the believed one had been followed: at least `Fix.leastProof_ms`, at most `Fix.mostProof_ms`. Then the believed place
/// was the wrong one, and nothing is known of the way between the two.
struct PlaceFilter: Equatable, Sendable {
  enum Verdict: Equatable, Sendable {
    /// Where the vehicle can be.
    case here
    /// Back where it was before it seemed to leap away. `from`: its last fix before that.
    case returned(from: Fix)
    /// The place believed so far was wrong: the vehicle is here, and did not drive from there.
    case moved
    /// Out of reach. `isNew`: the first such fix of an episode.
    case elsewhere(isNew: Bool)
  }

  /// Fixes that could each be reached from the one before.
  private struct Path: Equatable, Sendable {
    var last: Fix
    /// For how long it has been followed; of another place: since the believed one is silent.
    var proven_ms: Int64 = 0

    init(_ fix: Fix, provenFor_ms: Int64 = 0) { (last, proven_ms) = (fix, provenFor_ms) }

    /// - Parameter most_ms: what one step proves at most.
    mutating func go(to fix: Fix, provingAtMost most_ms: Int64) {
      if fix.repeats(last) { return }
      var fix = fix
      // It freezes with the speed 0: what comes after it at this place repeats it.
      if let before = ReportedSpeed(of: last), fix.isImpossibleStop(after: before) {
        fix.speed_mps = before.speed_mps
      }
      proven_ms = min(proven_ms + min(max(0, fix.time_ms - last.time_ms), most_ms), Fix.mostProof_ms)
      last = fix
    }
  }

  var maxSpeed_mps: Double
  private var believed: Path?
  /// The believed path as it was before a leap, while that is younger than it was.
  private var before: Path?
  private var other: Path?
  /// GPS time of the last fix elsewhere, while its episode lasts.
  private var lastElsewhere_ms: Int64?
  /// The receiver's speeds agree with its positions: so a speed that is always 0 is not relied on.
  private var speedsAgree = false

  /// The believed place has been followed for so long without such a fix: the next one begins another episode.
  static let episodeGap_ms: Int64 = 60_000
  /// Two fixes of a receiver at 1 Hz: from faster ones the same is taken.
  static let leastStep_s = 1.0
  /// After so long without a fix its speeds prove nothing about the way between.
  static let unseen_s = 30.0
  /// Of a stretch without fixes this much counts as followed.
  static let mostOfGap_ms: Int64 = 10_000
  /// Harder than any road vehicle brakes or speeds up (1 g).
  static let acceleration_mps2 = 10.0
  /// A speed of at least so much decides whether speeds agree with positions.
  static let deciding_mps = 5.0

  init(maxSpeed_mps: Double) { self.maxSpeed_mps = maxSpeed_mps }

  /// Where the process before this one had the vehicle: as well known as a place can be.
  mutating func begin(at fix: Fix) {
    believed = Path(fix, provenFor_ms: Fix.mostProof_ms)
  }

  /// The dates were wrong until now, and all of them by so much.
  mutating func redate(by shift_ms: Int64) {
    believed?.last.time_ms += shift_ms
    before?.last.time_ms += shift_ms
    other?.last.time_ms += shift_ms
    lastElsewhere_ms = lastElsewhere_ms.map { $0 + shift_ms }
  }

  mutating func judge(_ fix: Fix) -> Verdict {
    guard let path = believed else {
      believed = Path(fix)
      return .here
    }
    let away_m = path.last.position.distance_m(to: fix.position)
    let isInReach = canReach(fix, from: path.last, away_m: away_m)
    if let other, belongs(fix, to: other, ratherThan: path, away_m: away_m, isInReach: isInReach) {
      return agrees(fix, with: other, against: path)
    }
    let isLeap = !isExplained(fix, from: path.last, away_m: away_m)
    if isLeap, let before, before.proven_ms >= path.proven_ms,
      isExplained(fix, from: before.last, away_m: before.last.position.distance_m(to: fix.position))
    {
      believed = Path(fix, provenFor_ms: before.proven_ms)
      (self.before, other) = (nil, nil)
      return .returned(from: before.last)
    }
    guard isInReach else {
      // A single leap to a third place takes nothing from what the other one has proved.
      let isSilent = other.map { abs(fix.time_ms - $0.last.time_ms) > PlaceFilter.mostOfGap_ms } ?? true
      if isSilent { other = Path(fix) }
      return elsewhere(fix)
    }
    if isLeap {
      before = path
      believed = Path(fix)
    } else {
      noteSpeed(of: fix, after: path.last)
      // Seen in one place before and after a stretch without fixes, it was there meanwhile.
      let isHere = away_m <= Fix.wander_m
      believed?.go(to: fix, provingAtMost: isHere ? Fix.mostProof_ms : PlaceFilter.mostOfGap_ms)
      if believed?.proven_ms == Fix.mostProof_ms { before = nil }
    }
    // It is heard: the proof of another place begins anew.
    other?.proven_ms = 0
    if let told_ms = lastElsewhere_ms, abs(fix.time_ms - told_ms) > PlaceFilter.episodeGap_ms {
      lastElsewhere_ms = nil
    }
    return .here
  }

  private mutating func agrees(_ fix: Fix, with other: Path, against path: Path) -> Verdict {
    var rival = other
    // What it said before the believed place was last heard proves nothing.
    rival.go(to: fix, provingAtMost: max(0, fix.time_ms - max(other.last.time_ms, path.last.time_ms)))
    self.other = rival
    guard rival.proven_ms >= max(Fix.leastProof_ms, path.proven_ms) else { return elsewhere(fix) }
    believed = rival
    (before, self.other, lastElsewhere_ms) = (nil, nil, nil)
    return .moved
  }

  private mutating func elsewhere(_ fix: Fix) -> Verdict {
    let isNew = lastElsewhere_ms == nil
    lastElsewhere_ms = fix.time_ms
    return .elsewhere(isNew: isNew)
  }

  /// Time alone brings every place into reach: a path that began out of reach stays another place all the same.
  ///
  /// - Parameter away_m: from `path`.
  private func belongs(
    _ fix: Fix, to other: Path, ratherThan path: Path, away_m: Double, isInReach: Bool
  ) -> Bool {
    let otherAway_m = other.last.position.distance_m(to: fix.position)
    guard canReach(fix, from: other.last, away_m: otherAway_m) else { return false }
    guard isInReach else { return true }
    guard away_m > Fix.wander_m + slack_m(fix, path.last) else { return false }
    return otherAway_m < away_m
  }

  private func canReach(_ fix: Fix, from last: Fix, away_m: Double) -> Bool {
    let gap_s = max(PlaceFilter.leastStep_s, seconds(to: fix, from: last))
    var reach_m = maxSpeed_mps * gap_s
    if speedsAgree, gap_s <= PlaceFilter.unseen_s, let before_mps = last.speed_mps {
      // Generous: some receivers say 0 where they do not know, and later the speed again.
      let fastest_mps = max(before_mps, fix.speed_mps ?? 0) + PlaceFilter.acceleration_mps2 * gap_s / 2
      reach_m = min(reach_m, max(Fix.wander_m, fastest_mps * gap_s))
    }
    return away_m <= reach_m + slack_m(fix, last)
  }

  /// It stayed about there, or went on as it did.
  private func isExplained(_ fix: Fix, from last: Fix, away_m: Double) -> Bool {
    let way_m = min(last.speed_mps ?? 0, maxSpeed_mps) * 1.5 * max(0, seconds(to: fix, from: last))
    return away_m <= Fix.wander_m + slack_m(fix, last) + way_m
  }

  private mutating func noteSpeed(of fix: Fix, after last: Fix) {
    let gap_s = seconds(to: fix, from: last)
    guard !speedsAgree, let speed_mps = fix.speed_mps, speed_mps >= PlaceFilter.deciding_mps,
      let before_mps = last.speed_mps, before_mps >= PlaceFilter.deciding_mps, gap_s > 0, gap_s <= 10
    else { return }
    let expected_m = (speed_mps + before_mps) / 2 * gap_s
    speedsAgree = (expected_m / 2...expected_m * 2).contains(last.position.distance_m(to: fix.position))
  }

  private func seconds(to fix: Fix, from last: Fix) -> Double { Double(fix.time_ms - last.time_ms) / 1000 }

  private func slack_m(_ fix: Fix, _ other: Fix) -> Double { fix.accuracy_m + other.accuracy_m }
}
