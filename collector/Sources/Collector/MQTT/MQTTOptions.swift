import Foundation

/// Which topic of which broker is stored.
public struct MQTTOptions: Sendable {
  /// Of one cluster: the next one is tried when one is away.
  public var brokers: [MQTTBroker]
  public var topic: MQTTTopic
  /// Of a shared subscription; nil: each collector gets each message.
  public var group: String?
  public var clientID: String
  public var password: [UInt8]?
  /// Nil: no broker is encrypted.
  let tls: TLSContext?
  /// What is stored is told to the device, on its topic with /ack behind it.
  public var confirms = false

  /// Throws an ``MQTTOptionError``.
  ///
  /// - Parameter authority: a PEM file, of who signs the brokers' certificates; nil: the system's.
  public init(brokers: [MQTTBroker], topic: MQTTTopic, clientID: String, authority: String? = nil) throws {
    (self.brokers, self.topic, self.clientID) = (brokers, topic, clientID)
    tls = brokers.contains(where: \.isEncrypted) ? try Self.tls(authority) : nil
  }

  private static func tls(_ authority: String?) throws -> TLSContext {
    do { return try TLSContext.client(authority: authority) } catch {
      guard let authority else { throw error }
      throw MQTTOptionError.badAuthority(file: authority)
    }
  }

  /// The same with each start, and another one for each collector: of two with the same one the broker would disconnect
  /// one after the other. Letters and digits, at most 23, which every broker takes (3.1.3.1).
  ///
  /// - Parameter parts: what tells one collector from the other.
  public static func clientID(of parts: [String]) -> String {
    "godwit" + Digest.sha256(Data(parts.joined(separator: "\n").utf8)).prefix(8).hex
  }

  /// Of a client id and of a group: what no broker takes for anything else.
  public static func isName(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
          || "-_".utf8.contains($0)
      }
  }
}
