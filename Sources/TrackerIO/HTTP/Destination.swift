import CCurl
import Glibc

/// What libcurl opens a connection to: the host of a URL, or a proxy that the environment names.
///
/// It is chosen here, by libcurl's own rules, since its addresses are needed before libcurl is: libcurl is given what was
/// chosen and asks the environment nothing.
struct Destination: Equatable {
  /// Without brackets.
  var host: String
  var port: Int
  /// As libcurl is to take it; empty: none.
  var proxy = ""

  /// For people: without its user and password; empty without a proxy.
  var proxyName: String { proxy.isEmpty ? "" : "\(host):\(port)" }

  /// What operators should know once; empty without a proxy.
  var notice: String {
    proxy.isEmpty ? "" : "requests go through the proxy \(proxyName), which the environment names"
  }

  /// - Parameter environment: the value of a variable; nil or empty without one.
  /// - Returns: nil for a URL that libcurl will refuse.
  init?(_ url: String, environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }) {
    guard let target = Destination.parts(of: url, defaultPort: 0) else { return nil }
    (host, port) = (target.host, target.port)
    // What may go to this machine in the clear must not leave it.
    if godwit_curl_is_loopback(url) { return }
    let proxy = Destination.proxy(for: url, host: target.host, environment)
    guard !proxy.isEmpty else { return }
    // libcurl's own port for proxies that name none.
    guard let parts = Destination.parts(of: proxy, defaultPort: 1080) else { return nil }
    (host, port) = (parts.host, parts.port)
    self.proxy = Destination.lookingUp(proxy)
  }

  /// For CURLOPT_RESOLVE: libcurl takes these addresses for the name and asks nobody.
  func entry(_ addresses: [String]) -> String {
    let figures = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }
    return "\(host):\(port):\(figures.joined(separator: ","))"
  }

  // MARK: Parts

  private static func parts(of url: String, defaultPort: Int) -> (host: String, port: Int)? {
    var bytes = [CChar](repeating: 0, count: Int(GODWIT_CURL_HOST_SIZE))
    let port = Int(godwit_curl_host_of(url, defaultPort, &bytes))
    guard port > 0 else { return nil }
    return (String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), port)
  }

  // MARK: Proxies

  private static func proxy(for url: String, host: String, _ environment: (String) -> String?) -> String {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    if isExcepted(host, by: value("no_proxy") ?? value("NO_PROXY") ?? "") { return "" }
    // HTTP_PROXY would be a header "Proxy:" in a CGI program: nobody reads it.
    let own = url.lowercased().hasPrefix("http://") ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    return (own + ["all_proxy", "ALL_PROXY"]).compactMap { value($0) }.first ?? ""
  }

  /// A SOCKS proxy that would be given an address is given the name instead, and looks it up.
  private static func lookingUp(_ proxy: String) -> String {
    for (scheme, instead) in [
      ("socks5://", "socks5h://"), ("socks4://", "socks4a://"), ("socks://", "socks4a://"),
    ]
    where proxy.lowercased().hasPrefix(scheme) {
      return instead + proxy.dropFirst(scheme.count)
    }
    return proxy
  }

  /// Whether `list` (`no_proxy`) holds the host, a domain that it is in, or a network (192.0.2.0/24) of its address.
  private static func isExcepted(_ host: String, by list: String) -> Bool {
    let host = trimmed(host)
    for entry in list.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
      if entry == "*" { return true }
      let name = trimmed(entry.first == "." ? entry.dropFirst() : entry)
      if host == name { return true }
      let isAddress = KnownAddresses.isAddress(host)
      if isAddress, godwit_curl_is_in_network(host, name) { return true }
      if !isAddress, !name.isEmpty, host.hasSuffix("." + name) { return true }
    }
    return false
  }

  private static func trimmed(_ name: some StringProtocol) -> String {
    var name = name.lowercased()
    if name.last == "." { name.removeLast() }
    if name.first == "[", name.last == "]" { name = String(name.dropFirst().dropLast()) }
    return name
  }
}
