import Glibc

/// Hosts whose addresses nobody has to be asked for.
enum KnownAddresses {
  /// nil for a name that has to be looked up.
  static func of(_ host: String) -> [String]? {
    if isAddress(host) { return [host] }
    // Never asked for over the network (RFC 6761, 6.3): plaintext may go there.
    var name = host.lowercased()
    if name.last == "." { name.removeLast() }
    return name == "localhost" || name.hasSuffix(".localhost") ? ["127.0.0.1", "::1"] : nil
  }

  /// IPv4 or IPv6 in figures; a link-local address may name its interface (fe80::1%eth0).
  static func isAddress(_ host: String) -> Bool {
    var bytes = in6_addr()
    let figures = String(host.prefix { $0 != "%" })
    return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, figures, &bytes) == 1
  }
}
