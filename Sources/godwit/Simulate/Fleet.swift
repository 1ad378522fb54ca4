import ArgumentParser
import TrackerCore
import TrackerReplay

/// The options of `godwit simulate --fleet N`.
struct FleetOptions: ParsableArguments {
  @Option(help: "Simulate so many devices against one server, instead of a track; 1...100000.")
  var fleet: Int?

  @Option(help: "Fleet: requests that the server answers in a second. Default: 100.")
  var capacity: Int?

  @Option(
    help: """
      Fleet: what happens to all devices in the same instant. window: their windows open. window-end: they end. \
      outage: the server comes back. Default: outage.
      """)
  var scenario: FleetPlan.Scenario?

  @Option(help: "Fleet: how long the server is away, such as 24h or 90s, at most 168h. Default: 24h.")
  var outage: String?

  @Option(
    help: """
      Fleet: while away, connections are refused, it answers busy (503), or the devices are offline. \
      Default: refused.
      """)
  var away: FleetPlan.Away?

  @Option(help: "Fleet: Retry-After of each 503, in seconds. Default: none.")
  var retryAfter: Int?

  @Option(help: "Fleet: records that each device holds at the start. Default: 10.")
  var records: Int?

  @Option(help: "Fleet: records that each device makes in an hour. Default: 60.")
  var recordsPerHour: Double?

  @Option(help: "Fleet: mean time of a request in seconds, without waiting at the server. Default: 0.8.")
  var latency: Double?

  @Option(help: "Fleet: watch for at least so long after the instant, such as 15m. Default: 15m.")
  var watch: String?

  @Option(help: "Fleet: chooses every chance; the same seed gives the same result. Default: 1.")
  var seed: UInt64?

  func validate() throws {
    guard let fleet else {
      if let name = given.first {
        throw ValidationError("\(name) is for a fleet: add --fleet N, or leave it away")
      }
      return
    }
    try check(fleet, in: 1...100_000, of: "--fleet")
    try check(capacity, in: 1...1_000_000, of: "--capacity")
    try check(records, in: 0...100_000, of: "--records")
    try check(recordsPerHour, in: 0...36_000, of: "--records-per-hour")
    try check(latency, in: 0.01...120, of: "--latency")
    try check(retryAfter, in: 1...86_400, of: "--retry-after")
    _ = try outage.map { try FleetOptions.length_s($0, of: "--outage") }
    _ = try watch.map { try FleetOptions.length_s($0, of: "--watch") }
  }

  /// Names of the options that were given, but for --fleet itself.
  private var given: [String] {
    let all: [(String, Any?)] = [
      ("--capacity", capacity), ("--scenario", scenario), ("--outage", outage), ("--away", away),
      ("--retry-after", retryAfter), ("--records", records), ("--records-per-hour", recordsPerHour),
      ("--latency", latency), ("--watch", watch), ("--seed", seed),
    ]
    return all.filter { $0.1 != nil }.map(\.0)
  }

  private func check<Number: Comparable>(_ value: Number?, in range: ClosedRange<Number>, of option: String)
    throws
  {
    guard let value, !range.contains(value) else { return }
    throw ValidationError("\(option) \(value) is not in \(range)")
  }

  /// `24h`, `1h30m`, `90s`, or plain seconds.
  static func length_s(_ text: String, of option: String) throws -> Int64 {
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

/// `godwit simulate --fleet N`
enum FleetSimulation {
  /// - Parameter settings: of each device.
  /// - Returns: the report, or one line of JSON.
  static func run(_ options: FleetOptions, settings: Settings, json: Bool) throws -> String {
    let result = FleetModel.run(try plan(options, settings: settings.sync))
    return json ? FleetJSON.text(result) + "\n" : FleetText.text(result)
  }

  static func plan(_ options: FleetOptions, settings: SyncSettings) throws -> FleetPlan {
    guard let devices = options.fleet else {
      throw ValidationError("name the number of devices with --fleet N")
    }
    var plan = FleetPlan(settings: settings, scenario: options.scenario ?? .outage)
    plan.devices = devices
    plan.capacity_rps = options.capacity ?? plan.capacity_rps
    plan.outage_s = try options.outage.map { try FleetOptions.length_s($0, of: "--outage") } ?? plan.outage_s
    plan.watch_s = try options.watch.map { try FleetOptions.length_s($0, of: "--watch") } ?? plan.watch_s
    plan.away = options.away ?? plan.away
    plan.retryAfter_s = options.retryAfter
    plan.queued = options.records ?? plan.queued
    plan.recordsPerHour = options.recordsPerHour ?? plan.recordsPerHour
    plan.latency_s = options.latency ?? plan.latency_s
    plan.seed = options.seed ?? plan.seed
    return plan
  }
}
