import TrackerBase

/// What came in place of fixes that can be used, since the last one.
struct MissedFixes: Equatable, Sendable {
  /// Why there is none.
  enum Cause: Equatable, Sendable {
    case noSky
    /// Satellites are heard.
    case noPosition
    case refused(FixRejection)
  }

  private var unheard = 0
  private var heard = 0
  private var refused: [FixRejection: Int] = [:]

  /// - Parameter hearsSky: nil: the receiver does not say it.
  mutating func noFix(hearsSky: Bool?) {
    if hearsSky == true { heard += 1 } else { unheard += 1 }
  }

  mutating func refused(_ reason: FixRejection) { refused[reason, default: 0] += 1 }

  /// The most frequent one; nil: nothing came.
  var cause: Cause? {
    let refusals = refused.values.reduce(0, +)
    guard refusals + heard + unheard > 0 else { return nil }
    if refusals >= heard + unheard, let reason = FixRejection.allCases.max(by: count) {
      return .refused(reason)
    }
    return heard > unheard ? .noPosition : .noSky
  }

  private func count(_ one: FixRejection, isLess other: FixRejection) -> Bool {
    refused[one, default: 0] < refused[other, default: 0]
  }
}

extension MissedFixes.Cause {
  /// As status and warnings name it.
  var names: (cause: NoTrackCause, warning: WarningName) {
    switch self {
    case .noSky: (.noSky, .noSky)
    case .noPosition: (.noFix, .noFix)
    case .refused(.accuracy): (.accuracy, .accuracy)
    case .refused(.noTime): (.noTime, .noTime)
    case .refused(.position), .refused(.stale), .refused(.duplicate), .refused(.backwards),
      .refused(.ahead), .refused(.undated), .refused(.elsewhere):
      (.fixesRefused, .fixesRefused)
    }
  }

  /// For the agent's log and `godwit locate` alike.
  func words(_ settings: GPSSettings) -> String {
    switch self {
    case .noSky: return "no satellite is heard"
    case .noPosition: return "satellites are heard, but too few or too weak for a fix"
    case .refused(let rejection):
      let (reason, advice) = rejection.words(settings)
      return "\(reason): look at \(advice)"
    }
  }
}

extension FixRejection {
  /// Why fixes are refused, and what to look at.
  public func words(_ settings: GPSSettings) -> (reason: String, advice: String) {
    switch self {
    case .accuracy:
      let most = SettingText.number(settings.maxAccuracy_m)
      return (
        "fixes come, but less accurate than gps.max_accuracy_m (\(most) m)",
        "the antenna and its view of the sky"
      )
    case .noTime:
      return (
        "positions come, but without a time",
        "the receiver's sentences (RMC or ZDA is needed), its line, and the system's clock"
      )
    case .position:
      return ("positions come that no vehicle can have, such as 0, 0", "the receiver's settings")
    case .stale: return ("fixes come, but older than gps.max_fix_age_s", "what holds them back")
    case .duplicate: return ("the same fix comes again and again", "the receiver: it hangs")
    case .backwards, .ahead, .undated:
      return ("fixes come, but with dates that contradict each other", "the receiver's settings")
    case .elsewhere: return ("fixes come, but of a place out of reach", "the antenna and its view of the sky")
    }
  }
}
