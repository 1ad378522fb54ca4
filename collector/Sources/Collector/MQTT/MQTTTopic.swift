import Foundation

/// Where devices publish, as the path of their `sync.url` has it: `fleet/{device}/records`.
public struct MQTTTopic: Equatable, Sendable {
  static let device = "{device}"

  private let levels: [String]
  private let place: Int

  /// Throws an ``MQTTOptionError``.
  public init(_ text: String) throws {
    let levels = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let places = levels.indices.filter { levels[$0] == Self.device }
    guard places.count == 1, let place = places.first, text.components(separatedBy: Self.device).count == 2
    else { throw MQTTOptionError.noDevice(topic: text) }
    guard text.utf8.count <= 60_000, !text.hasPrefix("$"), !text.contains(where: { "+#".contains($0) }),
      text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else { throw MQTTOptionError.badTopic(text) }
    (self.levels, self.place) = (levels, place)
  }

  /// What is subscribed to.
  func filter(group: String?) -> String {
    let plain = levels.map { $0 == Self.device ? "+" : $0 }.joined(separator: "/")
    return group.map { "$share/\($0)/\(plain)" } ?? plain
  }

  /// Who publishes there; nil: nobody whose messages these are. Throws a ``Refusal`` if the name is none.
  func device(of topic: String) throws -> String? {
    let found = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard found.count == levels.count,
      zip(found, levels).enumerated().allSatisfy({ $0.offset == place || $0.element.0 == $0.element.1 })
    else { return nil }
    // As in the header Godwit-Device: a % that begins no byte stands for itself.
    return try Routes.checked(name: found[place].removingPercentEncoding ?? found[place])
  }
}

/// Why the collector does not start with these options.
public enum MQTTOptionError: Error, Equatable, CustomStringConvertible {
  case badURL(String)
  case password
  case noDevice(topic: String)
  case badTopic(String)
  case badGroup
  case badClientID
  case passwordWithoutUser
  case noBroker(option: String)
  case badAuthority(file: String)
  case cannotReadPassword(file: String, words: String)
  case emptyPassword(file: String)

  public var description: String {
    switch self {
    case .badURL(let text):
      "\(text) is no broker: --mqtt wants mqtt://HOST, mqtt://USER@HOST:PORT, or the same with mqtts://"
    case .password:
      "the URL of --mqtt holds a password, which every user of this machine can read: put it into a file, and name that "
        + "with --mqtt-password-file"
    case .noDevice(let topic):
      "--mqtt-topic \(topic) must have \(MQTTTopic.device) once, as a level of its own: fleet/{device}/records"
    case .badTopic(let topic):
      "--mqtt-topic \(topic) is no topic: no + and no #, no control characters, no $ at its beginning, at most 60,000 bytes"
    case .badGroup: "--mqtt-group wants letters, digits, - and _"
    case .badClientID: "--mqtt-client-id wants 1 to 128 letters, digits, - and _"
    case .passwordWithoutUser: "--mqtt-password-file needs a user in the URL: mqtt://USER@HOST"
    case .noBroker(let option): "\(option) says nothing without --mqtt"
    case .badAuthority(let file):
      "cannot read a certificate from \(file): is it there, is it PEM, and may this user read it?"
    case .cannotReadPassword(let file, let words): "cannot read the password file \(file): \(words)"
    case .emptyPassword(let file):
      "the password file \(file) is empty: write the password into its first line"
    }
  }
}
