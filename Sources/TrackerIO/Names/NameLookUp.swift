import CCares
import Glibc
import TrackerBase

/// Looks a host's addresses up through c-ares, without ever waiting and without a thread. Ends with this object.
///
/// The loop polls `descriptors` for at most `timeout_ms` and calls `drive` with what is ready. /etc/hosts and
/// /etc/resolv.conf are read for each look-up: a modem's dial-up writes the latter anew.
final class NameLookUp {
  /// Middle boxes are known that drop questions for IPv6 addresses (RFC 4074, 4.1), and a host's IPv4 addresses are
  /// not to wait for the answer to those. After this time they are asked for once more, alone.
  static let ipv4Alone_ms: Int64 = 3000

  private let host: String
  private let interface: String
  private let servers: String
  private let ends_ms: Int64
  private let ipv4Alone_ms: Int64
  private var query: CaresQuery
  private var ipv4Query: CaresQuery?
  /// Or tried to: there may have been no memory for it.
  private var hasAskedAlone = false

  /// - Parameters:
  ///   - interface: the only one to ask through; empty: whichever the routes choose.
  ///   - servers: in place of those of /etc/resolv.conf, for tests: `address:port,…`.
  init(_ host: String, interface: String = "", timeout_ms: Int64, servers: String = "") throws(NameError) {
    guard Self.isName(host) else { throw .unknownHost }
    try Self.checkFiles()
    self.host = host
    self.interface = interface
    self.servers = servers
    query = try CaresQuery(host, interface: interface, servers: servers, ipv4Only: false)
    let now_ms = HostClock.now().boot_ms
    ends_ms = now_ms + timeout_ms
    ipv4Alone_ms = now_ms + Self.ipv4Alone_ms
  }

  var descriptors: [PollDescriptor] { query.descriptors + (ipv4Query?.descriptors ?? []) }

  var timeout_ms: Int {
    if query.outcome != nil { return 0 }
    let next_ms = hasAskedAlone ? ends_ms : min(ends_ms, ipv4Alone_ms)
    let remaining_ms = Int(max(0, next_ms - HostClock.now().boot_ms))
    return [query.timeout_ms, ipv4Query?.timeout_ms].compactMap { $0 }.reduce(remaining_ms, min)
  }

  /// The addresses in figures, the best first, or why there are none; nil while it goes on.
  func drive(ready: [Int32]) -> Result<[String], NameError>? {
    query.drive(ready: ready)
    ipv4Query?.drive(ready: ready)
    if let outcome = query.outcome { return outcome }
    // Its failure says nothing that the other one will not.
    if case .success(let addresses)? = ipv4Query?.outcome { return .success(addresses) }
    let now_ms = HostClock.now().boot_ms
    if now_ms >= ends_ms { return .failure(.silent) }
    if now_ms >= ipv4Alone_ms, !hasAskedAlone {
      hasAskedAlone = true
      ipv4Query = try? CaresQuery(host, interface: interface, servers: servers, ipv4Only: true)
    }
    return nil
  }

  /// c-ares opens these by itself, and would wait for somebody to write into a pipe.
  private static func checkFiles() throws(NameError) {
    for path in ["/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf"] {
      do throws(OutsideFileError) { close(try OutsideFile.open(path)) } catch {
        if case .notAFile = error { throw .failed("\(error)") }
      }
    }
  }

  /// What may stand in a host's name (RFC 1123, 2.1, and the underscore that some networks use).
  private static func isName(_ host: String) -> Bool {
    !host.isEmpty && host.utf8.count <= 254
      && host.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}

/// Why a host has no address.
enum NameError: Error, Equatable {
  case unknownHost
  case noAddress
  /// No name server answered in time.
  case silent
  case noInterface
  /// No name server could be reached, or each refused: c-ares' words.
  case failed(String)

  /// Without advice, for a line of the journal.
  func words(host: String) -> String {
    switch self {
    case .unknownHost: "the name servers know of no host \(host)"
    case .noAddress: "the host \(host) has no address"
    case .silent: "no name server has given the address of \(host) in time"
    case .noInterface: "the name servers cannot be asked for \(host) through the interface"
    case .failed(let words): "no name server could give the address of \(host): \(words)"
    }
  }
}

/// One question to c-ares.
private final class CaresQuery {
  private let lookUp: OpaquePointer

  init(_ host: String, interface: String, servers: String, ipv4Only: Bool) throws(NameError) {
    guard let lookUp = godwit_cares_start(host, interface, servers, ipv4Only) else {
      throw .failed("out of memory")
    }
    self.lookUp = lookUp
  }

  deinit { godwit_cares_free(lookUp) }

  var descriptors: [PollDescriptor] {
    (0..<godwit_cares_socket_count(lookUp)).map {
      let socket = godwit_cares_wanted(lookUp, $0)
      return PollDescriptor(
        descriptor: socket.descriptor, wantsRead: socket.wants_read, wantsWrite: socket.wants_write)
    }
  }

  /// nil for never.
  var timeout_ms: Int? {
    let remaining_ms = godwit_cares_remaining_ms(lookUp)
    return remaining_ms < 0 ? nil : Int(remaining_ms)
  }

  func drive(ready: [Int32]) {
    for descriptor in ready where descriptors.contains(where: { $0.descriptor == descriptor }) {
      godwit_cares_act(lookUp, descriptor)
    }
    if timeout_ms == 0 { godwit_cares_act(lookUp, -1) }
  }

  /// nil while it goes on.
  var outcome: Result<[String], NameError>? {
    switch godwit_cares_state(lookUp) {
    case GODWIT_CARES_RUNNING: nil
    case GODWIT_CARES_FOUND: .success(addresses)
    case GODWIT_CARES_UNKNOWN_HOST: .failure(.unknownHost)
    case GODWIT_CARES_NO_ADDRESS: .failure(.noAddress)
    case GODWIT_CARES_SILENT: .failure(.silent)
    case GODWIT_CARES_NO_INTERFACE: .failure(.noInterface)
    default: .failure(.failed(String(cString: godwit_cares_words(lookUp))))
    }
  }

  private var addresses: [String] {
    (0..<godwit_cares_address_count(lookUp)).map { String(cString: godwit_cares_address(lookUp, $0)) }
  }
}
