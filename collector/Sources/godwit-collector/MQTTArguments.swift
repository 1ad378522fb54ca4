import ArgumentParser
import Collector
import Foundation

/// What is stored of which broker.
struct MQTTArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Store what devices publish at this broker: mqtt://HOST, or with TLS mqtts://USER@HOST:PORT. Once for each broker of a cluster.",
      valueName: "URL"))
  var mqtt: [String] = []

  @Option(
    help: ArgumentHelp(
      "Where devices publish, as in their sync.url; without it fleet/{device}/records. Who may publish there under which name, the broker's rules decide.",
      valueName: "topic"))
  var mqttTopic: String?

  @Option(
    help: ArgumentHelp(
      "Share the topic with the collectors of this group ($share/NAME/…): each message goes to one of them. Not with NATS.",
      valueName: "name"))
  var mqttGroup: String?

  @Option(
    help: ArgumentHelp(
      "The name under which the broker keeps what comes while this collector is away. Two collectors must not share it. Without it, made of the host's name, the database and the port.",
      valueName: "id"))
  var mqttClientID: String?

  @Option(
    help: ArgumentHelp("A file with the password of --mqtt's user.", valueName: "file"), completion: .file())
  var mqttPasswordFile: String?

  @Option(
    help: ArgumentHelp(
      "Trust brokers with certificates of this authority (PEM) instead of the system's.", valueName: "file"),
    completion: .file())
  var mqttAuthority: String?

  @Flag(
    help:
      "Tell devices what is stored, on their topic with /ack behind it: for agents with sync.ack = \"strict\"."
  )
  var mqttConfirm = false

  func validate() throws {
    guard mqtt.isEmpty else { return }
    let idle = [
      ("--mqtt-topic", mqttTopic != nil), ("--mqtt-group", mqttGroup != nil),
      ("--mqtt-client-id", mqttClientID != nil), ("--mqtt-password-file", mqttPasswordFile != nil),
      ("--mqtt-authority", mqttAuthority != nil), ("--mqtt-confirm", mqttConfirm),
    ]
    if let option = idle.first(where: \.1)?.0 {
      throw ValidationError("\(MQTTOptionError.noBroker(option: option))")
    }
  }

  /// Nil: nothing comes over MQTT.
  ///
  /// - Parameter collector: what tells it from others on this host.
  func options(collector: [String]) throws -> MQTTOptions? {
    guard !mqtt.isEmpty else { return nil }
    let brokers = try mqtt.map(MQTTBroker.init)
    guard mqttGroup.map(MQTTOptions.isName) != false else { throw MQTTOptionError.badGroup }
    guard mqttClientID.map(MQTTOptions.isName) != false else { throw MQTTOptionError.badClientID }
    guard mqttPasswordFile == nil || brokers.allSatisfy({ $0.user != nil }) else {
      throw MQTTOptionError.passwordWithoutUser
    }
    let own = MQTTOptions.clientID(of: [ProcessInfo.processInfo.hostName] + collector)
    var options = try MQTTOptions(
      brokers: brokers, topic: try MQTTTopic(mqttTopic ?? "fleet/{device}/records"),
      clientID: mqttClientID ?? own, authority: mqttAuthority)
    (options.group, options.confirms) = (mqttGroup, mqttConfirm)
    options.password = try mqttPasswordFile.map(password)
    return options
  }

  private func password(_ file: String) throws -> [UInt8] {
    let text: String
    do { text = try String(contentsOfFile: file, encoding: .utf8) } catch {
      throw MQTTOptionError.cannotReadPassword(file: file, words: error.localizedDescription)
    }
    guard let line = text.split(whereSeparator: \.isNewline).first else {
      throw MQTTOptionError.emptyPassword(file: file)
    }
    return Array(line.utf8)
  }
}
