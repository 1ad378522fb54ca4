/// What the publisher keeps while a message is on its way.
extension MQTTPublisher {
  /// One message on its way.
  public struct Errand: Equatable, Sendable {
    var message: MQTTMessage
    var login: MQTTLogin
    var version: MQTTPacket.Version
    /// On a connection that was there before: it may be dead, which is no failure yet.
    var isOnKept = false
    /// The answer, where it came before PUBACK.
    var answer: [UInt8]?

    /// What is subscribed to for it; empty: nothing.
    var topic: String { message.responseTopic.isEmpty ? message.commandTopic : message.responseTopic }
    var awaitsAnswer: Bool { !message.responseTopic.isEmpty }
  }

  /// What holds for a connection that the broker has accepted.
  public struct Terms: Equatable, Sendable {
    var version: MQTTPacket.Version
    var allowed = MQTTTerms()
    /// Where answers or commands come; empty: neither is awaited.
    var subscribedTo = ""
    /// These are commands.
    var bringsCommands = false
  }
}

/// What the codes of a broker mean.
extension MQTTPublisher {
  /// 3.4.2.1; nil where a PUBACK may not say that.
  static func outcome(ofPuback code: UInt8) -> MQTTOutcome? {
    switch code {
    case 0: .stored
    case 0x10: .noSubscriber
    case 0x80...: .refused(by: .puback, code: code)
    default: nil
    }
  }

  /// The return codes of 3.1.1 (there 3.2.2.3) as those of 5; a broker may refuse MQTT 5 with either.
  static func reason(_ code: UInt8) -> UInt8 {
    switch code {
    case 1: 0x84
    case 2: 0x85
    case 3: 0x88
    case 4: 0x86
    case 5: 0x87
    default: code
    }
  }
}
