@testable import TrackerBase
@testable import TrackerBoard
@testable import TrackerCore
@testable import TrackerDispatch
@testable import TrackerJourney
@testable import TrackerReceiver
@testable import TrackerRemote

extension LocateAnswer {
  var words: String {
    switch self {
    case .fix: "a fix"
    case .none(let words): words
    }
  }
}

extension CommandOffers {
  static func of(_ commands: (String, Command)..., expires_ms: Int64? = nil) -> CommandOffers {
    var offers = CommandOffers()
    offers.offers = commands.map {
      CommandOffer(id: $0, name: $1.name, wish: .command($1), expires_ms: expires_ms)
    }
    return offers
  }
}

extension Command {
  fileprivate var name: String {
    let name: Name =
      switch self {
      case .locate: .locate
      case .sync: .sync
      case .status: .status
      case .intent(.pause): .pause
      case .intent(.track): .trackFor
      case .intent(.resume): .resume
      case .report: .report
      case .restart: .restart
      case .retryQuarantine: .retryQuarantine
      }
    return name.rawValue
  }
}

extension TrackerTimeline {
  /// On the road all day, or parked.
  static func driving(
    parked: Bool = false, rules: [String] = [], isSynchronised: Bool = true,
    _ change: @escaping (inout Settings) -> Void = { _ in }
  ) throws -> TrackerTimeline {
    var drive = Drive()
    drive.park(200)
    if !parked { drive.go(100_000, speed_mps: 12) }
    drive.park(90_000)
    return try TrackerTimeline(drive, rules: rules, isSynchronised: isSynchronised, change)
  }

  /// The next reply, and each after it, brings these.
  func serverSays(_ offers: CommandOffers, isPlainHTTP: Bool = false, names: Bool = true) {
    server = { batch, _ in
      let sent = batch.map(\.sequence)
      let echoed = isPlainHTTP && names ? sent : nil
      var reply = UploadReply.of(200, sent: sent, echoed: echoed, isPlainHTTP: isPlainHTTP)
      reply.commands = offers
      return reply
    }
  }

  /// With the next request, which a warning makes.
  func command(_ offers: CommandOffers) {
    serverSays(offers)
    happen(.hostProblem(.runFolder("words")))
    run(to: now_s + 4000)
  }

  /// What storage has of a command.
  func noted(_ id: String) -> String? {
    disk.commands?.array?.first { $0["id"]?.string == id }?["outcome"]?.string
  }

  var results: [String] {
    let results = tracker.status(at: now).commands?.results ?? []
    return results.map { "\($0.id) \($0.result.rawValue)" + ($0.why.isEmpty ? "" : ": \($0.why)") }
  }
}
