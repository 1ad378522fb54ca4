/// Why there is no connection with the broker, in words for whoever runs the collector.
enum MQTTLoss: Equatable, Sendable {
  /// - Parameter words: the system's.
  case cannotConnect(String)
  case broken(String)
  case closed
  /// - Parameter what: was awaited.
  case noAnswer(String)
  case silent
  /// Of CONNACK.
  case refused(code: UInt8)
  case notSubscribed
  case onlyQoS0
  case notMQTT(String)

  /// In the figures.
  var key: String {
    switch self {
    case .cannotConnect: "cannot_connect"
    case .broken: "broken"
    case .closed: "closed"
    case .noAnswer: "no_answer"
    case .silent: "silent"
    case .refused: "refused"
    case .notSubscribed, .onlyQoS0: "not_subscribed"
    case .notMQTT: "not_mqtt"
    }
  }

  var words: String {
    switch self {
    case .cannotConnect(let words): "no connection: \(words)"
    case .broken(let words): "the connection broke: \(words)"
    case .closed: "the broker closed the connection"
    case .noAnswer(let what): "no \(what) within \(MQTTSession.answer_ms / 1000) s"
    case .silent: "the broker did not answer PINGREQ within \(MQTTSession.answer_ms / 1000) s"
    case .refused(let code): "the broker refuses: \(Self.reason(code))"
    case .notSubscribed: "the broker refuses the subscription: its rules must let this user read the topic"
    case .onlyQoS0: "the broker grants QoS 0 alone, with which messages are lost: it must allow QoS 1"
    case .notMQTT(let words): "what came is not MQTT 3.1.1: \(words)"
    }
  }

  /// 3.2.2.3.
  private static func reason(_ code: UInt8) -> String {
    switch code {
    case 1: "it does not speak MQTT 3.1.1"
    case 2: "it does not take the client id; see --mqtt-client-id"
    case 3: "it is not available at the moment"
    case 4: "the user or the password is wrong; see --mqtt and --mqtt-password-file"
    case 5: "this user may not connect; see --mqtt, --mqtt-password-file and the broker's rules"
    default: "CONNACK \(code)"
    }
  }
}
