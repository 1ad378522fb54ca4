@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Second 0 of every timeline: 2025-06-02 06:00:00 UTC.
let epoch_ms: Int64 = 1_748_844_000_000

extension Position {
  static let origin = Position(latitude_deg: 47, longitude_deg: 8)

  /// Metres from the origin, on the same plane that `distance_m` uses.
  static func at(east_m: Double, north_m: Double) -> Position {
    let metresPerDegree = Position.earthRadius_m * Double.pi / 180
    let latitude_deg = origin.latitude_deg + north_m / metresPerDegree
    let middle_deg = (latitude_deg + origin.latitude_deg) / 2
    return Position(
      latitude_deg: latitude_deg,
      longitude_deg: origin.longitude_deg + east_m / (metresPerDegree * cosine(degrees: middle_deg)))
  }
}

extension Fix {
  /// A fix `s` seconds into the timeline.
  static func at(
    _ s: Double, east_m: Double = 0, north_m: Double = 0, speed_mps: Double? = 0, accuracy_m: Double = 5
  ) -> Fix {
    Fix(
      time_ms: epoch_ms + milliseconds(s), position: .at(east_m: east_m, north_m: north_m),
      speed_mps: speed_mps, accuracy_m: accuracy_m)
  }

  /// Seconds into the timeline.
  var at_s: Double { Double(time_ms - epoch_ms) / 1000 }
}

extension GPSReport {
  static func at(
    _ s: Double, east_m: Double = 0, north_m: Double = 0, speed_mps: Double? = 0, accuracy_m: Double? = 5
  ) -> GPSReport {
    let position = Position.at(east_m: east_m, north_m: north_m)
    return GPSReport(
      mode: 3, time_ms: epoch_ms + milliseconds(s), latitude_deg: position.latitude_deg,
      longitude_deg: position.longitude_deg, speed_mps: speed_mps, accuracy_m: accuracy_m, satellites: 9)
  }

  func with(_ change: (inout GPSReport) -> Void) -> GPSReport {
    var report = self
    change(&report)
    return report
  }
}

extension Moment {
  static func at(_ s: Double) -> Moment {
    Moment(boot_ms: milliseconds(s), wall_ms: epoch_ms + milliseconds(s))
  }
}

extension Settings {
  /// The defaults, with a server and without a splay, changed.
  static func with(_ change: (inout Settings) -> Void = { _ in }) -> Settings {
    var settings = Settings()
    settings.sync.url = "https://fleet.example/positions"
    settings.sync.splay_s = 0
    settings.gps.power.mode = .level
    change(&settings)
    return settings
  }
}

extension UploadReply {
  static func of(
    _ status: Int, failure: NoReply? = nil, type: String = "application/json", retryAfter_s: Int? = nil,
    sent: [Int64] = [1], echoed: [Int64]? = nil, refused: [Int64: String] = [:], isPlainHTTP: Bool = false,
    bytesUp: Int64 = 0
  ) -> UploadReply {
    UploadReply(
      status: status, failure: failure, message: "words", contentType: type, retryAfter_s: retryAfter_s,
      sent: sent, echoed: echoed, refused: refused, isPlainHTTP: isPlainHTTP, bytesUp: bytesUp)
  }
}
