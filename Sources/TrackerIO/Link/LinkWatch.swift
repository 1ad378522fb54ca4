import CHost
import Glibc

/// The kernel's word on links, addresses and routes: a descriptor, no polling.
public final class LinkWatch {
  public let descriptor: Int32
  private let interface: String
  private var memory = LinkMemory()

  /// The kernel's messages have a page at most; a datagram may hold several.
  static let capacity = 32 * 1024

  /// - Parameter interface: the only one that counts; empty for any. It may come later.
  public init(interface: String) throws(HostError) {
    self.interface = interface
    descriptor = chost_route_watch()
    guard descriptor >= 0 else { throw .callFailed("socket AF_NETLINK", code: errno) }
  }

  deinit { close(descriptor) }

  /// The name of the interface that has the address, in figures; empty if none has it.
  static func interface(with address: String) -> String {
    if address.isEmpty { return "" }
    var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
    guard chost_interface_with(address, &name) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Takes all that has come. - Returns: whether there may be a way to the server that was not there before.
  public func receive() -> Bool {
    var bytes = [UInt8](repeating: 0, count: LinkWatch.capacity)
    var isRestored = false
    while true {
      let (count, code) = uninterrupted { chost_route_read(descriptor, &bytes, UInt(bytes.count)) }
      if count < 0 {
        // Messages were lost, and with them perhaps the one that matters.
        guard code == ENOBUFS else { return isRestored }
        memory = LinkMemory()
        isRestored = true
        continue
      }
      // By name each time: a modem that comes back has another index.
      let index = interface.isEmpty ? nil : Int(if_nametoindex(interface))
      for news in RouteMessages.parse(Array(bytes[..<count])) {
        let isNew = memory.heard(news, only: index, isLimited: !interface.isEmpty)
        isRestored = isRestored || isNew
      }
    }
  }
}
