import TrackerBase

/// How far the vehicle can have come by the speeds that its receiver reports.
///
/// Noise makes a line through the positions longer than the way, and the reported speed shares no error with them. So
/// no more of the line is counted than the speeds allow. Where they do not say, the straight way is allowed.
struct SpeedBound: Equatable, Sendable {
  private struct Mark: Equatable, Sendable {
    var time_ms: Int64
    var reach_m: Double
    /// What the speeds come to, without those of a receiver at rest.
    var driven_m = 0.0
  }

  private let origin: Fix?
  /// The most that it can have driven since `origin`.
  private var reach_m = 0.0
  /// What the speeds come to since then.
  private var driven_m = 0.0
  /// Both until the last counted point, and until each fix of the line after it.
  private var counted: Mark
  private var marks: [Mark] = []
  /// Metres that the speeds allow beyond what is counted, and those that they have refused.
  private var spare_m = SpeedBound.slack_m
  private var refused_m = 0.0
  /// What they have refused lately, of each piece of the line a little: a leap is no noise, a zigzag is.
  private var noise_m = 0.0
  /// The newest fix that has shown something new.
  private var newest: Fix?
  private var reportsSpeed = false
  /// The last speed that it has reported, and whether it is a 0 that no vehicle can have then.
  private var reported: ReportedSpeed?
  private var isDoubtful = false
  private var isDense = false
  /// GPS time of the newest fix that drives.
  private var droveAt_ms = Int64.min
  /// GPS time since which the vehicle is farther away than the speeds allow.
  private var beyondSince_ms: Int64?
  private var speedsAreWrong = false
  /// The way to the next fix is not seen.
  private var isUnseen: Bool
  /// Metres of straight way that was not seen.
  private(set) var estimated_m = 0.0

  /// A line may be longer than the speeds allow by so much, for a while.
  static let slack_m = 30.0
  /// Speeds are wrong if for half a minute the vehicle is farther from where the trip began than they allow: by a
  /// fifth, and by more than any receiver wanders.
  static let beyond = 1.2
  static let beyond_ms: Int64 = 30_000
  /// Of sparser fixes each one is worth more than the doubt.
  static let dense_ms: Int64 = 2000
  /// So much of a piece shows noise, so much of it in all is noise, and it fades with the way.
  static let mostOfPiece_m = 20.0
  static let leastNoise_m = 50.0
  static let mostNoise_m = 100.0
  static let fade = 0.02
  /// Where a machine turns round slowly, the line cuts off the end of its row, and what it creeps within one place. So of
  /// a slow piece whose line says that it moves the speeds count, if they come to more than they err by (at a walking pace
  /// receivers report up to a tenth of a metre a second too much), and to no more than this beyond the line.
  static let cut_m = 60.0
  static let moves_m = 2 * Odometer.maxError_m
  static let error_m = 5.0
  static let error_mps = 0.1
  /// What is shorter is no gap of the track.
  static let unseen_ms: Int64 = 60_000

  /// - Parameter isUnseen: the way from there was not seen.
  init(from fix: Fix?, isUnseen: Bool = false) {
    (origin, newest, self.isUnseen) = (fix, fix, isUnseen)
    counted = Mark(time_ms: fix?.time_ms ?? 0, reach_m: 0)
  }

  /// Of a line that is not counted yet, as much as the speeds allow.
  func open_m(_ line_m: Double) -> Double { speedsAreWrong ? line_m : min(line_m, allowed_m) }

  private var allowed_m: Double { spare_m + reach_m - counted.reach_m }

  /// The line is longer than the speeds allow: the positions are noise.
  ///
  /// - Parameter line_m: asked for only where there is noise, since it walks along the line.
  func isOverdrawn(by line_m: @autoclosure () -> Double) -> Bool {
    isDense && !speedsAreWrong && noise_m > SpeedBound.leastNoise_m
      && min(spare_m, allowed_m - line_m()) < SpeedBound.slack_m / 3
  }

  /// - Parameter fix: the newest.
  func reach_m(to fix: Fix) -> Double { reach_m + (newest.map { step_m(from: $0, to: fix) } ?? 0) }

  /// The first fix of a second.
  mutating func add(_ fix: Fix) {
    guard let last = newest, last.time_ms < fix.time_ms, !fix.repeats(last) else { return }
    let straight_m = last.position.distance_m(to: fix.position)
    let gap_ms = fix.time_ms - last.time_ms
    if straight_m > Departure.moved_m, isUnseen || gap_ms >= SpeedBound.unseen_ms {
      estimated_m += straight_m
    }
    if fix.isDriving { droveAt_ms = fix.time_ms }
    if gap_ms <= SpeedBound.dense_ms, let speed_mps = fix.speed_mps, speed_mps >= Departure.noise_mps {
      driven_m += speed_mps * Double(gap_ms) / 1000
    }
    let wasDoubtful = isDoubtful
    noteSpeed(of: fix)
    reach_m += wasDoubtful || isDoubtful ? straight_m : step_m(from: last, to: fix)
    (newest, isUnseen, isDense) = (fix, false, gap_ms <= SpeedBound.dense_ms)
    checkSpeeds(at: fix)
  }

  private mutating func noteSpeed(of fix: Fix) {
    guard let speed_mps = fix.speed_mps else { return }
    if speed_mps > 0 { reportsSpeed = true }
    if speed_mps >= Fix.standing_mps {
      isDoubtful = false
    } else if let reported, fix.isImpossibleStop(after: reported) {
      isDoubtful = true
    }
    reported = ReportedSpeed(of: fix)
  }

  /// The most that it can have driven from one fix to the next.
  private func step_m(from last: Fix, to fix: Fix) -> Double {
    let reach_m = reportsSpeed && !speedsAreWrong ? fix.reach_m(since: last) : nil
    return reach_m ?? last.position.distance_m(to: fix.position)
  }

  private mutating func checkSpeeds(at fix: Fix) {
    guard let origin,
      origin.position.distance_m(to: fix.position) > reach_m * SpeedBound.beyond + Fix.wander_m
    else {
      beyondSince_ms = nil
      return
    }
    let since_ms = beyondSince_ms ?? fix.time_ms
    beyondSince_ms = since_ms
    if fix.time_ms - since_ms >= SpeedBound.beyond_ms { speedsAreWrong = true }
  }

  /// The newest fix is on the line.
  mutating func mark(_ fix: Fix) {
    marks.append(Mark(time_ms: fix.time_ms, reach_m: reach_m, driven_m: driven_m))
  }

  /// Starts the line again at a fix of the same trip: what is known of the speeds and the noise stays.
  mutating func restart(at fix: Fix) {
    (counted, marks) = (Mark(time_ms: fix.time_ms, reach_m: reach_m, driven_m: driven_m), [])
    (newest, isUnseen) = (fix, false)
  }

  /// What came after `last` was no way.
  mutating func forget(after last: Fix) {
    marks.removeAll { $0.time_ms > last.time_ms }
    if let newest, newest.time_ms > last.time_ms { self.newest = last }
  }

  /// - Returns: as much of the next piece of the line as the speeds allow.
  mutating func count(_ line_m: Double, to point: Fix) -> Double {
    let end = marks.prefix { $0.time_ms <= point.time_ms }.last ?? counted
    marks.removeAll { $0.time_ms <= end.time_ms }
    let way_m = end.reach_m - counted.reach_m
    var piece_m = line_m
    let driven_m = end.driven_m - counted.driven_m
    let error_m = SpeedBound.error_m + SpeedBound.error_mps * Double(end.time_ms - counted.time_ms) / 1000
    if !speedsAreWrong, droveAt_ms <= counted.time_ms, line_m >= SpeedBound.moves_m,
      driven_m > line_m + error_m
    {
      piece_m = min(driven_m, line_m + SpeedBound.cut_m)
    }
    spare_m += way_m
    counted = end
    refused_m += piece_m
    let news_m = min(max(0, piece_m - spare_m), SpeedBound.mostOfPiece_m)
    noise_m = min(max(0, noise_m - way_m * SpeedBound.fade) + news_m, SpeedBound.mostNoise_m)
    // If the speeds prove wrong, the metres that they have refused count too.
    let counted_m = speedsAreWrong ? refused_m : min(piece_m, spare_m)
    refused_m -= counted_m
    spare_m = min(max(0, spare_m - counted_m), SpeedBound.slack_m)
    return counted_m
  }

  /// - Returns: `estimated_m` since this was last asked.
  mutating func takeEstimated() -> Double {
    defer { estimated_m = 0 }
    return estimated_m
  }
}
