import TrackerBase

/// What the accelerometer says of the vehicle: that somebody uses it, lifts it, or has crashed it. On the boot clock.
///
/// While it is parked it is looked at as often as probes would be at their closest, and where the chip has an event of its
/// own that tells at once. While it drives only that is waited for: nobody looks.
struct AccelerationWatch: Equatable, Sendable {
  enum Action: Equatable, Sendable {
    case order(AccelerationOrder)
    /// Somebody uses the parked vehicle.
    case signOfLife
    case happened(Incident)
    case refused(String)
    case failed(String)
  }

  enum Device: Equatable, Sendable {
    /// There is none, or not yet.
    case absent
    /// It is read only.
    case silent
    /// It tells by itself; nil: of nothing.
    case telling(above_mps2: Double?)
  }

  enum State: Equatable, Sendable {
    case unwatched
    case moving(hitAt_ms: Int64?)
    case parked(Parked)
  }

  struct Parked: Equatable, Sendable {
    var nextLook_ms: Int64
    /// What it has measured at rest; nil: not yet.
    var rest: Acceleration?
    /// The look before this one found it tilted.
    var wasTilted = false
    /// When a tow was told last.
    var towedAt_ms: Int64?
    /// A sign of life after which it has not left yet.
    var signAt_ms: Int64?
  }

  private var settings: AccelerometerSettings
  private(set) var device = Device.absent
  private(set) var state = State.unwatched
  private(set) var noise = ParkedNoise()
  private(set) var hasFailed = false
  private(set) var signs = 0

  /// Whoever uses it leaves within so long, or the sign was none.
  static let signLasts_ms = DepartureCause.signLasts_ms
  /// A vehicle that comes to rest goes on moving: doors, and what the suspension does.
  static let settles_ms: Int64 = 30_000
  /// A second look at what seems tilted.
  static let secondLook_ms: Int64 = 15_000
  /// One crash is one, however often it turns over, and so is a chip that never ceases.
  static let crashLasts_ms: Int64 = 60_000
  /// One tow is one, however often it is lifted and set down, and so is a chip that flips to and fro.
  static let towLasts_ms: Int64 = 3_600_000
  static let most_mps2 = 10_000.0
  /// What is measured at rest follows a load that is put in.
  static let restShare = 1.0 / 8

  init(settings: AccelerometerSettings, saved: SavedState) {
    self.settings = settings
    noise = saved.value("acceleration") ?? ParkedNoise()
  }

  /// The device is opened again.
  mutating func adopt(_ settings: AccelerometerSettings) {
    (self.settings, device, state) = (settings, .absent, .unwatched)
    hasFailed = hasFailed && settings.exists
  }

  /// What counts as use at present; nil: nobody looks.
  var threshold_mps2: Double? {
    guard settings.exists, device != .absent else { return nil }
    return noise.threshold_mps2(least: settings.wake_mps2)
  }

  var use: LinesStatus.Accelerometer {
    switch device {
    case .absent: hasFailed ? .failed : .opening
    case .silent: .read
    case .telling: .tells
    }
  }

  var deadline_ms: Int64? {
    guard case .parked(let parked) = state, device != .absent else { return nil }
    return parked.nextLook_ms
  }

  // MARK: What the vehicle does

  /// After each event. - Parameters:
  ///   - name: nil: nobody watches the vehicle.
  ///   - pause_ms: the shortest between two looks.
  mutating func follow(_ name: MotionStatus.State?, pause_ms: Int64, at now_ms: Int64) -> [Action] {
    switch (name, state) {
    case (nil, .unwatched), (.unknown, .unwatched), (.moving, .moving): break
    case (nil, _), (.unknown, _): state = .unwatched
    case (.moving, .unwatched): state = .moving(hitAt_ms: nil)
    case (.moving, .parked(let parked)):
      if parked.signAt_ms != nil { noise.wasTrue() }
      state = .moving(hitAt_ms: nil)
    case (.stationary, .unwatched), (.stationary, .moving):
      state = .parked(Parked(nextLook_ms: now_ms + AccelerationWatch.settles_ms))
    case (.stationary, .parked(var parked)):
      judgeSign(&parked, at: now_ms)
      let isDue = device != .absent && now_ms >= parked.nextLook_ms
      if isDue { parked.nextLook_ms = now_ms + pause_ms }
      state = .parked(parked)
      return thresholdOrder() + (isDue ? [.order(.read)] : [])
    }
    return thresholdOrder()
  }

  private mutating func judgeSign(_ parked: inout Parked, at now_ms: Int64) {
    guard let sign_ms = parked.signAt_ms, now_ms - sign_ms >= AccelerationWatch.signLasts_ms else { return }
    parked.signAt_ms = nil
    noise.wasFalse()
  }

  /// Gives the chip the threshold that it is to have, where it has another one.
  private mutating func thresholdOrder() -> [Action] {
    guard case .telling(let before_mps2) = device else { return [] }
    let above_mps2: Double? =
      switch state {
      case .unwatched: nil
      case .moving: settings.crash_mps2 > 0 ? settings.crash_mps2 : nil
      case .parked: threshold_mps2
      }
    guard isOther(above_mps2, than: before_mps2) else { return [] }
    device = .telling(above_mps2: above_mps2)
    return [.order(.tell(above_mps2: above_mps2))]
  }

  /// What is learned with each look is no reason to write to the chip.
  private func isOther(_ above_mps2: Double?, than before_mps2: Double?) -> Bool {
    guard let above_mps2, let before_mps2 else { return above_mps2 != before_mps2 }
    return abs(above_mps2 - before_mps2) > before_mps2 / 10
  }

  // MARK: What it says

  mutating func reported(_ news: AccelerationNews, at now_ms: Int64) -> [Action] {
    switch news {
    case .opened(let hasEvent):
      (device, hasFailed) = (hasEvent ? .telling(above_mps2: nil) : .silent, false)
      return thresholdOrder()
    case .eventRefused(let words):
      device = .silent
      return [.refused(words)]
    case .failed(let words):
      (device, hasFailed) = (.absent, true)
      if case .parked(var parked) = state {
        // What it measures once it is back may be another chip's.
        (parked.rest, parked.wasTilted) = (nil, false)
        state = .parked(parked)
      }
      return [.failed(words)]
    case .exceeded: return exceeded(at: now_ms)
    case .samples(let samples): return measured(samples, at: now_ms)
    }
  }

  private mutating func exceeded(at now_ms: Int64) -> [Action] {
    guard case .telling(let above_mps2?) = device else { return [] }
    switch state {
    case .unwatched: return []
    case .moving(let hitAt_ms):
      state = .moving(hitAt_ms: now_ms)
      if let hitAt_ms, now_ms - hitAt_ms < AccelerationWatch.crashLasts_ms { return [] }
      return [.happened(.crash(over_mps2: Resolution.tenths(above_mps2)))]
    case .parked(var parked):
      // Lifted or only shaken: a look says so.
      parked.nextLook_ms = min(parked.nextLook_ms, now_ms + AccelerationWatch.secondLook_ms)
      return sign(&parked, at: now_ms)
    }
  }

  private mutating func sign(_ parked: inout Parked, at now_ms: Int64) -> [Action] {
    judgeSign(&parked, at: now_ms)
    if parked.signAt_ms == nil {
      parked.signAt_ms = now_ms
      signs += 1
    }
    state = .parked(parked)
    return thresholdOrder() + [.signOfLife]
  }

  private mutating func measured(_ all: [Acceleration], at now_ms: Int64) -> [Action] {
    // No chip measures more, and what is no number is no measurement.
    let samples = all.filter { $0.length < AccelerationWatch.most_mps2 }
    guard case .parked(var parked) = state, let mean = Acceleration.mean(samples), device != .absent else {
      return []
    }
    guard let rest = parked.rest else {
      parked.rest = mean
      state = .parked(parked)
      return []
    }
    let deviation_mps2 = samples.reduce(0) { max($0, ($1 - rest).length) }
    let isShaken = deviation_mps2 > noise.threshold_mps2(least: settings.wake_mps2)
    noise.measured(deviation_mps2, least: settings.wake_mps2)
    if let tilt = tilt(of: mean, from: rest, &parked, at: now_ms) {
      return [.happened(tilt)] + sign(&parked, at: now_ms)
    }
    if isShaken { return sign(&parked, at: now_ms) }
    parked.rest = rest.moved(to: mean, share: AccelerationWatch.restShare)
    state = .parked(parked)
    return thresholdOrder()
  }

  /// Two looks have found it tilted. From then on it is at rest as it is.
  private func tilt(
    of mean: Acceleration, from rest: Acceleration, _ parked: inout Parked, at now_ms: Int64
  ) -> Incident? {
    guard settings.tilt_deg > 0, let angle_deg = mean.angle_deg(to: rest), angle_deg > settings.tilt_deg
    else {
      parked.wasTilted = false
      return nil
    }
    guard parked.wasTilted else {
      parked.wasTilted = true
      parked.nextLook_ms = min(parked.nextLook_ms, now_ms + AccelerationWatch.secondLook_ms)
      return nil
    }
    (parked.wasTilted, parked.rest) = (false, mean)
    if let towedAt_ms = parked.towedAt_ms, now_ms - towedAt_ms < AccelerationWatch.towLasts_ms { return nil }
    parked.towedAt_ms = now_ms
    return .tow(tilt_deg: Resolution.tenths(angle_deg))
  }
}
