import Foundation

/// One broker, of a URL such as `mqtts://collector@broker.example.com:8883`.
public struct MQTTBroker: Equatable, Sendable, CustomStringConvertible {
  public let host: String
  public let port: Int
  public let isEncrypted: Bool
  public let user: String?

  /// Throws an ``MQTTOptionError``.
  public init(_ text: String) throws {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      let port = ["mqtt": 1883, "mqtts": 8883][scheme], let host = parts.host, !host.isEmpty,
      ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil,
      (1...65_535).contains(parts.port ?? port)
    else { throw MQTTOptionError.badURL(Self.shown(text)) }
    guard parts.password == nil else { throw MQTTOptionError.password }
    // An address of IPv6 stands in brackets.
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    self.port = parts.port ?? port
    isEncrypted = scheme == "mqtts"
    user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Without a user, and so without a password that stands where none should.
  private static func shown(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    return "…" + text[at...]
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whoever is on the way could read what goes there.
  var isExposed: Bool { !isEncrypted && !["localhost", "127.0.0.1", "::1"].contains(host) }
}
