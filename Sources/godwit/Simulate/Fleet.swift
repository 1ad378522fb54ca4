import ArgumentParser
import TrackerCore
import TrackerReplay

/// The options of `godwit simulate --fleet N`.
struct FleetOptions: ParsableArguments {
  @Option(help: "Simulate so many devices against one server, instead of a track; 1...100000.")
  var fleet: Int?

  @Option(help: "Fleet: requests that the server answers in a second.")
  var capacity = 100

  @Option(
    help: """
      Fleet: what happens to all devices in the same instant. window: their windows open. window-end: they end. \
      outage: the server comes back.
      """)
  var scenario = FleetPlan.Scenario.outage

  @Option(help: "Fleet: how long the server is away, such as 24h or 90s, at most 168h.")
  var outage = "24h"

  @Option(
    help: "Fleet: while away, connections are refused, it answers busy (503), or the devices are offline.")
  var away = FleetPlan.Away.refused

  @Option(help: "Fleet: Retry-After of each 503, in seconds. Default: none.")
  var retryAfter: Int?

  @Option(help: "Fleet: records that each device holds at the start.")
  var records = 10

  @Option(help: "Fleet: records that each device makes in an hour.")
  var recordsPerHour = 60.0

  @Option(help: "Fleet: mean time of a request in seconds, without waiting at the server.")
  var latency = 0.8

  @Option(help: "Fleet: watch for at least so long after the instant, such as 15m.")
  var watch = "15m"

  @Option(help: "Fleet: chooses every chance; the same seed gives the same result.")
  var seed: UInt64 = 1

  func validate() throws {
    guard let fleet else { return }
    try check((1...100_000).contains(fleet), "--fleet \(fleet) is not in 1...100000")
    try check((1...1_000_000).contains(capacity), "--capacity \(capacity) is not in 1...1000000")
    try check((0...100_000).contains(records), "--records \(records) is not in 0...100000")
    try check(
      (0...36_000).contains(recordsPerHour), "--records-per-hour \(recordsPerHour) is not in 0...36000")
    try check((0.01...120).contains(latency), "--latency \(latency) is not in 0.01...120")
    if let retryAfter {
      try check((1...86_400).contains(retryAfter), "--retry-after \(retryAfter) is not in 1...86400")
    }
    _ = try FleetOptions.length_s(outage, of: "--outage")
    _ = try FleetOptions.length_s(watch, of: "--watch")
  }

  private func check(_ isFine: Bool, _ words: String) throws {
    if !isFine { throw ValidationError(words) }
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
    var plan = FleetPlan(settings: settings, scenario: options.scenario)
    plan.devices = devices
    plan.capacity_rps = options.capacity
    plan.outage_s = try FleetOptions.length_s(options.outage, of: "--outage")
    plan.watch_s = try FleetOptions.length_s(options.watch, of: "--watch")
    plan.away = options.away
    plan.retryAfter_s = options.retryAfter
    plan.queued = options.records
    plan.recordsPerHour = options.recordsPerHour
    plan.latency_s = options.latency
    plan.seed = options.seed
    return plan
  }
}
