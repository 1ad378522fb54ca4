import ArgumentParser
import TrackerBase
import TrackerIO

@main
struct FleetBenchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lets a fleet meet one server in virtual time; see docs/simulate.md.")

  @Argument(help: "So many devices; 1...100000.") var devices: Int

  @Option(help: "Settings file of each device. Default: the defaults.") var config: String?

  @Option(
    name: .customLong("set"), help: "Set one value anew, such as sync.splay_s=120. May be repeated.")
  var overrides: [String] = []

  @Option(help: "Requests that the server answers in a second. Default: 100.") var capacity: Int?

  @Option(
    help: """
      What happens to all devices in the same instant. window: their windows open. window-end: they end. \
      outage: the server comes back. Default: outage.
      """)
  var scenario: FleetPlan.Scenario?

  @Option(help: "How long the server is away, such as 24h or 90s, at most 168h. Default: 24h.")
  var outage: String?

  @Option(
    help: """
      While away, connections are refused, it answers busy (503), or the devices are offline. Default: refused.
      """)
  var away: FleetPlan.Away?

  @Option(help: "Retry-After of each 503, in seconds. Default: none.") var retryAfter: Int?

  @Option(help: "Records that each device holds at the start. Default: 10.") var records: Int?

  @Option(help: "Records that each device makes in an hour. Default: 60.") var recordsPerHour: Double?

  @Option(help: "Mean time of a request in seconds, without waiting at the server. Default: 0.8.")
  var latency: Double?

  @Option(help: "Watch for at least so long after the instant, such as 15m. Default: 15m.") var watch: String?

  @Option(help: "Chooses every chance; the same seed gives the same result. Default: 1.") var seed: UInt64?

  @Flag(help: "Print the result as JSON.") var json = false

  func validate() throws {
    try check(devices, in: 1...100_000, of: "DEVICES")
    try check(capacity, in: 1...1_000_000, of: "--capacity")
    try check(records, in: 0...100_000, of: "--records")
    try check(recordsPerHour, in: 0...36_000, of: "--records-per-hour")
    try check(latency, in: 0.01...120, of: "--latency")
    try check(retryAfter, in: 1...86_400, of: "--retry-after")
    _ = try outage.map { try length_s($0, of: "--outage") }
    _ = try watch.map { try length_s($0, of: "--watch") }
  }

  func run() throws {
    do throws(SettingsFileError) {
      let settings = try SettingsFile.read(config, overrides: SettingsOverride.entries(overrides))
      print(report(settings.sync), terminator: "")
    } catch { throw ValidationError("\(error)") }
  }

  /// - Parameter settings: of each device.
  /// - Returns: the report, or one line of JSON.
  func report(_ settings: SyncSettings) -> String {
    let result = FleetModel.run(plan(settings))
    return json ? FleetJSON.text(result) + "\n" : FleetText.text(result)
  }

  /// Of options that `validate` has passed.
  func plan(_ settings: SyncSettings) -> FleetPlan {
    var plan = FleetPlan(settings: settings, scenario: scenario ?? .outage)
    plan.devices = devices
    plan.capacity_rps = capacity ?? plan.capacity_rps
    plan.outage_s = outage.flatMap { try? length_s($0, of: "--outage") } ?? plan.outage_s
    plan.watch_s = watch.flatMap { try? length_s($0, of: "--watch") } ?? plan.watch_s
    plan.away = away ?? plan.away
    plan.retryAfter_s = retryAfter
    plan.queued = records ?? plan.queued
    plan.recordsPerHour = recordsPerHour ?? plan.recordsPerHour
    plan.latency_s = latency ?? plan.latency_s
    plan.seed = seed ?? plan.seed
    return plan
  }

  private func check<Number: Comparable>(_ value: Number?, in range: ClosedRange<Number>, of option: String)
    throws
  {
    guard let value, !range.contains(value) else { return }
    throw ValidationError("\(option) \(value) is not in \(range)")
  }

  /// `24h`, `1h30m`, `90s`, or plain seconds.
  private func length_s(_ text: String, of option: String) throws -> Int64 {
    guard let length_s = Int64(text) ?? lengthInSeconds(text) else {
      throw ValidationError("\(option) \"\(text)\" is not a length such as 24h, 90s or 3600")
    }
    guard (1...604_800).contains(length_s) else {
      throw ValidationError("\(option) \(text) is not in 1s...168h")
    }
    return length_s
  }
}

extension FleetPlan.Scenario: ExpressibleByArgument {}
extension FleetPlan.Away: ExpressibleByArgument {}
