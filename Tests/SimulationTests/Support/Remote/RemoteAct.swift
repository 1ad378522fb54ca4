import TrackerLab

/// What servers order from afar, and what a copied card does (docs/remote.md, docs/queue.md).
enum RemoteAct: Equatable {
  enum Version: String, CaseIterable {
    /// Some settings; none.
    case good, takesBack
    /// With a value or a setting that no server may set.
    case refused
    /// As long as it is in force there is no network.
    case cutsOff
    /// It cannot be read.
    case malformed
    /// One that was sent before comes again.
    case replayed
  }

  enum Order: String, CaseIterable {
    case locate, sync, status, trackFor, pause, resume, report, restart, quarantineRetry
    /// No such command; too late; without an id.
    case unknown, expired, unnamed
    /// One that was done comes again, and one twice in a reply.
    case again
    /// More than one reply, and more than an hour, may bring.
    case flood
  }

  case version(Version, draw: UInt64)
  case order(Order, draw: UInt64)
  /// The card goes on in another board.
  case otherBoard
  /// Another box with the same card sends under the identities that come next here.
  case twin

  var name: String {
    switch self {
    case .version(let version, _): "version \(version)"
    case .order(let order, _): "order \(order)"
    case .otherBoard: "other board"
    case .twin: "twin"
    }
  }

  /// Drawn aside, so that the seeds keep what else happens on their days.
  static func day(seed: UInt64, until_ms: Int64) -> [FaultPlan.Timed<Blow>] {
    var random = SeededRandom(seed: seed &* 0x9E37_79B9 &+ 17)
    var acts: [FaultPlan.Timed<Blow>] = []
    func add(_ act: RemoteAct) {
      let at_ms = Int64(random.uniform() * Double(until_ms - 60_000))
      acts.append(FaultPlan.Timed(at_ms: at_ms, what: .remote(act)))
    }
    for _ in 0..<Int(random.uniform() * 8) {
      let kinds: [Version] = [.good, .good] + Version.allCases
      add(.version(kinds[Int(random.uniform() * Double(kinds.count))], draw: random.next()))
    }
    for _ in 0..<Int(random.uniform() * 16) {
      let kinds = Order.allCases
      add(.order(kinds[Int(random.uniform() * Double(kinds.count))], draw: random.next()))
    }
    for _ in 0..<Int(random.uniform() * 2.5) { add(.otherBoard) }
    for _ in 0..<Int(random.uniform() * 2.5) { add(.twin) }
    return acts
  }
}
