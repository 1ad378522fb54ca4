import TrackerBase

/// Distinguishes a vehicle that is being used from a passing lorry: so many edges within a window.
public struct VibrationMeter: Equatable, Sendable {
  /// Edges that counted.
  public private(set) var edges = 0
  private let settings: VibrationSettings
  /// Boot times of the newest edges that counted, oldest first: as many as the threshold needs.
  private var recent_ms: [Int64] = []
  private var shakenAt_ms: Int64?

  /// A vehicle that goes on shaking is reported again after so long.
  static let repeat_ms: Int64 = 30_000

  public init(settings: VibrationSettings) { self.settings = settings }

  /// One edge of the sensor's line. - Returns: whether the vehicle counts as shaken by it.
  public mutating func edge(at now_ms: Int64) -> Bool {
    // One knock makes the sensor's spring close many times.
    if let last_ms = recent_ms.last, now_ms - last_ms < Int64(settings.debounce_ms) { return false }
    edges += 1
    recent_ms.append(now_ms)
    if recent_ms.count > settings.edges { recent_ms.removeFirst() }
    guard recent_ms.count == settings.edges, now_ms - recent_ms[0] <= milliseconds(settings.window_s) else {
      return false
    }
    if let shakenAt_ms, now_ms - shakenAt_ms < VibrationMeter.repeat_ms { return false }
    shakenAt_ms = now_ms
    return true
  }
}
