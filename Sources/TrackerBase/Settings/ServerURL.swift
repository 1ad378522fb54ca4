/// What has to be known of the server's URL before anything is sent there.
public struct ServerURL: Equatable, Sendable {
  public struct ParseError: Error, Equatable, Sendable {
    public var reason: String
  }

  public enum Scheme: String, CaseIterable, Sendable {
    case https, http, mqtts, mqtt

    public var isMQTT: Bool { self == .mqtts || self == .mqtt }
    public var isEncrypted: Bool { self == .https || self == .mqtts }
  }

  public var scheme: Scheme
  /// Without brackets and port, in lower case.
  public var host: String
  /// nil where the URL leaves it to the scheme.
  public var port: Int?
  /// MQTT's user name; empty without one.
  public private(set) var user = ""
  /// MQTT's topic without the places where it says `{device}`, which are between these.
  var topicPieces: [String] = []

  /// Stricter than RFC 3986: an ASCII host, no password, and a user in MQTT's only. What curl might read in
  /// another way than this does is refused.
  public init(_ text: String) throws(ParseError) {
    guard let scheme = Scheme.allCases.first(where: { text.lowercased().hasPrefix("\($0.rawValue)://") })
    else {
      throw ParseError(reason: "must begin with https:// or mqtts://")
    }
    self.scheme = scheme
    guard text.unicodeScalars.allSatisfy({ Self.isPlain($0) || scheme.isMQTT && Self.isBrace($0) }) else {
      throw ParseError(reason: "contains a character that a URL may not have")
    }
    let rest = text.dropFirst(scheme.rawValue.count + 3)
    let authority = rest.prefix { !"/?#".contains($0) }
    let (host, port) = Self.parts(of: try Self.address(in: authority, scheme, user: &user))
    guard let host, !host.isEmpty, SettingText.isPlain(host, and: "-._:") else {
      throw ParseError(reason: "has no valid host")
    }
    self.host = host.lowercased()
    if let port {
      guard let number = Int(port), (1...65535).contains(number) else {
        throw ParseError(reason: "has no valid port")
      }
      self.port = number
    }
    if scheme.isMQTT { topicPieces = try Self.topicPieces(rest[authority.endIndex...]) }
  }

  public var isEncrypted: Bool { scheme.isEncrypted }
  public var isMQTT: Bool { scheme.isMQTT }

  /// True when nothing leaves this machine: 127.0.0.0/8, ::1 or localhost.
  public var isLoopback: Bool { Self.isLoopback(host: host) }

  public static func isLoopback(host: String) -> Bool {
    if host == "localhost" || host == "::1" { return true }
    let octets = host.split(separator: ".", omittingEmptySubsequences: false)
    return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
  }

  /// Whether a redirect to that address (RFC 9110, 10.2.2) stays with this host.
  public func isOwn(_ location: String) -> Bool {
    if location.hasPrefix("/") { return !location.hasPrefix("//") }
    return (try? ServerURL(location))?.host == host
  }

  /// Host and port without what stands before them.
  private static func address(
    in authority: Substring, _ scheme: Scheme, user: inout String
  ) throws(ParseError) -> Substring {
    guard let end = authority.lastIndex(of: "@") else { return authority }
    let name = authority[..<end]
    guard scheme.isMQTT else {
      throw ParseError(
        reason: "may not hold a user or a password: put the token into a file (sync.token_file)")
    }
    if name.contains(":") {
      throw ParseError(reason: "may not hold a password: put it into a file (sync.token_file)")
    }
    guard !name.isEmpty, let decoded = percentDecoded(name), !SettingText.hasControl(decoded) else {
      throw ParseError(reason: "has no valid user")
    }
    user = decoded
    return authority[authority.index(after: end)...]
  }

  private static func parts(of authority: Substring) -> (host: Substring?, port: Substring?) {
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return (nil, nil) }
      let host = authority[authority.index(after: authority.startIndex)..<end]
      let rest = authority[authority.index(after: end)...]
      guard host.contains(":"), rest.isEmpty || rest.first == ":" else { return (nil, nil) }
      return (host, rest.isEmpty ? nil : rest.dropFirst())
    }
    let pieces = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard pieces.count <= 2 else { return (nil, nil) }
    return (pieces[0], pieces.count == 2 ? pieces[1] : nil)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    (0x21...0x7e).contains(scalar.value) && !"\"<>\\^`{|}".unicodeScalars.contains(scalar)
  }

  private static func isBrace(_ scalar: Unicode.Scalar) -> Bool { scalar == "{" || scalar == "}" }
}
