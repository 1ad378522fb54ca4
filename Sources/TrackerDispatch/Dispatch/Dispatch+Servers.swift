import TrackerBase

/// News that the machine of each server hears.
extension Dispatch {
  package mutating func tick(at now_ms: Int64) { each(at: now_ms) { $0.tick(at: now_ms) } }

  package mutating func linkRestored(at now_ms: Int64, chance: Double) {
    each(at: now_ms) { $0.linkRestored(at: now_ms, chance: chance) }
  }

  package mutating func windowOpened(at now_ms: Int64, chance: Double) {
    each(at: now_ms) { $0.windowOpened(at: now_ms, chance: chance) }
  }

  /// Servers that were refused for the clock alone need not wait longer.
  package mutating func timeBecameKnown(at now_ms: Int64, chance: Double) {
    for server in servers.indices
    where servers[server].figures.lastReply == UploadReply.NoReply.tlsClock.rawValue {
      step(server, at: now_ms) { $0.linkRestored(at: now_ms, chance: chance) }
    }
  }

  package mutating func tokenCommandEnded(
    _ problem: String?, of server: Int, at now_ms: Int64, chance: Double
  ) {
    let label = servers[server].label
    if let problem {
      warn(.tokenCommand, "\(label)sync.auth_command: \(problem)")
    } else {
      log(.notice, "\(label)sync.auth_command has renewed the token")
      step(server, at: now_ms) { $0.tokenRenewed(at: now_ms, chance: chance) }
    }
  }
}
