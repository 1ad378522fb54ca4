/// What has to be known of the server's URL before anything is sent there.
public struct ServerURL: Equatable, Sendable {
  public struct Flaw: Error, Equatable, Sendable {
    public var reason: String
  }

  public var isEncrypted: Bool
  /// Without brackets and port, in lower case.
  public var host: String

  /// Stricter than RFC 3986: http and https only, an ASCII host, no user, no password. What curl might
  /// read in another way than this does is refused.
  public init(_ text: String) throws(Flaw) {
    guard text.unicodeScalars.allSatisfy(Self.isPlain) else {
      throw Flaw(reason: "contains a character that a URL may not have")
    }
    isEncrypted = text.lowercased().hasPrefix("https://")
    guard isEncrypted || text.lowercased().hasPrefix("http://") else {
      throw Flaw(reason: "must begin with https://")
    }
    let authority = text.dropFirst(isEncrypted ? 8 : 7).prefix { !"/?#".contains($0) }
    if authority.contains("@") {
      throw Flaw(reason: "may not hold a user or a password: put the token into a file (sync.token_file)")
    }
    let (host, port) = Self.parts(of: authority)
    guard let host, Self.isHost(host) else { throw Flaw(reason: "has no valid host") }
    if let port, !(1...65535).contains(Int(port) ?? 0) { throw Flaw(reason: "has no valid port") }
    self.host = host.lowercased()
  }

  /// True when nothing leaves this machine: 127.0.0.0/8, ::1 or localhost.
  public var isLoopback: Bool {
    if host == "localhost" || host == "::1" { return true }
    let octets = host.split(separator: ".", omittingEmptySubsequences: false)
    return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
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

  private static func isHost(_ host: Substring) -> Bool {
    !host.isEmpty
      && host.unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", ":": true
        default: false
        }
      }
  }
}
