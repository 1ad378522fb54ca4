import Glibc
import HTTPTypes
import Hummingbird

/// Whether a request calls the collector `localhost` or by an IP address. Where nothing else is asked for, no other name
/// counts: a page of somebody else may have its own name point to this machine (DNS rebinding), and what it asks is then of
/// its own origin to the browser.
enum LocalHost {
  static let refusal = Refusal(
    .forbidden,
    "nobody has an account here and no token is asked for, so the collector is only to be had as localhost or by its "
      + "IP address: open it so, or add an account (godwit-collector operator add NAME --role admin)")

  /// A request that names no host comes from no browser.
  static func isNamed(in request: Request) -> Bool {
    guard let authority = request.head.authority ?? request.headers[.init("Host")!] else { return true }
    return isLocal(authority)
  }

  /// - Parameter authority: `localhost:8080`, `192.168.1.2`, `[::1]:8080`.
  static func isLocal(_ authority: String) -> Bool {
    let (host, port) = parts(of: authority[...])
    guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    if host.hasPrefix("["), host.hasSuffix("]") { return isAddress(host.dropFirst().dropLast(), AF_INET6) }
    return host.lowercased() == "localhost" || isAddress(host, AF_INET)
  }

  private static func parts(of authority: Substring) -> (host: Substring, port: Substring) {
    let begin = authority.lastIndex(of: "]") ?? authority.startIndex
    guard let colon = authority[begin...].firstIndex(of: ":") else { return (authority, "") }
    return (authority[..<colon], authority[authority.index(after: colon)...])
  }

  private static func isAddress(_ text: Substring, _ family: Int32) -> Bool {
    var address = in6_addr()
    return inet_pton(family, String(text), &address) == 1
  }
}
