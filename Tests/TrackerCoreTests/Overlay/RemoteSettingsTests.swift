import Testing

@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

/// Which settings the server may set.
@Suite("Remote settings")
struct RemoteSettingsTests {
  private static let lines = SettingsListing.lines(of: Settings())
  private static let remote = lines.filter(\.isRemote).map(\.key)

  /// Each is a decision: what a server sets wrong must show within the trial, and never be what reaches the server.
  private static let expected = [
    "schedule",
    "gps.device_timeout_s", "gps.fix_timeout_s", "gps.first_fix_timeout_s", "gps.silence_timeout_s",
    "gps.retry_pause_max_s", "gps.settle_accuracy_m", "gps.settle_timeout_s", "gps.max_accuracy_m",
    "gps.unknown_accuracy_m",
    "gps.max_fix_age_s", "gps.max_speed_mps",
    "vibration.edges", "vibration.window_s",
    "accelerometer.wake_mps2", "accelerometer.tilt_deg", "accelerometer.crash_mps2",
    "battery.read_interval_s", "battery.low_v", "battery.hysteresis_v", "battery.settle_s",
    "battery.charging_above_v", "battery.low_factor",
    "motion.mode", "motion.stop_timeout_s", "motion.stationary_radius_m", "motion.departure_distance_m",
    "motion.gps_off_when_parked", "motion.probe_interval_s", "motion.probe_share",
    "motion.probe_interval_max_s", "motion.probe_worth", "motion.cells", "motion.probe_worth_with_cells",
    "motion.probe_timeout_s",
    "motion.lost_trip_timeout_s",
    "motion.ignition_off_timeout_s", "motion.parked_heartbeat_s", "motion.activity_events",
    "track.preset", "track.sampling", "track.max_error_m", "track.max_interval_s", "track.distance_filter_m",
    "track.elasticity", "track.course_step_deg", "track.speed_step_mps", "track.speed_limit_mps",
    "track.harsh_braking_mps2",
    "sync.order", "sync.sync_threshold", "sync.sync_interval_s", "sync.max_batch_size",
    "sync.sync_retry_base_s", "sync.sync_retry_max_s", "sync.unauthorised_retry_s", "sync.splay_s",
    "sync.connect_timeout_s", "sync.request_timeout_s", "sync.status_interval_s",
    "run.log_level",
  ]

  @Test("are these")
  func list() { #expect(Self.remote == Self.expected) }

  /// Settings of free text name places, programs and persons; a schedule's grammar is checked word by word.
  @Test(
    "are numbers, flags and choices, but for the schedule: no text, so no URL, path, program or credential")
  func kinds() {
    var (free, settings) = ([String](), Settings())
    settings.change { setting, path in
      guard setting.isRemote else { return }
      switch setting.type {
      case .number, .integer, .flag, .choice: break
      case .text, .texts, .table: free.append(path.joined(separator: "."))
      }
    }
    #expect(free == ["schedule"])
  }

  @Test("none says where something is sent, read or run, by its name", arguments: remote)
  func names(key: String) {
    let words = Set(key.split { $0 == "." || $0 == "_" }.map { String($0) })
    let forbidden: Set = [
      "url", "token", "user", "password", "header", "headers", "file", "files", "command", "program", "path",
      "directory", "host", "port", "device", "interface", "chip", "line", "power", "plaintext", "also", "ack",
      "format", "queue", "trial", "budget",
    ]
    // The only one of them is a time.
    #expect(words.isDisjoint(with: forbidden) || key == "gps.device_timeout_s")
  }

  @Test("can be exchanged by a running agent")
  func noRestart() { #expect(Self.lines.filter { $0.isRemote && $0.needsRestart } == []) }

  @Test("are marked in the reference")
  func reference() {
    let text = ReferenceWriter.text()
    #expect(text.contains("# stop_timeout_s = 300  # 10 to 7200 s; remote\n"))
    #expect(text.contains("# schedule = []  # remote\n"))
    #expect(text.contains("# port = 2947  # 1 to 65535\n"))
    let marked = text.split(separator: "\n").filter { $0.hasSuffix("; remote") || $0.hasSuffix("# remote") }
    #expect(marked.count == Self.expected.count)
  }
}
