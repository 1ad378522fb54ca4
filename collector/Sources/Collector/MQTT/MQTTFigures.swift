/// What has come over MQTT since the start, and whether the broker is there: for the page of metrics.
final class MQTTFigures: Sendable {
  /// What became of a message.
  enum Outcome: String, CaseIterable, Sendable {
    case stored
    case malformed
    case tooLarge = "too_large"
    case otherTopic = "other_topic"
  }

  private struct State {
    var isConnected = false
    var messages: [Outcome: Int] = [:]
    var records = RecordCounts()
    var losses: [String: Int] = [:]
    var forgotten = 0
    var inFlight = 0
    var held = 0
  }

  private let state = Locked(State())

  /// - Parameter bad: records of the message that can never be stored.
  func count(_ outcome: Outcome, _ receipt: Receipt? = nil, bad: Int = 0) {
    state.with { state in
      state.messages[outcome, default: 0] += 1
      if let receipt { state.records.add(receipt) }
      state.records.refused += bad
    }
  }

  func held(_ change: Int) { state.with { $0.held += change } }

  func inFlight(_ count: Int) { state.with { $0.inFlight = count } }

  func told(_ news: MQTTSession.News) {
    state.with { state in
      switch news {
      case .subscribed(let isForgotten):
        if isForgotten { state.forgotten += 1 } else { state.isConnected = true }
      case .lost(let loss, _, _):
        state.isConnected = false
        state.losses[loss.key, default: 0] += 1
      }
    }
  }

  func count(of outcome: Outcome) -> Int { state.with { $0.messages[outcome] ?? 0 } }
  var isConnected: Bool { state.with { $0.isConnected } }
  var held: Int { state.with { $0.held } }

  var metrics: String {
    let state = state.with { $0 }
    func family(_ name: String, _ type: String, _ help: String, _ samples: [(String, Int)]) -> String {
      MetricText.family(
        "godwit_collector_mqtt_\(name)", type, help, samples.map { (labels: $0.0, value: $0.1) })
    }
    return family(
      "connected", "gauge", "Whether the collector is subscribed at the broker.",
      [("", state.isConnected ? 1 : 0)])
      + family(
        "messages_total", "counter", "Messages, by what became of them.",
        Outcome.allCases.map { ("{result=\"\($0.rawValue)\"}", state.messages[$0] ?? 0) })
      + family(
        "records_total", "counter", "Records of messages, by what became of them.",
        state.records.samples.map { ($0.labels, $0.value) })
      + (state.losses.isEmpty
        ? ""
        : family(
          "disconnects_total", "counter", "Connections that failed or ended, by the reason.",
          state.losses.sorted { $0.key < $1.key }.map { ("{reason=\"\($0.key)\"}", $0.value) }))
      + family(
        "sessions_forgotten_total", "counter", "How often the broker had forgotten the session.",
        [("", state.forgotten)])
      + family("in_flight", "gauge", "Messages that are not confirmed.", [("", state.inFlight)])
      + family(
        "held", "gauge", "Messages that the database has refused, and that are tried again.",
        [("", state.held)])
  }
}
