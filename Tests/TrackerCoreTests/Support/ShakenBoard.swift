import CMath

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// What a chip on a board in a vehicle measures, 50 times a second: made, and the same for the same seed.
struct ShakenBoard {
  enum Doing { case parked, windy, street, loading, driving }

  static let rate_Hz = 50.0
  private var random: SeededRandom
  /// Of the chip, per axis.
  private let noise_mps2 = 0.03
  /// As it is mounted.
  var gravity = Acceleration(1.2, -0.8, 9.69)
  /// What goes on beside: a gust, a lorry, a knock, a manoeuvre; each has a beginning and a strength.
  private var began_s = -1e9
  private var strength_mps2 = 0.0
  private var next_s = 0.0
  private var slow_mps2 = 0.0
  private var before: Doing?

  init(seed: UInt64) { random = SeededRandom(seed) }

  mutating func sample(at s: Double, _ doing: Doing) -> Acceleration {
    if s >= next_s || before != doing { begin(doing, at: s) }
    before = doing
    let since_s = s - began_s
    var (side, up) = (0.0, 0.0)
    switch doing {
    case .parked: break
    // The body rocks on its springs.
    case .windy: side = strength_mps2 * cmath_sin(2 * .pi * 1.3 * s) * envelope(since_s, 6)
    // A lorry passes: the ground trembles for some seconds.
    case .street: up = strength_mps2 * cmath_sin(2 * .pi * 11 * s) * envelope(since_s, 4)
    // Something is put down, a door is shut: a knock that dies away.
    case .loading:
      up = strength_mps2 * cmath_sin(2 * .pi * 14 * since_s) * max(0, 1 - since_s / 0.4)
      side = up / 2
    // The road, the engine, and bends and pedals.
    case .driving:
      slow_mps2 += (strength_mps2 - slow_mps2) / ShakenBoard.rate_Hz
      side = slow_mps2 + 0.5 * random.gaussian()
      up = 0.8 * random.gaussian() + 0.2 * cmath_sin(2 * .pi * 17 * s)
    }
    return Acceleration(
      gravity.x + side + noise_mps2 * random.gaussian(),
      gravity.y + side / 2 + noise_mps2 * random.gaussian(),
      gravity.z + up + noise_mps2 * random.gaussian())
  }

  private mutating func begin(_ doing: Doing, at s: Double) {
    began_s = s
    switch doing {
    case .parked: next_s = s + 1e9
    case .windy: (strength_mps2, next_s) = (0.25 * random.unit(), s + 6 + 10 * random.unit())
    case .street: (strength_mps2, next_s) = (0.1 + 0.25 * random.unit(), s + 10 + 110 * random.unit())
    case .loading: (strength_mps2, next_s) = (0.5 + 2.5 * random.unit(), s + 2 + 30 * random.unit())
    case .driving: (strength_mps2, next_s) = (-2 + 4 * random.unit(), s + 2 + 6 * random.unit())
    }
  }

  /// From nothing to all and back.
  private func envelope(_ since_s: Double, _ length_s: Double) -> Double {
    since_s < length_s ? cmath_sin(.pi * since_s / length_s) : 0
  }

  mutating func look(at s: Double, _ doing: Doing) -> [Acceleration] {
    (0..<8).map { sample(at: s + Double($0) / ShakenBoard.rate_Hz, doing) }
  }
}

/// A watch with its chip, and what the vehicle does; the GPS finds out whether it has left.
struct WatchedBoard {
  private(set) var watch: AccelerationWatch
  private(set) var s = 0.0
  private(set) var signs_s: [Double] = []
  private(set) var incidents: [Incident] = []
  private(set) var looks = 0
  private(set) var tells: [Double?] = []
  var board: ShakenBoard
  private let hasEvent: Bool
  private var before: Acceleration?
  private var restsUntil_s = 0.0
  private var threshold_mps2: Double?

  init(seed: UInt64, hasEvent: Bool, _ change: (inout AccelerometerSettings) -> Void = { _ in }) {
    var settings = AccelerometerSettings()
    settings.name = "lis3dh"
    change(&settings)
    (board, self.hasEvent) = (ShakenBoard(seed: seed), hasEvent)
    watch = AccelerationWatch(settings: settings, saved: SavedState([:]))
    perform(watch.reported(.opened(hasEvent: hasEvent), at: 0))
  }

  /// - Parameter seen: what motion says that it does.
  mutating func run(_ length_s: Double, _ doing: ShakenBoard.Doing, seen: MotionStatus.State? = .stationary) {
    let end_s = s + length_s
    while s < end_s {
      let now_ms = milliseconds(s)
      perform(watch.follow(seen, pause_ms: 90_000, at: now_ms), doing)
      if hasEvent { chip(doing, at: now_ms) }
      s += hasEvent ? 1 / ShakenBoard.rate_Hz : 1
    }
  }

  /// Its event is the rate of change between two samples, as most have it; the adapter rests after each.
  private mutating func chip(_ doing: ShakenBoard.Doing, at now_ms: Int64) {
    let sample = board.sample(at: s, doing)
    defer { before = sample }
    guard let before, let threshold_mps2, s >= restsUntil_s else { return }
    let step = sample - before
    guard max(abs(step.x), abs(step.y), abs(step.z)) > threshold_mps2 else { return }
    restsUntil_s = s + 10
    perform(watch.reported(.exceeded, at: now_ms), doing)
  }

  private mutating func perform(_ actions: [AccelerationWatch.Action], _ doing: ShakenBoard.Doing = .parked) {
    for action in actions {
      switch action {
      case .order(.read):
        looks += 1
        perform(watch.reported(.samples(board.look(at: s, doing)), at: milliseconds(s)), doing)
      case .order(.tell(let above_mps2)):
        threshold_mps2 = above_mps2
        tells.append(above_mps2)
      case .signOfLife: signs_s.append(s)
      case .happened(let incident): incidents.append(incident)
      case .refused, .failed: break
      }
    }
  }

  mutating func says(_ news: AccelerationNews) { perform(watch.reported(news, at: milliseconds(s))) }
}
